"""The JSON of a Change to a consumer group. Unknown fields are refused, because they would be ignored requests."""

from collections.abc import Callable, Mapping
from typing import TypeVar, assert_never

from holdfast.errors import InvalidInput
from holdfast.kafka.consumer.group import Assignor
from holdfast.rollout.consumer.change.change import (
    AddConsumer,
    AddPartitions,
    AddTopic,
    ConsumerChange,
    ConsumerItem,
    NewConsumer,
    Racks,
    RemoveConsumer,
    RemoveTopic,
    ReplaceConsumer,
    RestartConsumer,
    SetAssignors,
)
from holdfast.rollout.consumer.change.events import verb
from holdfast.rollout.consumer.change.timing import Departure
from holdfast.rollout.consumer.snapshot.json import assignors, subscription
from holdfast.rollout.contract.batches import INHERITED, FromOld, Then, Wait
from holdfast.rollout.contract.batches_json import MOST_EVENTS, MOST_PARTITIONS, event_from_json
from holdfast.rollout.json import contracts, strict
from holdfast.rollout.json.strict import Fields, nullable

T = TypeVar("T")


def consumer_change_from_json(value: object) -> ConsumerChange:
    """Raise InvalidInput with every problem, or Unsupported for another major version. Whether it fits a group shows only there."""
    contracts.refuse_another(value, "Change")
    strict.refuse_secrets(value)
    fields = Fields(value)
    fields.need("format_version", strict.format_version)
    change = ConsumerChange(fields.need("events", _events))
    fields.optional("assume", _assume, None)
    fields.finish(closed=True)
    return change


def _assume(value: object) -> None:
    """What a forecast for Kafka Streams may take for granted is about state, which a consumer has none of."""
    strict.refuse(
        InvalidInput("a consumer group without Kafka Streams keeps no state: leave this out", strict.step_of(field))
        for field in strict.mapping(value)
    )


def _events(value: object) -> tuple[ConsumerItem, ...]:
    events = strict.each(value, item_from_json)
    if len(events) > MOST_EVENTS:
        raise InvalidInput(f"{len(events):,} events were found; {MOST_EVENTS:,} are allowed")
    return events


def item_from_json(value: object) -> ConsumerItem:
    return event_from_json(value, READERS, _unknown)


def _unknown(verb: str, known: str) -> str:
    kind = "is for Kafka Streams" if verb in contracts.EVENTS_OF_STREAMS else "is unknown"
    return f"the event {strict.shown(verb)} {kind}; events of a consumer group without Kafka Streams: {known}"


def _add_consumer(value: object) -> AddConsumer:
    fields = Fields(value)
    consumer = NewConsumer(
        member_id=fields.need("member_id", strict.name),
        assignors=fields.need("assignors", assignors),
        subscription=fields.need("subscription", subscription),
        client_id=fields.optional("client_id", strict.text, ""),
        host=fields.optional("host", nullable(strict.text), None),
        rack=fields.optional("rack", nullable(strict.text), None),
        group_instance_id=fields.optional("group_instance_id", nullable(strict.name), None),
    )
    fields.finish(closed=True)
    return AddConsumer(consumer)


def _remove_consumer(value: object) -> RemoveConsumer:
    fields = Fields(value)
    member_id = fields.need("member_id", strict.name)
    leaves = fields.optional("leaves", strict.boolean, default=True)
    hangs = fields.optional("hangs", strict.boolean, default=False)
    fields.finish(closed=True)
    if hangs:
        if fields.has("leaves"):
            raise InvalidInput("`hangs` and `leaves` exclude each other: give one of them", "hangs")
        return RemoveConsumer(member_id, Departure.HANGS)
    return RemoveConsumer(member_id, Departure.LEAVES if leaves else Departure.CRASHES)


def _replace_consumer(value: object) -> ReplaceConsumer:
    fields = Fields(value)
    event = ReplaceConsumer(fields.need("member_id", strict.name), fields.need("by", _replacement))
    fields.finish(closed=True)
    return event


def _replacement(value: object) -> NewConsumer:
    fields = Fields(value)
    consumer = _like_the_old_one(fields, fields.need("member_id", strict.name))
    fields.finish(closed=True)
    return consumer


def _restart_consumer(value: object) -> RestartConsumer:
    fields = Fields(value)
    member_id = fields.need("member_id", strict.name)
    new_id = fields.optional("new_member_id", nullable(strict.name), None)
    within_session = fields.optional("within_session", strict.boolean, default=False)
    event = RestartConsumer(member_id, _like_the_old_one(fields, new_id or member_id), within_session)
    fields.finish(closed=True)
    changed = [field for field in ("assignors", "subscription", "group_instance_id") if fields.has(field)]
    if within_session and changed:
        raise InvalidInput(
            f"a consumer that returns without a rebalance returns unchanged; leave {', '.join(changed)} out", "within_session"
        )
    return event


def _like_the_old_one(fields: Fields, member_id: str) -> NewConsumer:
    """What is not given is what the old one had."""
    return NewConsumer(
        member_id=member_id,
        assignors=_or_old(fields, "assignors", assignors),
        subscription=_or_old(fields, "subscription", subscription),
        client_id=_or_old(fields, "client_id", strict.text),
        host=_or_old(fields, "host", nullable(strict.text)),
        rack=_or_old(fields, "rack", nullable(strict.text)),
        group_instance_id=_or_old(fields, "group_instance_id", nullable(strict.name)),
    )


def _or_old(fields: Fields, field: str, read: Callable[[object], T]) -> T | FromOld:
    old: T | FromOld = INHERITED
    return fields.optional(field, read, old)


def _set_assignors(value: object) -> SetAssignors:
    fields = Fields(value)
    event = SetAssignors(fields.need("assignors", assignors), fields.need("member_ids", _member_ids))
    fields.finish(closed=True)
    return event


def _member_ids(value: object) -> tuple[tuple[str, str], ...]:
    found = strict.each_entry(value, lambda old, new: (strict.name(old), strict.name(new)))
    if not found:
        raise InvalidInput("one member or more is needed, its ID and the one that it has after its restart; none was found")
    if len(dict.fromkeys(new for _, new in found)) < len(found):
        raise InvalidInput("two members cannot come back under one ID")
    return found


def _add_partitions(value: object) -> AddPartitions:
    fields = Fields(value)
    event = AddPartitions(
        fields.need("topic", strict.name), fields.need("partitions", _partitions), fields.optional("replica_racks", _racks, None)
    )
    fields.finish(closed=True)
    return event


def _add_topic(value: object) -> AddTopic:
    fields = Fields(value)
    event = AddTopic(
        fields.need("topic", strict.name), fields.need("partitions", _partitions), fields.optional("replica_racks", _racks, None)
    )
    fields.finish(closed=True)
    return event


def _remove_topic(value: object) -> RemoveTopic:
    fields = Fields(value)
    event = RemoveTopic(fields.need("topic", strict.name))
    fields.finish(closed=True)
    return event


def _partitions(value: object) -> int:
    return strict.integer(value, 1, MOST_PARTITIONS)


def _racks(value: object) -> Racks | None:
    return None if value is None else strict.each(value, lambda racks: strict.each(racks, nullable(strict.text)))


def _then(value: object) -> Then:
    try:
        return Then(Wait(strict.text(value)))
    except ValueError:
        raise strict.mismatch(" or ".join(f'"{one}"' for one in Wait), value) from None


READERS: Mapping[str, Callable[[object], ConsumerItem]] = {
    "add_consumer": _add_consumer,
    "add_partitions": _add_partitions,
    "add_topic": _add_topic,
    "remove_consumer": _remove_consumer,
    "remove_topic": _remove_topic,
    "replace_consumer": _replace_consumer,
    "restart_consumer": _restart_consumer,
    "set_assignors": _set_assignors,
    "then": _then,
}


def consumer_change_to_json(change: ConsumerChange) -> dict[str, object]:
    """The canonical form, in which what is as by default is left out."""
    return {"format_version": strict.FORMAT_VERSION, "events": [item_to_json(item) for item in change.events]}


def item_to_json(item: ConsumerItem) -> dict[str, object]:
    if isinstance(item, Then):
        return {"then": str(item.wait)}
    return {verb(item): _content(item)}


def _content(event: ConsumerItem) -> dict[str, object]:
    match event:
        case AddConsumer(consumer):
            return {"member_id": consumer.member_id} | _given(consumer)
        case RemoveConsumer(member_id, departure):
            return {"member_id": member_id} | _HOW[departure]
        case ReplaceConsumer(member_id, by):
            return {"member_id": member_id, "by": {"member_id": by.member_id} | _given(by)}
        case RestartConsumer(member_id, back, within_session):
            new = {} if back.member_id == member_id else {"new_member_id": back.member_id}
            return {"member_id": member_id} | new | ({"within_session": True} if within_session else {}) | _given(back)
        case SetAssignors(chosen, member_ids):
            return {"assignors": _names(chosen), "member_ids": dict(member_ids)}
        case AddPartitions() | AddTopic():
            racks = {} if event.replica_racks is None else {"replica_racks": [list(one) for one in event.replica_racks]}
            return {"topic": event.topic, "partitions": event.partitions} | racks
        case RemoveTopic(topic):
            return {"topic": topic}
        case Then():
            raise AssertionError("a marker has no content")
        case _:
            assert_never(event)


_HOW: dict[Departure, dict[str, object]] = {
    Departure.LEAVES: {},
    Departure.CRASHES: {"leaves": False},
    Departure.HANGS: {"hangs": True},
}


def _names(chosen: tuple[Assignor, ...]) -> list[str]:
    return [str(one) for one in chosen]


def _given(consumer: NewConsumer) -> dict[str, object]:
    written: dict[str, object] = {}
    if not isinstance(consumer.assignors, FromOld):
        written["assignors"] = _names(consumer.assignors)
    if not isinstance(consumer.subscription, FromOld):
        written["subscription"] = list(consumer.subscription)
    for field in ("client_id", "host", "rack", "group_instance_id"):
        value = getattr(consumer, field)
        if not isinstance(value, FromOld):
            written[field] = value
    return written
