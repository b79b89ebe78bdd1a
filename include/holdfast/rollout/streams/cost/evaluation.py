"""One way to make a change, and what it would cost: the values between the search and the plan. They travel as JSON."""

from dataclasses import dataclass
from enum import StrEnum

from holdfast.errors import InvalidInput
from holdfast.kafka.streams.group import ClientAssignment
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.rebalances import Round, restore_seconds
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.contract.times import Act, EffortCounts, Times
from holdfast.rollout.facts import condition_words
from holdfast.rollout.facts.conditions import ASSUMPTIONS, INVALIDATIONS, Assumption, Invalidation
from holdfast.rollout.json.codec import (
    BOOLEAN,
    COUNT,
    NAME,
    PROBABILITY,
    TEXT,
    TEXTS,
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
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.change.codec import CHANGE
from holdfast.rollout.streams.cost.lacking import Give
from holdfast.rollout.streams.forecast.amounts import READS, Amount, BrokerReads
from holdfast.rollout.streams.snapshot.changelog_sizes import total_or_none
from holdfast.rollout.streams.steps.steps import STEPS, Step


class Effort(StrEnum):
    """The manual work and risk of an option, from least to most; `effort_rank` orders them. The values are those of documents;
    `says` is what people read."""

    NONE = "no handwork beyond the change itself"
    ONE_SETTING = "each client gets a setting of its own"
    ONE_FILE = "one small file is written before the start"
    DOWN_TOGETHER = "several clients are down together while a small file is written for each"
    ROLLING_RESTARTS = "every client restarts twice more"
    COPY_DISK = "a whole state directory is copied while nobody runs on it"
    SECOND_COPIES = "every client restarts twice more, and the whole state is restored a second time, on other disks"
    CLEARED = "every client's local state is deleted, and all of it restored"

    @property
    def says(self) -> str:
        return _EFFORT[self]


_EFFORT = {
    Effort.NONE: "no manual work beyond the change itself",
    Effort.ONE_SETTING: "one setting per client",
    Effort.ONE_FILE: "one small file is written before the start",
    Effort.DOWN_TOGETHER: "several clients are down together while a small file is written for each",
    Effort.ROLLING_RESTARTS: "two more restarts of every client",
    Effort.COPY_DISK: "a whole state directory is copied while its client is stopped",
    Effort.SECOND_COPIES: "two more restarts of every client, and all state is restored a second time, on other disks",
    Effort.CLEARED: "the local state of every client is deleted, and all of it restored",
}


def effort_rank(effort: Effort) -> int:
    return tuple(Effort).index(effort)


@record(version=FORMAT_VERSION)
class Candidate:
    """One way to make a change. `change` is what Kafka will see; `steps` are what people and Holdfast do, in order."""

    name: str = member(NAME)
    title: str = member(TEXT)
    """What is done, as the imperative that a headline starts with."""
    change: Change = member(CHANGE)
    steps: tuple[Step, ...] = member(STEPS)
    settings: tuple[SettingChange, ...] = member(items(codec_of(SettingChange)))
    assumptions: tuple[Assumption, ...] = member(ASSUMPTIONS)
    invalid_if: tuple[Invalidation, ...] = member(INVALIDATIONS)
    """What would make its forecast wrong, the likeliest first."""
    effort: Effort = member(choice(Effort))
    as_asked: bool = member(BOOLEAN, default=True)
    """False: it does something else than was asked for; it is there to be compared, and is never chosen."""
    if_allowed: bool = member(BOOLEAN, default=False)
    """Only chosen where the policy allows it by name: it cannot be undone, or leans on what Kafka does not promise."""
    displaced: tuple[ProcessId, ...] = member(PROCESS_IDS, default=())
    """The clients that the operator's change takes away, or takes the state or the ID of: their tasks need a place anyway."""
    effort_counts: EffortCounts | None = member(nullable(codec_of(EffortCounts)), default=None)
    """None: another version of Holdfast proposed it."""

    @property
    def drawback(self) -> str:
        return "" if self.as_asked else "Reference only; not the requested change."

    @property
    def preconditions(self) -> tuple[str, ...]:
        return condition_words.assumptions(self.assumptions)

    @property
    def wrong_if(self) -> str:
        return condition_words.invalid_if(self.invalid_if)


@dataclass(frozen=True, slots=True)
class Span:
    """From `low` to `high`, both included: what Kafka itself does not determine is given as a range."""

    low: int
    high: int


def _rising(span: Span) -> None:
    if span.low > span.high:
        raise InvalidInput("a range is needed: two numbers, the smaller one first")


SPAN: Codec[Span] = row(
    "a range is needed: two numbers, the smaller one first",
    Span,
    lambda span: (span.low, span.high),
    *(COUNT, COUNT),
    about="[low, high]",
).checked(_rising)


@record
class ClientRestore:
    """What one client reads back from changelogs: its tasks, their records (offsets: compaction may leave fewer), and their bytes
    on a broker (None: not known)."""

    process_id: ProcessId = key(PROCESS_ID)
    tasks: tuple[TaskId, ...] = member(TASK_IDS)
    records: int = member(COUNT)
    size: int | None = member(nullable(COUNT), name="bytes", default=None)


@record
class ClientDisk:
    """What the stores on one client's disk weigh: `now`, at `most` on the way (nothing that is left behind is deleted by then), and
    at the `end` (what it runs). As their changelogs weigh: an estimate. `free`: bytes that were free on it; None: not known."""

    process_id: ProcessId = key(PROCESS_ID)
    now: Amount = member(codec_of(Amount))
    most: Amount = member(codec_of(Amount))
    end: Amount = member(codec_of(Amount))
    free: int | None = member(nullable(COUNT), default=None)

    def grows_by(self, bytes_per_record: int | None) -> int | None:
        """Bytes that it needs beyond those that it holds now, at most. None: not known."""
        most, now = self.most.bytes_at(bytes_per_record), self.now.bytes_at(bytes_per_record)
        return None if most is None or now is None else max(0, most - now)


@record
class TaskStop:
    """How long one task stands still: `seconds` until the group notices that its client is gone, and then as long as its new
    client takes to read `records` (those of all tasks that it restores with it, at most). `seconds_without_copy`: of `seconds`, how
    long no client that ran had a caught-up copy; while it restores nobody has one."""

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
    """A client that holds `copies` of stateful tasks (active, standby or warm-up), when an even share would have been `even`.

    From 3.2 on, a standby whose own client has no copy yet begins on the client that is furthest with it; where nobody has one,
    that is the same client for all. A group that gets standbys may so have nearly all of them on one client for a while.
    """

    process_id: ProcessId = member(PROCESS_ID, name="client")
    copies: int = member(integer(1))
    even: int = member(integer(1), name="even_share")

    @property
    def percent(self) -> int:
        """Of an even share, rounded up."""
        return -(-100 * self.copies // self.even)


CLIENT_END = record_of(ClientAssignment, process_id=key(PROCESS_ID), active=member(TASK_IDS), standby=member(TASK_IDS))
RESTORES = keyed(codec_of(ClientRestore))


@record
class Cost:
    """What one outcome of a forecast costs. Tasks are stateful ones unless said."""

    probability: float = member(PROBABILITY)
    process_ids: tuple[ProcessId, ...] = member(PROCESS_IDS)
    stable: bool = member(BOOLEAN)
    stateful_tasks: int = member(COUNT)
    moved: int = member(COUNT)
    """Tasks whose owner (process ID) at the end is not the one before the change."""
    needless: int = member(COUNT)
    """Tasks that leave a client which the change does not touch, beyond those that a new client must get."""
    handovers: int = member(COUNT)
    """How often, over all rebalances, a task passes from one client to another."""
    rebalances: Span = member(SPAN)
    seconds_to_stable: Span = member(SPAN)
    restores: tuple[ClientRestore, ...] = member(RESTORES)
    cold: tuple[ClientRestore, ...] = member(RESTORES)
    """The part of `restores` that holds up processing: tasks given to a client to run while nobody was caught up on them."""
    busiest_client: ProcessId | None = member(nullable(PROCESS_ID))
    busiest_tasks: int = member(COUNT)
    """The most active tasks, stateless ones included, that any client holds on the way, and which client that is."""
    rounds: tuple[Round, ...] = member(items(codec_of(Round)))
    end: tuple[ClientAssignment, ...] = member(keyed(CLIENT_END))
    """Who owns what when it is stable: what `verify` compares with."""
    reads: tuple[BrokerReads, ...] = member(READS, name="reads_by_broker", default=())
    disks: tuple[ClientDisk, ...] = member(keyed(codec_of(ClientDisk)), "The size of the stores on each client's disk.", default=())
    restored_tasks: tuple[tuple[TaskId, Amount], ...] = member(
        table(TASK_ID, codec_of(Amount)), "What is read for each task that is restored.", default=()
    )
    """What is read for each task that anybody restores, over all rebalances and clients: `restores` by task."""
    stops: tuple[TaskStop, ...] = member(
        keyed(codec_of(TaskStop)), "Unavailable tasks: first for these seconds, then until these records are restored.", default=()
    )
    """Tasks that stand still on the way, stateless ones included; the others never do, but for the rebalances themselves."""
    fullest: Fullest | None = member(nullable(codec_of(Fullest)), default=None)
    """The client that holds the most copies at any time on the way. None: nobody has state."""
    rebalances_usual: int | None = member(
        nullable(COUNT), "As many as the forecast has, between the bounds of `rebalances`.", default=None, omit=True
    )
    """Those of the forecast itself, between the bounds of `rebalances`. None: not known."""
    probes_more: int = member(COUNT, "Probing rebalances among those that may come beyond it.", default=0, omit=True)
    """The probing rebalances among those that may come beyond it."""
    acts: tuple[Act, ...] = member(items(codec_of(Act)), "What is done, batch by batch, as it takes time.", default=(), omit=True)
    """What is done, batch by batch, as it takes time; `timeline` reads it."""
    times: Times | None = member(nullable(codec_of(Times)), default=None, omit=True)
    """How long it takes, at the speeds of the plan's policy. None: not worked out yet."""
    unsettled: str | None = member(nullable(TEXT), "Why it is not stable.", default=None, omit=True)
    """Why it is not `stable`, where that is known."""

    @property
    def longest_s(self) -> int:
        """When all is over, at the most; where times are not worked out yet, when the last rebalance comes."""
        restored = None if self.times is None else self.times.restored
        return self.seconds_to_stable.high if restored is None else restored.high

    @property
    def usual_rebalances(self) -> int:
        """As many as the forecast has; where that is not known, as many as there may be."""
        return self.rebalances.high if self.rebalances_usual is None else self.rebalances_usual

    def downtime_task_seconds(self, records_per_second: int) -> int:
        """All tasks that are unavailable on the way, added up: until their clients are missed, and until they are restored."""
        return sum(one.stopped(records_per_second) for one in self.stops)

    @property
    def restored_records(self) -> int:
        return sum(one.records for one in self.restores)

    @property
    def cold_tasks(self) -> int:
        return sum(len(one.tasks) for one in self.cold)

    def restored_bytes(self, bytes_per_record: int | None) -> int | None:
        """As measured; where that is not known, at so many bytes a record (None: then the sum is not known either)."""
        assumed = (None if bytes_per_record is None else one.records * bytes_per_record for one in self.restores)
        return total_or_none(size if one.size is None else one.size for one, size in zip(self.restores, assumed, strict=True))

    def stands_still_longest(self, records_per_second: int) -> int:
        """The longest that any task stands still: until the group notices that its client is gone, and until it is restored."""
        longest = max((one.stopped(records_per_second) for one in self.stops), default=0)
        return max(longest, self.cold_seconds_longest(records_per_second))

    def without_copy_longest(self, records_per_second: int) -> int:
        """The longest that no client that runs has a caught-up copy of some task: at most as long as it stands still."""
        longest = max((one.without_copy(records_per_second) for one in self.stops), default=0)
        return max(longest, self.cold_seconds_longest(records_per_second))

    def cold_seconds_longest(self, records_per_second: int) -> int:
        """The part of that in which it restores: until its client has restored all it runs without a caught-up copy."""
        return max((restore_seconds(one.records, records_per_second) for one in self.cold), default=0)

    def cold_task_seconds(self, records_per_second: int) -> int:
        """The same, added over tasks. At most: a client's tasks are counted until its last one is back."""
        return sum(restore_seconds(one.records, records_per_second) * len(one.tasks) for one in self.cold)


COSTS = items(codec_of(Cost))


@record(version=FORMAT_VERSION)
class Evaluation:
    """A candidate with its cost, one `Cost` an outcome; or `refused`: why nothing can be predicted. `unknown`: what was assumed."""

    candidate: Candidate = member(codec_of(Candidate))
    costs: tuple[Cost, ...] = member(COSTS)
    unknown: tuple[str, ...] = member(TEXTS)
    refused: str | None = member(nullable(TEXT), default=None, needed=True)
    unknown_sizes: tuple[str, ...] = member(TEXTS, default=())
    """Why bytes are not known. Apart from the rest, because it decides nothing about who runs what."""
    give: tuple[Give, ...] = member(items(choice(Give)), default=())
    """What would make `unknown` known."""

    @property
    def option(self) -> Candidate:
        return self.candidate

    @property
    def worst(self) -> Cost:
        """The outcome that a reviewer should reckon with: most needless moves, then most moves, then longest."""
        assert self.costs, "a refused evaluation has no worst outcome"
        return worst_of(self.costs)

    @property
    def expected_moved(self) -> float:
        return sum(cost.probability * cost.moved for cost in self.costs)


def worst_of(costs: tuple[Cost, ...]) -> Cost:
    """Most needless moves, then most moves, then longest; what never ends is worse than all that."""
    return max(
        costs,
        key=lambda cost: (not cost.stable, cost.needless, cost.moved, cost.longest_s, cost.restored_records),
    )
