"""What members were last seen with: it is among what a Snapshot says of each, and is kept apart from what the model goes by."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, cast

from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import TaskId, TopicPartition
from holdfast.rollout.json import shapes, strict, typed
from holdfast.rollout.json.codec import NAME, Codec, as_it_is, nullable
from holdfast.rollout.json.kafka_codecs import ANY_OFFSET_SUMS, TASK_IDS, TOPIC_PARTITIONS
from holdfast.rollout.json.record import codec_of, key, keyed, member, record
from holdfast.rollout.json.shapes import Shape
from holdfast.rollout.json.typed import Typed, TypedFields, at
from holdfast.rollout.streams.snapshot.group_codecs import CONSUMER, METADATA_VERSION, client_codec


@record(closed=False)
class Assigned:
    """The tasks that a member was given. None: unknown."""

    active: tuple[TaskId, ...] | None = member(nullable(TASK_IDS), default=None, omit=True)
    standby: tuple[TaskId, ...] | None = member(nullable(TASK_IDS), default=None, omit=True)


@record(closed=False)
class LastJoin:
    """What a member sent in its last JoinGroup, which is regularly old at a stable point. None: unknown."""

    owned: tuple[TopicPartition, ...] | None = member(nullable(TOPIC_PARTITIONS), default=None, omit=True)
    task_offset_sums: tuple[tuple[TaskId, int], ...] | None = member(nullable(ANY_OFFSET_SUMS), default=None, omit=True)
    metadata_version: int | None = member(METADATA_VERSION, default=None, omit=True)


UNASSIGNED, NEVER_JOINED = Assigned(), LastJoin()


@record(closed=False)
class Evidence:
    """What a member was last seen with."""

    member_id: str = key(Codec(str, as_it_is, NAME.shape))
    assigned: Assigned = member(
        nullable(codec_of(Assigned)).to(lambda found: found or UNASSIGNED, lambda found: found),
        "Evidence: its assignment.",
        default=UNASSIGNED,
    )
    last_join: LastJoin = member(
        nullable(codec_of(LastJoin)).to(lambda found: found or NEVER_JOINED, lambda found: found),
        "Evidence: what it last sent, regularly old.",
        default=NEVER_JOINED,
    )


_EVIDENCE = codec_of(Evidence)
_BY_MEMBER = keyed(_EVIDENCE)
_FIELDS = frozenset(_EVIDENCE.names)


def _shape() -> Shape:
    """Of a consumer with the evidence."""
    return shapes.table(NAME.shape(), shapes.fields({}, CONSUMER.may() | _EVIDENCE.may()), at_least=1)


def _decoded() -> Typed:
    consumer, evidence = CONSUMER.typed_fields(), _EVIDENCE.typed_fields()
    assert consumer is not None, "all parts of a consumer have types"
    assert evidence is not None, "all parts of its evidence have types"
    return typed.keyed(NAME.decoded(), TypedFields({**consumer.fields, **evidence.fields}, consumer.build))


def evidence_decoded() -> Callable[[Any], tuple[Evidence, ...]]:
    """What takes the evidence from the struct of a Snapshot, as `evidence_in` does from its JSON."""
    fields = _EVIDENCE.typed_fields()
    assert fields is not None, "all parts of evidence have types"
    build, parts = fields.build, [attrgetter(at(name)) for name in _EVIDENCE.names]
    clients, consumers = at("clients"), at("consumers")

    def found(snapshot: Any) -> tuple[Evidence, ...]:
        of_clients = [getattr(client, consumers) for client in getattr(snapshot, clients).values()]
        every = (
            build(consumer, member_id)
            for members in of_clients
            if any(any(map(part, members.values())) for part in parts)  # of members without evidence there may be thousands
            for member_id, consumer in members.items()
            if any(part(consumer) for part in parts)
        )
        return tuple(one for one in every if one.assigned != UNASSIGNED or one.last_join != NEVER_JOINED)

    return found


_CONSUMERS = keyed(CONSUMER)
CLIENTS = client_codec(Codec(_CONSUMERS.read, _CONSUMERS.write, _shape, typed=_decoded))


def evidence_in(document: object) -> tuple[Evidence, ...]:
    """What the clients in a Snapshot's JSON say of it. What is no client here, `CLIENTS` refuses."""
    clients = strict.mapping(document).get("clients")
    if not isinstance(clients, dict):
        return ()
    (found,) = strict.each_entry({"clients": clients}, lambda _, each: strict.each_entry(each, _of_client))
    return tuple(one for client in found for one in client if one.assigned != UNASSIGNED or one.last_join != NEVER_JOINED)


def _of_client(_: str, client: object) -> tuple[Evidence, ...]:
    consumers = client.get("consumers") if isinstance(client, dict) else None
    if not isinstance(consumers, dict):
        return ()
    seen = {member_id: one for member_id, one in consumers.items() if isinstance(one, dict) and not _FIELDS.isdisjoint(one)}
    (found,) = strict.each_entry({"consumers": seen}, lambda _, each: _BY_MEMBER.read(each))
    return found


def clients_to_json(clients: Sequence[Client], evidence: Sequence[Evidence]) -> dict[str, Any]:
    """The clients in their order, each consumer with what it was last seen with."""
    written = cast("dict[str, Any]", CLIENTS.write(tuple(clients)))
    seen = {one.member_id: one for one in evidence}
    for client in written.values() if seen else ():
        for member_id, consumer in client["consumers"].items():
            if member_id in seen:
                consumer |= _EVIDENCE.write(seen[member_id])
    return written
