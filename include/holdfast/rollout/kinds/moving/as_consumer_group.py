"""A classic consumer group that its first consumer of the new protocol converts: as the group that its coordinator takes over.

Java: `GroupMetadataManager.convertToConsumerGroup` and `ConsumerGroup.fromClassicGroup` (4.0.0 to 4.4.0): the epoch is the
generation, and the target of each member what its leader has assigned to it last. A dynamic consumer that converts has left the
classic group before, which has rebalanced without it.
"""

from collections.abc import Iterator

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka.consumer.group import Assignment, Member
from holdfast.kafka.coordinator.consumer import migration
from holdfast.kafka.coordinator.consumer.group import Assignor, MemberType
from holdfast.kafka.coordinator.consumer.release import FIRST_FOR_PRODUCTION, behaviour
from holdfast.kafka.coordinator.member_table import MemberTable
from holdfast.kafka.release_lines import is_older
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.change.change import GroupChange, Item
from holdfast.rollout.broker_consumer.events.add_consumer import AddConsumer
from holdfast.rollout.broker_consumer.events.convert_consumer import ConvertConsumer
from holdfast.rollout.broker_consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumedTopic, BrokerConsumer, BrokerConsumerSnapshot
from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.events.convert_consumer import ConvertConsumer as ConvertFirst
from holdfast.rollout.consumer.events.remove_consumer import RemoveConsumer
from holdfast.rollout.consumer.forecast import forecast as classic
from holdfast.rollout.consumer.snapshot import member_order
from holdfast.rollout.consumer.snapshot.snapshot import ConsumedTopic, ConsumerSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.json import strict

Owned = dict[str, tuple[TopicPartition, ...]]


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
    rest, rounds, owned = _without(snapshot, old)
    events = tuple(_events(change, old))
    return _group(snapshot, rest, rounds, owned, left=old.group_instance_id is None), GroupChange(events)


def _events(change: ConsumerChange, old: Member) -> Iterator[Item]:
    """The first one, if it is dynamic, is in the classic group no more, and joins."""
    for item in change.events:
        if not isinstance(item, ConvertFirst):
            assert isinstance(item, Then), "other events are refused"
            yield item
        elif item.member_id == old.member_id and old.group_instance_id is None:
            yield AddConsumer(NewConsumer(item.new_member_id, old.subscription, None, None, old.client_id, old.host, old.rack))
        else:
            document = {"member_id": item.member_id, "to": str(MemberType.CONSUMER)}
            new = {} if item.new_member_id is None else {"new_member_id": item.new_member_id}
            yield ConvertConsumer.codec().read(document | new)


def _without(snapshot: ConsumerSnapshot, old: Member) -> tuple[tuple[Member, ...], int, Owned]:
    """Who is in the classic group when the first consumer of the new protocol joins, the rebalances until then, and what each was
    assigned last."""
    if old.group_instance_id is not None:
        return snapshot.members, 0, member_order.read_by_each(snapshot)
    outcome = classic.forecast(snapshot, ConsumerChange((RemoveConsumer.codec().read({"member_id": old.member_id}),))).outcome
    if not outcome.stable:
        raise CannotPredict(f"the classic group does not settle without the first consumer that converts: {outcome.unsettled}")
    last = outcome.rounds[-1].decision if outcome.rounds else None
    if not isinstance(last, Assignment):
        raise CannotPredict("the classic group has no assignment without the first consumer that converts")
    return outcome.members, len(outcome.rounds), {one.member_id: one.partitions for one in last.members}


def _group(
    snapshot: ConsumerSnapshot, members: tuple[Member, ...], rounds: int, owned: Owned, *, left: bool
) -> BrokerConsumerSnapshot:
    _refuse(snapshot, len(members), static=not left)
    epoch = None if snapshot.generation is None else snapshot.generation + rounds
    by_id = {one.member_id: one for one in members}
    order = MemberTable(tuple(by_id), MemberTable.bits_for(len(by_id))).order()
    since = (Unknown("before the conversion", "the rebalance of the classic group without the first consumer is not counted"),)
    return BrokerConsumerSnapshot(
        group_id=snapshot.group_id,
        cluster=snapshot.cluster,
        captured_at=snapshot.captured_at,
        broker_release=snapshot.broker_release,
        group_state=STABLE,
        group_epoch=epoch,
        assignment_epoch=epoch,
        assignor=str(Assignor.UNIFORM),
        config=snapshot.config,
        topics=tuple(map(_topic, snapshot.topics)),
        members=tuple(_member(by_id[name], owned[name], epoch) for name in order),
        still_classic=True,
        unknown=(*snapshot.unknown, *(since if left else ())),
    )


def _refuse(snapshot: ConsumerSnapshot, members: int, *, static: bool) -> None:
    """What the brokers refuse, and what decides and is unknown. `members`: who is there when the first consumer joins."""
    release = snapshot.broker_release
    if release is None or is_older(release, FIRST_FOR_PRODUCTION):
        needed = f"of Kafka {FIRST_FOR_PRODUCTION} or later"
        raise CannotPredict(
            f"broker_release: a coordinator {needed} is needed, {release or 'none'} was found; give --broker-release"
        )
    facts = behaviour(release)
    if static and facts.static_conversion_computes:
        raise CannotPredict(
            f"broker_release: Kafka {release} computes a target when a static member converts the group: not covered"
        )
    if refused := migration.refuses_new(dict(snapshot.config), members + (facts.counts_returns_twice or not static)):
        raise CannotPredict(f"config.{refused}: the brokers refuse a consumer of the new protocol in this group")
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
        subscription=one.subscription,
        assignment=owned,
        target=owned,
    )
