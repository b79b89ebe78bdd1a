"""What an option does, in a sentence: the tasks that migrate, the rebalances, the time. For headlines and pages."""

from collections.abc import Sequence

from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.cost import times_of_costs
from holdfast.rollout.streams.cost.evaluation import Cost, worst_of
from holdfast.rollout.streams.options.proposals import displaced
from holdfast.rollout.timing import time_words


def effect(costs: Sequence[Cost], requested: Change, policy: Policy) -> str:
    """`6 of 6 stateful tasks migrate, 4–6 rebalances; rebalancing ends after 2 min; all state restored by then.`

    `costs`: those of one option, one an outcome. `meant`: the change that was requested.
    """
    return f"{_moves(costs, requested)}, {rounds_and_time(costs, policy)}."


def _moves(costs: Sequence[Cost], requested: Change) -> str:
    worst = worst_of(tuple(costs))
    total = worst.stateful_tasks
    if not worst.moved:
        restored = dict.fromkeys(task for one in worst.restores for task in one.tasks)
        where = "restore on the new disk" if any(True for _ in displaced(requested)) else "get another copy"
        notes = [f"{len(restored)} {where}"] if restored else []
        notes += ["some move and return"] if worst.handovers else []
        noted = f" ({'; '.join(notes)})" if notes else ""
        return f"0 of {total:,} stateful tasks migrate{noted}"
    moved = f"{worst.moved:,} of {total:,} stateful tasks migrate"
    if len(costs) > 1:
        expected = sum(cost.probability * cost.moved for cost in costs)
        return f"at worst {moved} ({expected:.1f} on average over random process IDs)"
    return moved


def rounds_and_time(costs: Sequence[Cost], policy: Policy) -> str:
    """`4–6 rebalances; rebalancing ends after 2 min; all state restored by then`"""
    cost = times_of_costs.stated(costs, policy)
    rebalances = time_words.rebalances(cost.rebalances.low, cost.rebalances.high, cost.rebalances_usual)
    times = times_of_costs.times_of(cost, policy)
    return f"{rebalances}{time_words.while_restoring(times)}; {time_words.both(times)}"
