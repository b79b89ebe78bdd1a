"""A consumer group between two rebalances, and its members and topics, as events find and change them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from holdfast.errors import InvalidInput
from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.snapshot.snapshot import ConsumedTopic
from holdfast.rollout.facts.notes import Note
from holdfast.rollout.json.consumed_topics import ConsumedPartition
from holdfast.rollout.text.format import printable, some_of

MOST_PARTITIONS_AT_ALL = 10_000_000
"""Of all topics together: what a change may ask for is bounded."""
Racks = tuple[tuple[str | None, ...], ...]
"""For each partition the rack of each replica's broker."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A group between two rebalances. `notes`: what the events leave open.

    Of the last events: `noticed_s`, the seconds until the broker has detected them, and `abrupt`, the members that ended without
    leaving. `away`: those that have left, and come back once the group has rebalanced without them.
    """

    members: tuple[Member, ...]
    topics: tuple[ConsumedTopic, ...]
    leader_member_id: str | None
    notes: tuple[Note, ...] = ()
    noticed_s: float = 0
    abrupt: tuple[str, ...] = ()
    away: tuple[Member, ...] = ()


def quoted(name: str) -> str:
    return f"'{printable(name)}'"


# Members.


def member_of(scene: Scene, member_id: str) -> Member:
    found = next((one for one in scene.members if one.member_id == member_id), None)
    if found is None:
        present = _instead(one.member_id for one in scene.members)
        raise InvalidInput(f"the consumer {quoted(member_id)} is not in the group then{present}", "member_id")
    return found


def joined(scene: Scene, member: Member, id_field: str, instance_field: str) -> Scene:
    if any(one.member_id == member.member_id for one in scene.members):
        raise InvalidInput(f"the member ID {quoted(member.member_id)} is in the group already; give one that is not", id_field)
    _refuse_instance(scene, member, instance_field)
    return replace(scene, members=(*scene.members, member))


def _refuse_instance(scene: Scene, member: Member, field: str) -> None:
    instance = member.group_instance_id
    if instance is None:
        return
    holder = next((one for one in scene.members if one.group_instance_id == instance), None)
    if holder is not None:
        raise InvalidInput(
            f"the group instance ID {quoted(instance)} is that of {quoted(holder.member_id)}, which it would take out of the"
            " group: use replace_consumer for that, or give another one",
            field,
        )


def without(scene: Scene, gone: Member) -> Scene:
    return replace(scene, members=tuple(one for one in scene.members if one is not gone))


def _instead(present: Iterable[str]) -> str:
    return f"; there are: {some_of([quoted(one) for one in present])}"


# Topics.


def topic_of(scene: Scene, name: str) -> ConsumedTopic:
    found = next((one for one in scene.topics if one.name == name), None)
    if found is None:
        raise InvalidInput(f"the topic {quoted(name)} does not exist then{_instead(one.name for one in scene.topics)}", "topic")
    return found


def new_partitions(scene: Scene, count: int, given: Racks | None, kind: str) -> tuple[ConsumedPartition, ...]:
    """`kind`: what they are, in the message."""
    racks: Racks = ((),) * count if given is None else given
    if len(racks) != count:
        raise InvalidInput(f"one list of racks a {kind} is needed ({count}), {len(racks)} were found", "replica_racks")
    if count + sum(len(topic.partitions) for topic in scene.topics) > MOST_PARTITIONS_AT_ALL:
        raise InvalidInput(f"all topics together may have {MOST_PARTITIONS_AT_ALL:,} partitions", "partitions")
    return tuple(ConsumedPartition(one, uncommitted=True) for one in racks)
