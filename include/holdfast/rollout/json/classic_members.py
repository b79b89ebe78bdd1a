"""The JSON of the members of a classic consumer group, which must equal Kafka's and so know none themselves, and of what each was
handed."""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from holdfast.errors import InvalidInput, Unsupported
from holdfast.kafka import java
from holdfast.kafka.consumer.group import Assignor, Member
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.codec import NAME, TEXT, Codec, integer, nullable
from holdfast.rollout.json.consumed_topics import SUBSCRIPTION
from holdfast.rollout.json.kafka_codecs import TOPIC_PARTITIONS
from holdfast.rollout.json.record import key, keyed, member, record_of
from holdfast.rollout.json.shapes import Shape

NO_GENERATION = -1
"""As Kafka writes that there is none; null here."""
GENERATION = nullable(integer(NO_GENERATION, java.INT_MAX)).described("Null, or -1: none.")


def _assignors(value: object) -> tuple[Assignor, ...]:
    found = strict.each(value, _assignor)
    if not found:
        raise InvalidInput("a member has one assignor or more, none was found")
    return found


def _assignor(value: object) -> Assignor:
    """Raise Unsupported for one that is not the Java client's own."""
    try:
        return Assignor(strict.name(value))
    except ValueError:
        known = f"{', '.join(Assignor)} are{strict.nearest(str(value), map(str, Assignor))}"
        raise Unsupported(f"the assignor {strict.shown(value)} is not modelled; {known}") from None


ASSIGNORS: Codec[tuple[Assignor, ...]] = Codec(
    _assignors,
    lambda assignors: [str(one) for one in assignors],
    lambda: shapes.items(shapes.one_of(Assignor), "In the order of the member's own list.", at_least=1),
)
_MEMBER = record_of(
    Member,
    closed=False,
    member_id=key(NAME),
    client_id=member(TEXT, default=""),
    group_instance_id=member(nullable(NAME), default=None),
    rack=member(nullable(TEXT), default=None),
    host=member(nullable(TEXT), default=None),
    assignors=member(ASSIGNORS),
    subscription=member(SUBSCRIPTION),
    owned=member(TOPIC_PARTITIONS, "What it would report if the group rebalanced now. The order is input up to 3.7.0.", default=()),
    owned_generation=member(
        GENERATION.to(lambda found: None if found == NO_GENERATION else found, lambda found: found), default=None
    ),
)


class _Handed(NamedTuple):
    assigned: tuple[TopicPartition, ...] | None


_HANDED = record_of(
    _Handed,
    closed=False,
    assigned=member(
        nullable(TOPIC_PARTITIONS), "What it was handed in the last rebalance. Null: unknown.", default=None, omit=True
    ),
)


def _shape() -> Shape:
    """Of a member with what it was handed."""
    consumer = shapes.fields(_MEMBER.need(), _MEMBER.may() | _HANDED.may())
    return shapes.table(NAME.shape(), consumer, at_least=1)


_MEMBERS = keyed(_MEMBER)
MEMBERS: Codec[tuple[Member, ...]] = Codec(_MEMBERS.read, _MEMBERS.write, _shape)


def assigned_in(document: object) -> tuple[tuple[TopicPartition, ...], ...] | None:
    """What each consumer of a Snapshot's JSON was handed: known if it is known of every one."""
    consumers = strict.mapping(document).get("consumers")
    if not isinstance(consumers, dict):
        return None
    (found,) = strict.each_entry({"consumers": consumers}, lambda _, each: strict.each_entry(each, _assigned))
    known = tuple(one for one in found if one is not None)
    return known if len(known) == len(found) else None


def _assigned(_: str, consumer: object) -> tuple[TopicPartition, ...] | None:
    return _HANDED.read(consumer).assigned if isinstance(consumer, dict) else None


def members_to_json(members: Sequence[Member], assigned: Sequence[tuple[TopicPartition, ...]] | None) -> dict[str, Any]:
    """In their order, each with what it was handed."""
    written = cast("dict[str, Any]", MEMBERS.write(tuple(members)))
    for consumer, handed in zip(written.values(), assigned or (), strict=False):
        consumer |= _HANDED.write(_Handed(handed))
    return written
