"""A verdict as a person reads it: the result and its figures first, what shows each step, then what differs."""

from collections.abc import Iterator

from holdfast.rollout.consumer.execution.verify import ConsumerVerdict
from holdfast.rollout.contract.verdicts import Result
from holdfast.rollout.streams.execution.verify import Verdict
from holdfast.rollout.text.rendering import Block, Heading, Lines, Paragraph, Table
from holdfast.rollout.text.wording import listed, many, printable, span

MOST_ROWS = 50
_NEXT = {
    Result.AS_FORECAST: "Nothing is left to do.",
    Result.NOT_YET: "There is no evidence of a step yet. Verify again when it is done, or with --watch.",
    Result.ON_THE_WAY: "Every step is done, but the group is not stable yet. Verify again later, or with --watch.",
    Result.DIFFERENT: "Stop the rollout, and check the differences below.",
}
SAYS = {
    Result.AS_FORECAST: "as forecast",
    Result.NOT_YET: "steps pending",
    Result.ON_THE_WAY: "in progress",
    Result.DIFFERENT: "diverged from forecast",
}
"""A result as people read it; documents keep the value that it has."""


def verdict_blocks(found: Verdict | ConsumerVerdict) -> tuple[Block, ...]:
    return tuple(_blocks(found))


def _blocks(found: Verdict | ConsumerVerdict) -> Iterator[Block]:
    group, cluster = printable(found.group_id), printable(found.cluster)
    yield Heading(1, f"Plan {found.plan_id} for {group} on {cluster}: {SAYS[found.result]}")
    yield Paragraph(_NEXT[found.result], strong=found.result is Result.AS_FORECAST)
    yield Lines(tuple(_figures(found)))
    if found.steps:
        yield Heading(2, "Steps")
        rows = tuple((one.step, one.what, str(one.evidence.shown), one.evidence.text) for one in found.steps)
        yield Table(("step", "action", "status", "evidence"), rows)
    if rows := _moved(found):
        yield Heading(2, "Differences from the forecast")
        what = "partition" if isinstance(found, ConsumerVerdict) else "task"
        yield Table((what, "role", "forecast", "found"), rows[:MOST_ROWS])
        if len(rows) > MOST_ROWS:
            yield Paragraph(f"and {len(rows) - MOST_ROWS:,} more: --json has all of them.")
    elif found.differences and found.result is not Result.AS_FORECAST:
        yield Heading(2, "Differences from the forecast")
        yield from (Paragraph(one) for one in found.differences[:MOST_ROWS])


def _figures(found: Verdict | ConsumerVerdict) -> Iterator[tuple[str, str]]:
    if isinstance(found, ConsumerVerdict):
        placed, expected = found.partitions, span(found.rebalances_expected, found.rebalances_expected)
        yield "Partitions", _of(sum(one.agrees for one in placed), len(placed))
    else:
        tasks, expected = found.tasks, span(found.rebalances_expected.low, found.rebalances_expected.high)
        yield "Tasks", _of(sum(one.agrees for one in tasks), len(tasks))
        if found.standbys:
            yield "Standby copies", _of(sum(one.agrees for one in found.standbys), len(found.standbys))
    seen = "not known" if found.rebalances is None else f"{found.rebalances:,}"
    yield "Rebalances", f"{seen}, forecast {expected}"
    yield "Observed at", printable(found.observed_at or "not known")


def _of(agreeing: int, all_of_them: int) -> str:
    return f"{agreeing:,} of {all_of_them:,} as forecast" if all_of_them else "not compared yet"


def _moved(found: Verdict | ConsumerVerdict) -> tuple[tuple[str, str, str, str], ...]:
    if isinstance(found, ConsumerVerdict):
        wrong = (one for one in found.partitions if not one.agrees)
        return tuple(
            (f"{printable(one.partition.topic)}-{one.partition.partition}", "reads", printable(one.expected), _owner(one.found))
            for one in wrong
        )
    active = ((str(one.task), "active", str(one.expected), _owner(one.found)) for one in found.tasks if not one.agrees)
    standby = (
        (str(one.task), "standby", listed(one.expected) or "none", listed(one.found) or "none")
        for one in found.standbys
        if not one.agrees
    )
    return (*active, *standby)


def _owner(found: object) -> str:
    return "none" if found is None else printable(str(found))


def in_a_line(found: Verdict | ConsumerVerdict) -> str:
    """The result, how many steps are shown, and the first thing that is missing: what a watch says as it goes."""
    shown = sum(one.evidence.shown.value == "happened" for one in found.steps)
    first = f" {found.differences[0]}" if found.differences else ""
    return f"{SAYS[found.result]}, {shown} of {many(len(found.steps), 'step')} observed.{first}"
