"""The parts of a Forecast of a consumer group whose broker assigns: the values. `forecast` computes them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.kafka.coordinator.consumer.group import MemberType, Owned
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.change.change import GroupChange
from holdfast.rollout.broker_consumer.forecast.bounds import Bounds
from holdfast.rollout.broker_consumer.target.target import ConsumerTarget
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.coordinated.spans import SPAN, Seconds
from holdfast.rollout.coordinated.targets import NO_OCCASION, Occasion, TargetTrigger
from holdfast.rollout.json.codec import BOOLEAN, COUNT, NAMES, choice, nullable
from holdfast.rollout.json.record import member, record
from holdfast.rollout.offsets.positions import OffsetWarning, Positions


@dataclass(frozen=True, slots=True)
class ComputedTarget:
    """One target. `group_epoch` None: that of the group was unknown. `owned`: of each member, in the coordinator's order; `owners`:
    the same by partition.

    `after_undetermined`: partitions whose owner depends on undetermined ones of earlier targets. `likely`: where IDs are random,
    the possible owners of each undetermined partition with their probabilities. `ended`: the members that ended without leaving,
    and whose sessions are not over yet. `batch`: the number of the batch of events that it follows from, from 0.
    """

    trigger: TargetTrigger
    group_epoch: int | None
    assignment: ConsumerTarget
    owned: tuple[tuple[str, Owned], ...]
    owners: dict[TopicPartition, str]
    after_undetermined: tuple[TopicPartition, ...] = ()
    likely: tuple[tuple[TopicPartition, tuple[tuple[str, float], ...]], ...] = ()
    ended: frozenset[str] = frozenset()
    batch: int = 0
    occasion: Occasion = NO_OCCASION

    @property
    def epoch(self) -> int | None:
        """Of the group then."""
        return self.group_epoch


@dataclass(frozen=True, slots=True)
class LeaderRebalance:
    """One of the group while it is classic: its leader assigns. `generation` None: that of the group was unknown. `owned` and
    `owners`: as of a target. `stopped`: the partitions that no member reads meanwhile; `given_up`: those that a member has to give
    up then. `batch`: of events that it follows from, from 0; `targets`: how many were computed before it."""

    generation: int | None
    assignor: str
    owned: tuple[tuple[str, tuple[TopicPartition, ...]], ...]
    owners: dict[TopicPartition, str]
    stopped: tuple[TopicPartition, ...]
    given_up: frozenset[TopicPartition]
    batch: int
    targets: int

    @property
    def epoch(self) -> int | None:
        """The group's epoch when its coordinator takes it over then."""
        return self.generation


@record
class TargetsSummary:
    partitions: int = member(COUNT, "That members are subscribed to at the end.")
    moved: int = member(COUNT, "Partitions whose consumer at the end is another one than before. One that restarts is the same.")
    collateral: int = member(COUNT, "Those of them between consumers that the change does not touch.")
    moves: int = member(
        COUNT, "Partitions that a target, or a leader, gives to another consumer than the one before, over all of them."
    )
    targets: int = member(COUNT)
    seconds_to_stable: Seconds = member(
        SPAN,
        "From the first event until every member has what the last target gives it: at least, usually, at most. Without start_ups.",
    )
    start_ups: int = member(
        COUNT, "How many times, one after the other, the change waits for consumers to start, for as long as they take."
    )
    longest_unowned: Seconds | None = member(
        nullable(SPAN),
        "The longest that one partition has no owner, where no consumer has to start first.",
        name="longest_unowned_seconds",
        default=None,
    )
    rebalances: int = member(COUNT, "Of the group while it is classic.", default=0, omit=True)


@record(about="Where the group becomes one of the other protocol: `consumer`, its coordinator assigns; `classic`, its leader.")
class GroupConversion:
    """`event` None: what does it is the end of sessions after that batch. `rebalances` False: its members keep what they have until
    something else makes it rebalance."""

    to: MemberType = member(choice(MemberType))
    batch: int = member(COUNT, "Of the events, from 0.")
    event: int | None = member(nullable(COUNT), "The index in the change. Null: the end of sessions after that batch does it.")
    rebalances: bool = member(BOOLEAN, "Whether it rebalances at once.")
    member_ids: tuple[str, ...] = member(NAMES, "Of the group then.")


@dataclass(frozen=True, slots=True)
class GroupOutcome:
    """What comes about. `member_ids`: at the end. `bounds`: over all random IDs; None: every ID is given. `conversions`: where the
    group becomes one of the other protocol. `stalled`: a target is
    due at the end that no member computes: only those of the classic protocol are left, and from 4.3 on these wait for a member
    that joins. `rebalances`: of the group while it is classic.

    `unowned`: how long each partition that is handed over has no owner; None: until a consumer has started.
    """

    member_ids: tuple[str, ...]
    targets: tuple[ComputedTarget, ...]
    summary: TargetsSummary
    positions: Positions
    warnings: tuple[OffsetWarning, ...] = ()
    unowned: tuple[tuple[TopicPartition, Seconds | None], ...] = ()
    bounds: Bounds | None = None
    conversions: tuple[GroupConversion, ...] = ()
    stalled: bool = False
    rebalances: tuple[LeaderRebalance, ...] = ()

    @property
    def in_turn(self) -> Iterator[ComputedTarget | LeaderRebalance]:
        """Targets and rebalances, as they come one after the other."""
        return in_turn(self.targets, self.rebalances)

    @property
    def becomes_classic(self) -> GroupConversion | None:
        """Where it does. What its leader assigns then is the last of the forecast."""
        return next((one for one in self.conversions if one.to is MemberType.CLASSIC), None)

    @property
    def ends_early(self) -> bool:
        """Whether its leader assigns then, and what that is is unknown."""
        found = self.becomes_classic
        return found is not None and found.rebalances and all(one.batch != found.batch for one in self.rebalances)


def in_turn(targets: Sequence[ComputedTarget], rebalances: Sequence[LeaderRebalance]) -> Iterator[ComputedTarget | LeaderRebalance]:
    """As they come one after the other."""
    for number in range(len(targets) + 1):
        yield from (one for one in rebalances if one.targets == number)
        yield from targets[number : number + 1]


@dataclass(frozen=True, slots=True)
class GroupForecast:
    """`example`: the change with the IDs of the outcome, where it leaves some to chance. `settings`: of the consumers, which no
    request shows: those that the Snapshot has, else Kafka's defaults."""

    change: GroupChange
    outcome: GroupOutcome
    settings: ConsumerConfig
    unknown: tuple[Unknown, ...] = ()
    example: GroupChange | None = None

    @property
    def carried_out(self) -> GroupChange:
        """With the IDs of the outcome."""
        return self.example or self.change
