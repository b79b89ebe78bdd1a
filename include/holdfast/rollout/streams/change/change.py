"""What the operator means to do: a Change is a list of events, with markers between those that wait for one another.

Values only. `json` is its JSON, `events` says what each event does to a group.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from holdfast.kafka.streams.group import Task
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches import INHERITED, FromOld, Lot, Then, Wait, lots
from holdfast.rollout.contract.requests import Disk
from holdfast.rollout.json.kafka import ConfigValue


class CatchUp(StrEnum):
    """When a copy that was handed out has caught up."""

    PROBING_REBALANCE = "probing rebalance"
    NEXT_REBALANCE = "next rebalance"
    RATE = "records_per_second"


class ClosedCopies(StrEnum):
    """What a cleanly closed copy reports."""

    AS_RELEASED = "as released"
    END = "end"


class DormantCopies(StrEnum):
    """Whether a copy on a disk that is not run stays there."""

    KEPT = "kept"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class NewClient:
    """A client that joins. `process_id` None: a fresh random one. `threads` None: one a member ID, or as the replaced client."""

    process_id: ProcessId | None
    threads: int | None
    host: str | FromOld | None = INHERITED
    rack: str | FromOld | None = INHERITED
    client_tags: tuple[tuple[str, str], ...] | FromOld = INHERITED
    user_endpoint: str | FromOld | None = None
    member_ids: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class AddClient:
    client: NewClient


@dataclass(frozen=True, slots=True)
class RemoveClient:
    """`leaves` false: it just ends, as a classic client does, and the group notices when its session has timed out. None: not said;
    a Forecast takes it to leave, a Plan to do what Kafka Streams does (`usual`)."""

    process_id: ProcessId
    leaves: bool | None = None


@dataclass(frozen=True, slots=True)
class ReplaceClient:
    """`copied_from` says whose disk was copied, where `disk` is COPIED. `late`: as in `RestartClient`."""

    process_id: ProcessId
    by: NewClient
    disk: Disk = Disk.EMPTY
    copied_from: ProcessId | None = None
    late: bool = False


@dataclass(frozen=True, slots=True)
class RestartClient:
    """`new_process_id` None with `keeps_process_id` false: a fresh random one.

    `within_session`: its members are static and return before their session times out, so that no rebalance happens: they get the
    assignment that the broker has of them. None: not said; a Forecast counts the rebalance, a Plan takes static members to return
    in time (`usual`), and both say what happens otherwise. `late`: it is away for longer than its session lasts, so that the group
    rebalances without it until it is stable, and again when it is back.
    """

    process_id: ProcessId
    keeps_process_id: bool = True
    new_process_id: ProcessId | None = None
    keeps_state: bool = True
    threads: int | None = None
    member_ids: tuple[str, ...] | None = None
    within_session: bool | None = None
    late: bool = False


@dataclass(frozen=True, slots=True)
class SetConfig:
    settings: tuple[tuple[str, ConfigValue], ...]


@dataclass(frozen=True, slots=True)
class SetRelease:
    """From here on every client runs this release of Kafka Streams: who leads decides as it does, and disks report as it does."""

    kafka_release: str


@dataclass(frozen=True, slots=True)
class SetThreads:
    """Threads are added to a running client, or taken from it, until it has so many (KIP-663, from 2.8).

    `member_ids`: those of the threads that come, or of those that go. None: new threads are numbered on, and those with the lowest
    numbers go first.
    """

    process_id: ProcessId
    threads: int
    member_ids: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class AddPartitions:
    """A source topic has `partitions` from now on. `changelogs_grown`: the changelogs of the tasks that read it were grown too."""

    topic: str
    partitions: int
    changelogs_grown: bool = False


@dataclass(frozen=True, slots=True)
class SetTopology:
    """Every client comes back, all together, with a topology that has these tasks. Not `keeps_state`: with empty disks."""

    tasks: tuple[Task, ...]
    keeps_state: bool = True


@dataclass(frozen=True, slots=True)
class StopApplication:
    """All clients are stopped, and after so many minutes started again, together, with what their disks hold."""

    minutes: float


@dataclass(frozen=True, slots=True)
class RollingRestart:
    """Shorthand for restarts, `at_once` at a time, each lot waiting for `wait` (`shorthands` writes them out).

    `process_ids` None: all clients of the group, in the order of their process IDs. `settings` and `kafka_release`: what the
    clients come back with. A rebalance goes by what its leader has: written out, they count once the last client is back, and the
    ranges of a forecast cover every restart from which on they may count before that (`shorthands.counts_earlier`).
    """

    process_ids: tuple[ProcessId, ...] | None = None
    at_once: int = 1
    wait: Wait = Wait.STABLE
    keeps_process_id: bool = True
    keeps_state: bool = True
    settings: tuple[tuple[str, ConfigValue], ...] = ()
    kafka_release: str | None = None
    within_session: bool | None = None
    """As in `RestartClient`: static members return in time, each without a rebalance."""
    late: bool = False
    """As in `RestartClient`."""

    @property
    def rolls_out(self) -> bool:
        """Whether clients come back with something else than they had."""
        return bool(self.settings) or self.kafka_release is not None


Event = (
    AddClient
    | RemoveClient
    | ReplaceClient
    | RestartClient
    | SetThreads
    | SetConfig
    | SetRelease
    | AddPartitions
    | StopApplication
    | SetTopology
)
Item = Event | Then | RollingRestart


Batch = Lot[Event]


@dataclass(frozen=True, slots=True)
class Assume:
    """What a forecast takes for granted.

    `records_per_second` is that of one restoring copy, where `catch_up` is RATE; `grows_per_second` is what its log gets meanwhile.
    """

    catch_up: CatchUp = CatchUp.PROBING_REBALANCE
    records_per_second: float | None = None
    grows_per_second: float = 0
    closed_copies: ClosedCopies = ClosedCopies.AS_RELEASED
    dormant_copies: DormantCopies = DormantCopies.KEPT


@dataclass(frozen=True, slots=True)
class Change:
    events: tuple[Item, ...]
    assume: Assume = Assume()

    def batches(self) -> tuple[tuple[tuple[Event, ...], Wait | None], ...]:
        """The events that take effect together, and what the next ones wait for (None: they are the last)."""
        return tuple((tuple(event for _, event in batch.events), batch.wait) for batch in self.numbered_batches())

    def numbered_batches(self) -> tuple[Batch, ...]:
        """The events that take effect together, batch by batch. One without events is a rebalance for no reason."""
        items: list[tuple[int, Event | Then]] = []
        for index, item in enumerate(self.events):
            assert not isinstance(item, RollingRestart), "shorthands are written out before"
            items.append((index, item))
        return lots(items)

    def fresh_ids(self) -> int:
        """How many process IDs are left to chance."""
        return sum(_is_fresh(item) for item in self.events)

    def draws_ids(self) -> bool:
        """Whether some are, those of shorthands included."""
        return self.fresh_ids() > 0 or any(isinstance(one, RollingRestart) and not one.keeps_process_id for one in self.events)

    def with_process_ids(self, chosen: tuple[ProcessId, ...]) -> "Change":
        """The same change with these IDs in the place of those left to chance, in the order of the events."""
        assert len(chosen) == self.fresh_ids(), "one process ID for each that is drawn at random"
        remaining = iter(chosen)
        return replace(self, events=tuple(_with_process_id(item, remaining) for item in self.events))


def _is_fresh(item: Item) -> bool:
    match item:
        case AddClient(client) | ReplaceClient(by=client):
            return client.process_id is None
        case RestartClient():
            return not item.keeps_process_id and item.new_process_id is None
        case (
            RemoveClient()
            | SetThreads()
            | SetConfig()
            | SetRelease()
            | AddPartitions()
            | StopApplication()
            | SetTopology()
            | Then()
            | RollingRestart()
        ):
            return False
        case _:
            assert_never(item)


def _with_process_id(item: Item, remaining: Iterator[ProcessId]) -> Item:
    if not _is_fresh(item):
        return item
    chosen = next(remaining)
    match item:
        case AddClient():
            return replace(item, client=replace(item.client, process_id=chosen))
        case ReplaceClient():
            return replace(item, by=replace(item.by, process_id=chosen))
        case RestartClient():
            return replace(item, new_process_id=chosen)
        case _:
            raise AssertionError("no other event draws a random process ID")
