"""The decision of a consumer group's leader in one rebalance.

Java: `ConsumerCoordinator.onLeaderElected` with the assignor that the coordinator picked, 2.6 to 4.3, and what the members then do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka import java
from holdfast.kafka.consumer import plain, range_racks
from holdfast.kafka.consumer.election import chosen_assignor
from holdfast.kafka.consumer.group import (
    Assignment,
    Assignor,
    Group,
    LeaderFailure,
    LeaderThrows,
    Member,
    MemberAssignment,
    NextRebalance,
)
from holdfast.kafka.consumer.range_racks import Racks
from holdfast.kafka.consumer.release import Behaviour, behaviour
from holdfast.kafka.consumer.sticky import sticky
from holdfast.kafka.consumer.sticky.sticky import Handed
from holdfast.kafka.garbage_collection import uncollected
from holdfast.kafka.vocabulary import TopicPartition

MANY_PARTITIONS = 100_000


def assign(group: Group) -> Assignment | LeaderFailure:
    """The decision of this group's leader, partition for partition what its release decides.

    Raise InvalidInput for a group without members, Unsupported for a release that is not modelled, and CannotPredict where the
    group shows too little.
    """
    if sum(len(topic.replica_racks) for topic in group.topics) < MANY_PARTITIONS:
        return _assign(group)
    with uncollected():
        return _assign(group)


def _assign(group: Group) -> Assignment | LeaderFailure:
    line = behaviour(group.release)
    if not group.members:
        raise InvalidInput("a group without members has no leader: nothing is assigned")
    assignor = chosen_assignor(group.members, group.broker_release)
    if isinstance(assignor, LeaderFailure):
        return assignor
    members = group.members if line.racks else tuple(replace(member, rack=None) for member in group.members)
    topics = _subscribed_topics(group)
    cooperative = assignor is Assignor.COOPERATIVE_STICKY
    try:
        if cooperative or assignor is Assignor.STICKY:
            handed = sticky.assign(members, topics, line, cooperative=cooperative)
        else:
            handed = _forgetful(assignor, members, topics)
        if cooperative and line.leader_checks_cooperative:
            _check_cooperative(group, line, handed)
    except LeaderThrows as thrown:
        return LeaderFailure(str(thrown))
    return Assignment(assignor, tuple(_of_member(member, handed[member.member_id]) for member in group.members))


def _subscribed_topics(group: Group) -> dict[str, Racks]:
    """Those that exist and have a subscriber, with the racks of every partition."""
    subscribed = frozenset().union(*dict.fromkeys(member.subscription for member in group.members))
    ask_racks = any(member.rack for member in group.members)
    found: dict[str, Racks] = {}
    for topic in group.topics:
        if topic.name in subscribed and topic.replica_racks:
            known: dict[tuple[str | None, ...], frozenset[str]] = {}
            racks = topic.replica_racks if ask_racks else ()
            found[topic.name] = [_racks(each, known) for each in racks] or [frozenset()] * len(topic.replica_racks)
    return found


def _racks(racks: tuple[str | None, ...], known: dict[tuple[str | None, ...], frozenset[str]]) -> frozenset[str]:
    if racks not in known:
        known[racks] = frozenset(rack for rack in racks if rack is not None)
    return known[racks]


def _forgetful(assignor: Assignor, members: Sequence[Member], topics: Mapping[str, Racks]) -> dict[str, Handed]:
    counts = {topic: len(racks) for topic, racks in topics.items()}
    parts = None
    if assignor is Assignor.ROUNDROBIN:
        parts = plain.round_robin(members, counts)
    elif any(member.rack for member in members):
        parts = range_racks.ranges_by_rack(members, topics)
    if parts is None:
        parts = plain.ranges(members, counts)
    return {member: Handed(tuple(part)) for member, part in parts.items()}


def _check_cooperative(group: Group, line: Behaviour, handed: Mapping[str, Handed]) -> None:
    """The leader's own check, which only a leader makes that is cooperative itself."""
    joined = [member if member.cooperative else replace(member, owned=()) for member in group.members]
    try:
        sticky.check_cooperative(joined, handed)
    except LeaderThrows:
        leaders = [one for one in group.members if group.leader_member_id in (None, one.member_id)]
        if all(leader.cooperative for leader in leaders):
            raise
        if not any(leader.cooperative for leader in leaders):
            return
        raise CannotPredict(
            "a partition is assigned that another member still owns. A leader whose only assignor is cooperative-sticky throws"
            f" (Kafka {line.releases[0]} to {line.releases[-1]}), another one does not; the leader is unknown."
        ) from None


def _of_member(member: Member, handed: Handed) -> MemberAssignment:
    if handed.keeps_all or not (member.owned and member.cooperative):
        return MemberAssignment(member.member_id, handed.partitions, handed.withheld)
    given = frozenset(handed.partitions)
    revoked = dict.fromkeys(one for one in member.owned if one not in given)
    return MemberAssignment(
        member.member_id,
        handed.partitions,
        handed.withheld,
        tuple(sorted(revoked, key=_by_topic_and_number)),
        NextRebalance.IMMEDIATE if revoked else NextRebalance.NONE,
    )


def _by_topic_and_number(partition: TopicPartition) -> tuple[bytes, int]:
    return java.string_order(partition.topic), partition.partition
