"""An option and its cost: the values that pass from the search to the plan, as JSON."""

from dataclasses import dataclass
from enum import StrEnum

from holdfast.errors import InvalidInput
from holdfast.kafka.streams.group import ClientAssignment
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.rebalances import Round, restore_seconds
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.contract.times import EffortCounts, TimedBatch, Times
from holdfast.rollout.contract.unknown_inputs import UNKNOWNS, Unknown
from holdfast.rollout.disks.logs import total_or_none
from holdfast.rollout.facts.conditions import ASSUMPTIONS, INVALIDATIONS, Assumption, Invalidation
from holdfast.rollout.facts.refusals import REFUSAL, Refusal
from holdfast.rollout.json.codec import (
    BOOLEAN,
    COUNT,
    NAME,
    PROBABILITY,
    TEXT,
    Codec,
    choice,
    integer,
    items,
    nullable,
    row,
    table,
)
from holdfast.rollout.json.kafka_codecs import PROCESS_ID, PROCESS_IDS, TASK_ID, TASK_IDS
from holdfast.rollout.json.record import codec_of, key, keyed, member, record, record_of
from holdfast.rollout.json.strict import FORMAT_VERSION
from holdfast.rollout.streams.change.change import CHANGE, Change
from holdfast.rollout.streams.cost.missing_inputs import Give
from holdfast.rollout.streams.forecast.amounts import READS, Amount, BrokerReads
from holdfast.rollout.streams.steps.steps import STEPS, Step


class Effort(StrEnum):
    """The manual work and risk of an option, from least to most; `effort_rank` orders them."""

    NONE = "no manual work beyond the change itself"
    ONE_SETTING = "one setting per client"
    ONE_FILE = "one small file is written before the start"
    DOWN_TOGETHER = "several clients are down together while a small file is written for each"
    ROLLING_RESTARTS = "two more restarts of every client"
    COPY_DISK = "a whole state directory is copied while its client is stopped"
    SECOND_COPIES = "two more restarts of every client, and all state is restored a second time, on other disks"
    CLEARED = "the local state of every client is deleted, and all of it restored"


def effort_rank(effort: Effort) -> int:
    return tuple(Effort).index(effort)


@record(version=FORMAT_VERSION)
class Option:
    """An option for a change. `change`: what Kafka will see; `steps`: manual and automated, in order."""

    name: str = member(NAME)
    title: str = member(TEXT)
    """The option as an imperative, for headlines."""
    change: Change = member(CHANGE)
    steps: tuple[Step, ...] = member(STEPS)
    settings: tuple[SettingChange, ...] = member(items(codec_of(SettingChange)))
    assumptions: tuple[Assumption, ...] = member(ASSUMPTIONS)
    invalid_if: tuple[Invalidation, ...] = member(INVALIDATIONS)
    """Conditions that invalidate its forecast, the likeliest first."""
    effort: Effort = member(choice(Effort))
    as_asked: bool = member(BOOLEAN, default=True)
    """False: for reference only; it is not the requested change and never recommended."""
    if_allowed: bool = member(BOOLEAN, default=False)
    """Recommended only if the policy's `allow` names it: it cannot be rolled back, or depends on Kafka internals."""
    displaced: tuple[ProcessId, ...] = member(PROCESS_IDS, default=())
    """Clients that the requested change removes, or whose state or ID it removes: their tasks migrate in any case."""
    effort_counts: EffortCounts | None = member(nullable(codec_of(EffortCounts)), default=None)
    """None: proposed by another version."""

    @property
    def drawback(self) -> str:
        return "" if self.as_asked else "Reference only; not the requested change."


@dataclass(frozen=True, slots=True)
class Span:
    """A range from `low` to `high`, inclusive, for what Kafka does not determine."""

    low: int
    high: int


def _rising(span: Span) -> None:
    if span.low > span.high:
        raise InvalidInput("a range is needed: two numbers, the smaller one first")


SPAN: Codec[Span] = row(
    "a range is needed: two numbers, the smaller one first",
    Span,
    lambda span: [span.low, span.high],
    *(COUNT, COUNT),
    about="[low, high]",
).checked(_rising)


@record
class ClientRestore:
    """What one client restores from changelogs: its tasks, their records (offsets: an upper bound), and their bytes on a
    broker (None: unknown)."""

    process_id: ProcessId = key(PROCESS_ID)
    tasks: tuple[TaskId, ...] = member(TASK_IDS)
    records: int = member(COUNT)
    size: int | None = member(nullable(COUNT), name="bytes", default=None)


@record
class ClientDisk:
    """State-store disk usage of one client, estimated by changelog size: `now`; `most`, if nothing left behind is deleted
    before the end; and `end`, for the tasks that it runs. `free`: free bytes in the snapshot; None: unknown."""

    process_id: ProcessId = key(PROCESS_ID)
    now: Amount = member(codec_of(Amount))
    most: Amount = member(codec_of(Amount))
    end: Amount = member(codec_of(Amount))
    free: int | None = member(nullable(COUNT), default=None)

    def grows_by(self, bytes_per_record: int | None) -> int | None:
        """Additional bytes that it needs, upper bound. None: unknown."""
        most, now = self.most.bytes_at(bytes_per_record), self.now.bytes_at(bytes_per_record)
        return None if most is None or now is None else max(0, most - now)


@record
class TaskStop:
    """The downtime of one task: `seconds` until the session timeout, then the time in which its new client restores `records`
    (those of all tasks that it restores together, an upper bound). `seconds_without_copy`: the part of `seconds` in which no
    running client has a caught-up copy; during the restore none has."""

    task: TaskId = key(TASK_ID)
    seconds: int = member(COUNT)
    seconds_without_copy: int = member(COUNT)
    records: int = member(COUNT)

    def stopped(self, records_per_second: int) -> int:
        return self.seconds + restore_seconds(self.records, records_per_second)

    def without_copy(self, records_per_second: int) -> int:
        return self.seconds_without_copy + restore_seconds(self.records, records_per_second)


@record
class Fullest:
    """A client that holds `copies` of stateful tasks (active, standby or warm-up), where an even share is `even`.

    From 3.2 on, a standby whose target client has no copy starts on the client with the most complete copy; if none exists, that
    is the same client for all. So a group that gets standbys may have nearly all of them on one client for a while.
    """

    process_id: ProcessId = member(PROCESS_ID, name="client")
    copies: int = member(integer(1))
    even: int = member(integer(1), name="even_share")

    @property
    def percent(self) -> int:
        """Percent of an even share, rounded up."""
        return -(-100 * self.copies // self.even)


CLIENT_END = record_of(ClientAssignment, process_id=key(PROCESS_ID), active=member(TASK_IDS), standby=member(TASK_IDS))
RESTORES = keyed(codec_of(ClientRestore))


@record
class Cost:
    """The cost of one outcome of a forecast. Tasks are stateful ones unless stated; times in seconds."""

    probability: float = member(PROBABILITY)
    process_ids: tuple[ProcessId, ...] = member(PROCESS_IDS)
    stable: bool = member(BOOLEAN)
    stateful_tasks: int = member(COUNT)
    moved: int = member(COUNT)
    """Tasks with another owner (process ID) at the end than before the change."""
    needless: int = member(COUNT)
    """Collateral migration: tasks that leave a client which the change does not touch, beyond the share of a new client."""
    handovers: int = member(COUNT)
    """Handovers of tasks between clients, over all rebalances."""
    rebalances: Span = member(SPAN)
    seconds_to_stable: Span = member(SPAN)
    restores: tuple[ClientRestore, ...] = member(RESTORES)
    cold: tuple[ClientRestore, ...] = member(RESTORES)
    """The part of `restores` that delays processing: tasks assigned to run while no client had a caught-up copy."""
    busiest_client: ProcessId | None = member(nullable(PROCESS_ID))
    busiest_tasks: int = member(COUNT)
    """The most active tasks, stateless ones included, on one client at any time, and that client."""
    rounds: tuple[Round, ...] = member(items(codec_of(Round)))
    end: tuple[ClientAssignment, ...] = member(keyed(CLIENT_END))
    """Task placement once the group is stable: what `verify` compares with."""
    reads: tuple[BrokerReads, ...] = member(READS, name="reads_by_broker", default=())
    disks: tuple[ClientDisk, ...] = member(keyed(codec_of(ClientDisk)), "The size of the stores on each client's disk.", default=())
    restored_tasks: tuple[tuple[TaskId, Amount], ...] = member(
        table(TASK_ID, codec_of(Amount)), "What is read for each task that is restored.", default=()
    )
    """`restores` by task, over all rebalances and clients."""
    stops: tuple[TaskStop, ...] = member(
        keyed(codec_of(TaskStop)), "Unavailable tasks: first for these seconds, then until these records are restored.", default=()
    )
    """Unavailable tasks, stateless ones included. All others are unavailable only during the rebalances themselves."""
    fullest: Fullest | None = member(nullable(codec_of(Fullest)), default=None)
    """The client with the most copies at any time. None: no client has state."""
    rebalances_usual: int | None = member(
        nullable(COUNT), "As many as the forecast has, between the bounds of `rebalances`.", default=None, omit=True
    )
    """The rebalances of the forecast itself, between the bounds of `rebalances`. None: unknown."""
    probes_more: int = member(COUNT, "Probing rebalances among those that may come beyond it.", default=0, omit=True)
    """The probing rebalances among those that may come beyond it."""
    acts: tuple[TimedBatch, ...] = member(
        items(codec_of(TimedBatch)), "What is done, batch by batch, as it takes time.", default=(), omit=True
    )
    """The batches of the change in time; `timeline` reads them."""
    times: Times | None = member(nullable(codec_of(Times)), default=None, omit=True)
    """Its duration at the speeds of the plan's policy. None: not computed yet."""
    unsettled: str | None = member(nullable(TEXT), "Why it is not stable.", default=None, omit=True)
    """Why it is not `stable`, where that is known."""

    @property
    def longest_s(self) -> int:
        """Seconds until all state is restored, upper bound; before times are computed, until the last rebalance."""
        restored = None if self.times is None else self.times.restored
        return self.seconds_to_stable.high if restored is None else restored.high

    @property
    def usual_rebalances(self) -> int:
        """The rebalances of the forecast; if unknown, the upper bound."""
        return self.rebalances.high if self.rebalances_usual is None else self.rebalances_usual

    def downtime_task_seconds(self, records_per_second: int) -> int:
        """Downtime of all tasks in task-seconds: session timeouts and restores."""
        return sum(one.stopped(records_per_second) for one in self.stops)

    @property
    def restored_records(self) -> int:
        return sum(one.records for one in self.restores)

    @property
    def cold_tasks(self) -> int:
        return sum(len(one.tasks) for one in self.cold)

    def restored_bytes(self, bytes_per_record: int | None) -> int | None:
        """Bytes as measured; where unknown, records times `bytes_per_record` (None: then the total is unknown)."""
        assumed = (None if bytes_per_record is None else one.records * bytes_per_record for one in self.restores)
        return total_or_none(size if one.size is None else one.size for one, size in zip(self.restores, assumed, strict=True))

    def stands_still_longest(self, records_per_second: int) -> int:
        """The longest downtime of one task in seconds: session timeout and restore."""
        longest = max((one.stopped(records_per_second) for one in self.stops), default=0)
        return max(longest, self.cold_seconds_longest(records_per_second))

    def without_copy_longest(self, records_per_second: int) -> int:
        """The longest time in seconds in which no running client has a caught-up copy of some task; part of its downtime."""
        longest = max((one.without_copy(records_per_second) for one in self.stops), default=0)
        return max(longest, self.cold_seconds_longest(records_per_second))

    def cold_seconds_longest(self, records_per_second: int) -> int:
        """The restore part of that: until its client has restored all tasks that it runs without a caught-up copy."""
        return max((restore_seconds(one.records, records_per_second) for one in self.cold), default=0)

    def cold_task_seconds(self, records_per_second: int) -> int:
        """The same in task-seconds. An upper bound: all tasks of a client count until its last one is restored."""
        return sum(restore_seconds(one.records, records_per_second) * len(one.tasks) for one in self.cold)


COSTS = items(codec_of(Cost))


@record(version=FORMAT_VERSION)
class EvaluatedOption:
    """An option with one `Cost` per outcome; or `refused`: why it cannot be predicted. `unknown`: the assumptions."""

    option: Option = member(codec_of(Option))
    costs: tuple[Cost, ...] = member(COSTS)
    unknown: tuple[Unknown, ...] = member(UNKNOWNS)
    refused: Refusal | None = member(nullable(REFUSAL), default=None, needed=True)
    unknown_sizes: tuple[Unknown, ...] = member(UNKNOWNS, default=())
    """Why bytes are unknown. Separate from `unknown`, because it does not affect placement."""
    give: tuple[Give, ...] = member(items(choice(Give)), default=())
    """Inputs that would resolve `unknown`."""

    @property
    def worst(self) -> Cost:
        """The worst outcome: most collateral migration, then most moves, then longest."""
        assert self.costs, "a refused evaluation has no worst outcome"
        return worst_of(self.costs)

    @property
    def expected_moved(self) -> float:
        return sum(cost.probability * cost.moved for cost in self.costs)


def worst_of(costs: tuple[Cost, ...]) -> Cost:
    """Not stable, then most collateral migration, then most moves, then longest."""
    return max(
        costs,
        key=lambda cost: (not cost.stable, cost.needless, cost.moved, cost.longest_s, cost.restored_records),
    )
