"""The names of the actions of steps, and the one that Holdfast automates: policies and journals of every kind of group use them."""

from enum import StrEnum

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.json.codec import TEXT, nullable
from holdfast.rollout.json.kafka_codecs import PROCESS_ID
from holdfast.rollout.json.record import member, record


class ActionName(StrEnum):
    """What an action is called in documents. Topics come and go for consumer groups only. No step is a `set_client_config`: it is
    what a run does to each client in a `set_config` of clients."""

    STOP_CLIENT = "stop_client"
    WRITE_PROCESS_METADATA = "write_process_metadata"
    COPY_STATE_DIRECTORY = "copy_state_directory"
    START_CLIENT = "start_client"
    RESTART_CLIENT = "restart_client"
    SET_CONFIG = "set_config"
    SET_CLIENT_CONFIG = "set_client_config"
    SET_RELEASE = "set_release"
    SET_THREADS = "set_threads"
    ADD_PARTITIONS = "add_partitions"
    STOP_APPLICATION = "stop_application"
    DEPLOY_TOPOLOGY = "deploy_topology"
    AWAIT_REBALANCE = "await_rebalance"
    AWAIT_STABLE = "await_stable"
    ADD_TOPIC = "add_topic"
    REMOVE_TOPIC = "remove_topic"
    SET_GROUP_PROTOCOL = "set_group_protocol"
    STOP_CLASSIC_CLIENTS = "stop_classic_clients"
    START_MOVED_CLIENT = "start_moved_client"


@record
class WriteProcessMetadata:
    """Put a process ID into the state directory of a client that is not running.

    `source`: the client that must be gone before; None: no client. `replaces`: the ID that is there, in the place of which it is
    written; None: there is none yet, and another one than `process_id` is another client's.
    """

    process_id: ProcessId = member(PROCESS_ID)
    host: str | None = member(nullable(TEXT))
    source: ProcessId | None = member(nullable(PROCESS_ID))
    replaces: ProcessId | None = member(nullable(PROCESS_ID), default=None, omit=True)
