"""The JSON of a lease."""

from holdfast.kafka import java
from holdfast.rollout.codec import document
from holdfast.rollout.codec.document import FORMAT_VERSION, Fields, nullable
from holdfast.rollout.codec.signature import signature
from holdfast.rollout.codec.steps import one_of
from holdfast.rollout.lease import Lease, Owner, State


def lease_from_json(value: object) -> Lease:
    fields = Fields(value)
    fields.need("format_version", document.format_version)
    lease = Lease(
        plan_id=fields.need("plan_id", document.name),
        number=fields.need("number", lambda found: document.integer(found, 1, java.INT_MAX)),
        state=fields.need("state", one_of(State)),
        owner=fields.need("owner", _owner),
        at=fields.need("at", document.instant),
        until=fields.need("until", document.instant),
        group=fields.optional("group", nullable(_group), None),
    )
    fields.optional("signature", signature, None)
    fields.finish(closed=True)
    return lease


def _group(value: object) -> tuple[str, str]:
    fields = Fields(value)
    found = (fields.need("cluster", document.text), fields.need("group_id", document.text))
    fields.finish(closed=True)
    return found


def _owner(value: object) -> Owner:
    fields = Fields(value)
    owner = Owner(
        name=fields.need("name", document.name),
        host=fields.need("host", document.text),
        pid=fields.need("pid", lambda found: document.integer(found, 0, java.INT_MAX)),
        process=fields.need("process", document.text),
        run=fields.need("run", nullable(document.text)),
    )
    fields.finish(closed=True)
    return owner


def lease_to_json(lease: Lease) -> dict[str, object]:
    owner = lease.owner
    return {
        "format_version": FORMAT_VERSION,
        "plan_id": lease.plan_id,
        "number": lease.number,
        "state": lease.state.value,
        "owner": {"name": owner.name, "host": owner.host, "pid": owner.pid, "process": owner.process, "run": owner.run},
        "at": lease.at,
        "until": lease.until,
        "group": None if lease.group is None else {"cluster": lease.group[0], "group_id": lease.group[1]},
    }
