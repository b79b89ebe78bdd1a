"""The `range` assignor: of each topic every subscriber gets one range of partitions. It keeps nothing.

Java: `org.apache.kafka.coordinator.group.assignor.RangeAssignor`, 4.0.0 to 4.4.0. Static members come first, by instance ID; others
by member ID, which is random at each start.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from holdfast.kafka import java
from holdfast.kafka.coordinator.consumer.group import Member, Owned
from holdfast.kafka.coordinator.consumer.hash_tables import topic_order
from holdfast.kafka.coordinator.consumer.subscriptions import Subscriptions


def assign(
    members: Sequence[Member], subscriptions: Subscriptions, counts: Mapping[str, int], ids: Mapping[str, int]
) -> list[Owned]:
    """What each member is to own. `members`: in the order of the assignor's map; `counts`, `ids`: of all topics that exist."""
    order = sorted(range(len(members)), key=lambda place: _rank(members[place]))
    subscribed = [subscriptions.topics(member) for member in members]
    if subscriptions.alike:  # all of them in the order in which the first one has them
        subscribed = [subscribed[order[0]]] * len(members)
    subscribers = Counter(topic for topics in subscribed for topic in topics)
    shares = {topic: divmod(counts[topic], number) for topic, number in subscribers.items()}
    served: Counter[str] = Counter()
    owned: list[Owned] = [()] * len(members)
    for place in order:
        ranges: dict[str, tuple[int, ...]] = {}
        for topic in subscribed[place]:
            share, extras = shares[topic]
            before = served[topic]
            served[topic] += 1
            first = before * share + min(before, extras)
            numbers = tuple(range(first, first + share + (before < extras)))
            if numbers:
                ranges[topic] = numbers
        size = len(subscribed[place]) if subscriptions.alike else subscriptions.names(members[place])
        room = 1 << (size * 4 // 3).bit_length()
        owned[place] = tuple((topic, ranges[topic]) for topic in topic_order(ranges, ids, room))
    return owned


def _rank(member: Member) -> tuple[bool, bytes]:
    dynamic = member.instance_id is None
    return dynamic, java.string_order(member.member_id if member.instance_id is None else member.instance_id)
