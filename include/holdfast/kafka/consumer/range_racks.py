"""RangeAssignor where members and replicas have racks. Java: `RangeAssignor`, 3.5 to 4.3 (KIP-881).

First what can be had in the member's own rack, without giving any member more than a plain range would; topics with the same
subscribers and as many partitions are assigned together, so that equal numbers stay together. Then plain ranges over the rest.
"""

from collections.abc import Mapping, Sequence

from holdfast.kafka import java
from holdfast.kafka.consumer.group import Member
from holdfast.kafka.consumer.plain import Parts, in_member_order
from holdfast.kafka.vocabulary import TopicPartition

Racks = Sequence[frozenset[str]]
"""The racks in which each partition of a topic has replicas."""


def may_matter(member_racks: frozenset[str], partition_racks: Racks) -> bool:
    """`AbstractPartitionAssignor.useRackAwareAssignment`: some rack in common, and not every partition in every rack."""
    everywhere = frozenset().union(*partition_racks)
    return bool(member_racks & everywhere) and any(racks != everywhere for racks in partition_racks)


def ranges_by_rack(members: Sequence[Member], topics: Mapping[str, Racks]) -> Parts | None:
    """The whole assignment; None where no topic needs racks, so that plain ranges are the answer."""
    ordered = in_member_order(members)
    states = [_Topic(topic, racks, [one for one in ordered if topic in one.subscription]) for topic, racks in topics.items()]
    if not any(state.needs_racks for state in states):
        return None
    parts: Parts = {member.member_id: [] for member in ordered}
    for together in _co_partitioned(states):
        if len(together) > 1:
            _assign_together(together, parts)
        elif together[0].needs_racks:
            _assign_ranges(together[0], parts, by_rack=True)
    for state in states:
        _assign_ranges(state, parts, by_rack=False)
    for part in parts.values():
        part.sort(key=lambda partition: (java.string_order(partition.topic), partition.partition))
    return parts


class _Topic:
    """`TopicAssignmentState`: what is left of a topic, and how much each of its subscribers may still get."""

    def __init__(self, name: str, racks: Racks, subscribers: Sequence[Member]) -> None:
        self.name = name
        self.subscribers = {member.member_id: member.rack or None for member in subscribers}
        member_racks = frozenset(rack for rack in self.subscribers.values() if rack is not None)
        self.racks = racks if member_racks else ()
        self.needs_racks = may_matter(member_racks, self.racks)
        self.left = list(range(len(racks)))
        self._each, self._extra_left = divmod(len(racks), len(subscribers))
        self._given = dict.fromkeys(self.subscribers, 0)

    def matches(self, member: str, partition: int) -> bool:
        rack = self.subscribers[member]
        return rack is None or (bool(self.racks) and rack in self.racks[partition])

    def room(self, member: str) -> int:
        return max(0, self._each + (self._extra_left > 0) - self._given[member])

    def give(self, member: str, partitions: list[int], parts: Parts) -> None:
        parts[member] += [TopicPartition(self.name, partition) for partition in partitions]
        self._given[member] += len(partitions)
        if self._given[member] > self._each:
            self._extra_left -= 1
        gone = frozenset(partitions)
        self.left = [partition for partition in self.left if partition not in gone]


def _co_partitioned(states: Sequence[_Topic]) -> list[list[_Topic]]:
    """The topics with the same subscribers and as many partitions (of which the racks are known), group by group."""
    groups: dict[tuple[tuple[str, ...], int], list[_Topic]] = {}
    for state in states:
        groups.setdefault((tuple(state.subscribers), len(state.racks)), []).append(state)
    return list(groups.values())


def _assign_together(states: Sequence[_Topic], parts: Parts) -> None:
    members = list(states[0].subscribers)
    for partition in range(len(states[0].racks)):
        found = next(
            (member for member in members if all(one.matches(member, partition) and one.room(member) > 0 for one in states)), None
        )
        if found is None:
            continue
        for state in states:
            state.give(found, [partition], parts)
        if not any(state.room(found) > 0 for state in states):
            members.remove(found)
            if not members:
                return


def _assign_ranges(state: _Topic, parts: Parts, *, by_rack: bool) -> None:
    for member in state.subscribers:
        if not state.left:
            return
        fitting = [partition for partition in state.left if not by_rack or state.matches(member, partition)]
        chosen = fitting[: state.room(member)]
        if chosen:
            state.give(member, chosen, parts)
