"""What a plan is made of: a closed set of actions, in order.

Two walkers match every action and end in `assert_never`: `step_words.describe` says it, `apply.next_action` does it or waits.
A step carries all it needs, words included: nothing is made up at run time that the review did not show.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.actions import ActionName, WriteProcessMetadata
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.json.kafka import ConfigValue


@dataclass(frozen=True, slots=True)
class StopClient:
    """End the process of a client for good. Its members stay in the group's list until their session times out."""

    process_id: ProcessId
    host: str | None


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


def verb(action: Action) -> ActionName:
    """What an action is called in documents."""
    return VERBS[type(action)]


VERBS: Mapping[type, ActionName] = {
    StopClient: ActionName.STOP_CLIENT,
    WriteProcessMetadata: ActionName.WRITE_PROCESS_METADATA,
    CopyStateDirectory: ActionName.COPY_STATE_DIRECTORY,
    StartClient: ActionName.START_CLIENT,
    RestartClient: ActionName.RESTART_CLIENT,
    SetConfig: ActionName.SET_CONFIG,
    SetRelease: ActionName.SET_RELEASE,
    ChangeThreads: ActionName.SET_THREADS,
    GrowTopic: ActionName.ADD_PARTITIONS,
    StopEverybody: ActionName.STOP_APPLICATION,
    DeployTopology: ActionName.DEPLOY_TOPOLOGY,
    AwaitRebalance: ActionName.AWAIT_REBALANCE,
    AwaitStable: ActionName.AWAIT_STABLE,
}
