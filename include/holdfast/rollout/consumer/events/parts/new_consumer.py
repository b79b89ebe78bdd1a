"""A consumer that joins, or comes back: its value, its JSON, its words, and the member that it is in a group."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from holdfast.kafka.consumer.group import Assignor, Member
from holdfast.rollout.consumer.events.parts import scene as scenes
from holdfast.rollout.consumer.events.parts.scene import Scene
from holdfast.rollout.contract.batches import INHERITED, FromOld
from holdfast.rollout.facts.notes import Note, NoteKind
from holdfast.rollout.json.classic_members import ASSIGNORS
from holdfast.rollout.json.codec import BOOLEAN, NAME, TEXT, nullable
from holdfast.rollout.json.consumed_topics import SUBSCRIPTION
from holdfast.rollout.json.record import gathered, member, record, variant
from holdfast.rollout.json.record_codec import NEEDED
from holdfast.rollout.text.format import printable
from holdfast.rollout.text.request_words import short

T = TypeVar("T")
AWAY = Note(
    NoteKind.RETURN,
    "Dynamic consumers that restart, or are replaced, leave the group when they are stopped: it rebalances without them, and again"
    " when they are back. Where one is back before the others have joined, there is one rebalance instead of the two.",
)
BACK_SOON = ", back before the others have joined"
WITHIN_REBALANCE = BOOLEAN.described(
    "Of dynamic consumers. False: the group rebalances before it is back. True: it is back before the others have joined. Where"
    " nothing is given, a plan goes by false, a forecast by true."
)


@record
class NewConsumer:
    """A consumer that joins. It owns nothing and remembers nothing. INHERITED: as the consumer in whose place it comes."""

    member_id: str = member(NAME)
    assignors: tuple[Assignor, ...] | FromOld = member(ASSIGNORS, default=INHERITED, omit=True)
    subscription: tuple[str, ...] | FromOld = member(SUBSCRIPTION, default=INHERITED, omit=True)
    client_id: str | FromOld = member(TEXT, default=INHERITED, omit=True)
    host: str | FromOld | None = member(nullable(TEXT), default=INHERITED, omit=True)
    rack: str | FromOld | None = member(nullable(TEXT), default=INHERITED, omit=True)
    group_instance_id: str | FromOld | None = member(nullable(NAME), default=INHERITED, omit=True)


ADDED = variant(NewConsumer, assignors=NEEDED, subscription=NEEDED, client_id="", host=None, rack=None, group_instance_id=None)
"""One that is added inherits nothing."""
UNNAMED = variant(NewConsumer, member_id=gathered(lambda _: "", default=""))
"""A new consumer whose member ID is declared elsewhere."""

# In words.


def given(one: NewConsumer) -> str:
    """All that is to be so of it."""
    properties = (
        ("host", one.host),
        ("client.id", one.client_id),
        ("rack", one.rack),
        ("group.instance.id", one.group_instance_id),
    )
    found = [f"{what} {value}" for what, value in properties if isinstance(value, str) and not isinstance(value, FromOld)]
    if not isinstance(one.assignors, FromOld):
        found.append(f"assignors {', '.join(assignor.value for assignor in one.assignors)}")
    if not isinstance(one.subscription, FromOld):
        found.append(f"reading {', '.join(one.subscription)}")
    return f" ({', '.join(found)})" if found else ""


def short_host(one: NewConsumer) -> str:
    return short(one.host) if isinstance(one.host, str) and not isinstance(one.host, FromOld) else ""


def in_a_step(consumer: NewConsumer) -> str:
    """Who joins: its member ID is the broker's to make, so that its instance ID and its host say more."""
    name = printable(consumer.group_instance_id if isinstance(consumer.group_instance_id, str) else consumer.member_id, 80)
    return f"{name} on {printable(consumer.host)}" if isinstance(consumer.host, str) else name


def known_in_a_step(member_id: str, hosts: Mapping[str, Member]) -> str:
    """One that is there, likewise."""
    member = hosts.get(member_id)
    name = printable(member.group_instance_id or member.member_id if member else member_id, 80)
    return f"{name} on {printable(member.host)}" if member and member.host else name


def commits(member_id: str, hosts: Mapping[str, Member]) -> str:
    return "The consumer commits its offsets when it is closed." if member_id in hosts else ""


# In a group.


def made(new: NewConsumer, old: Member | None) -> Member:
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


def _leaves_before(scene: Scene, member_id: str, within_rebalance: bool | None) -> bool:
    """A dynamic consumer leaves when it is closed (`AbstractCoordinator.close`, all releases); a static one keeps its place."""
    return within_rebalance is False and scenes.member_of(scene, member_id).group_instance_id is None


def stopped(scene: Scene, member_id: str, within_rebalance: bool | None) -> Scene | None:
    """The group without a consumer that comes back once it has rebalanced. None: that one is back before that."""
    if not _leaves_before(scene, member_id, within_rebalance):
        return None
    old = scenes.member_of(scene, member_id)
    notes = scene.notes if AWAY in scene.notes else (*scene.notes, AWAY)
    return replace(scenes.without(scene, old), away=(*scene.away, old), notes=notes)


def back(scene: Scene, member_id: str, new: NewConsumer, id_field: str, instance_field: str) -> Scene:
    """It comes back, if it was stopped as above."""
    old = next((one for one in scene.away if one.member_id == member_id), None)
    if old is None:
        return scene
    away = tuple(one for one in scene.away if one is not old)
    return scenes.joined(replace(scene, away=away), made(new, old), id_field, instance_field)


def restarted(scene: Scene, member_id: str, back: NewConsumer, field: str) -> Scene:
    """It leaves and joins, so that it is last in the member list, whatever its ID."""
    old = scenes.member_of(scene, member_id)
    new = made(back, old)
    joined = scenes.joined(scenes.without(scene, old), new, field, "group_instance_id")
    if old.member_id == scene.leader_member_id and old.group_instance_id is not None:
        # The coordinator knows it by its instance ID and lets it lead on (GroupMetadata.replaceStaticMember).
        still_leads = new.member_id if new.group_instance_id == old.group_instance_id else None
        return replace(joined, leader_member_id=still_leads)
    return joined
