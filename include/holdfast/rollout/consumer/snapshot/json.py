"""The JSON of a consumer group's Snapshot (`consumer-classic`), format 1.x: unknown fields are ignored."""

from collections.abc import Iterable
from typing import cast

from holdfast.errors import InvalidInput, Unsupported
from holdfast.kafka import java
from holdfast.kafka.consumer.group import Assignor, Member
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.consumer.snapshot.snapshot import ConsumedPartition, ConsumedTopic, ConsumerSnapshot
from holdfast.rollout.contract.unknown import UNKNOWNS
from holdfast.rollout.json import contracts, kafka, strict
from holdfast.rollout.json.strict import Fields, nullable

PROTOCOL = "consumer-classic"
NO_GENERATION = -1
"""As Kafka writes that there is none; null here."""


def is_consumer_classic(value: object) -> bool:
    """Whether a Snapshot's JSON says that it is of a consumer group."""
    return isinstance(value, dict) and value.get("protocol") == PROTOCOL


def consumer_snapshot_from_json(value: object) -> ConsumerSnapshot:
    """Raise InvalidInput, or Unsupported for a format version or an assignor that is not modelled."""
    contracts.refuse_another(value, "Snapshot")
    fields = Fields(value)
    fields.need("format_version", strict.format_version)
    fields.need("protocol", _protocol)
    consumers = fields.need("consumers", lambda found: strict.each_entry(found, _consumer)) or ()
    snapshot = ConsumerSnapshot(
        cluster=fields.optional("cluster", strict.text, ""),
        group_id=fields.need("group_id", strict.name),
        captured_at=fields.optional("captured_at", nullable(strict.instant), None),
        group_state=fields.optional("group_state", nullable(strict.text), None),
        kafka_release=fields.optional("kafka_release", nullable(strict.name), None),
        broker_release=fields.optional("broker_release", nullable(_broker_release), None),
        generation=fields.optional("generation", nullable(_generation), None),
        leader_member_id=fields.optional("leader_member_id", nullable(strict.name), None),
        members=tuple(member for member, _ in consumers),
        assigned=_all_or_none([assigned for _, assigned in consumers]),
        topics=fields.optional("topics", lambda found: strict.each_entry(found, _topic), ()),
        unknown=fields.optional("unknown", UNKNOWNS.read, ()),
        config=fields.optional("config", kafka.config, ()),
    )
    fields.finish()
    strict.refuse(_contradictions(snapshot))
    return snapshot


def _protocol(value: object) -> str:
    if value != PROTOCOL:
        raise strict.mismatch(f"the protocol {PROTOCOL!r}", value)
    return PROTOCOL


def _broker_release(value: object) -> str:
    """Like `3.9.1`: its first number is what is asked of it."""
    release = strict.name(value)
    if not release.partition(".")[0].isascii() or not release.partition(".")[0].isdigit():
        raise strict.mismatch("a release of Kafka like '3.9.1'", value)
    return release


def _generation(value: object) -> int:
    return strict.integer(value, NO_GENERATION, java.INT_MAX)


def _contradictions(snapshot: ConsumerSnapshot) -> Iterable[InvalidInput]:
    """What no single field shows."""
    if not snapshot.members:
        yield InvalidInput("a group has one member or more, none was found", "consumers")
    instances: dict[str, None] = {}
    for member in snapshot.members:
        if member.group_instance_id is not None:
            if member.group_instance_id in instances:
                yield InvalidInput(f"the group instance ID {strict.shown(member.group_instance_id)} is given twice", "consumers")
            instances[member.group_instance_id] = None
    leader = snapshot.leader_member_id
    if leader is not None and all(member.member_id != leader for member in snapshot.members):
        yield InvalidInput(f"{strict.shown(leader)} is not among the consumers; give null if it is not known", "leader_member_id")


def _all_or_none(assigned: list[tuple[TopicPartition, ...] | None]) -> tuple[tuple[TopicPartition, ...], ...] | None:
    """Who reads what is known if it is known of every member."""
    known = tuple(one for one in assigned if one is not None)
    return known if len(known) == len(assigned) else None


def _consumer(key: str, value: object) -> tuple[Member, tuple[TopicPartition, ...] | None]:
    """The member, and what it was handed last."""
    fields = Fields(value)
    assigned = fields.optional("assigned", nullable(kafka.topic_partitions), None)
    return _member(key, fields), assigned


def _member(key: str, fields: Fields) -> Member:
    generation = fields.optional("owned_generation", nullable(_generation), None)
    member = Member(
        member_id=strict.name(key),
        assignors=fields.need("assignors", assignors),
        subscription=fields.need("subscription", subscription),
        owned=fields.optional("owned", kafka.topic_partitions, ()),
        owned_generation=None if generation == NO_GENERATION else generation,
        group_instance_id=fields.optional("group_instance_id", nullable(strict.name), None),
        rack=fields.optional("rack", nullable(strict.text), None),
        client_id=fields.optional("client_id", strict.text, ""),
        host=fields.optional("host", nullable(strict.text), None),
    )
    fields.finish()
    return member


def assignors(value: object) -> tuple[Assignor, ...]:
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


def subscription(value: object) -> tuple[str, ...]:
    plain = type(value) is list and all(type(one) is str and 0 < len(one) <= strict.LONGEST_TEXT for one in value)
    topics = tuple(cast("list[str]", value)) if plain else strict.each(value, strict.name)
    if len(dict.fromkeys(topics)) < len(topics):
        raise InvalidInput("a topic is given twice")
    return topics


def _topic(key: str, value: object) -> ConsumedTopic:
    fields = Fields(value)
    numbered = fields.need("partitions", lambda found: strict.each(found, _partition))
    fields.finish()
    in_order = dict(numbered)
    if sorted(in_order) != list(range(len(numbered))):
        raise InvalidInput("the partitions of a topic are numbered from 0 on, each once; others were found", "partitions")
    return ConsumedTopic(strict.name(key), tuple(in_order[number] for number in range(len(numbered))))


def _partition(value: object) -> tuple[int, ConsumedPartition]:
    if type(value) is dict and value.keys() <= _WITHOUT_OFFSETS and value.get("replica_racks", []) == []:
        number = value.get("id")  # a group may have a hundred thousand of these
        if type(number) is int and 0 <= number <= java.INT_MAX:
            return number, _UNKNOWN_PARTITION
    fields = Fields(value)
    number = fields.need("id", kafka.partition_number)
    partition = ConsumedPartition(
        replica_racks=fields.optional("replica_racks", lambda racks: strict.each(racks, nullable(strict.text)), ()),
        begin_offset=fields.optional("begin_offset", nullable(strict.offset), None),
        end_offset=fields.optional("end_offset", nullable(strict.offset), None),
        committed_offset=fields.optional("committed_offset", nullable(strict.offset), None),
        uncommitted=fields.has("committed_offset") and strict.mapping(value)["committed_offset"] is None,
    )
    fields.finish()
    return number, partition


_WITHOUT_OFFSETS = frozenset(("id", "replica_racks"))
_UNKNOWN_PARTITION = ConsumedPartition()


def consumer_snapshot_to_json(snapshot: ConsumerSnapshot) -> dict[str, object]:
    """The canonical form. Consumers and what they own keep their order."""
    return {
        "format_version": strict.FORMAT_VERSION,
        "cluster": snapshot.cluster,
        "group_id": snapshot.group_id,
        "captured_at": snapshot.captured_at,
        "protocol": PROTOCOL,
        "group_state": snapshot.group_state,
        "kafka_release": snapshot.kafka_release,
        "broker_release": snapshot.broker_release,
        "generation": snapshot.generation,
        "leader_member_id": snapshot.leader_member_id,
        "consumers": {
            member.member_id: _member_to_json(member, None if snapshot.assigned is None else snapshot.assigned[place])
            for place, member in enumerate(snapshot.members)
        },
        "topics": {topic.name: {"partitions": _partitions_to_json(topic)} for topic in snapshot.topics},
        **({"config": kafka.config_to_json(snapshot.config)} if snapshot.config else {}),
        "unknown": UNKNOWNS.write(snapshot.unknown),
    }


def _member_to_json(member: Member, assigned: tuple[TopicPartition, ...] | None) -> dict[str, object]:
    written: dict[str, object] = {
        "client_id": member.client_id,
        "group_instance_id": member.group_instance_id,
        "rack": member.rack,
        "host": member.host,
        "assignors": [str(assignor) for assignor in member.assignors],
        "subscription": list(member.subscription),
        "owned": kafka.topic_partitions_to_json(member.owned),
        "owned_generation": member.owned_generation,
    }
    return written if assigned is None else written | {"assigned": kafka.topic_partitions_to_json(assigned)}


def _partitions_to_json(topic: ConsumedTopic) -> list[object]:
    written: list[object] = []
    for number, partition in enumerate(topic.partitions):
        offsets = {
            "begin_offset": partition.begin_offset,
            "end_offset": partition.end_offset,
            "committed_offset": partition.committed_offset,
        }
        known: dict[str, int | None] = {key: offset for key, offset in offsets.items() if offset is not None}
        if partition.uncommitted:
            known["committed_offset"] = None
        written.append({"id": number, "replica_racks": list(partition.replica_racks)} | known)
    return written
