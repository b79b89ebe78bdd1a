"""The members of a consumer group on its page."""

from dataclasses import dataclass

from holdfast.errors import HoldfastError
from holdfast.kafka.consumer import plain
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.consumer.snapshot import member_order
from holdfast.rollout.consumer.snapshot.ownership import Readers
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.json.consumed_topics import ConsumedPartition
from holdfast.rollout.text.format import listed


@dataclass(frozen=True, slots=True)
class MemberView:
    """A consumer of a consumer group. `share`: of what the busiest one reads, in thousandths. `behind`: records between what is
    committed and the end, of all that it reads; None: unknown."""

    place: int
    member_id: str
    name: str
    rack: str
    count: int
    share: int
    which: str
    behind: int | None


def consumers(one: ConsumerSnapshot) -> tuple[MemberView, ...]:
    """In the order in which Kafka assigns partitions."""
    reads: dict[str, list[TopicPartition]] = {}
    for partition, reader in sorted((_readers(one) or {}).items()):
        reads.setdefault(reader, []).append(partition)
    behind = {
        TopicPartition(topic.name, number): _behind(partition)
        for topic in one.topics
        for number, partition in enumerate(topic.partitions)
    }
    most = max(map(len, reads.values()), default=1)
    found = []
    for place, member in enumerate(plain.in_member_order(one.members), start=1):
        mine = reads.get(member.member_id, [])
        lags = [behind.get(partition) for partition in mine]
        found.append(
            MemberView(
                place=place,
                member_id=member.member_id,
                name=" on ".join(name for name in (member.group_instance_id, member.host) if name) or "unknown host",
                rack=member.rack or "",
                count=len(mine),
                share=len(mine) * 1000 // most,
                which=listed([str(partition) for partition in mine], 8),
                behind=None if None in lags else sum(lag or 0 for lag in lags),
            )
        )
    return tuple(found)


def _readers(one: ConsumerSnapshot) -> Readers | None:
    try:
        return member_order.readers_of(one)
    except HoldfastError:
        return None


def _behind(one: ConsumedPartition) -> int | None:
    return None if one.committed_offset is None or one.end_offset is None else max(0, one.end_offset - one.committed_offset)
