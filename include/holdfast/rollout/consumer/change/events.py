"""The effect of each event of a Change on a consumer group, before the rebalance that it causes."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeVar, assert_never

from holdfast.errors import InvalidInput
from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.kafka.consumer.group import Assignor, Member
from holdfast.rollout.consumer.change import timing
from holdfast.rollout.consumer.change.change import (
    AddConsumer,
    AddPartitions,
    AddTopic,
    ConsumerEvent,
    NewConsumer,
    Racks,
    RemoveConsumer,
    RemoveTopic,
    ReplaceConsumer,
    RestartConsumer,
    SetAssignors,
)
from holdfast.rollout.consumer.change.timing import Departure
from holdfast.rollout.consumer.snapshot.snapshot import ConsumedPartition, ConsumedTopic
from holdfast.rollout.contract.batches import FromOld, Lot
from holdfast.rollout.facts.notes import Note, NoteKind
from holdfast.rollout.text.wording import printable

T = TypeVar("T")

MOST_PARTITIONS_AT_ALL = 10_000_000
"""Of all topics together: what a change may ask for is bounded."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A group between two rebalances. `notes`: what the events leave open.

    Of the last events: `noticed_s`, how long it takes until the group notices them, and `abrupt`, who went without a word.
    """

    members: tuple[Member, ...]
    topics: tuple[ConsumedTopic, ...]
    leader_member_id: str | None
    notes: tuple[Note, ...] = ()
    noticed_s: float = 0
    abrupt: tuple[str, ...] = ()


def apply(scene: Scene, lot: Lot[ConsumerEvent], config: ConsumerConfig) -> Scene:
    """The scene after events that take effect together. Raise InvalidInput for one that does not fit the group."""
    scene = replace(scene, noticed_s=0, abrupt=())
    for index, event in lot.events:
        try:
            scene = _apply(scene, event, config)
        except InvalidInput as problem:
            raise InvalidInput(problem.problem, f"events[{index}].{verb(event)}.{problem.where}") from None
    return _with_leader(scene)


def causes_no_rebalance(lot: Lot[ConsumerEvent]) -> bool:
    """Whether nothing happens in it but returns of static members."""
    return bool(lot.events) and all(isinstance(event, RestartConsumer) and event.within_session for _, event in lot.events)


def _apply(scene: Scene, event: ConsumerEvent, config: ConsumerConfig) -> Scene:
    match event:
        case AddConsumer(consumer):
            return _joined(scene, _made(consumer, None), "member_id", "group_instance_id")
        case RemoveConsumer(member_id, departure):
            return _removed(scene, _member(scene, member_id), departure, config)
        case ReplaceConsumer(member_id, by):
            old = _member(scene, member_id)
            return _joined(_without(scene, old), _made(by, old), "by.member_id", "by.group_instance_id")
        case RestartConsumer(member_id, back, within_session=True):
            return _returned(scene, member_id, back, config)
        case RestartConsumer(member_id, back):
            return _restarted(scene, member_id, back, "new_member_id")
        case SetAssignors(assignors, member_ids):
            return _with_assignors(scene, assignors, member_ids)
        case AddPartitions():
            return _grown(scene, event)
        case AddTopic():
            return _with_topic(scene, event)
        case RemoveTopic(topic):
            gone = _topic(scene, topic)
            return replace(scene, topics=tuple(one for one in scene.topics if one is not gone))
        case _:
            assert_never(event)


def verb(event: ConsumerEvent) -> str:
    """The event's name in JSON."""
    return VERBS[type(event)]


VERBS: dict[type, str] = {
    AddConsumer: "add_consumer",
    AddPartitions: "add_partitions",
    AddTopic: "add_topic",
    RemoveConsumer: "remove_consumer",
    RemoveTopic: "remove_topic",
    ReplaceConsumer: "replace_consumer",
    RestartConsumer: "restart_consumer",
    SetAssignors: "set_assignors",
}


# Consumers.


def _made(new: NewConsumer, old: Member | None) -> Member:
    """The member as it joins. Without an `old` one every property is given."""
    like = old or Member(new.member_id, (), ())
    return Member(
        member_id=new.member_id,
        assignors=_taken_over(new.assignors, like.assignors),
        subscription=_taken_over(new.subscription, like.subscription),
        group_instance_id=_taken_over(new.group_instance_id, like.group_instance_id),
        rack=_taken_over(new.rack, like.rack),
        client_id=_taken_over(new.client_id, like.client_id),
        host=_taken_over(new.host, like.host),
    )


def _taken_over(given: T | FromOld, old: T) -> T:
    return old if isinstance(given, FromOld) else given


def _restarted(scene: Scene, member_id: str, back: NewConsumer, field: str) -> Scene:
    """It leaves and joins, so that it stands last in the member list, under whichever ID."""
    old = _member(scene, member_id)
    made = _made(back, old)
    joined = _joined(_without(scene, old), made, field, "group_instance_id")
    if old.member_id == scene.leader_member_id and old.group_instance_id is not None:
        # The coordinator knows it by its instance ID and lets it lead on (GroupMetadata.replaceStaticMember).
        still_leads = made.member_id if made.group_instance_id == old.group_instance_id else None
        return replace(joined, leader_member_id=still_leads)
    return joined


def _returned(scene: Scene, member_id: str, back: NewConsumer, config: ConsumerConfig) -> Scene:
    """A static member is back in time: it runs what it ran, under a new member ID, and remembers that."""
    old = _member(scene, member_id)
    if old.group_instance_id is None:
        raise InvalidInput(
            f"{_quoted(member_id)} has no group.instance.id: a dynamic member joins again with a rebalance", "within_session"
        )
    session_s = config.session_timeout_ms / 1000
    note = (
        f"The partitions of {_quoted(old.group_instance_id)} are unavailable until it returns, up to {session_s:g} s; that time"
        " is not known and not counted."
    )
    scene = replace(scene, notes=(*scene.notes, Note(NoteKind.RETURN, note)))
    made = replace(_made(back, old), owned=old.owned, owned_generation=old.owned_generation)
    others = _without(scene, old)
    leads = made.member_id if scene.leader_member_id == member_id else scene.leader_member_id
    if made.member_id == member_id:
        return replace(scene, members=tuple(made if one is old else one for one in scene.members))
    return replace(_joined(others, made, "new_member_id", "group_instance_id"), leader_member_id=leads)


def _removed(scene: Scene, gone: Member, departure: Departure, config: ConsumerConfig) -> Scene:
    scene = _without(scene, gone)
    if departure is not Departure.LEAVES:
        noticed = max(scene.noticed_s, timing.noticed_s(gone, departure, config))
        return replace(scene, noticed_s=noticed, abrupt=(*scene.abrupt, gone.member_id))
    if gone.group_instance_id is None:
        return scene
    note = (
        f"{_quoted(gone.member_id)} is static: it does not leave the group when it is closed. Unless it is removed manually"
        f" (removeMembersFromConsumerGroup), the group rebalances only when its session times out, after"
        f" {config.session_timeout_ms / 1000:g} s: set leaves to false for that."
    )
    return replace(scene, notes=(*scene.notes, Note(NoteKind.STATIC_STAYS, note)))


def _with_assignors(scene: Scene, assignors: tuple[Assignor, ...], member_ids: tuple[tuple[str, str], ...]) -> Scene:
    for old, new in member_ids:
        try:
            scene = _restarted(scene, old, NewConsumer(new, assignors=assignors), "")
        except InvalidInput as problem:
            raise InvalidInput(problem.problem, f"member_ids.{old}" if old.isprintable() else "member_ids") from None
    return scene


def _joined(scene: Scene, member: Member, id_field: str, instance_field: str) -> Scene:
    if any(one.member_id == member.member_id for one in scene.members):
        raise InvalidInput(f"the member ID {_quoted(member.member_id)} is in the group already; give one that is not", id_field)
    _refuse_instance(scene, member, instance_field)
    return replace(scene, members=(*scene.members, member))


def _refuse_instance(scene: Scene, member: Member, field: str) -> None:
    instance = member.group_instance_id
    if instance is None:
        return
    holder = next((one for one in scene.members if one.group_instance_id == instance), None)
    if holder is not None:
        raise InvalidInput(
            f"the group instance ID {_quoted(instance)} is that of {_quoted(holder.member_id)}, which it would take out of the"
            " group: use replace_consumer for that, or give another one",
            field,
        )


def _without(scene: Scene, gone: Member) -> Scene:
    return replace(scene, members=tuple(one for one in scene.members if one is not gone))


def _member(scene: Scene, member_id: str) -> Member:
    found = next((one for one in scene.members if one.member_id == member_id), None)
    if found is None:
        there = _instead(one.member_id for one in scene.members)
        raise InvalidInput(f"the consumer {_quoted(member_id)} is not in the group then{there}", "member_id")
    return found


def _instead(there: Iterable[str]) -> str:
    names = [_quoted(one) for one in there]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"; there are: {', '.join(names[:_SHOWN]) or 'none'}{more}"


def _quoted(name: str) -> str:
    return f"'{printable(name)}'"


_SHOWN = 20


def _with_leader(scene: Scene) -> Scene:
    """The leader leads on. If it is gone, nobody knows whom the coordinator takes, unless only one is left."""
    if len(scene.members) == 1:
        return replace(scene, leader_member_id=scene.members[0].member_id)
    if any(one.member_id == scene.leader_member_id for one in scene.members):
        return scene
    return replace(scene, leader_member_id=None)


# Topics.


def _grown(scene: Scene, event: AddPartitions) -> Scene:
    topic = _topic(scene, event.topic)
    now = len(topic.partitions)
    if event.partitions <= now:
        raise InvalidInput(f"{_quoted(event.topic)} has {now} partitions; a topic can only grow", "partitions")
    grown = replace(topic, partitions=(*topic.partitions, *_new_partitions(scene, event, event.partitions - now)))
    return replace(scene, topics=tuple(grown if one is topic else one for one in scene.topics))


def _with_topic(scene: Scene, event: AddTopic) -> Scene:
    if any(one.name == event.topic for one in scene.topics):
        raise InvalidInput(f"the topic {_quoted(event.topic)} exists already; add_partitions lets it grow", "topic")
    made = ConsumedTopic(event.topic, _new_partitions(scene, event, event.partitions))
    scene = replace(scene, topics=(*scene.topics, made))
    if any(event.topic in one.subscription for one in scene.members):
        return scene
    note = f"No consumer subscribes to {_quoted(event.topic)}: the topic causes no rebalance, and is not read."
    return replace(scene, notes=(*scene.notes, Note(NoteKind.TOPICS, note)))


def _new_partitions(scene: Scene, event: AddPartitions | AddTopic, count: int) -> tuple[ConsumedPartition, ...]:
    racks: Racks = ((),) * count if event.replica_racks is None else event.replica_racks
    if len(racks) != count:
        kind = "new partition" if isinstance(event, AddPartitions) else "partition"
        raise InvalidInput(f"one list of racks a {kind} is needed ({count}), {len(racks)} were found", "replica_racks")
    if count + sum(len(topic.partitions) for topic in scene.topics) > MOST_PARTITIONS_AT_ALL:
        raise InvalidInput(f"all topics together may have {MOST_PARTITIONS_AT_ALL:,} partitions", "partitions")
    return tuple(ConsumedPartition(one, uncommitted=True) for one in racks)


def _topic(scene: Scene, name: str) -> ConsumedTopic:
    found = next((one for one in scene.topics if one.name == name), None)
    if found is None:
        raise InvalidInput(f"the topic {_quoted(name)} does not exist then{_instead(one.name for one in scene.topics)}", "topic")
    return found
