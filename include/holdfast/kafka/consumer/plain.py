"""The two assignors without memory. Java: `RoundRobinAssignor`, and `RangeAssignor` where racks do not matter (2.6 to 4.3).

Members are in the order of `AbstractPartitionAssignor.MemberInfo`: static ones first, by instance ID; the others by member ID.
"""

from collections.abc import Mapping, Sequence

from holdfast.kafka import java
from holdfast.kafka.consumer.group import Member
from holdfast.kafka.consumer.space import numbered, numbered_together
from holdfast.kafka.vocabulary import TopicPartition

Parts = dict[str, list[TopicPartition]]
"""What each member is given, by member ID."""


def in_member_order(members: Sequence[Member]) -> list[Member]:
    """The order of `MemberInfo`. Instance IDs, like member IDs, are unique in a group."""
    return sorted(
        members,
        key=lambda member: (
            member.group_instance_id is None,
            java.string_order(member.member_id if member.group_instance_id is None else member.group_instance_id),
        ),
    )


def round_robin(members: Sequence[Member], partitions: Mapping[str, int]) -> Parts:
    """All partitions by topic and number, dealt to the members in turn; who is not subscribed is passed over.

    `partitions`: how many each subscribed topic that exists has.
    """
    ordered = in_member_order(members)
    subscriptions = [frozenset(member.subscription) for member in ordered]
    everything = numbered_together([(topic, partitions[topic]) for topic in sorted(partitions, key=java.string_order)])
    if all(subscription.issuperset(partitions) for subscription in subscriptions):
        return {member.member_id: everything[turn :: len(ordered)] for turn, member in enumerate(ordered)}
    parts: Parts = {member.member_id: [] for member in ordered}
    given = [parts[member.member_id] for member in ordered]
    turn = 0
    for partition in everything:
        while partition.topic not in subscriptions[turn]:
            turn = (turn + 1) % len(ordered)
        given[turn].append(partition)
        turn = (turn + 1) % len(ordered)
    return parts


def ranges(members: Sequence[Member], partitions: Mapping[str, int]) -> Parts:
    """Each topic cut into one range a subscriber, in order; the first ones get what is left over, one each."""
    ordered = in_member_order(members)
    parts: Parts = {member.member_id: [] for member in ordered}
    subscribers: dict[str, list[list[TopicPartition]]] = {topic: [] for topic in sorted(partitions, key=java.string_order)}
    for member in ordered:
        for topic in member.subscription:
            if topic in subscribers:
                subscribers[topic].append(parts[member.member_id])
    for topic, lists in subscribers.items():
        each, extra = divmod(partitions[topic], len(lists))
        cut = numbered(topic, partitions[topic])
        start = 0
        for place, own in enumerate(lists):
            end = start + each + (place < extra)
            own += cut[start:end]
            start = end
    return parts
