"""A Snapshot of one running consumer group whose broker assigns: one description of its coordinator shows all that decides but the
topics.

What cannot be read is named in `unknown`; nothing is guessed.
"""

from collections.abc import Mapping

from holdfast.errors import ClusterTrouble, HoldfastError, Unsupported
from holdfast.kafka.consumer.group import Assignor
from holdfast.kafka.coordinator.consumer import topic_regex
from holdfast.kafka.coordinator.consumer.group import MemberType, Owned
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.kafka.wire.consumer_group_description import DescribedConsumer, DescribedConsumerGroup
from holdfast.ports import ClusterReader, ObservedGroup
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumedTopic, BrokerConsumer, BrokerConsumerSnapshot
from holdfast.rollout.json import instants, strict
from holdfast.rollout.json.consumed_topics import ConsumedPartition
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.streams.snapshot.snapshot import Topic
from holdfast.workflows.collecting.broker_consumer.settings import GROUP_CONFIGS, BrokerConsumerSettings
from holdfast.workflows.collecting.coordinator_release import release_of
from holdfast.workflows.collecting.coordinator_settings import RECONCILING, CoordinatorSettings, read_configs
from holdfast.workflows.collecting.observed import Observed, Reading
from holdfast.workflows.collecting.settling import settled_group

_Found = Observed[DescribedConsumerGroup]


def snapshot(
    cluster: ClusterReader, wanted: Reading, settings: BrokerConsumerSettings, seen: ObservedGroup | None = None
) -> BrokerConsumerSnapshot:
    """`seen`: the group as it was described a moment ago, if it was.

    Raise ClusterTrouble for a group that is not there, Unsupported for one that is of another kind (by now).
    """
    info = cluster.info()
    observed = settled_group(cluster, wanted.group_id, wanted.patience, lambda group: group.state in RECONCILING, seen)
    if observed.described_consumers is None:
        raise Unsupported(f"{wanted.group_id!r} is no consumer group whose broker assigns, or is one no longer")
    moment = wanted.now()
    group = observed.described_consumers
    found = _Found(group)
    if group.state in RECONCILING:
        found.note("group_state", f"still {group.state} after {wanted.patience.limit_s:g} s: assignments are about to change")
    release = release_of(observed, settings.coordinator.broker_release, found.unknown)
    return BrokerConsumerSnapshot(
        group_id=group.group_id,
        members=tuple(_member(one, settings.assignors) for one in group.members),
        cluster=wanted.cluster(info),
        captured_at=instants.to_millisecond(moment),
        broker_release=release,
        client_release=settings.client_release,
        group_state=group.state,
        group_epoch=group.group_epoch,
        assignment_epoch=group.assignment_epoch,
        assignor=group.assignor or None,
        config=_config(cluster, settings.coordinator, found),
        topics=_topics(cluster, found),
        unknown=tuple(found.unknown),
    )


def _member(one: DescribedConsumer, assignors: tuple[Assignor, ...]) -> BrokerConsumer:
    """`assignors`: of every classic member."""
    return BrokerConsumer(
        member_id=one.member_id,
        client_id=one.client_id,
        host=one.client_host.removeprefix("/") or None,
        instance_id=one.instance_id,
        rack=one.rack_id,
        member_epoch=one.member_epoch,
        member_type=one.member_type,
        assignors=assignors if one.member_type == MemberType.CLASSIC else (),
        subscription=one.subscription,
        subscription_regex=one.regex or None,
        assignment=_listed(one.assignment),
        target=_listed(one.target),
    )


def _listed(owned: Owned) -> tuple[TopicPartition, ...]:
    """In the broker's order."""
    return tuple(TopicPartition(topic, number) for topic, numbers in owned for number in numbers)


def _config(cluster: ClusterReader, settings: CoordinatorSettings, found: _Found) -> tuple[tuple[str, ConfigValue], ...]:
    """The group's configs, and those of the broker where the group has none, which `unknown` lists in addition."""
    given = dict(settings.config)
    try:
        config = read_configs(cluster, found.group.group_id, GROUP_CONFIGS.prefix, given, found.note)
    except ClusterTrouble as trouble:
        found.note("config", str(trouble))
        config = {}
    return tuple(sorted((config | given).items()))


def _topics(cluster: ClusterReader, found: _Found) -> tuple[BrokerConsumedTopic, ...]:
    """All topics that members are subscribed to, with their IDs and the readable offsets. One that is not there does not exist."""
    names = tuple(sorted({topic for one in found.group.members for topic in one.subscription} | _matched(cluster, found)))
    present = frozenset(cluster.topic_names()) if names else frozenset[str]()
    described, unknown = cluster.topics(tuple(name for name in names if name in present))
    found.unknown.extend(unknown)
    ids = cluster.topic_ids(tuple(topic.name for topic in described))
    for topic in described:
        if topic.name not in ids:
            found.note(f"topics.{strict.step_of(topic.name)}", "the brokers do not say its ID; it decides ties")
    partitions = tuple(TopicPartition(topic.name, one.id) for topic in described for one in topic.partitions)
    end, unknown = cluster.end_offsets(partitions)
    found.unknown.extend(unknown)
    committed: Mapping[TopicPartition, int] | None = None
    try:
        committed = dict(cluster.committed_offsets(found.group.group_id))
    except ClusterTrouble as trouble:
        found.note("committed_offset", str(trouble))
    return tuple(_topic(topic, ids[topic.name], dict(end), committed) for topic in described if topic.name in ids)


def _matched(cluster: ClusterReader, found: _Found) -> set[str]:
    """The topics that regular expressions match, of those that this user may describe."""
    regexes = dict.fromkeys(one.regex for one in found.group.members if one.regex)
    if not regexes:
        return set()
    names = cluster.topic_names()
    matched: set[str] = set()
    for regex in regexes:
        try:
            matched |= set(topic_regex.matching(regex, names))
        except HoldfastError as refusal:
            found.note("topics", f"the regular expression {strict.shown(regex)} cannot be resolved: {refusal}")
    return matched


def _topic(
    topic: Topic, topic_id: int, end: Mapping[TopicPartition, int], committed: Mapping[TopicPartition, int] | None
) -> BrokerConsumedTopic:
    partitions = []
    for one in sorted(topic.partitions, key=lambda each: each.id):
        place = TopicPartition(topic.name, one.id)
        offset = None if committed is None else committed.get(place)
        partitions.append(
            ConsumedPartition(
                replica_racks=one.replica_racks,
                end_offset=end.get(place),
                committed_offset=offset,
                uncommitted=committed is not None and offset is None,
            )
        )
    return BrokerConsumedTopic(topic.name, topic_id, tuple(partitions))
