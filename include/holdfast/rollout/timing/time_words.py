"""The two time figures and their condition in words, for plans, rules, lists and pages."""

from holdfast.rollout.contract.times import Condition, EffortCounts, Estimate, Times
from holdfast.rollout.text.format import amount_of_bytes, counted, duration, many


def estimate(one: Estimate | None) -> str:
    """`immediately`, `45 s`, `45 s (42 s to 1 min 8 s)`, `never`."""
    if one is None:
        return "never"
    if not one.high:
        return "immediately"
    return usually(one) if one.low == one.high else f"{usually(one)} ({between(one)})"


def usually(one: Estimate | None) -> str:
    """`immediately`, `45 s`, `never`: what is reckoned with."""
    if one is None:
        return "never"
    if not one.high:
        return "immediately"
    return duration(one.usual) if one.usual else "under 1 s"


def between(one: Estimate | None) -> str:
    """`42 s to 1 min 8 s`; empty where there is nothing to choose from."""
    return "" if one is None or one.low == one.high else f"{duration(one.low)} to {duration(one.high)}"


def both(times: Times) -> str:
    """`rebalancing ends after …, all state is restored after …`, with the condition."""
    if times.rebalancing_ends is None:
        return "rebalancing never ends"
    ends, restored = estimate(times.rebalancing_ends), estimate(times.restored)
    text = f"rebalancing ends after {ends}; all state restored " + ("by then" if restored == ends else f"after {restored}")
    return text + only_if(times)


def restored(times: Times) -> str:
    """When all is over, with the condition."""
    return estimate(times.restored) + only_if(times)


def only_if(times: Times) -> str:
    """`, only if the state of 8 tasks (…) is copied within 45 s; else 8 h 54 min`; empty where all holds anyway."""
    found = limited_to(times)
    return f", {found}" if found else ""


def limited_to(times: Times) -> str:
    """`only_if` as a sentence of its own."""
    one = times.condition
    if one is None or one.met is True:
        return ""
    if one.otherwise_restored == times.restored:
        return ""
    return f"only if {condition(one)}; else {estimate(one.otherwise_restored)}"


def condition(one: Condition) -> str:
    """`8 tasks' state (320,000,000 records, 12.0 GiB) is copied within 45 s`."""
    size = "" if one.size is None else f", {amount_of_bytes(one.size)}"
    state = f"the state of {many(one.tasks, 'task')} ({many(one.records, 'record')}{size})"
    return f"{state} is copied within {duration(one.within_s)}"


def effort(counts: EffortCounts | None) -> str:
    """`24 restarts, 2 manual steps, no copy`."""
    if counts is None:
        return "unknown"
    copies = many(counts.copies, "directory copied", "directories copied") if counts.copies else "no copy"
    return f"{many(counts.restarts, 'restart')}, {many(counts.manual_steps, 'manual step')}, {copies}"


def rebalances(low: int, high: int, usual: int | None) -> str:
    """`4–10 rebalances`; where it is known, `4–10 rebalances (usually 6)`."""
    found = counted(low, high, "rebalance")
    return found if low == high or usual in (None, high) else f"{found} (usually {usual:,})"


def while_restoring(times: Times) -> str:
    """`, up to 9 more while warm-ups restore`; empty where there are none."""
    return f", up to {times.more_probing:,} more while warm-ups restore" if times.more_probing else ""


def until_stable(seconds: int | None) -> str:
    return "never" if seconds is None else duration(seconds) if seconds else "immediately"
