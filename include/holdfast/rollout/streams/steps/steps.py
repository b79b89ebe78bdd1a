"""The actions of a plan's steps, in order.

Two walkers match every action and end in `assert_never`: `step_words.describe` says it, `apply.next_action` does it or waits.
A step carries all it needs, words included: no text is added at run time that the review did not show.
"""

from collections.abc import Mapping
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.actions import ActionName, WriteProcessMetadata
from holdfast.rollout.contract.batches_json import LONGEST_STOP, MOST_PARTITIONS
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import BOOLEAN, COUNT, NAME, TEXT, Codec, choice, integer, items, nullable, number
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.kafka_codecs import CONFIG_VALUE, PROCESS_ID, RELEASE, THREADS
from holdfast.rollout.json.record import codec_of, member, record, spread
from holdfast.rollout.json.unions import tagged

MOST_STEPS = 100_000
LONGEST_LIMIT_S = 365 * 86_400
_HOST = nullable(TEXT)
_LIMIT = integer(1, LONGEST_LIMIT_S)


@record
class StopClient:
    """End the process of a client permanently. Its members stay in the group's list until their session times out."""

    process_id: ProcessId = member(PROCESS_ID)
    host: str | None = member(_HOST)


@record
class CopyStateDirectory:
    """Copy `<state.dir>/<application.id>` of a stopped client, process metadata included, to where its successor starts."""

    process_id: ProcessId = member(PROCESS_ID)
    from_host: str | None = member(_HOST)
    to_host: str | None = member(_HOST)


@record
class StartClient:
    """Start a client. `process_id` None: it makes up its own."""

    process_id: ProcessId | None = member(nullable(PROCESS_ID))
    threads: int = member(THREADS)
    host: str | None = member(_HOST)


@record
class RestartInPlace:
    """Stop a client and start it again where it was. `comes_back_as` None: under an ID that it makes up."""

    process_id: ProcessId = member(PROCESS_ID)
    host: str | None = member(_HOST)
    comes_back_as: ProcessId | None = member(nullable(PROCESS_ID))
    keeps_state: bool = member(BOOLEAN)


@record
class RollOutConfig:
    """Give every client a setting, by restarting one after the other: the leader's setting decides a rebalance.

    None for `value` or `was`: not set, so that Kafka's default holds.
    """

    key: str = member(NAME)
    value: ConfigValue = member(CONFIG_VALUE)
    was: ConfigValue = member(CONFIG_VALUE)


@record
class RollOutRelease:
    """Roll every client to another release of Kafka Streams, one after the other. `was` None: unknown."""

    kafka_release: str = member(RELEASE)
    was: str | None = member(nullable(RELEASE))


@record
class ChangeThreads:
    """Add stream threads to a running client, or take some away, until it has `threads` (KIP-663). `was`: how many it has."""

    process_id: ProcessId = member(PROCESS_ID)
    host: str | None = member(_HOST)
    threads: int = member(THREADS)
    was: int = member(THREADS)


@record
class GrowTopic:
    """Give a source topic more partitions, in all `partitions` of them."""

    topic: str = member(NAME)
    partitions: int = member(integer(1, MOST_PARTITIONS))


@record
class StopAllClients:
    """Stop every client, and start them all again after the given minutes, each with its disk."""

    minutes: float = member(number(f"a number of minutes, up to {LONGEST_STOP:,}", 0, LONGEST_STOP))


@record
class DeployTopology:
    """Stop every client, and start them all again with another topology, of another number of tasks."""

    tasks: int = member(COUNT)
    keeps_state: bool = member(BOOLEAN)


@record
class AwaitRebalance:
    """Wait for one rebalance, converged or not, and no longer than `limit_s`."""

    limit_s: int = member(_LIMIT)


@record
class AwaitStable:
    """Wait until nothing is pending in the group, no longer than `limit_s`."""

    limit_s: int = member(_LIMIT)


Action = (
    StopClient
    | WriteProcessMetadata
    | CopyStateDirectory
    | StartClient
    | RestartInPlace
    | RollOutConfig
    | RollOutRelease
    | ChangeThreads
    | GrowTopic
    | StopAllClients
    | DeployTopology
    | AwaitRebalance
    | AwaitStable
)


def verb(action: Action) -> ActionName:
    """What an action is called in documents."""
    return VERBS[type(action)]


VERBS: Mapping[type, ActionName] = {
    StopClient: ActionName.STOP_CLIENT,
    WriteProcessMetadata: ActionName.WRITE_PROCESS_METADATA,
    CopyStateDirectory: ActionName.COPY_STATE_DIRECTORY,
    StartClient: ActionName.START_CLIENT,
    RestartInPlace: ActionName.RESTART_CLIENT,
    RollOutConfig: ActionName.SET_CONFIG,
    RollOutRelease: ActionName.SET_RELEASE,
    ChangeThreads: ActionName.SET_THREADS,
    GrowTopic: ActionName.ADD_PARTITIONS,
    StopAllClients: ActionName.STOP_APPLICATION,
    DeployTopology: ActionName.DEPLOY_TOPOLOGY,
    AwaitRebalance: ActionName.AWAIT_REBALANCE,
    AwaitStable: ActionName.AWAIT_STABLE,
}

_INPUTS: Mapping[str, Codec[Any]] = {name: codec_of(cls) for cls, name in VERBS.items()}


@record
class Step:
    """One thing to do. `id` is its number in the plan, from "1"; the texts are what a reviewer reads and an operator follows."""

    id: str = member(NAME, "Its number, from 1.")
    action: Action = spread(tagged("action", "inputs", lambda: _INPUTS, verb))
    who: Who = member(choice(Who))
    check_before: str = member(TEXT)
    check_after: str = member(TEXT)
    undo: str = member(TEXT)
    expect: str = member(TEXT)


def touched(action: Action) -> tuple[ProcessId, ...]:
    """The clients that an action stops, starts or restarts."""
    match action:
        case StopClient(process_id=process_id) | WriteProcessMetadata(process_id=process_id):
            return (process_id,)
        case CopyStateDirectory(process_id=process_id):
            return (process_id,)
        case StartClient(process_id=process_id):
            return () if process_id is None else (process_id,)
        case RestartInPlace(process_id=process_id, comes_back_as=back):
            return (process_id,) if back is None or back == process_id else (process_id, back)
        case ChangeThreads(process_id=process_id):
            return (process_id,)
        case (
            RollOutConfig()
            | RollOutRelease()
            | GrowTopic()
            | StopAllClients()
            | DeployTopology()
            | AwaitRebalance()
            | AwaitStable()
        ):
            return ()


def hosts_of(action: Action) -> tuple[str | None, ...]:
    """The hosts that an action names, None where it does not know one."""
    match action:
        case StopClient(host=host) | WriteProcessMetadata(host=host) | StartClient(host=host) | RestartInPlace(host=host):
            return (host,)
        case CopyStateDirectory(from_host=source, to_host=target):
            return (source, target)
        case ChangeThreads(host=host):
            return (host,)
        case (
            RollOutConfig()
            | RollOutRelease()
            | GrowTopic()
            | StopAllClients()
            | DeployTopology()
            | AwaitRebalance()
            | AwaitStable()
        ):
            return ()


def _numbered(steps: tuple[Step, ...]) -> None:
    """From 1, without a gap."""
    for index, step in enumerate(steps):
        if step.id != str(index + 1):
            raise InvalidInput(f"the step with id {index + 1} is needed, {strict.shown(step.id)} was found", f"[{index}]")


STEPS = items(codec_of(Step), at_most=MOST_STEPS, what="steps").checked(_numbered)
"""Closed: an action or an input that is unknown could not be carried out."""
