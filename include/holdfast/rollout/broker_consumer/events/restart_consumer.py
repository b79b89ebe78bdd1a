"""`restart_consumer`: a consumer is stopped and started again: every start makes a new member ID."""

from dataclasses import replace
from typing import Self

from holdfast.errors import InvalidInput
from holdfast.kafka.coordinator.consumer.group import Member
from holdfast.rollout.broker_consumer.events.event import Coming, ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts import departure, fields, new_consumer, words
from holdfast.rollout.broker_consumer.events.parts import scene as scenes
from holdfast.rollout.broker_consumer.events.parts.fields import LEAVES, LEAVES_GROUP, WITHIN_INTERVAL
from holdfast.rollout.broker_consumer.events.parts.new_consumer import MEMBER_ID, NewConsumer
from holdfast.rollout.broker_consumer.events.parts.scene import Back, Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated import event_words
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.json.codec import BOOLEAN, NAME
from holdfast.rollout.json.record import member, record, spread

_WITHIN_SESSION = BOOLEAN.described("Of a static member. False: its session is over before it comes back.")


def _fits_together(event: "RestartConsumer") -> None:
    fields.leaves_as_closed(leaves=event.leaves, leaves_group=event.leaves_group)
    if event.within_interval and not (event.leaves and event.within_session):
        raise InvalidInput(
            "a consumer whose session has to be over is not back before the next target: leave one of the two out",
            "within_interval",
        )
    if event.leaves_group and not event.within_session:
        raise InvalidInput("a member that leaves the group has no session to wait for: leave one of the two out", "leaves_group")


@record(check=_fits_together, about="What is not given stays.")
class RestartConsumer(ConsumerEvent):
    """A static member stays in the group when it is stopped, and comes back within its session, or once it is over."""

    member_id: str = member(NAME)
    new_member_id: str | None = member(MEMBER_ID, absent=None, omit=lambda one: one.new_member_id is None)
    leaves: bool = member(LEAVES, absent=True, omit=lambda one: one.leaves)
    leaves_group: bool = member(LEAVES_GROUP, absent=False, omit=lambda one: not one.leaves_group)
    within_interval: bool = member(WITHIN_INTERVAL, absent=False, omit=lambda one: not one.within_interval)
    within_session: bool = member(_WITHIN_SESSION, absent=True, omit=lambda one: one.within_session)
    given: NewConsumer = spread(new_consumer.UNNAMED)

    VERB = "restart_consumer"
    ACTIONS = (ActionName.RESTART_CLIENT,)

    def sentence(self, name: Name) -> str:
        within = ("within the assignment interval",) if self.within_interval else ()
        return f"restart {name(self.member_id)}{event_words.given((*within, *self._said()))}"

    def title(self, name: Name) -> tuple[str, str]:
        return "restart", name(self.member_id)

    def step(self, of: StepOf) -> StepWords:
        within = (f"within {of.interval_ms / 1000:g} s of the newest target",) if self.within_interval else ()
        says = f"Restart {of.name(self.member_id)}{event_words.given((*within, *self._said()))}"
        before = event_words.fresh_target(of) if self.within_interval else ""
        undo, shows = "Restart it as it was before.", words.members(of.group_id)
        return StepWords(says, before, undo, words.LISTED, check_command=shows)

    def _said(self) -> tuple[str, ...]:
        """What differs from a usual restart, besides its time."""
        found = (
            (not self.leaves, "without leaving"),
            (not self.within_session, "back after its session is over"),
            (self.leaves_group, event_words.LEAVES_GROUP),
        )
        return (*(text for is_so, text in found if is_so), *words.given(self.given))

    def restarts(self) -> bool:
        return True

    def in_interval(self) -> bool:
        return self.within_interval

    def leaves_as_static(self) -> bool:
        return self.leaves_group

    def applied(self, scene: Scene) -> Scene:
        old = scenes.member_of(scene, self.member_id)
        after = departure.stopped(scene, old, leaves=self.leaves, leaves_group=self.leaves_group)
        new = new_consumer.made(self._new(), old)
        if not departure.stays(old, leaves=self.leaves, leaves_group=self.leaves_group):
            if self.within_interval:
                return scenes.joined(after, new, "new_member_id")
            return replace(after, away=(*after.away, Back(self.member_id, new)))
        if old.instance_id is None:
            return scenes.joined(after, new, "new_member_id")  # next to the one that ended
        if new.instance_id != old.instance_id:
            raise InvalidInput(
                "a static member that comes back under another instance ID is another member: remove it, and add that one",
                "instance_id",
            )
        if self.within_interval:
            return scenes.took_its_place(after, old, new, "new_member_id")
        if self._in_time(old, new):
            return after
        return replace(after, late=(*after.late, Back(self.member_id, new)))

    def returned(self, scene: Scene) -> Scene:
        back = next((one for one in scene.away if one.old == self.member_id), None)
        if back is not None:
            away = tuple(one for one in scene.away if one is not back)
            return scenes.joined(replace(scene, away=away), back.new, "new_member_id")
        old = scene.members.get(self.member_id)
        if old is None or self.within_interval:
            return scene
        new = new_consumer.made(self._new(), old)
        return scenes.took_its_place(scene, old, new, "new_member_id") if self._in_time(old, new) else scene

    def _in_time(self, old: Member, new: Member) -> bool:
        """Whether a static member has its place back within its session. Where both are of the new protocol, the coordinator gives
        it back only if the old one has reported that it stops."""
        return self.within_session and (self.leaves or old.classic or new.classic)

    def comes(self) -> Coming:
        return Coming(self._new(), self.member_id, same=True)

    def drawn(self, member_id: str) -> Self:
        return replace(self, new_member_id=member_id)

    def stops(self) -> str:
        return self.member_id

    def crashes(self) -> bool:
        return not self.leaves

    def _new(self) -> NewConsumer:
        return new_consumer.named(self.given, self.new_member_id)
