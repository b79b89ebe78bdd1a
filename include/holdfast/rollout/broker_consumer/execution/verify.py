"""The forecast of a plan for a consumer group whose broker assigns compared with the group afterwards, partition by partition.

What is compared is the forecast of the same change with the IDs that its consumers really got (`starts`): a forecast is for IDs,
and each start makes a new one. A run that compared after each batch has noted which ones they were.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.change.change import GroupChange
from holdfast.rollout.broker_consumer.execution import evidence, starts
from holdfast.rollout.broker_consumer.execution.verdict import GroupVerdict, ReaderVerdict
from holdfast.rollout.broker_consumer.forecast.forecast import forecast
from holdfast.rollout.broker_consumer.forecast.outcomes import ComputedTarget, GroupOutcome, LeaderRebalance
from holdfast.rollout.broker_consumer.plan.plan import Considered, GroupPlan
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.execution.step_evidence import StepEvidence
from holdfast.rollout.execution.verdict import Rebalances, Result
from holdfast.rollout.facts import difference_words
from holdfast.rollout.facts.differences import Difference, Differs
from holdfast.rollout.facts.sourced_text import told
from holdfast.rollout.group import verifying
from holdfast.rollout.group.verifying import EndCompared, Members, Verifying
from holdfast.rollout.journal.journal import Journal
from holdfast.rollout.journal.started import Started

MOST_DIFFERENCES = 100
NOT_ALL_COURSES = Unknown(
    "partitions",
    "member IDs decide who reads which partition, and it is open which new consumer is which, or how fast consumers were back;"
    " there are too many possibilities to compare them all",
)
Placed = tuple[ReaderVerdict, ...]
Owners = Mapping[TopicPartition, str]


@dataclass(frozen=True)
class _Verifying(Verifying[GroupPlan, BrokerConsumerSnapshot, GroupVerdict, Placed]):
    """`started`: what a run noted of starts."""

    started: tuple[Started, ...]

    def steps_shown(self, plan: GroupPlan, fresh: BrokerConsumerSnapshot) -> tuple[StepEvidence, ...]:
        return evidence.of_plan(plan, fresh)

    def waits(self, plan: GroupPlan, step_id: str) -> bool:
        return any(one.id == step_id and isinstance(one.item, Then) for one in plan.steps)

    def at_its_end(self, plan: GroupPlan, fresh: BrokerConsumerSnapshot) -> bool:
        return super().at_its_end(plan, fresh) or starts.without_members(plan.basis, [one.item for one in plan.steps], fresh)

    def compare(self, plan: GroupPlan, fresh: BrokerConsumerSnapshot) -> EndCompared[Placed] | Members:
        if starts.without_members(plan.basis, [one.item for one in plan.steps], fresh):
            return EndCompared((), Result.AS_FORECAST, ())
        noted = starts.noted(plan.steps, self.started)
        possible = starts.courses(plan.basis, _recommended(plan).change, fresh, noted)
        if possible.trouble is not None:
            return Members(Result.IN_PROGRESS if possible.waiting else Result.DIFFERENT, possible.trouble)
        best: EndCompared[Placed] | None = None
        for one in possible.changes:
            found = _judged(plan.basis, one, fresh)
            best = found if best is None or len(found.differences) < len(best.differences) else best
            if not best.differences:
                return best
        assert best is not None, "the pairing that is likeliest is one of them"
        return best if possible.all_of_them else EndCompared((), Result.NOT_COMPARED, (), unknown=(NOT_ALL_COURSES,))

    def verdict(
        self,
        plan: GroupPlan,
        fresh: BrokerConsumerSnapshot,
        result: Result,
        what: Placed | None,
        differences: tuple[Difference, ...],
        shown: tuple[StepEvidence, ...],
        unknown: tuple[Unknown, ...] = (),
    ) -> GroupVerdict:
        summary = _recommended(plan).summary
        planned = 0 if summary is None else summary.targets
        return GroupVerdict(
            plan_id=plan.plan_id,
            cluster=fresh.cluster,
            group_id=fresh.group_id,
            observed_at=fresh.captured_at,
            result=result,
            partitions=what or (),
            rebalances=Rebalances((planned, planned), None),
            said=told(differences, difference_words.sentence),
            steps=shown,
            unknown=unknown,
        )


def verify(plan: GroupPlan, fresh: BrokerConsumerSnapshot, journal: Journal | None = None) -> GroupVerdict:
    """As `group.verifying.verify`. `journal`: what a run noted in it of the starts is tried first."""
    return verifying.verify(_Verifying(() if journal is None else journal.started()), plan, fresh)


def _recommended(plan: GroupPlan) -> Considered:
    assert plan.recommended_option is not None, "a plan without a recommended option is refused before"
    return plan.recommended_option


def _judged(basis: BrokerConsumerSnapshot, change: GroupChange, fresh: BrokerConsumerSnapshot) -> EndCompared[Placed]:
    """`change`: with the IDs that consumers got."""
    outcome = forecast(basis, change).outcome
    wanted, now = owners_at_the_end(basis, change, outcome), owners_of(fresh)
    partitions = tuple(ReaderVerdict(one, wanted[one], now.get(one)) for one in sorted(wanted))
    differences = tuple(
        Difference(Differs.READER, str(one.partition), (one.expected,), () if one.found is None else (one.found,))
        for one in partitions
        if not one.agrees
    )[:MOST_DIFFERENCES]
    result = Result.DIFFERENT if differences else Result.AS_FORECAST
    if differences and _before_its_last_target(outcome, fresh):
        result = Result.IN_PROGRESS
    return EndCompared(partitions, result, differences, differences)


def _before_its_last_target(outcome: GroupOutcome, fresh: BrokerConsumerSnapshot) -> bool:
    each = tuple(outcome.in_turn)
    last = each[-1].epoch if each else None
    return last is not None and fresh.assignment_epoch is not None and fresh.assignment_epoch < last


def owners_of(snapshot: BrokerConsumerSnapshot) -> Owners:
    """Who reads what; who is to, where that is unknown."""
    return {partition: one.member_id for one in snapshot.members for partition in one.assignment or one.target or ()}


def owners_at_the_end(basis: BrokerConsumerSnapshot, change: GroupChange, outcome: GroupOutcome) -> Owners:
    """Without what the forecast leaves open. Static members may have come back since the last target."""
    if each := tuple(outcome.in_turn):
        last = each[-1]
        open_ = left_open(last)
        found: Owners = {one: member for one, member in last.owners.items() if one not in open_}
    else:
        found = owners_of(basis)
    there = frozenset(outcome.member_ids)
    back = {one.old: one.consumer.member_id for one in change.starts() if one.same and one.old is not None}
    return {one: member if member in there else back.get(member) or member for one, member in found.items()}


def left_open(target: ComputedTarget | LeaderRebalance) -> frozenset[TopicPartition]:
    """The partitions whose place a target, or one before it, leaves open."""
    if isinstance(target, LeaderRebalance):
        return frozenset()
    return frozenset((*target.assignment.undetermined_partitions, *target.after_undetermined))
