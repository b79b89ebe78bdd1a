"""The JSON of approvals, journals and verdicts: what follows from a plan."""

from holdfast.rollout.codec import document, kinds
from holdfast.rollout.codec.document import FORMAT_VERSION, Fields, nullable
from holdfast.rollout.codec.steps import one_of
from holdfast.rollout.journal import Approval, Decider, Entry, Event, Journal
from holdfast.rollout.verify import Verdict


def approval_from_json(value: object) -> Approval:
    kinds.refuse_another(value, "Approval")
    fields = Fields(value)
    fields.need("format_version", document.format_version)
    approval = Approval(
        plan_id=fields.need("plan_id", document.name),
        approved=fields.need("approved", document.boolean),
        by=fields.need("by", document.name),
        reason=fields.need("reason", document.text),
        at=fields.need("at", document.instant),
        by_id=fields.optional("by_id", nullable(document.name), None),
        decided_by=fields.optional("decided_by", one_of(Decider), Decider.PERSON),
        plan_fingerprint=fields.optional("plan_fingerprint", nullable(document.name), None),
        asked_by=fields.optional("asked_by", nullable(document.name), None),
    )
    fields.finish(closed=True)
    return approval


def approval_to_json(approval: Approval) -> dict[str, object]:
    return {
        "format_version": FORMAT_VERSION,
        "plan_id": approval.plan_id,
        "approved": approval.approved,
        "by": approval.by,
        "reason": approval.reason,
        "at": approval.at,
        "by_id": approval.by_id,
        "decided_by": approval.decided_by.value,
        "plan_fingerprint": approval.plan_fingerprint,
        "asked_by": approval.asked_by,
    }


def entry_from_json(value: object) -> Entry:
    fields = Fields(value)
    entry = Entry(
        at=fields.need("at", document.instant),
        step=fields.need("step", document.name),
        event=fields.need("event", one_of(Event)),
        by=fields.need("by", document.name),
        detail=fields.need("detail", document.text),
    )
    fields.finish(closed=True)
    return entry


def entry_to_json(entry: Entry) -> dict[str, object]:
    return {"at": entry.at, "step": entry.step, "event": entry.event.value, "by": entry.by, "detail": entry.detail}


def journal_to_json(journal: Journal) -> dict[str, object]:
    return {
        "format_version": FORMAT_VERSION,
        "plan_id": journal.plan_id,
        "entries": [entry_to_json(entry) for entry in journal.entries],
    }


def verdict_to_json(verdict: Verdict) -> dict[str, object]:
    agreeing = sum(task.agrees for task in verdict.tasks)
    return {
        "format_version": FORMAT_VERSION,
        "plan_id": verdict.plan_id,
        "cluster": verdict.cluster,
        "group_id": verdict.group_id,
        "observed_at": verdict.observed_at,
        "result": verdict.result.value,
        "score": {"tasks_as_forecast": agreeing, "tasks": len(verdict.tasks)},
        "rebalances": {
            "expected": [verdict.rebalances_expected.low, verdict.rebalances_expected.high],
            "found": verdict.rebalances,
        },
        "differences": list(verdict.differences),
        "tasks": {
            str(task.task): {"expected": str(task.expected), "found": None if task.found is None else str(task.found)}
            for task in verdict.tasks
        },
    }
