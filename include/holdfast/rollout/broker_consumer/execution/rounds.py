"""Where a consumer group whose broker assigns is in the forecast of its plan, after each batch of events: target by target.

What is compared is the forecast with the member IDs that consumers really got, as `verify` does at the end. Where a group at rest
is as forecast, the journal notes which IDs those are, and who was fast: so each comparison has only what is new to try.
"""

from dataclasses import replace

from holdfast.rollout.broker_consumer.change.change import GroupChange
from holdfast.rollout.broker_consumer.execution import acts, starts
from holdfast.rollout.broker_consumer.execution.verify import Owners, left_open, owners_at_the_end, owners_of
from holdfast.rollout.broker_consumer.forecast.forecast import forecast
from holdfast.rollout.broker_consumer.forecast.outcomes import ComputedTarget, LeaderRebalance
from holdfast.rollout.broker_consumer.plan.plan import GroupPlan
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.broker_consumer.steps.steps import GroupStep
from holdfast.rollout.execution.parts import at_rest, part
from holdfast.rollout.execution.rounds import Agrees, NotCompared, RoundCompared, RoundsOfBatch, WhoRunsWhat, compare, not_compared
from holdfast.rollout.facts import difference_words
from holdfast.rollout.facts.differences import Differs
from holdfast.rollout.journal.journal import Journal


def compared(
    plan: GroupPlan, journal: Journal, basis: BrokerConsumerSnapshot, after: str, until: GroupStep, fresh: BrokerConsumerSnapshot
) -> RoundCompared:
    """As that of `streams.execution.rounds`. At rest: the target is that of the group's epoch."""
    assert plan.recommended_option is not None, "a plan without a recommended option is not carried out"
    events = part(plan.recommended_option.change.numbered_batches(), plan.steps, acts.waits, after, until.id)
    if events is None:
        return not_compared(NotCompared.STEPS)
    noted = starts.noted(plan.steps, journal.started(), after)
    possible = starts.courses(basis, GroupChange(events), fresh, noted)
    if possible.trouble is not None:
        return not_compared(NotCompared.MEMBERS, difference_words.sentence(possible.trouble))
    courses = tuple(_course(basis, one) for one in possible.changes)
    found = compare(WhoRunsWhat(_texts(owners_of(fresh))), courses, settled(fresh), Differs.READER)
    if found.agrees is Agrees.DIFFERENT and not possible.all_of_them:
        return not_compared(NotCompared.UNKNOWN, "Too many courses are possible to compare them all.")
    if found.course is None:
        return found
    return replace(found, started=starts.to_note(plan.steps, possible.changes[found.course], after, noted))


def _course(basis: BrokerConsumerSnapshot, change: GroupChange) -> RoundsOfBatch:
    outcome = forecast(basis, change).outcome
    each = tuple(outcome.in_turn)
    last, rest = len(change.numbered_batches()) - 1, at_rest(change.numbered_batches())
    start = owners_of(basis) if each else owners_at_the_end(basis, change, outcome)
    rounds = tuple(_placed(one) for one in each if one.batch == last)
    if rounds and rounds[-1] == _placed(each[-1]):
        end = WhoRunsWhat(_texts(owners_at_the_end(basis, change, outcome)), open=rounds[-1].open)
        rounds = (*rounds[:-1], end)
    earlier = [WhoRunsWhat(_texts(start)), *(_placed(one) for one in each if one.batch < last)]
    first = sum(one.batch < rest for one in each)
    return RoundsOfBatch(earlier[-1], rounds, tuple(earlier[first:-1]))


def settled(fresh: BrokerConsumerSnapshot) -> bool | None:
    """Whether its target is that of its epoch. None: unknown."""
    if fresh.group_epoch is None or fresh.assignment_epoch is None:
        return None
    return fresh.group_epoch == fresh.assignment_epoch


def _placed(target: ComputedTarget | LeaderRebalance) -> WhoRunsWhat:
    return WhoRunsWhat(_texts(target.owners), open=frozenset(map(str, left_open(target))))


def _texts(owners: Owners) -> dict[str, str]:
    return {str(partition): member for partition, member in owners.items()}
