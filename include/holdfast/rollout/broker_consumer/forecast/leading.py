"""A group that is still classic, or is again: what its leader assigns, rebalance by rebalance.

The leader's decision is that of `kafka.consumer`; the coordinator takes over what it has assigned last.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from holdfast.errors import CannotPredict
from holdfast.kafka import java_hash
from holdfast.kafka.consumer import rebalances
from holdfast.kafka.consumer.group import Assignment, Assignor, Group, MemberAssignment, Topic
from holdfast.kafka.consumer.group import Member as ClassicMember
from holdfast.kafka.consumer.rebalances import Readers, Rebalance, Unsettled
from holdfast.kafka.consumer.release import LINES
from holdfast.kafka.coordinator.consumer import migration
from holdfast.kafka.coordinator.consumer.group import Member, MemberType, Owned
from holdfast.kafka.coordinator.consumer.release import behaviour
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.broker_consumer.events.set_config import SetConfig
from holdfast.rollout.broker_consumer.forecast.outcomes import LeaderRebalance
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot, ClassicGroup
from holdfast.rollout.broker_consumer.target.target import each_partition


def refuse_event(scene: Scene, event: ConsumerEvent) -> None:
    """Raise CannotPredict for what the leader of a classic group would answer, and for a second consumer that converts with the
    first."""
    if isinstance(event, SetConfig):
        return
    comes = event.comes()
    joins = comes is not None and (event.converts_to() or comes.consumer.member_type) is MemberType.CONSUMER
    if not joins or event.crashes():
        raise CannotPredict(
            f"{event.VERB}: the group is classic until its first consumer of the new protocol has joined, and this comes before:"
            " convert a consumer that leaves, or add one of the new protocol"
        )
    if scene.away:
        raise CannotPredict(
            f"{event.VERB}: of several consumers that leave a classic group together no coordinator takes over: let the first one"
            " convert alone"
        )


def refuse_first(snapshot: BrokerConsumerSnapshot, members: int, *, static: bool) -> None:
    """Raise CannotPredict where the brokers refuse the first consumer of the new protocol. `members`: who is there without it;
    `static`: it takes the place of one of them."""
    release = str(snapshot.broker_release)
    facts = behaviour(release)
    if static and facts.static_conversion_computes:
        raise CannotPredict(
            f"broker_release: Kafka {release} computes a target when a static member converts the group: not covered"
        )
    counted = members + (facts.counts_returns_twice or not static)
    if refused := migration.refuses_new(dict(snapshot.config), counted):
        raise CannotPredict(f"config.{refused}: the brokers refuse a consumer of the new protocol in this group")


def from_classic(snapshot: BrokerConsumerSnapshot) -> ClassicGroup | None:
    """What the leader of a group goes by that is still classic. Raise CannotPredict where that is unknown."""
    if snapshot.still_classic and snapshot.classic is None:
        raise CannotPredict(
            "the group is classic until the first consumer has converted, and what its leader goes by is unknown: forecast it from"
            " a snapshot of the classic group"
        )
    return snapshot.classic


def become_classic(scene: Scene, owned: Mapping[str, Owned], fresh: Collection[str]) -> ClassicGroup | None:
    """What the leader goes by of a group that has become classic: what each member has, from the generation that is its epoch.
    `fresh`: those that have just joined in the place of another, with nothing; so have those whom no target has given anything.
    None: what some of them list is unknown.

    Java: `ClassicGroup.fromConsumerGroup`; a member hears of each target by the first assignor that it lists
    (`classicGroupJoinToConsumerGroup`).
    """
    if not scene.members or not all(one.assignors for one in (*scene.members.values(), *(back.new for back in scene.away))):
        return None
    generation = scene.epoch or 0
    members = []
    there = [name for name in scene.table.order() if name in scene.members and name not in fresh]
    for name in dict.fromkeys((*there, *scene.members)):  # as the coordinator goes through them; who has just joined comes last
        joins = _joins(scene.members[name])
        if name in owned and name not in fresh:
            had = Assignment(joins.assignors[0], (MemberAssignment(name, each_partition(owned[name])),))
            (joins,) = rebalances.after_round((joins,), had, generation)
        members.append(joins)
    return ClassicGroup(_as_listed(members))


def with_newcomers(classic: ClassicGroup, scene: Scene) -> ClassicGroup:
    """Those that are there now: who has joined since then has nothing."""
    known = {one.member_id for one in classic.members}
    there = [one for one in classic.members if one.member_id in scene.members]
    new = [_joins(one) for name, one in scene.members.items() if name not in known]
    leads = classic.leader_member_id if classic.leader_member_id in scene.members else None
    alone = there[0].member_id if len(there) == 1 and not new else None
    return replace(classic, members=_as_listed([*there, *new]) if new else tuple(there), leader_member_id=alone or leads)


def _joins(one: Member) -> ClassicMember:
    listed = tuple(map(Assignor, one.assignors))
    return ClassicMember(one.member_id, listed, one.subscription, group_instance_id=one.instance_id, rack=one.rack)


def _as_listed(members: Sequence[ClassicMember]) -> tuple[ClassicMember, ...]:
    """In the order of the coordinator's HashMap (`ClassicGroup.members`)."""
    by_id = {one.member_id: one for one in members}
    return tuple(by_id[name] for name in java_hash.string_map_order(tuple(by_id), java_hash.buckets_after(len(by_id), len(by_id))))


class Led(NamedTuple):
    """What has followed: the rebalances, and the group as its leader sees it after them."""

    rebalances: tuple[Rebalance, ...]
    classic: ClassicGroup


def led(snapshot: BrokerConsumerSnapshot, scene: Scene, classic: ClassicGroup) -> Led:
    """The rebalances of a classic group until it is stable. Raise CannotPredict."""
    if not classic.members:
        raise CannotPredict("no consumer is left in the classic group: what its next member finds is not covered")
    if migration.is_too_large(dict(scene.config), len(classic.members)):
        raise CannotPredict(
            f"config.{migration.CLASSIC_MAX_SIZE}: the classic group takes fewer than {len(classic.members)} members; the"
            " member that joins last is refused"
        )
    racks = {one.name: tuple(each.replica_racks for each in one.partitions) for one in snapshot.topics}
    topics = tuple(Topic(one.name, (racks.get(one.name, ()) + ((),) * one.partitions)[: one.partitions]) for one in scene.topics)
    releases = (snapshot.client_release, snapshot.broker_release)
    found = _decided(classic, topics, *releases, rebalances.first_generation(scene.epoch, classic.members))
    return Led(found, replace(classic, members=found[-1].members))


def as_outcome(found: Iterable[Rebalance], reads: Readers, *, known: bool, batch: int, targets: int) -> Iterator[LeaderRebalance]:
    """`reads`: who reads what before; `known`: whether the generation is; `targets`: how many were computed before."""
    withheld: tuple[TopicPartition, ...] = ()
    for one in found:
        assert isinstance(one.decision, Assignment), "a leader that fails is refused"
        yield LeaderRebalance(
            generation=one.generation if known else None,
            assignor=str(one.decision.assignor),
            owned=tuple((each.member_id, each.partitions) for each in one.decision.members),
            owners=dict(rebalances.readers_after(one.decision)),
            stopped=tuple(dict.fromkeys((*rebalances.unavailable(reads, one.joined), *withheld))),
            given_up=frozenset(partition for each in one.decision.members for partition in each.revoked),
            batch=batch,
            targets=targets,
        )
        reads = rebalances.readers_after(one.decision)
        withheld = tuple(partition for each in one.decision.members for partition in each.withheld)


@lru_cache(maxsize=8)
def _decided(
    classic: ClassicGroup, topics: tuple[Topic, ...], known: str | None, broker_release: str | None, generation: int
) -> tuple[Rebalance, ...]:
    """`known`: the release of the consumers; None: where all decide alike. Kept: before the first one of the new protocol joins
    it is the same whatever the IDs of those that come."""
    releases = [line.releases[-1] for line in reversed(LINES)] if known is None else [known]
    groups = [Group(one, classic.members, topics, broker_release, classic.leader_member_id) for one in releases]
    try:
        each = [tuple(rebalances.until_stable(group, generation)) for group in groups]
    except Unsettled as why:
        raise CannotPredict(f"the classic group does not settle: {why}") from None
    different = [release for release, one in zip(releases, each, strict=True) if _parts(one) != _parts(each[0])]
    if different:
        raise CannotPredict(
            f"The release of the Kafka clients is unknown, and it matters here: {releases[0]} gives one result,"
            f" {', '.join(different)} another. Give it with --kafka-release, or as client_release in the Snapshot."
        )
    return each[0]


def _parts(found: tuple[Rebalance, ...]) -> list[object]:
    """Whatever the order in which a leader lists partitions."""
    return [
        [(each.member_id, sorted(each.partitions)) for each in one.decision.members]
        for one in found
        if isinstance(one.decision, Assignment)
    ]
