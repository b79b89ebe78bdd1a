"""The output of `holdfast apply` for a reader: progress, the next action, and every step."""

from collections.abc import Iterator

from holdfast.cli.views import blocks_view
from holdfast.rollout.journal.journal import JournalEvent
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.text.document_blocks import Block, Heading, Paragraph, Table
from holdfast.rollout.text.format import many, printable
from holdfast.workflows.apply import Applied


def show(applied: Applied) -> None:
    blocks_view.show(tuple(_blocks(applied)))


def _blocks(applied: Applied) -> Iterator[Block]:
    plan, waiting = applied.plan, applied.waiting_for
    done = [step for step in plan.steps if applied.journal.has(step.id, JournalEvent.DONE)]
    group, cluster = printable(plan.basis.group_id), printable(plan.basis.cluster)
    yield Heading(1, f"Plan {plan.plan_id} for {group} on {cluster}: {len(done)} of {many(len(plan.steps), 'step')} done")
    if waiting is None:
        yield Paragraph("Every step is done. Compare the group with the forecast: holdfast verify.", strong=True)
    else:
        yield Paragraph(f"Waiting for step {waiting.step.id}: {waiting.needed}")
        again = f" (or confirm it: --confirm {waiting.step.id})" if waiting.can_confirm else ""
        yield Paragraph(f"Then take a new snapshot, and run holdfast apply again{again}.")
    yield Heading(2, "Steps")
    yield Table(
        ("step", "who", "state", "what"),
        tuple(
            (
                step.id,
                step.who.value,
                "done" if step in done else "due" if waiting is not None and waiting.step.id == step.id else "open",
                kind_of(plan).step_text(step),
            )
            for step in plan.steps
        ),
    )
    yield Heading(2, "Journal")
    yield Paragraph(f"It is {applied.signed}.")
    yield Table(
        ("at", "step", "event", "by", "detail"),
        tuple((one.at, one.step, one.event.value, one.by, one.detail) for one in applied.journal.entries),
    )
