"""The JSON of approvals, journals and verdicts: what follows from a plan."""

from collections.abc import Iterable

from holdfast.kafka import java
from holdfast.rollout.codec import document, kinds
from holdfast.rollout.codec.document import FORMAT_VERSION, Fields, nullable
from holdfast.rollout.codec.signature import signature
from holdfast.rollout.codec.steps import one_of
from holdfast.rollout.evidence import StepEvidence
from holdfast.rollout.journal import MOST_ENTRIES, Approval, Decider, Entry, Event, Head, Journal, Link, Sighting
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
    fields.optional("signature", signature, None)
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


def _entry(fields: Fields) -> Entry:
    return Entry(
        at=fields.need("at", document.instant),
        step=fields.need("step", document.name),
        event=fields.need("event", one_of(Event)),
        by=fields.need("by", document.name),
        detail=fields.need("detail", document.text),
        directory=fields.optional("directory", nullable(document.text), None),
        host=fields.optional("host", nullable(document.text), None),
        seen=fields.optional("seen", nullable(_sighting), None),
    )


def entry_from_json(value: object) -> Entry:
    fields = Fields(value)
    entry = _entry(fields)
    fields.finish(closed=True)
    return entry


def _sighting(value: object) -> Sighting:
    fields = Fields(value)
    found = Sighting(
        fields.need("generation", nullable(lambda number: document.integer(number, 0, java.INT_MAX))),
        fields.need("members", lambda members: document.each(members, document.text)),
    )
    fields.finish(closed=True)
    return found


def entry_to_json(entry: Entry) -> dict[str, object]:
    more: dict[str, object] = {} if entry.directory is None else {"directory": entry.directory, "host": entry.host}
    if entry.seen is not None:
        more["seen"] = {"generation": entry.seen.generation, "members": list(entry.seen.members)}
    return {"at": entry.at, "step": entry.step, "event": entry.event.value, "by": entry.by, "detail": entry.detail, **more}


def link_from_json(value: object) -> Link:
    fields = Fields(value)
    fields.need("format_version", document.format_version)
    link = Link(
        plan_id=fields.need("plan_id", document.name),
        number=fields.need("number", lambda found: document.integer(found, 1, MOST_ENTRIES)),
        previous=fields.need("previous", document.name),
        entry=_entry(fields),
    )
    fields.optional("lease", document.offset, 0)
    fields.optional("signature", signature, None)
    fields.finish(closed=True)
    return link


def link_to_json(link: Link, lease: int) -> dict[str, object]:
    about = {"format_version": FORMAT_VERSION, "plan_id": link.plan_id, "number": link.number, "previous": link.previous}
    return about | entry_to_json(link.entry) | {"lease": lease}


def head_from_json(value: object) -> Head:
    fields = Fields(value)
    fields.need("format_version", document.format_version)
    head = Head(
        plan_id=fields.need("plan_id", document.name),
        entries=fields.need("entries", lambda found: document.integer(found, 0, MOST_ENTRIES)),
        last=fields.need("last", document.text),
    )
    fields.optional("signature", signature, None)
    fields.finish(closed=True)
    return head


def head_to_json(head: Head) -> dict[str, object]:
    return {"format_version": FORMAT_VERSION, "plan_id": head.plan_id, "entries": head.entries, "last": head.last}


def journal_to_json(journal: Journal) -> dict[str, object]:
    return {
        "format_version": FORMAT_VERSION,
        "plan_id": journal.plan_id,
        "entries": [entry_to_json(entry) for entry in journal.entries],
    }


VERDICT_VERSION = "1.1"
"""1.1: the result may be `not yet`; `steps` and `standbys`."""


def verdict_to_json(verdict: Verdict) -> dict[str, object]:
    agreeing = sum(task.agrees for task in verdict.tasks)
    return {
        "format_version": VERDICT_VERSION,
        "plan_id": verdict.plan_id,
        "cluster": verdict.cluster,
        "group_id": verdict.group_id,
        "observed_at": verdict.observed_at,
        "result": verdict.result.value,
        "score": {"tasks_as_forecast": agreeing, "tasks": len(verdict.tasks)},
        "steps": steps_shown(verdict.steps),
        "rebalances": {
            "expected": [verdict.rebalances_expected.low, verdict.rebalances_expected.high],
            "found": verdict.rebalances,
        },
        "differences": list(verdict.differences),
        "tasks": {
            str(task.task): {"expected": str(task.expected), "found": None if task.found is None else str(task.found)}
            for task in verdict.tasks
        },
        "standbys": {
            str(one.task): {"expected": [str(owner) for owner in one.expected], "found": [str(owner) for owner in one.found]}
            for one in verdict.standbys
        },
    }


def steps_shown(steps: Iterable[StepEvidence]) -> list[dict[str, object]]:
    return [{"step": one.step, "what": one.what, "shown": one.evidence.shown.value, "evidence": one.evidence.text} for one in steps]
