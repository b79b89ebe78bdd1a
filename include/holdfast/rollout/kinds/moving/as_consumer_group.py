"""A classic consumer group whose consumers convert: as the group that its coordinator takes over from the leader.

Java: `GroupMetadataManager.convertToConsumerGroup` and `ConsumerGroup.fromClassicGroup` (4.0.0 to 4.4.0): the epoch is the
generation, and the target of each member what its leader has assigned to it last.
"""

from collections.abc import Iterator

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka.consumer.group import Member
from holdfast.kafka.coordinator.consumer.group import Assignor, MemberType
from holdfast.kafka.coordinator.consumer.release import FIRST_FOR_PRODUCTION
from holdfast.kafka.release_lines import is_older
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.change.change import GroupChange, Item
from holdfast.rollout.broker_consumer.events.convert_consumer import ConvertConsumer
from holdfast.rollout.broker_consumer.snapshot.snapshot import (
    BrokerConsumedTopic,
    BrokerConsumer,
    BrokerConsumerSnapshot,
    ClassicGroup,
)
from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.events.convert_consumer import ConvertConsumer as ConvertFirst
from holdfast.rollout.consumer.snapshot import member_order
from holdfast.rollout.consumer.snapshot.snapshot import ConsumedTopic, ConsumerSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.contract.group_state import refuse_unsettled
from holdfast.rollout.json import strict


def converted(snapshot: ConsumerSnapshot, change: ConsumerChange) -> tuple[BrokerConsumerSnapshot, GroupChange]:
    """The group when the first consumer joins it, and the change from then on. Raise InvalidInput for other events, and for a
    consumer that the group does not have; CannotPredict."""
    for index, item in enumerate(change.events):
        if not isinstance(item, (ConvertFirst, Then)):
            raise InvalidInput(
                "with convert_consumer the group becomes one of another kind: a change that has it has no other events. Make the"
                " others changes of their own, before it or after it",
                f"events[{index}]",
            )
    place = next(index for index, item in enumerate(change.events) if isinstance(item, ConvertFirst))
    first = change.events[place]
    assert isinstance(first, ConvertFirst)
    old = next((one for one in snapshot.members if one.member_id == first.member_id), None)
    if old is None:
        raise InvalidInput(
            f"{strict.shown(first.member_id)} is no consumer of the group", f"events[{place}].{first.VERB}.member_id"
        )
    if place + 1 < len(change.events) and not isinstance(change.events[place + 1], Then):
        raise InvalidInput(
            'the first consumer converts alone: put {"then": "stable"} between it and the others', f"events[{place + 1}]"
        )
    refuse_unsettled(snapshot.group_id, snapshot.group_state, members=len(snapshot.members))
    return as_consumer_group(snapshot), GroupChange(tuple(_events(change)))


def _events(change: ConsumerChange) -> Iterator[Item]:
    for item in change.events:
        if isinstance(item, ConvertFirst):
            new = {} if item.new_member_id is None else {"new_member_id": item.new_member_id}
            fast = {"within_interval": True} if item.within_rebalance else {}
            yield ConvertConsumer.codec().read({"member_id": item.member_id, "to": str(MemberType.CONSUMER), **new, **fast})
        else:
            assert isinstance(item, Then), "other events are refused"
            yield item


def as_consumer_group(snapshot: ConsumerSnapshot) -> BrokerConsumerSnapshot:
    """While it is classic. Raise CannotPredict where something that decides is unknown."""
    _refuse_unknown(snapshot)
    owned = member_order.read_by_each(snapshot)
    return BrokerConsumerSnapshot(
        group_id=snapshot.group_id,
        cluster=snapshot.cluster,
        captured_at=snapshot.captured_at,
        broker_release=snapshot.broker_release,
        client_release=snapshot.kafka_release,
        group_state=snapshot.group_state,
        group_epoch=snapshot.generation,
        assignment_epoch=snapshot.generation,
        assignor=str(Assignor.UNIFORM),
        config=snapshot.config,
        topics=tuple(map(_topic, snapshot.topics)),
        members=tuple(_member(one, owned[one.member_id], snapshot.generation) for one in snapshot.members),
        still_classic=True,
        classic=ClassicGroup(snapshot.members, snapshot.leader_member_id),
        unknown=snapshot.unknown,
    )


def _refuse_unknown(snapshot: ConsumerSnapshot) -> None:
    release = snapshot.broker_release
    if release is None or is_older(release, FIRST_FOR_PRODUCTION):
        needed = f"of Kafka {FIRST_FOR_PRODUCTION} or later"
        raise CannotPredict(
            f"broker_release: a coordinator {needed} is needed, {release or 'none'} was found; give --broker-release"
        )
    missing = next((topic.name for topic in snapshot.topics if topic.id is None), None)
    if missing is not None:
        raise CannotPredict(f"topics.{strict.step_of(missing)}.id is unknown, and decides ties: collect the group again")


def _topic(topic: ConsumedTopic) -> BrokerConsumedTopic:
    return BrokerConsumedTopic(topic.name, topic.id or 0, topic.partitions)


def _member(one: Member, owned: tuple[TopicPartition, ...], epoch: int | None) -> BrokerConsumer:
    return BrokerConsumer(
        member_id=one.member_id,
        client_id=one.client_id,
        host=one.host,
        instance_id=one.group_instance_id,
        rack=one.rack,
        member_epoch=epoch,
        member_type=str(MemberType.CLASSIC),
        assignors=one.assignors,
        subscription=one.subscription,
        assignment=owned,
        target=owned,
    )
