"""The JSON of an Assignment: the leader's decision in one rebalance, or its failure."""

from collections.abc import Mapping

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.kafka.streams.group import (
    About,
    Assignment,
    ClientAssignment,
    ConsumerAssignment,
    Doubt,
    LeaderFailure,
    NextRebalance,
    UndeterminedTask,
)
from holdfast.rollout.json import kafka, strict
from holdfast.rollout.json.strict import Fields


def assignment_to_json(decision: Assignment | LeaderFailure) -> dict[str, object]:
    """A failing leader is `error`, or `error_code` where it would answer everybody with one. `unknown` only when there is any."""
    if isinstance(decision, LeaderFailure):
        failure: dict[str, object] = {"format_version": strict.FORMAT_VERSION}
        if decision.error_code is not None:
            return failure | {"error_code": decision.error_code}
        return failure | {"error": decision.error}
    written: dict[str, object] = {
        "format_version": strict.FORMAT_VERSION,
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
    if decision.undetermined_tasks:
        written["undetermined_tasks"] = {str(task.id): _undetermined_to_json(task) for task in decision.undetermined_tasks}
    return written | {"unknown": [one.text for one in decision.undetermined]} if decision.undetermined else written


def _undetermined_to_json(task: UndeterminedTask) -> dict[str, object]:
    """By level and role, only where there is any."""
    places = {
        "clients": {"standby": [str(process_id) for process_id in task.standby_clients]},
        "consumers": {
            "active": list(task.active_consumers),
            "standby": list(task.standby_consumers),
            "withheld": list(task.withheld_consumers),
        },
    }
    kept = {level: {role: names for role, names in roles.items() if names} for level, roles in places.items()}
    return {level: roles for level, roles in kept.items() if roles}


def assignment_from_json(value: object) -> Assignment | LeaderFailure:
    """The inverse. Raise InvalidInput, or Unsupported for another major version."""
    fields = Fields(value)
    fields.need("format_version", strict.format_version)
    if fields.has("error") or fields.has("error_code"):
        failure = LeaderFailure(
            fields.optional("error", strict.text, ""),
            fields.optional("error_code", lambda code: strict.integer(code, 0, java.INT_MAX), None),
        )
        fields.finish()
        return failure
    assignment = Assignment(
        probing_rebalance_needed=fields.need("probing_rebalance_needed", strict.boolean),
        clients=fields.need("clients", lambda found: strict.each_entry(found, _client)),
        consumers=fields.need("consumers", lambda found: strict.each_entry(found, _consumer)),
        undetermined=fields.optional("unknown", lambda found: strict.each(found, _doubt), ()),
        undetermined_tasks=fields.optional("undetermined_tasks", lambda found: strict.each_entry(found, _undetermined), ()),
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
        strict.name(key),
        active=fields.need("active", kafka.task_ids),
        standby=fields.need("standby", kafka.task_ids),
        withheld=fields.need("withheld", kafka.task_ids),
        next_rebalance=fields.need("next_rebalance", _next_rebalance),
    )
    fields.finish()
    return consumer


def _doubt(value: object) -> Doubt:
    return Doubt(About.NOT_SAID, strict.text(value))


def _undetermined(key: str, value: object) -> UndeterminedTask:
    fields = Fields(value)
    none: Mapping[str, object] = {}
    clients = Fields(fields.optional("clients", strict.mapping, none))
    consumers = Fields(fields.optional("consumers", strict.mapping, none))
    fields.finish()
    found = UndeterminedTask(
        id=kafka.task_id(key),
        standby_clients=clients.optional("standby", lambda names: strict.each(names, kafka.process_id), ()),
        active_consumers=consumers.optional("active", _names, ()),
        standby_consumers=consumers.optional("standby", _names, ()),
        withheld_consumers=consumers.optional("withheld", _names, ()),
    )
    clients.finish()
    consumers.finish()
    return found


def _names(value: object) -> tuple[str, ...]:
    return strict.each(value, strict.name)


def _next_rebalance(value: object) -> NextRebalance:
    try:
        return NextRebalance(strict.text(value))
    except ValueError:
        raise InvalidInput(f"none, immediate, probing or unknown is needed, {strict.shown(value)} was found") from None
