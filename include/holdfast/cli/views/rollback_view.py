"""Going back over a plan, for a reader: each rollback, who does it, and how the group differs at the end."""

from collections.abc import Iterator

from holdfast.cli.views import blocks_view
from holdfast.rollout.execution import undo_words
from holdfast.rollout.execution.back_course import WentBack
from holdfast.rollout.execution.drift import STALENESS
from holdfast.rollout.execution.next_actions import WaitForOutside
from holdfast.rollout.execution.undo import Undo
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal.journal import Journal, JournalEvent
from holdfast.rollout.text.document_blocks import Block, Heading, Paragraph, Table
from holdfast.rollout.text.format import many, printable
from holdfast.workflows import rollbacks


def show(plan: AnyPlan, journal: Journal, waiting: WaitForOutside | None = None, went_back: WentBack | None = None) -> None:
    blocks_view.show(tuple(_blocks(plan, journal, waiting, went_back)))


def to_json(plan: AnyPlan, journal: Journal) -> dict[str, object]:
    return {
        "plan_id": plan.plan_id,
        "going_back": journal.went_back() is not None,
        "rollbacks": [
            {"step": one.step.id, "state": _state(one, journal), "who": _who(one), "what": undo_words.describe(one)}
            for one in rollbacks.steps_of(plan, journal)
        ],
    }


def ended_to_json(found: WentBack) -> dict[str, object]:
    clients = found.clients
    return {
        "in_place": clients.in_place,
        "missing": list(clients.missing),
        "not_there_before": list(clients.extra),
        "differs": STALENESS.write(found.differs),
    }


def _blocks(plan: AnyPlan, journal: Journal, waiting: WaitForOutside | None, went_back: WentBack | None) -> Iterator[Block]:
    found = rollbacks.steps_of(plan, journal)
    closed = sum(_state(one, journal) != "open" for one in found)
    group, cluster = printable(plan.basis.group_id), printable(plan.basis.cluster)
    yield Heading(1, f"Plan {plan.plan_id} for {group} on {cluster}: {closed} of {many(len(found), 'begun step')} rolled back")
    if went_back is not None:
        yield Paragraph(undo_words.ended(went_back.clients), strong=True)
    elif waiting is not None:
        yield Paragraph(f"Waiting for step {waiting.step.id}: {waiting.needed}")
        again = f"holdfast apply --back --confirm {waiting.step.id}, then " if waiting.can_confirm else ""
        yield Paragraph(f"Then: {again}holdfast apply --run --back.")
    elif journal.went_back() is None:
        yield Paragraph("It is not rolled back. Start with holdfast apply --run --back; it ends going forward with this plan.")
    if found:
        yield Heading(2, "Rollbacks, in order")
        rows = ((one.step.id, _who(one), _state(one, journal), undo_words.describe(one)) for one in found)
        yield Table(("step", "who", "state", "what"), tuple(rows))
    if went_back is not None and went_back.differs.drifts:
        yield Heading(2, "The group differs from the plan's snapshot")
        yield Table(("what", "found"), tuple((one.kind.value, one.found) for one in went_back.differs.drifts))


def _state(undo: Undo, journal: Journal) -> str:
    if journal.has(undo.step.id, JournalEvent.UNDONE):
        return "rolled back"
    return "left as it is" if journal.has(undo.step.id, JournalEvent.LEFT) else "open"


def _who(undo: Undo) -> str:
    return "operator" if undo.manual is not None else "" if undo.left is not None else "holdfast"
