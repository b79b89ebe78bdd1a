"""A group that is still classic, or is again: what its leader assigns, rebalance by rebalance.

The leader's decision is that of `kafka.consumer`; the coordinator takes over what it has assigned last.
"""

from collections.abc import Collection, Iterator
from functools import lru_cache

from holdfast.errors import CannotPredict
from holdfast.kafka.consumer import rebalances
from holdfast.kafka.consumer.group import Assignment, Group, Topic
from holdfast.kafka.consumer.rebalances import Readers, Rebalance, Unsettled
from holdfast.kafka.consumer.release import LINES
from holdfast.kafka.coordinator.consumer import migration
from holdfast.kafka.coordinator.consumer.group import MemberType
from holdfast.kafka.coordinator.consumer.release import behaviour
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.broker_consumer.events.set_config import SetConfig
from holdfast.rollout.broker_consumer.forecast.outcomes import LeaderRebalance
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot, ClassicGroup
from holdfast.rollout.json import strict


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


def without_some(snapshot: BrokerConsumerSnapshot, left: Collection[str], reads: Readers, batch: int) -> Iterator[LeaderRebalance]:
    """The rebalances of the classic group of which only `left` is left. `reads`: who reads what before. Raise CannotPredict."""
    classic = snapshot.classic
    if classic is None:
        raise CannotPredict(
            "the group is classic until the first consumer has converted, and what its leader goes by is unknown: forecast it from"
            " a snapshot of the classic group"
        )
    if not left:
        raise CannotPredict("no consumer is left in the classic group when the first one of the new protocol joins: not covered")
    known = snapshot.group_epoch is not None
    withheld: tuple[TopicPartition, ...] = ()
    for one in _decided(snapshot, classic, frozenset(left)):
        assert isinstance(one.decision, Assignment), "a leader that fails is refused"
        yield LeaderRebalance(
            generation=one.generation if known else None,
            assignor=str(one.decision.assignor),
            owned=tuple((each.member_id, each.partitions) for each in one.decision.members),
            owners=dict(rebalances.readers_after(one.decision)),
            stopped=tuple(dict.fromkeys((*rebalances.unavailable(reads, one.joined), *withheld))),
            given_up=frozenset(partition for each in one.decision.members for partition in each.revoked),
            batch=batch,
            targets=0,
        )
        reads = rebalances.readers_after(one.decision)
        withheld = tuple(partition for each in one.decision.members for partition in each.withheld)


@lru_cache(maxsize=4)
def _decided(snapshot: BrokerConsumerSnapshot, classic: ClassicGroup, left: frozenset[str]) -> tuple[Rebalance, ...]:
    """Of an unknown release of the consumers: where all decide alike. Kept: it is the same whatever the IDs of those that come."""
    known = classic.kafka_release
    releases = [line.releases[-1] for line in reversed(LINES)] if known is None else [known]
    each = [_of_a_release(snapshot, classic, left, release) for release in releases]
    different = [release for release, one in zip(releases, each, strict=True) if _parts(one) != _parts(each[0])]
    if different:
        raise CannotPredict(
            f"The release of the Kafka clients is unknown, and it matters here: {releases[0]} gives one result,"
            f" {', '.join(different)} another. Give it with --kafka-release, or as kafka_release in the Snapshot."
        )
    return each[0]


def _of_a_release(
    snapshot: BrokerConsumerSnapshot, classic: ClassicGroup, left: Collection[str], release: str
) -> tuple[Rebalance, ...]:
    members = tuple(one for one in classic.members if one.member_id in left)
    missing = [one for one in left if all(one != each.member_id for each in members)]
    if missing:
        raise CannotPredict(f"members.{strict.step_of(missing[0])}: its assignors are unknown")
    leads = classic.leader_member_id if classic.leader_member_id in left else None
    group = Group(
        release=release,
        members=members,
        topics=tuple(Topic(one.name, tuple(each.replica_racks for each in one.partitions)) for one in snapshot.topics),
        broker_release=snapshot.broker_release,
        leader_member_id=members[0].member_id if len(members) == 1 else leads,
    )
    try:
        return tuple(rebalances.until_stable(group, rebalances.first_generation(snapshot.group_epoch, classic.members)))
    except Unsettled as why:
        raise CannotPredict(f"the classic group does not settle without the first consumer that converts: {why}") from None


def _parts(found: tuple[Rebalance, ...]) -> list[object]:
    """Whatever the order in which a leader lists partitions."""
    return [
        [(each.member_id, sorted(each.partitions)) for each in one.decision.members]
        for one in found
        if isinstance(one.decision, Assignment)
    ]
