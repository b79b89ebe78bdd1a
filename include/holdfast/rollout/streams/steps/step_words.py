"""A step in words: in full, in brief, and as a shell command."""

from typing import assert_never

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.contract.plan_words import setting
from holdfast.rollout.disks import process_metadata
from holdfast.rollout.streams.steps.steps import (
    Action,
    AwaitRebalance,
    AwaitStable,
    ChangeThreads,
    CopyStateDirectory,
    DeployTopology,
    GrowTopic,
    RestartInPlace,
    RollOutConfig,
    RollOutRelease,
    StartClient,
    StopAllClients,
    StopClient,
)
from holdfast.rollout.text import kafka_commands
from holdfast.rollout.text.format import duration, many


def describe(action: Action) -> str:
    """What a step does, in full."""
    match action:
        case StopClient():
            return f"Stop client {action.process_id}{_at(action.host)}"
        case WriteProcessMetadata():
            return f"Write process ID {action.process_id} into the state directory{_at(action.host)}"
        case CopyStateDirectory():
            hosts = f"from {action.from_host or 'its host'} to {action.to_host or 'the new host'}"
            return f"Copy the state directory of {action.process_id} {hosts}"
        case StartClient():
            return f"Start a client{_at(action.host)} with {many(action.threads, 'stream thread')}{_as(action.process_id)}"
        case RestartInPlace():
            return f"Restart client {action.process_id}{_at(action.host)}"
        case RollOutConfig() | RollOutRelease() | ChangeThreads() | GrowTopic() | StopAllClients() | DeployTopology():
            return _for_all(action)
        case AwaitRebalance():
            return "Wait for one rebalance"
        case AwaitStable(limit_s):
            return f"Wait until the group is stable (time limit {duration(limit_s)})"
        case _:
            assert_never(action)


def brief(action: Action, shared: frozenset[str | None] = frozenset()) -> str:
    """`shared`: hosts with several clients, which are distinguished by their process IDs."""
    match action:
        case StopClient():
            return f"stop {_who(action, shared)}"
        case WriteProcessMetadata():
            return f"write process ID {str(action.process_id)[:8]}…{_at(action.host)}"
        case CopyStateDirectory():
            return f"copy its disk to {action.to_host or 'the new host'}"
        case StartClient():
            return f"start the new client{_at(action.host)}"
        case RestartInPlace():
            return f"restart {_who(action, shared)}"
        case RollOutConfig() | RollOutRelease() | ChangeThreads() | GrowTopic() | StopAllClients() | DeployTopology():
            return _for_all_in_brief(action)
        case AwaitRebalance():
            return "wait for a rebalance"
        case AwaitStable():
            return "wait until the group is stable"
        case _:
            assert_never(action)


def _who(action: StopClient | RestartInPlace, shared: frozenset[str | None]) -> str:
    short = str(action.process_id)[:8]
    if not action.host:
        return short
    return f"{action.host} ({short}…)" if action.host in shared else action.host


_ForAll = RollOutConfig | RollOutRelease | ChangeThreads | GrowTopic | StopAllClients | DeployTopology


def _for_all(action: _ForAll) -> str:
    match action:
        case RollOutConfig():
            return f"Roll out {action.key} = {setting(action.value)} (now {setting(action.was)})"
        case RollOutRelease():
            return f"Upgrade every client to Kafka Streams {action.kafka_release} (now {action.was or 'unknown'})"
        case ChangeThreads():
            threads = many(action.threads, "stream thread")
            return f"Set {action.process_id}{_at(action.host)} to {threads} (now {action.was})"
        case GrowTopic():
            return f"Grow topic {action.topic} to {many(action.partitions, 'partition')}"
        case StopAllClients(minutes):
            return f"Stop all clients, and start them again after {minutes:g} minutes"
        case DeployTopology():
            disks = "" if action.keeps_state else ", on empty disks"
            return f"Stop all clients, and start them again with the new topology of {many(action.tasks, 'task')}{disks}"
        case _:
            assert_never(action)


def _for_all_in_brief(action: _ForAll) -> str:
    match action:
        case RollOutConfig():
            return f"roll out {action.key} = {setting(action.value)}"
        case RollOutRelease():
            return f"upgrade to Kafka Streams {action.kafka_release}"
        case ChangeThreads():
            return f"set {many(action.threads, 'thread')}{_at(action.host)}"
        case GrowTopic():
            return f"grow {action.topic} to {many(action.partitions, 'partition')}"
        case StopAllClients(minutes):
            return f"stop all clients for {minutes:g} minutes"
        case DeployTopology():
            return "deploy the new topology to all clients at once"
        case _:
            assert_never(action)


def _at(host: str | None) -> str:
    return f" on {host}" if host else ""


def _as(process_id: ProcessId | None) -> str:
    return f" and process ID {process_id}" if process_id else " and a new random process ID"


def command(action: Action, group_id: str) -> str | None:
    """The same as a shell command; None: there is none. What depends on the host is a variable that the shell asks for:
    STATE_DIR is the setting state.dir, BOOTSTRAP_SERVERS the brokers."""
    match action:
        case WriteProcessMetadata():
            return process_metadata.by_hand(action.process_id, group_id)
        case GrowTopic():
            return kafka_commands.grow_topic(action.topic, action.partitions)
        case _:
            return None


def about_the_command(action: Action) -> str:
    if isinstance(action, WriteProcessMetadata):
        return "Command, for a directory that Holdfast cannot reach (STATE_DIR is the application's state.dir):"
    return kafka_commands.ABOUT
