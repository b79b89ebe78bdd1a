"""One way to make a change, and what it would cost: the values between the search and the plan. They travel as JSON."""

from dataclasses import dataclass
from enum import StrEnum

from holdfast.kafka.streams.group import ClientAssignment
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.change import Change
from holdfast.rollout.steps import SettingChange, Step


class Effort(StrEnum):
    """The handwork and risk that a way asks for, from least to most; `effort_rank` orders them."""

    NONE = "no handwork beyond the change itself"
    ONE_FILE = "one small file is written before the start"
    ROLLING_RESTARTS = "every client restarts twice more"
    COPY_DISK = "a whole state directory is copied while nobody runs on it"


def effort_rank(effort: Effort) -> int:
    return tuple(Effort).index(effort)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to make a change. `change` is what Kafka will see; `steps` are what people and Holdfast do, in order."""

    name: str
    title: str
    """What is done, as the imperative that a headline starts with."""
    change: Change
    steps: tuple[Step, ...]
    settings: tuple[SettingChange, ...]
    preconditions: tuple[str, ...]
    wrong_if: str
    """The one fact that would make its forecast wrong."""
    effort: Effort


@dataclass(frozen=True, slots=True)
class Span:
    """From `low` to `high`, both included: what Kafka itself does not determine is given as a range."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class ClientRestore:
    """What one client reads back from changelogs: its tasks, and their records (None: an end offset is not known)."""

    process_id: ProcessId
    tasks: tuple[TaskId, ...]
    records: int | None


@dataclass(frozen=True, slots=True)
class Round:
    """A rebalance of the forecast: stateful tasks handed to another client, copies to restore, tasks withheld."""

    trigger: str
    at_seconds: int
    handed_over: int
    restoring: int
    withheld: int


@dataclass(frozen=True, slots=True)
class Cost:
    """What one outcome of a forecast costs. Tasks are stateful ones unless said."""

    probability: float
    process_ids: tuple[ProcessId, ...]
    stable: bool
    stateful_tasks: int
    moved: int
    """Tasks whose owner (process ID) at the end is not the one before the change."""
    needless: int
    """Tasks that leave a client which the change does not touch, beyond those that a new client must get."""
    handovers: int
    """How often, over all rebalances, a task passes from one client to another."""
    rebalances: Span
    seconds_to_stable: Span
    restores: tuple[ClientRestore, ...]
    cold: tuple[ClientRestore, ...]
    """The part of `restores` that holds up processing: tasks given to a client to run while nobody was caught up on them."""
    busiest_client: ProcessId | None
    busiest_tasks: int
    """The most active tasks, stateless ones included, that any client holds on the way, and which client that is."""
    rounds: tuple[Round, ...]
    end: tuple[ClientAssignment, ...]
    """Who owns what when it is stable: what `verify` compares with."""

    @property
    def restored_records(self) -> int | None:
        return _sum(self.restores)

    @property
    def cold_tasks(self) -> int:
        return sum(len(one.tasks) for one in self.cold)

    @property
    def cold_records_longest(self) -> int | None:
        """The most cold records on one client: clients restore side by side, so this is what the last task waits for."""
        amounts = [one.records for one in self.cold]
        known = [amount for amount in amounts if amount is not None]
        return max(known, default=0) if len(known) == len(amounts) else None

    def restored_bytes(self, bytes_per_record: int | None) -> int | None:
        """None where records, or their size, are not known."""
        records = self.restored_records
        return None if records is None or bytes_per_record is None else records * bytes_per_record


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A candidate with its cost, one `Cost` an outcome; or `refused`: why nothing can be predicted. `unknown`: what was assumed."""

    candidate: Candidate
    costs: tuple[Cost, ...]
    unknown: tuple[str, ...]
    refused: str | None = None

    @property
    def worst(self) -> Cost:
        """The outcome that a reviewer should reckon with: most needless moves, then most moves, then longest."""
        assert self.costs, "a refused evaluation has no worst outcome"
        return max(
            self.costs,
            key=lambda cost: (not cost.stable, cost.needless, cost.moved, cost.seconds_to_stable.high, cost.restored_records or 0),
        )

    @property
    def expected_moved(self) -> float:
        return sum(cost.probability * cost.moved for cost in self.costs)


def restore_seconds(records: int | None, records_per_second: int) -> int | None:
    """How long one client reads `records`, rounded up; under a second is 0. None: not known."""
    if records is None:
        return None
    return -(-records // records_per_second) if records >= records_per_second else 0


def task_seconds_cold(cost: Cost, records_per_second: int) -> int | None:
    """Seconds without a caught-up copy, added over tasks; at most: a client's tasks are counted until its last one is back."""
    total = 0
    for one in cost.cold:
        seconds = restore_seconds(one.records, records_per_second)
        if seconds is None:
            return None
        total += seconds * len(one.tasks)
    return total


def _sum(restores: tuple[ClientRestore, ...]) -> int | None:
    total = 0
    for one in restores:
        if one.records is None:
            return None
        total += one.records
    return total
