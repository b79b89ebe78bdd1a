"""The history of a plan for a reader: its decision, its progress, and whether the forecast came true."""

from collections.abc import Iterator

from holdfast.rollout.journal.journal import Approval, DecidedBy, Journal, JournalEvent
from holdfast.rollout.kinds.approval import NOBODY
from holdfast.rollout.kinds.score_json import Score
from holdfast.rollout.kinds.verdict_words import RESULTS
from holdfast.rollout.text.document_blocks import Block, Heading, Lines
from holdfast.rollout.text.format import listed, many, printable

NAMED_AT_MOST = 300


def history(
    steps: tuple[str, ...], approval: Approval | None, journal: Journal, score: Score | None, signed: str = ""
) -> tuple[Block, ...]:
    """A section. `steps`: the plan's, by number; a plan without any has no history. `signed`: what the signatures say."""
    if not steps:
        return ()
    lines = (*_lines(steps, approval, journal, score), *((("Signatures", signed),) if signed else ()))
    return (Heading(2, "History"), Lines(lines))


def _lines(steps: tuple[str, ...], approval: Approval | None, journal: Journal, score: Score | None) -> Iterator[tuple[str, str]]:
    yield "Decision", "pending" if approval is None else _decision(approval)
    done = [step for step in steps if journal.has(step, JournalEvent.DONE)]
    if journal.entries:
        left = [step for step in steps if step not in done]
        turned = journal.went_back()
        following = f"; {left[0]} is next" if left and turned is None else ""
        yield "Done", f"{listed(done) or 'no step'} of {many(len(steps), 'step')}{following}"
        if turned is not None:
            rolled_back = [step for step in reversed(steps) if journal.has(step, JournalEvent.UNDONE)]
            yield "Going back", f"since {turned.at}, by {_name(turned.by)}; rolled back: {listed(rolled_back) or 'no step'}"
        last = journal.entries[-1]
        yield "Last", f"step {last.step} {last.event.value}, {last.at}, by {_name(last.by)}: {_name(last.detail)}"
    if score is not None:
        counted = f"{score.tasks_as_forecast} of {many(score.tasks, score.score.THING)} as forecast"
        yield "Verdict", f"{RESULTS[score.result]}; {counted}, observed at {score.observed_at or 'an unknown time'}"


def _decision(approval: Approval) -> str:
    who = f" (user {_name(approval.by_id)})" if approval.by_id not in (None, approval.by) else ""
    reason = f": {_name(approval.reason)}" if approval.reason else ", no reason given"
    late = " (the request timed out)" if approval.decided_by is DecidedBy.TIME_OUT else ""
    asker = f". Requested by {_name(approval.asked_by)}" if approval.asked_by not in (None, NOBODY) else ""
    return f"{approval.says} by {_name(approval.by)}{who} at {approval.at}{late}{reason}{asker}"


def _name(text: str | None) -> str:
    return printable(text or "", NAMED_AT_MOST)
