"""What happens if a condition of a forecast is not met, in words."""

from holdfast.rollout.streams.cost.evaluation import worst_of
from holdfast.rollout.streams.events.event import Event
from holdfast.rollout.streams.options.contingencies import Branch, If, Otherwise
from holdfast.rollout.text.format import counted, duration, many
from holdfast.rollout.timing import time_words


def condition(branch: Branch) -> str:
    """`a client returns, or is replaced, more than 7 s after its stop began`."""
    one = len(branch.process_ids) < 2
    who, stop = ("a client returns", "its stop") if one else ("all clients return", "their stops")
    replaced = any(isinstance(item, Event) and item.replaces() for item in branch.change.events)
    or_replaced = f", or {'is' if one else 'are'} replaced," if replaced else ""
    match branch.condition:
        case If.LATE:
            return f"{who}{or_replaced} more than {_seconds(branch)} after {stop} began"
        case If.IN_TIME:
            return f"{who} with the same group.instance.id within {_seconds(branch)}"
        case If.ONE_BY_ONE:
            return "the new clients join one after another, not in one rebalance"
        case If.MERGED:
            return "the steps do not wait until the group is stable, and all clients return within one session timeout"
        case If.IN_MEMORY:
            return "all stores are in memory, so that no process ID is kept (state it with --stores, or give a state directory)"


def _seconds(branch: Branch) -> str:
    return "the session timeout" if branch.seconds is None else f"{branch.seconds:g} s"


def consequence(one: Otherwise) -> str:
    """`6–14 rebalances, rebalancing ends after up to 2 min 10 s; 8 hand-overs of stateful tasks`."""
    if not one.costs:
        return "no forecast; if it happens, take no further step and plan again"
    worst = worst_of(one.costs)
    most, least = max(cost.rebalances.high for cost in one.costs), min(cost.rebalances.low for cost in one.costs)
    ends = "rebalancing does not end"
    if worst.stable:
        after = f"up to {duration(worst.longest_s)}" if worst.times is None else time_words.estimate(worst.times.rebalancing_ends)
        ends = f"rebalancing ends after {after}"
    handed = f"; {many(worst.handovers, 'hand-over')} of stateful tasks" if worst.handovers else "; no stateful task moves"
    return f"{counted(least, most, 'rebalance')}, {ends}{handed}"


def sentence(one: Otherwise) -> str:
    some = " If only some of them do, the outcome is between this and the plan." if one.branch.condition is If.MERGED else ""
    return f"If {condition(one.branch)}: {consequence(one)}.{some}"
