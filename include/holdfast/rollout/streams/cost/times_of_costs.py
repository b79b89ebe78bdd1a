"""The times of one forecast outcome: its acts and rebalances, walked by the one model of time."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from holdfast.rollout.backtest.learnt import Held
from holdfast.rollout.contract.rebalances import Round, restore_seconds
from holdfast.rollout.contract.times import Estimate, TimedBatch, Times
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.cost.evaluation import Cost, EvaluatedOption, Span, worst_of
from holdfast.rollout.timing.timeline import TimedCourse, combined, in_order


def times_of(cost: Cost, policy: Policy) -> Times:
    """Those that the cost carries; worked out where it carries none yet."""
    return cost.times if cost.times is not None else worked_out(cost, policy)


def stated(costs: Sequence[Cost], policy: Policy) -> Cost:
    """The worst outcome with the rebalances and times of every outcome: a range that is stated holds whichever rank a random
    process ID takes. Other figures are those of the worst outcome."""
    worst = worst_of(tuple(costs))
    if len(costs) < 2:
        return worst
    own, every = times_of(worst, policy), [times_of(cost, policy) for cost in costs]
    times = replace(
        own,
        rebalancing_ends=_over(own.rebalancing_ends, [one.rebalancing_ends for one in every]),
        restored=_over(own.restored, [one.restored for one in every]),
        more_probing=max(one.more_probing for one in every),
    )
    rebalances = Span(min(cost.rebalances.low for cost in costs), max(cost.rebalances.high for cost in costs))
    return replace(worst, rebalances=rebalances, times=times)


def rebalances_held(cost: Cost, policy: Policy, past: Held | None) -> Span:
    """The range of its number of rebalances, made to hold: with those that find warm-ups still restoring, and by as much wider as
    the group's past (None: unknown) shows that it has to be. None fewer than the change itself causes."""
    more = 0 if past is None or past.more is None else past.more
    found = cost.rebalances
    least = min(found.low, sum(act.of_the_change for act in cost.acts))
    return Span(max(least, found.low - more), found.high + times_of(cost, policy).more_probing + more)


def _over(worst: Estimate | None, every: Sequence[Estimate | None]) -> Estimate | None:
    known = [one for one in every if one is not None]
    return None if worst is None else Estimate(min(one.low for one in known), worst.usual, max(one.high for one in known))


def times_of_outcomes(evaluation: EvaluatedOption, policy: Policy) -> tuple[Times, ...]:
    """Of every outcome: what the rules of time go by."""
    return tuple(times_of(cost, policy) for cost in evaluation.costs)


def worked_out(cost: Cost, policy: Policy) -> Times:
    """The times of one outcome at the speeds of a policy."""
    if not cost.stable:
        return Times(None, None)
    if not cost.rounds and not cost.acts:
        return _of_a_brief(cost, policy)
    return combined(_course(cost), policy)


def _course(cost: Cost) -> TimedCourse:
    intervals = [then.at_seconds - now.at_seconds for now, then in pairwise(cost.rounds) if then.trigger == "probing"]
    return TimedCourse(
        tuple(acts_of(cost)),
        max(0, cost.seconds_to_stable.high - cost.seconds_to_stable.low),
        max(0, cost.rebalances.high - len(cost.rounds)),
        cost.probes_more,
        max(intervals, default=0),
    )


def when(cost: Cost, policy: Policy) -> tuple[int, ...]:
    """When each of its rebalances is usually complete: what tables and charts go by."""
    over = times_of(cost, policy).rebalances
    if len(over) != len(cost.rounds):
        return tuple(one.at_seconds for one in cost.rounds)  # of a plan of another version
    return tuple(one.usual for one in over)


def _of_a_brief(cost: Cost, policy: Policy) -> Times:
    """Of an option in a plan that kept no rebalances of it, and no times."""
    found = cost.seconds_to_stable
    ends = Estimate(found.low, found.high, found.high)
    most = max((one.records for one in cost.restores), default=0)
    speeds = (policy.fastest_restore, policy.restore_records_per_second, policy.slowest_restore)
    low, usual, high = (restore_seconds(most, speed) for speed in speeds)
    return Times(ends, in_order(max(ends.low, low), ends.usual + usual, ends.high + high))


def acts_of(cost: Cost) -> Iterator[tuple[TimedBatch, tuple[Round, ...]]]:
    """Each act with the rebalances that follow from it. Of a cost that says nothing of acts: what its rebalances show."""
    if cost.acts:
        at = 0
        for act in cost.acts:
            yield act, cost.rounds[at : at + act.rebalances]
            at += act.rebalances
        return
    begins = [index for index, one in enumerate(cost.rounds) if not index or one.trigger == "change"]
    before = 0
    for begin, end in zip(begins, (*begins[1:], len(cost.rounds)), strict=True):
        rounds = cost.rounds[begin:end]
        yield TimedBatch(len(rounds), noticed_s=rounds[0].at_seconds - before), rounds
        before = rounds[-1].at_seconds
