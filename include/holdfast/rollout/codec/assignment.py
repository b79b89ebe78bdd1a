"""The Assignment's JSON: what the leader would decide in one rebalance, or how it would fail."""

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.kafka.streams.group import Assignment, ClientAssignment, ConsumerAssignment, LeaderFailure, NextRebalance
from holdfast.rollout.codec import document, kafka
from holdfast.rollout.codec.document import Fields


def assignment_to_json(decision: Assignment | LeaderFailure) -> dict[str, object]:
    """A failing leader is `error`, or `error_code` where it would answer everybody with one. `unknown` only when there is any."""
    if isinstance(decision, LeaderFailure):
        failure: dict[str, object] = {"format_version": document.FORMAT_VERSION}
        if decision.error_code is not None:
            return failure | {"error_code": decision.error_code}
        return failure | {"error": decision.error}
    written: dict[str, object] = {
        "format_version": document.FORMAT_VERSION,
        "probing_rebalance_needed": decision.probing_rebalance_needed,
        "clients": {
            str(client.process_id): {
                "active": kafka.task_ids_to_json(sorted(client.active)),
                "standby": kafka.task_ids_to_json(sorted(client.standby)),
            }
            for client in decision.clients
        },
        "consumers": {
            consumer.member_id: {
                "active": kafka.task_ids_to_json(sorted(consumer.active)),
                "standby": kafka.task_ids_to_json(sorted(consumer.standby)),
                "withheld": kafka.task_ids_to_json(sorted(consumer.withheld)),
                "next_rebalance": str(consumer.next_rebalance),
            }
            for consumer in decision.consumers
        },
    }
    return written | {"unknown": list(decision.undetermined)} if decision.undetermined else written


def assignment_from_json(value: object) -> Assignment | LeaderFailure:
    """The inverse. Raise InvalidInput, or Unsupported for another major version."""
    fields = Fields(value)
    fields.need("format_version", document.format_version)
    if fields.has("error") or fields.has("error_code"):
        failure = LeaderFailure(
            fields.optional("error", document.text, ""),
            fields.optional("error_code", lambda code: document.integer(code, 0, java.INT_MAX), None),
        )
        fields.finish()
        return failure
    assignment = Assignment(
        probing_rebalance_needed=fields.need("probing_rebalance_needed", document.boolean),
        clients=fields.need("clients", lambda found: document.each_entry(found, _client)),
        consumers=fields.need("consumers", lambda found: document.each_entry(found, _consumer)),
        undetermined=fields.optional("unknown", lambda found: document.each(found, document.text), ()),
    )
    fields.finish()
    return assignment


def _client(key: str, value: object) -> ClientAssignment:
    fields = Fields(value)
    client = ClientAssignment(kafka.process_id(key), fields.need("active", kafka.task_ids), fields.need("standby", kafka.task_ids))
    fields.finish()
    return client


def _consumer(key: str, value: object) -> ConsumerAssignment:
    fields = Fields(value)
    consumer = ConsumerAssignment(
        document.name(key),
        active=fields.need("active", kafka.task_ids),
        standby=fields.need("standby", kafka.task_ids),
        withheld=fields.need("withheld", kafka.task_ids),
        next_rebalance=fields.need("next_rebalance", _next_rebalance),
    )
    fields.finish()
    return consumer


def _next_rebalance(value: object) -> NextRebalance:
    try:
        return NextRebalance(document.text(value))
    except ValueError:
        raise InvalidInput(f"none, immediate or probing is needed, {document.shown(value)} was found") from None
