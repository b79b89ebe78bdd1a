"""A Snapshot of one running consumer group: what is visible, what its members would report now, what could not be read.

The broker shows each member's last JoinGroup for the assignor that was picked, and the assignment that it has. From that follows
what it would report now: a sticky member remembers its assignment, a cooperative one owns it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from holdfast.errors import ClusterTrouble, MalformedBytes, Unsupported
from holdfast.kafka.consumer import joining
from holdfast.kafka.consumer.group import Assignor, Member
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.kafka.wire.consumer_protocol import decode_assignment
from holdfast.ports import ClusterReader, ObservedGroup, PartitionFigures
from holdfast.rollout.consumer.snapshot.snapshot import PROTOCOL, ConsumedTopic, ConsumerSnapshot
from holdfast.rollout.json import instants
from holdfast.rollout.json.consumed_topics import ConsumedPartition
from holdfast.rollout.streams.snapshot.snapshot import Generation, GenerationMember, Topic
from holdfast.workflows.collecting.consumer.settings import (
    ConsumerSettings,
    default_assignors,
)
from holdfast.workflows.collecting.observed import Observed, Reading
from holdfast.workflows.collecting.present_generation import present_generation, with_session_timeout
from holdfast.workflows.collecting.settling import PROTOCOL_TYPE, is_rebalancing, settled_group, why_no_members

_KNOWN = frozenset(str(assignor) for assignor in Assignor)


def is_consumer_group(group: ObservedGroup) -> bool:
    """Whether it has members under one of the Java client's own assignors."""
    return group.protocol_type == PROTOCOL_TYPE and bool(group.members) and group.protocol in _KNOWN


@dataclass
class _Found(Observed[ObservedGroup]):
    assignor: Assignor = field(kw_only=True)


def snapshot(
    cluster: ClusterReader,
    wanted: Reading,
    settings: ConsumerSettings,
    seen: ObservedGroup | None = None,
) -> ConsumerSnapshot:
    """`seen`: the group as it was described a moment ago, if it was.

    Raise ClusterTrouble for a group that is not there or does not come to rest, Unsupported for one of another kind.
    """
    info, group_id = cluster.info(), wanted.group_id
    group = settled_group(cluster, group_id, wanted.patience, _rebalancing, seen)
    if is_rebalancing(group):
        raise ClusterTrouble(f"{group_id!r}: {why_no_members(group, wanted.patience)}")
    if not is_consumer_group(group):
        raise Unsupported(f"{group_id!r} is not a consumer group with members (its assignor is {group.protocol!r})")
    found = _Found(group, list(settings.unknown), assignor=Assignor(group.protocol))
    latest = _latest(cluster, found)
    members = _members(found, settings, latest)
    topics = _topics(cluster, group_id, members, found)
    config = with_session_timeout(settings.config, latest, found.unknown)
    broker = info.broker_version
    if broker is None:
        found.note("broker_release", "the brokers do not report it; it matters only if assignors have equal votes")
    return ConsumerSnapshot(
        cluster=wanted.cluster(info),
        group_id=group_id,
        captured_at=instants.to_millisecond(wanted.now()),
        protocol=PROTOCOL,
        group_state=group.state,
        kafka_release=settings.kafka_release,
        broker_release=broker,
        generation=None if latest is None else latest.number,
        leader_member_id=None if latest is None else _leader(latest, members),
        members=members,
        topics=topics,
        unknown=tuple(found.unknown),
        config=config,
        assigned=_assigned_if_other(found, members),
    )


def _rebalancing(group: ObservedGroup) -> bool:
    """In a rebalance, or one is due at once: a cooperative member was not handed again what it reported as owned."""
    if is_rebalancing(group):
        return True
    if group.protocol != Assignor.COOPERATIVE_STICKY:
        return False
    return any(
        frozenset(joined.owned) - frozenset(_assigned(each))
        for each in group.members
        for joined in [joining.decode(each.subscription, each.member_id, Assignor.COOPERATIVE_STICKY)]
    )


def _assigned(member: GenerationMember) -> tuple[TopicPartition, ...]:
    return decode_assignment(member.assignment).partitions if member.assignment else ()


def _assigned_if_other(found: _Found, members: tuple[Member, ...]) -> tuple[tuple[TopicPartition, ...], ...] | None:
    """What each member was handed. None where all of them own just that: it is not repeated."""
    assigned = tuple(_assigned(each) for each in found.group.members)
    return None if assigned == tuple(member.owned for member in members) else assigned


def _latest(cluster: ClusterReader, found: _Found) -> Generation | None:
    """The generation that the group is in: the newest in `__consumer_offsets`, if it has the same members and assignments."""
    why = "the present generation was not found in __consumer_offsets"
    try:
        generations, _ = cluster.generations(found.group.group_id)
    except ClusterTrouble as trouble:
        generations, why = (), str(trouble)
    if (present := present_generation(found.group, generations)) is not None:
        return present
    found.note("leader_member_id", f"{why}: its generation and its leader are unknown")
    return None


def _leader(latest: Generation, members: tuple[Member, ...]) -> str | None:
    return next((member.member_id for member in members if member.member_id == latest.leader_member_id), None)


def _members(found: _Found, settings: ConsumerSettings, latest: Generation | None) -> tuple[Member, ...]:
    """In the order of the broker's list. All joined the same generation, so that they say the same number next time."""
    joined = [(each, _decoded(each, found.assignor)) for each in found.group.members]
    assignors = _assignors(found, settings, [member for _, member in joined])
    remembers = found.assignor in (Assignor.STICKY, Assignor.COOPERATIVE_STICKY)
    number = latest.number if latest is not None else 1 + max((member.owned_generation or 0 for _, member in joined), default=0)
    members = []
    for each, member in joined:
        cooperative = all(one is Assignor.COOPERATIVE_STICKY for one in assignors)
        owns = remembers and (found.assignor is Assignor.STICKY or cooperative)
        members.append(
            replace(
                member,
                assignors=assignors,
                owned=_assigned(each) if owns else (),
                owned_generation=number if owns else None,
                group_instance_id=each.group_instance_id,
                client_id=each.client_id,
                host=each.client_host.removeprefix("/") or None,
            )
        )
    return tuple(members)


def _decoded(each: GenerationMember, assignor: Assignor) -> Member:
    try:
        return joining.decode(each.subscription, each.member_id, assignor)
    except MalformedBytes as trouble:
        raise Unsupported(f"what {each.member_id!r} sent when it joined cannot be read: {trouble}") from None


def _assignors(found: _Found, settings: ConsumerSettings, joined: list[Member]) -> tuple[Assignor, ...]:
    """Every member's list. The broker shows the one that was picked; the others are given, or Kafka's default, or unknown."""
    if settings.assignors is not None:
        if found.assignor not in settings.assignors:
            raise Unsupported(
                f"partition.assignment.strategy was given as {', '.join(settings.assignors)}; the group runs {found.assignor}"
            )
        return settings.assignors
    assignors: tuple[Assignor, ...] = (found.assignor,)
    if found.assignor is Assignor.RANGE:
        assignors = default_assignors(settings.kafka_release)
    reads_on = any(member.owned for member in joined) and found.assignor is Assignor.COOPERATIVE_STICKY
    note = "; a member has joined with what it owned, so that it has no other" if reads_on else ""
    found.note(
        "consumers.assignors",
        f"not given, and the broker shows only which one was picked; assumed to be {', '.join(assignors)}{note}."
        " --set partition.assignment.strategy=… says it",
    )
    return assignors


def _topics(cluster: ClusterReader, group_id: str, members: tuple[Member, ...], found: _Found) -> tuple[ConsumedTopic, ...]:
    """All subscribed topics, with the readable offsets."""
    names = tuple(sorted(dict.fromkeys(topic for member in members for topic in member.subscription)))
    described, unknown = cluster.topics(names)
    found.unknown.extend(unknown)
    partitions = tuple(TopicPartition(topic.name, one.id) for topic in described for one in topic.partitions)
    begin, end = (_figures(read(partitions), found) for read in (cluster.begin_offsets, cluster.end_offsets))
    committed: Mapping[TopicPartition, int] | None
    try:
        committed = dict(cluster.committed_offsets(group_id))
    except ClusterTrouble as trouble:
        found.note("committed_offset", str(trouble))
        committed = None
    ids = cluster.topic_ids(tuple(topic.name for topic in described))
    return tuple(_topic(topic, ids.get(topic.name), begin, end, committed) for topic in described)


def _figures(answer: PartitionFigures, found: _Found) -> Mapping[TopicPartition, int]:
    found.unknown.extend(answer[1])
    return dict(answer[0])


def _topic(
    topic: Topic,
    topic_id: int | None,
    begin: Mapping[TopicPartition, int],
    end: Mapping[TopicPartition, int],
    committed: Mapping[TopicPartition, int] | None,
) -> ConsumedTopic:
    partitions = []
    for one in sorted(topic.partitions, key=lambda each: each.id):
        place = TopicPartition(topic.name, one.id)
        offset = None if committed is None else committed.get(place)
        nothing = committed is not None and offset is None
        partitions.append(ConsumedPartition(one.replica_racks, begin.get(place), end.get(place), offset, nothing))
    return ConsumedTopic(topic.name, tuple(partitions), topic_id)
