"""The JSON of a lease."""

from holdfast.kafka import java
from holdfast.rollout.journal.lease import Lease, Owner, State
from holdfast.rollout.journal.signature_json import signature
from holdfast.rollout.json import strict
from holdfast.rollout.json.strict import FORMAT_VERSION, Fields, nullable, one_of


def lease_from_json(value: object) -> Lease:
    fields = Fields(value)
    fields.need("format_version", strict.format_version)
    lease = Lease(
        plan_id=fields.need("plan_id", strict.name),
        number=fields.need("number", lambda found: strict.integer(found, 1, java.INT_MAX)),
        state=fields.need("state", one_of(State)),
        owner=fields.need("owner", _owner),
        at=fields.need("at", strict.instant),
        until=fields.need("until", strict.instant),
        group=fields.optional("group", nullable(_group), None),
    )
    fields.optional("signature", signature, None)
    fields.finish(closed=True)
    return lease


def _group(value: object) -> tuple[str, str]:
    fields = Fields(value)
    found = (fields.need("cluster", strict.text), fields.need("group_id", strict.text))
    fields.finish(closed=True)
    return found


def _owner(value: object) -> Owner:
    fields = Fields(value)
    owner = Owner(
        name=fields.need("name", strict.name),
        host=fields.need("host", strict.text),
        pid=fields.need("pid", lambda found: strict.integer(found, 0, java.INT_MAX)),
        process=fields.need("process", strict.text),
        run=fields.need("run", nullable(strict.text)),
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
