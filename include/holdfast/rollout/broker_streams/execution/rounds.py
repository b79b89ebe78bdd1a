"""Where a streams group whose broker assigns is in the forecast of its plan, after each batch of events: target by target.

What is compared is the forecast with the member IDs that clients really got, as `verify` does at the end.
"""

from collections.abc import Mapping

from holdfast.kafka.coordinator.streams.group import Task
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.execution import acts, starts
from holdfast.rollout.broker_streams.execution.verify import Copies, given_by, left_open, of_members, other_clients
from holdfast.rollout.broker_streams.forecast.forecast import forecast
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerOutcome, ComputedTarget
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.broker_streams.steps.steps import BrokerStep
from holdfast.rollout.execution.parts import at_rest, part
from holdfast.rollout.execution.rounds import Agrees, NotCompared, RoundCompared, RoundsOfBatch, WhoRunsWhat, compare, not_compared
from holdfast.rollout.facts import difference_words


def compared(
    plan: BrokerPlan, basis: StreamsGroupSnapshot, after: str, until: BrokerStep, fresh: StreamsGroupSnapshot
) -> RoundCompared:
    """As that of `streams.execution.rounds`. At rest: the target is that of the group's epoch."""
    assert plan.recommended_option is not None, "a plan without a recommended option is not carried out"
    events = part(plan.recommended_option.change.numbered_batches(), plan.steps, acts.waits, after, until.id)
    if events is None:
        return not_compared(NotCompared.STEPS)
    change, missing, unseen = starts.named(basis, BrokerChange(events), fresh)
    if missing or unseen:
        return not_compared(NotCompared.MEMBERS, "Not all new clients are there.")
    orders = starts.joined_in_any_order(basis, change, fresh)
    outcome = forecast(basis, orders.changes[0]).outcome
    others = other_clients(basis, outcome, fresh)
    if others is not None:
        return not_compared(NotCompared.MEMBERS, difference_words.sentence(others.difference))
    now, course = _texts(*of_members(fresh)), _course(basis, orders.changes[0], outcome)
    found = compare(now, (course,), settled(fresh))
    if found.agrees is Agrees.DIFFERENT and len(orders.changes) > 1:
        courses = (course, *(_course(basis, one, forecast(basis, one).outcome) for one in orders.changes[1:]))
        found = compare(now, courses, settled(fresh))
    if found.agrees is Agrees.DIFFERENT and not orders.all_of_them:
        return not_compared(NotCompared.UNKNOWN, "Too many orders of joins are possible to compare them all.")
    return found


def _course(basis: StreamsGroupSnapshot, change: BrokerChange, outcome: BrokerOutcome) -> RoundsOfBatch:
    last, rest = len(change.numbered_batches()) - 1, at_rest(change.numbered_batches())
    rounds = tuple(_placed(one) for one in outcome.targets if one.batch == last)
    earlier = [_texts(*of_members(basis)), *(_placed(one) for one in outcome.targets if one.batch < last)]
    first = sum(one.batch < rest for one in outcome.targets)
    return RoundsOfBatch(earlier[-1], rounds, tuple(earlier[first:-1]))


def settled(fresh: StreamsGroupSnapshot) -> bool | None:
    """Whether its target is that of its epoch. None: unknown."""
    if fresh.group_epoch is None or fresh.assignment_epoch is None:
        return None
    return fresh.group_epoch == fresh.assignment_epoch


def _placed(target: ComputedTarget) -> WhoRunsWhat:
    return _texts(*given_by(target), frozenset(map(str, left_open(target))))


def _texts(owners: Mapping[Task, str], copies: Copies, open_: frozenset[str] = frozenset()) -> WhoRunsWhat:
    return WhoRunsWhat(
        {str(one): client for one, client in owners.items()}, {str(one): held for one, held in copies.items()}, open_
    )
