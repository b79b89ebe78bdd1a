"""One decision of the coordinator: the target of a consumer group.

Java: `TargetAssignmentBuilder.ConsumerTargetAssignmentBuilder.build` (4.0.0 to 4.4.0). No covered release reads racks
(`SubscribedTopicDescriber.racksForPartition` has no caller), nor what members own now: only their previous targets.
"""

from holdfast.kafka.coordinator.consumer import heterogeneous, homogeneous, ranges
from holdfast.kafka.coordinator.consumer.group import Assignor, Group, MemberTarget, Owned, Target
from holdfast.kafka.coordinator.consumer.hash_tables import (
    SINCE_19,
    UNTIL_18,
    Copies,
    depends_on_java,
    kept,
    listed,
    topic_order,
)
from holdfast.kafka.coordinator.consumer.release import behaviour
from holdfast.kafka.coordinator.consumer.subscriptions import Subscriptions
from holdfast.kafka.coordinator.member_table import Filling


def assign(group: Group) -> Target:
    """The target that the coordinator computes now, as a broker on Java 17 or 18 does. Raise Unsupported for a release that is not
    covered, CannotPredict where the assignor would throw."""
    members, *others = by_java(group)
    return Target(members, bool(others))


def by_java(group: Group) -> tuple[tuple[MemberTarget, ...], ...]:
    """What a broker on Java 17 or 18 decides and, if one on a later Java decides otherwise, what that does. Raise as `assign`."""
    if not group.members:
        behaviour(group.release)
        return ((),)
    members = _assigned(group, UNTIL_18)
    if not _sizes_depend_on_java(group):
        return (members,)
    later = _assigned(group, SINCE_19)
    return (members,) if _without_order(members) == _without_order(later) else (members, later)


def _assigned(group: Group, copies: Copies) -> tuple[MemberTarget, ...]:
    facts = behaviour(group.release)
    ids = {topic.name: topic.id for topic in group.topics}
    counts = {topic.name: topic.partitions for topic in group.topics}
    by_id = {member.member_id: member for member in group.members}
    members = [by_id[member_id] for member_id in Filling(tuple(by_id), group.most_members).in_map()]
    subscriptions = Subscriptions(group, copies)
    in_memory = kept if group.recorded else listed
    before = {member.member_id: in_memory(member.target, ids, copies) for member in members}
    had = [before[member.member_id] for member in members]
    if group.assignor is Assignor.RANGE:
        owned = ranges.assign(members, subscriptions, counts, ids)
    elif subscriptions.alike:
        names = subscriptions.topics(members[0])
        topics = topic_order(names, ids, copies.capacity(subscriptions.names(members[0])))
        owned = homogeneous.assign(homogeneous.Question(had, topics, counts, ids, copies), facts)
    else:
        subscribed = [frozenset(subscriptions.topics(member)) for member in members]
        owned = heterogeneous.assign(heterogeneous.Question(had, subscribed, counts, ids, copies))
    after = {
        member.member_id: _recorded(before[member.member_id], new, ids, copies) for member, new in zip(members, owned, strict=True)
    }
    return tuple(MemberTarget(member.member_id, after[member.member_id]) for member in group.members)


def _recorded(before: Owned, after: Owned, ids: dict[str, int], copies: Copies) -> Owned:
    """A target that has not changed is not written, and keeps its order."""
    return before if _sets(before) == _sets(after) else kept(after, ids, copies)


def _sets(owned: Owned) -> dict[str, frozenset[int]]:
    return {topic: frozenset(numbers) for topic, numbers in owned if numbers}


def _without_order(members: tuple[MemberTarget, ...]) -> list[dict[str, frozenset[int]]]:
    return [_sets(member.owned) for member in members]


def _sizes_depend_on_java(group: Group) -> bool:
    """Whether any set that is copied has another size in Java 19 and later; only the uniform assignor goes by such an order."""
    if group.assignor is Assignor.RANGE:
        return False
    sizes = {len(member.subscription) for member in group.members} | {len(topics) for _, topics in group.resolved}
    sizes |= {len(numbers) for member in group.members for _, numbers in member.target}
    return any(map(depends_on_java, sizes))
