"""What an option does to a consumer group whose broker assigns, in a sentence: for headlines and pages."""

from holdfast.rollout.broker_consumer.forecast.bounds import Bounds
from holdfast.rollout.broker_consumer.forecast.outcomes import TargetsSummary
from holdfast.rollout.contract.times import Times
from holdfast.rollout.coordinated.chance import Spread
from holdfast.rollout.coordinated.spans import Seconds
from holdfast.rollout.text.format import counted, duration, many, span
from holdfast.rollout.timing import time_words


def effect(summary: TargetsSummary, bounds: Bounds | None, unowned: Seconds | None, times: Times | None) -> str:
    """`4 of 6 partitions migrate, 6 hand-overs, 2 targets; rebalancing ends after 40 s; 12 partition-seconds without an owner.`
    `bounds`: where IDs are new random ones, counts are ranges over all of them."""
    moved = f"{moved_text(summary, bounds)} of {many(summary.partitions, 'partition')} migrate"
    parts = [f"{moved}, {hand_overs(summary, bounds)}, {rounds(summary)}"]
    if times is not None:
        parts.append(f"rebalancing ends after {time_words.estimate(times.rebalancing_ends)}")
    if unowned is not None and unowned.most:
        parts.append(f"{many(round(unowned.usual), 'partition-second')} without an owner")
    return f"{'; '.join(parts)}."


def rounds(summary: TargetsSummary) -> str:
    """`2 targets`, `1 rebalance of the classic group, 2 targets`, `2 rebalances of the classic group`."""
    if not summary.rebalances:
        return many(summary.targets, "target")
    targets = (many(summary.targets, "target"),) if summary.targets else ()
    return ", ".join((f"{many(summary.rebalances, 'rebalance')} of the classic group", *targets))


def moved_text(summary: TargetsSummary, bounds: Bounds | None) -> str:
    return span(*ends(summary.moved, None if bounds is None else bounds.moved))


def hand_overs(summary: TargetsSummary, bounds: Bounds | None) -> str:
    """`6 hand-overs`, `3–8 hand-overs`, `no hand-over`."""
    least, most = ends(summary.moves, None if bounds is None else bounds.moves)
    return counted(least, most, "hand-over") if most else "no hand-over"


def ends(count: int, spread: Spread | None) -> tuple[int, int]:
    """Of a figure: of one outcome, or of all possible ones."""
    return (count, count) if spread is None else (spread.least, spread.most)


def longest(found: Seconds) -> str:
    """Of one partition."""
    if not found.most:
        return "none"
    usual, most = (duration(round(seconds)) for seconds in (found.usual, found.most))
    return f"up to {most} per partition" if usual == most else f"{usual} usually, {most} at most, per partition"


def chance(found: Bounds) -> str:
    """What a plan says of new random IDs."""
    figures = (
        f"{span(found.moved.least, found.moved.most)} partitions moved, {span(found.moves.least, found.moves.most)} hand-overs"
    )
    if found.exhaustive:
        return (
            f"the IDs below are one of {found.count:,} possibilities; {figures} over all of them. The most hand-overs have a"
            f" probability of {found.worst:.1%}."
        )
    return (
        f"the IDs below are one of {found.count:,} simulated draws; {figures} over all of them. At most {found.missed_at_most:.1%}"
        " of real starts differ from what all draws share (95% confidence)."
    )
