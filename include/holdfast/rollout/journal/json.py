"""The JSON of approvals and journals: what follows from a plan."""

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.rollout.journal.journal import MOST_ENTRIES, Approval, Decider, Entry, Event, Head, Journal, Link, Sighting
from holdfast.rollout.journal.signature_json import signature
from holdfast.rollout.json import contracts, strict
from holdfast.rollout.json.strict import FORMAT_VERSION, Fields, nullable, one_of


def approval_from_json(value: object) -> Approval:
    contracts.refuse_another(value, "Approval")
    fields = Fields(value)
    fields.need("format_version", strict.format_version)
    approval = Approval(
        plan_id=fields.need("plan_id", strict.name),
        approved=fields.need("approved", strict.boolean),
        by=fields.need("by", strict.name),
        reason=fields.need("reason", strict.text),
        at=fields.need("at", strict.instant),
        by_id=fields.optional("by_id", nullable(strict.name), None),
        decided_by=fields.optional("decided_by", one_of(Decider), Decider.PERSON),
        plan_fingerprint=fields.optional("plan_fingerprint", nullable(strict.name), None),
        asked_by=fields.optional("asked_by", nullable(strict.name), None),
        changes_requested=fields.optional("changes_requested", strict.boolean, False),
    )
    fields.optional("signature", signature, None)
    fields.finish(closed=True)
    if approval.changes_requested and (approval.approved or not approval.reason.strip()):
        raise InvalidInput("a plan that is approved needs no changes, and a request for changes says which", "changes_requested")
    return approval


def approval_to_json(approval: Approval) -> dict[str, object]:
    """`changes_requested` stands there only where they are: former versions read the others."""
    more: dict[str, object] = {"changes_requested": True} if approval.changes_requested else {}
    return more | {
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
        at=fields.need("at", strict.instant),
        step=fields.need("step", strict.name),
        event=fields.need("event", one_of(Event)),
        by=fields.need("by", strict.name),
        detail=fields.need("detail", strict.text),
        directory=fields.optional("directory", nullable(strict.text), None),
        host=fields.optional("host", nullable(strict.text), None),
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
        fields.need("generation", nullable(lambda number: strict.integer(number, 0, java.INT_MAX))),
        fields.need("members", lambda members: strict.each(members, strict.text)),
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
    fields.need("format_version", strict.format_version)
    link = Link(
        plan_id=fields.need("plan_id", strict.name),
        number=fields.need("number", lambda found: strict.integer(found, 1, MOST_ENTRIES)),
        previous=fields.need("previous", strict.name),
        entry=_entry(fields),
    )
    fields.optional("lease", strict.offset, 0)
    fields.optional("signature", signature, None)
    fields.finish(closed=True)
    return link


def link_to_json(link: Link, lease: int) -> dict[str, object]:
    about = {"format_version": FORMAT_VERSION, "plan_id": link.plan_id, "number": link.number, "previous": link.previous}
    return about | entry_to_json(link.entry) | {"lease": lease}


def head_from_json(value: object) -> Head:
    fields = Fields(value)
    fields.need("format_version", strict.format_version)
    head = Head(
        plan_id=fields.need("plan_id", strict.name),
        entries=fields.need("entries", lambda found: strict.integer(found, 0, MOST_ENTRIES)),
        last=fields.need("last", strict.text),
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
