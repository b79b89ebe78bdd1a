"""The members of a consumer group on its page, for every kind of such a group."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from holdfast.kafka.vocabulary import TopicPartition
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


@dataclass(frozen=True, slots=True)
class Reader:
    """A member, in the order in which it is shown."""

    member_id: str
    instance_id: str | None
    host: str | None
    rack: str | None


class Topic(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def partitions(self) -> tuple[ConsumedPartition, ...]: ...


def views(readers: Iterable[Reader], reads: Mapping[TopicPartition, str], topics: Iterable[Topic]) -> tuple[MemberView, ...]:
    """`reads`: the member ID that reads each partition."""
    by_reader: dict[str, list[TopicPartition]] = {}
    for partition, reader in sorted(reads.items()):
        by_reader.setdefault(reader, []).append(partition)
    behind = {
        TopicPartition(topic.name, number): _behind(partition)
        for topic in topics
        for number, partition in enumerate(topic.partitions)
    }
    most = max(map(len, by_reader.values()), default=1)
    found = []
    for place, one in enumerate(readers, start=1):
        mine = by_reader.get(one.member_id, [])
        lags = [behind.get(partition) for partition in mine]
        found.append(
            MemberView(
                place=place,
                member_id=one.member_id,
                name=" on ".join(name for name in (one.instance_id, one.host) if name) or "unknown host",
                rack=one.rack or "",
                count=len(mine),
                share=len(mine) * 1000 // most,
                which=listed([str(partition) for partition in mine], 8),
                behind=None if None in lags else sum(lag or 0 for lag in lags),
            )
        )
    return tuple(found)


def _behind(one: ConsumedPartition) -> int | None:
    return None if one.committed_offset is None or one.end_offset is None else max(0, one.end_offset - one.committed_offset)
