"""What consumers read, in the documents of every kind of consumer group: subscriptions, and partitions with offsets."""

from typing import cast

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.codec import COUNT, TEXT, Codec, items, nullable
from holdfast.rollout.json.kafka_codecs import PARTITION
from holdfast.rollout.json.record import codec_of, gathered, member, record, record_of, spread


def _subscription(value: object) -> tuple[str, ...]:
    plain = type(value) is list and all(type(one) is str and 0 < len(one) <= strict.LONGEST_TEXT for one in value)
    topics = tuple(cast("list[str]", value)) if plain else strict.each(value, strict.name)
    if len(dict.fromkeys(topics)) < len(topics):
        raise InvalidInput("a topic is given twice")
    return topics


SUBSCRIPTION: Codec[tuple[str, ...]] = Codec(
    _subscription, list, lambda: shapes.items(shapes.name(), "A topic that is not in `topics` does not exist.")
)


def _not_known(partition: "ConsumedPartition") -> bool:
    return partition.committed_offset is None and not partition.uncommitted


def _says_that_there_is_none(document: object) -> bool:
    return strict.mapping(document).get("committed_offset", 0) is None


REPLICA_RACKS = items(nullable(TEXT)).described("Of each replica's broker.")


@record(closed=False)
class ConsumedPartition:
    """`replica_racks`: one entry a replica, None where a broker has no rack. An offset that is None is unknown.

    `committed_offset` is the group's own. `uncommitted`: it has none there, as a caller with permission to read has observed.
    """

    replica_racks: tuple[str | None, ...] = member(REPLICA_RACKS, default=())
    begin_offset: int | None = member(nullable(COUNT), default=None, omit=True)
    end_offset: int | None = member(nullable(COUNT), default=None, omit=True)
    committed_offset: int | None = member(nullable(COUNT), default=None, omit=_not_known)
    uncommitted: bool = gathered(_says_that_there_is_none, default=False)


def _pair(id: int, partition: ConsumedPartition) -> tuple[int, ConsumedPartition]:  # noqa: A002 - as the document has it
    return id, partition


_PARTITION = codec_of(ConsumedPartition)
_NUMBERED = record_of(_pair, closed=False, id=member(PARTITION), partition=spread(_PARTITION))
_WITHOUT_OFFSETS = frozenset(("id", "replica_racks"))
_UNKNOWN_PARTITION = ConsumedPartition()


def _numbered(value: object) -> tuple[int, ConsumedPartition]:
    if type(value) is dict and value.keys() <= _WITHOUT_OFFSETS and value.get("replica_racks", []) == []:
        number = value.get("id")  # a group may have a hundred thousand of these
        if type(number) is int and 0 <= number <= java.INT_MAX:
            return number, _UNKNOWN_PARTITION
    return _NUMBERED.read(value)


def _in_order(value: object) -> tuple[ConsumedPartition, ...]:
    found = strict.each(value, _numbered)
    by_number = dict(found)
    if sorted(by_number) != list(range(len(found))):
        raise InvalidInput("the partitions of a topic are numbered from 0 on, each once; others were found")
    return tuple(by_number[number] for number in range(len(found)))


def _listed(partitions: tuple[ConsumedPartition, ...]) -> list[object]:
    return [{"id": number, **_PARTITION.write(one)} for number, one in enumerate(partitions)]


PARTITIONS = Codec(_in_order, _listed, lambda: shapes.items(_NUMBERED.shape()))


def offsets_of(partition: ConsumedPartition) -> dict[str, object]:
    """Where it begins and ends, what is committed of it, and the records between: columns of a table. None: unknown."""
    end, committed = partition.end_offset, partition.committed_offset
    return {
        "begin_offset": partition.begin_offset,
        "end_offset": end,
        "committed_offset": committed,
        "lag": None if end is None or committed is None else max(end - committed, 0),
    }
