"""What a plan is made of: a closed set of actions, in order.

Two walkers match every action and end in `assert_never`: `step_words.describe` says it, `apply.next_action` does it or waits.
A step carries all it needs, words included: nothing is made up at run time that the review did not show.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.snapshot import ConfigValue


class Who(StrEnum):
    """Who does a step. What Holdfast does it does on state directories it was told of; otherwise the operator does it by hand."""

    HOLDFAST = "holdfast"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class StopClient:
    """End the process of a client for good. Its members stay in the group's list until their session times out."""

    process_id: ProcessId
    host: str | None


@dataclass(frozen=True, slots=True)
class WriteProcessMetadata:
    """Put a process ID into the state directory of a client that is not running.

    `source`: the client that must be gone before; None: nobody. `replaces`: the ID that is there, in the place of which it is
    written; None: there is none yet, and another one than `process_id` is somebody else's.
    """

    process_id: ProcessId
    host: str | None
    source: ProcessId | None
    replaces: ProcessId | None = None


@dataclass(frozen=True, slots=True)
class CopyStateDirectory:
    """Copy `<state.dir>/<application.id>` of a stopped client, process metadata included, to where its successor starts."""

    process_id: ProcessId
    from_host: str | None
    to_host: str | None


@dataclass(frozen=True, slots=True)
class StartClient:
    """Start a client. `process_id` None: it makes up its own."""

    process_id: ProcessId | None
    threads: int
    host: str | None


@dataclass(frozen=True, slots=True)
class RestartClient:
    """Stop a client and start it again where it was. `comes_back_as` None: under an ID that it makes up."""

    process_id: ProcessId
    host: str | None
    comes_back_as: ProcessId | None
    keeps_state: bool


@dataclass(frozen=True, slots=True)
class SetConfig:
    """Give every client a setting, by restarting one after the other: a rebalance goes by the setting of whoever leads it.

    None for `value` or `was`: not set, so that Kafka's default holds.
    """

    key: str
    value: ConfigValue
    was: ConfigValue


@dataclass(frozen=True, slots=True)
class SetRelease:
    """Roll every client to another release of Kafka Streams, one after the other. `was` None: nobody knows which it is."""

    kafka_release: str
    was: str | None


@dataclass(frozen=True, slots=True)
class ChangeThreads:
    """Add stream threads to a running client, or take some away, until it has `threads` (KIP-663). `was`: how many it has."""

    process_id: ProcessId
    host: str | None
    threads: int
    was: int


@dataclass(frozen=True, slots=True)
class GrowTopic:
    """Give a source topic more partitions, in all `partitions` of them."""

    topic: str
    partitions: int


@dataclass(frozen=True, slots=True)
class StopEverybody:
    """Stop every client, and start them all again after so many minutes, each with its disk."""

    minutes: float


@dataclass(frozen=True, slots=True)
class DeployTopology:
    """Stop every client, and start them all again with another topology, of so many tasks."""

    tasks: int
    keeps_state: bool


@dataclass(frozen=True, slots=True)
class AwaitRebalance:
    """Wait for one rebalance, converged or not, and no longer than `limit_s`."""

    limit_s: int


@dataclass(frozen=True, slots=True)
class AwaitStable:
    """Wait until nothing is pending in the group, no longer than `limit_s`."""

    limit_s: int


Action = (
    StopClient
    | WriteProcessMetadata
    | CopyStateDirectory
    | StartClient
    | RestartClient
    | SetConfig
    | SetRelease
    | ChangeThreads
    | GrowTopic
    | StopEverybody
    | DeployTopology
    | AwaitRebalance
    | AwaitStable
)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do. `id` is its number in the plan, from "1"; the texts are what a reviewer reads and an operator follows."""

    id: str
    action: Action
    who: Who
    check_before: str
    check_after: str
    undo: str
    expect: str


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A setting of the window: `value` while it lasts, `revert_to` afterwards (None: not set, Kafka's default)."""

    key: str
    value: ConfigValue
    revert_to: ConfigValue
    note: str


def touched(action: Action) -> tuple[ProcessId, ...]:
    """The clients that an action stops, starts or restarts."""
    match action:
        case StopClient(process_id=process_id) | WriteProcessMetadata(process_id=process_id):
            return (process_id,)
        case CopyStateDirectory(process_id=process_id):
            return (process_id,)
        case StartClient(process_id=process_id):
            return () if process_id is None else (process_id,)
        case RestartClient(process_id=process_id, comes_back_as=back):
            return (process_id,) if back is None or back == process_id else (process_id, back)
        case ChangeThreads(process_id=process_id):
            return (process_id,)
        case SetConfig() | SetRelease() | GrowTopic() | StopEverybody() | DeployTopology() | AwaitRebalance() | AwaitStable():
            return ()


def hosts_of(action: Action) -> tuple[str | None, ...]:
    """The hosts that an action names, None where it does not know one."""
    match action:
        case StopClient(host=host) | WriteProcessMetadata(host=host) | StartClient(host=host) | RestartClient(host=host):
            return (host,)
        case CopyStateDirectory(from_host=source, to_host=target):
            return (source, target)
        case ChangeThreads(host=host):
            return (host,)
        case SetConfig() | SetRelease() | GrowTopic() | StopEverybody() | DeployTopology() | AwaitRebalance() | AwaitStable():
            return ()


def verb(action: Action) -> str:
    """What an action is called in documents."""
    return VERBS[type(action)]


VERBS: Mapping[type, str] = {
    StopClient: "stop_client",
    WriteProcessMetadata: "write_process_metadata",
    CopyStateDirectory: "copy_state_directory",
    StartClient: "start_client",
    RestartClient: "restart_client",
    SetConfig: "set_config",
    SetRelease: "set_release",
    ChangeThreads: "set_threads",
    GrowTopic: "add_partitions",
    StopEverybody: "stop_application",
    DeployTopology: "deploy_topology",
    AwaitRebalance: "await_rebalance",
    AwaitStable: "await_stable",
}

ADD_TOPIC, REMOVE_TOPIC = "add_topic", "remove_topic"
ACTIONS = (*VERBS.values(), ADD_TOPIC, REMOVE_TOPIC)
"""What a policy may allow, by name. Topics come and go for consumer groups only."""
