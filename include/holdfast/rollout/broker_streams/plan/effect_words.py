"""What an option does to a streams group whose broker assigns, in a sentence: for headlines and pages."""

from holdfast.rollout.broker_streams.cost.restored import Restored
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerSummary, Draws, cold_range, hand_over_range, moved_range
from holdfast.rollout.contract.times import Times
from holdfast.rollout.coordinated.spans import Seconds
from holdfast.rollout.text.format import amount_of_bytes, counted, duration, many, span
from holdfast.rollout.timing import time_words


def effect(summary: BrokerSummary, unowned: Seconds | None, times: Times | None, draws: Draws | None = None) -> str:
    """`17 of 24 stateful tasks migrate, 48 hand-overs (36 restored in full), 6 targets; rebalancing ends after 40 s; 120
    task-seconds without an owner.` `draws`: where IDs are new random ones, counts are ranges over all of them."""
    moved = f"{span(*moved_range(summary, draws))} of {many(summary.stateful_tasks, 'stateful task')} migrate"
    parts = [f"{moved}, {hand_overs(summary, draws)}, {many(summary.targets, 'target')}"]
    if times is not None:
        parts.append(f"rebalancing ends after {time_words.estimate(times.rebalancing_ends)}")
        if times.restored != times.rebalancing_ends:
            parts.append(f"all state restored after {time_words.estimate(times.restored)}")
    if unowned is not None and unowned.most:
        parts.append(f"{many(round(unowned.usual), 'task-second')} without an owner")
    return f"{'; '.join(parts)}."


def hand_overs(summary: BrokerSummary, draws: Draws | None = None) -> str:
    """`48 hand-overs (36 restored in full)`, `3–4 hand-overs (1–2 restored in full)`."""
    (least, most), cold = hand_over_range(summary, draws), cold_range(summary, draws)
    if not most:
        return "no hand-over"
    restored = span(*cold) if cold[1] else "none"
    return f"{counted(least, most, 'hand-over')} ({restored} restored in full)"


def restored(found: Restored) -> str:
    """`12,000 records (3.1 MiB)`, `nothing`."""
    if not found.records:
        return "nothing"
    size = "size unknown" if found.size is None else amount_of_bytes(found.size)
    return f"{many(found.records, 'record')} ({size})"


def longest(found: Seconds) -> str:
    """Of one task."""
    if not found.most:
        return "none"
    usual, most = (duration(round(seconds)) for seconds in (found.usual, found.most))
    return f"up to {most} per task" if usual == most else f"{usual} usually, {most} at most, per task"


def missed(found: Draws) -> str:
    """Of what a plan or a forecast says of new random IDs."""
    return (
        f"At most {found.missed_at_most:.1%} of real starts differ from what all draws share ({found.confidence:.0%} confidence)."
    )
