"""A verdict as a person reads it: the result and its figures first, what shows each step, then what differs."""

from collections.abc import Iterator, Mapping

from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.group.values import AnyVerdict
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.text.document_blocks import Block, Heading, Lines, Paragraph, Table
from holdfast.rollout.text.format import capital, many, printable, span

RESULTS: Mapping[Result, str] = {
    Result.AS_FORECAST: "as forecast",
    Result.NOT_YET: "steps pending",
    Result.IN_PROGRESS: "in progress",
    Result.DIFFERENT: "diverged from forecast",
    Result.NOT_COMPARED: "not compared",
}
"""What a verification found; documents keep the value that it has."""
MOST_ROWS = 50
MOST_OF_A_REASON = 1_000
_NEXT = {
    Result.AS_FORECAST: "Nothing is left to do.",
    Result.NOT_YET: "Not every step shows in the group yet. Verify again when all are done, or with --watch.",
    Result.IN_PROGRESS: "Every step is done, but the group is not stable yet. Verify again later, or with --watch.",
    Result.DIFFERENT: "Stop the rollout, and check the differences below.",
    Result.NOT_COMPARED: "Every step is done. Whether the end is as forecast is unknown: see below.",
}


def verdict_blocks(found: AnyVerdict) -> tuple[Block, ...]:
    return tuple(_blocks(found))


def _blocks(found: AnyVerdict) -> Iterator[Block]:
    group, cluster = printable(found.group_id), printable(found.cluster)
    yield Heading(1, f"Plan {found.plan_id} for {group} on {cluster}: {RESULTS[found.result]}")
    yield Paragraph(_NEXT[found.result], strong=found.result is Result.AS_FORECAST)
    yield Lines(tuple(_figures(found)))
    if found.steps:
        yield Heading(2, "Steps")
        rows = tuple((one.step, capital(one.what), str(one.evidence.shown), one.evidence.text) for one in found.steps)
        yield Table(("step", "action", "status", "evidence"), rows)
    if rows := kind_of(found).verdict_rows(found):
        yield Heading(2, "Differences from the forecast")
        yield Table((kind_of(found).words.counted, "role", "forecast", "found"), rows[:MOST_ROWS])
        if len(rows) > MOST_ROWS:
            yield Paragraph(f"and {len(rows) - MOST_ROWS:,} more: --json has all of them.")
    elif found.differences and found.result is not Result.AS_FORECAST:
        yield Heading(2, "Differences from the forecast")
        yield from (Paragraph(one) for one in found.differences[:MOST_ROWS])
    if found.unknown:
        yield Heading(2, "Not compared")
        yield from (Paragraph(printable(f"{one.what}: {one.reason}", MOST_OF_A_REASON)) for one in found.unknown[:MOST_ROWS])


def _figures(found: AnyVerdict) -> Iterator[tuple[str, str]]:
    kind = kind_of(found)
    yield from kind.verdict_figures(found)
    seen = "unknown" if found.rebalances.found is None else f"{found.rebalances.found:,}"
    yield "Rebalances", f"{seen}, forecast {span(*found.rebalances.expected)}"
    yield "Observed at", printable(found.observed_at or "unknown")


def in_a_line(found: AnyVerdict) -> str:
    """The result, how many steps are shown, and the first thing that is missing: what a watch says as it goes."""
    shown = sum(one.evidence.shown.value == "happened" for one in found.steps)
    first = f" {found.differences[0]}" if found.differences else ""
    return f"{RESULTS[found.result]}, {shown} of {many(len(found.steps), 'step')} observed.{first}"
