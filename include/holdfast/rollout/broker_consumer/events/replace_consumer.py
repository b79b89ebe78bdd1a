"""`replace_consumer`: one consumer stops, and another one joins in its place before the next target."""

from dataclasses import replace
from typing import Self

from holdfast.errors import InvalidInput
from holdfast.rollout.broker_consumer.events.event import Coming, ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts import departure, fields, new_consumer, words
from holdfast.rollout.broker_consumer.events.parts import scene as scenes
from holdfast.rollout.broker_consumer.events.parts.fields import LEAVES, LEAVES_GROUP
from holdfast.rollout.broker_consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated import event_words
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.json.codec import NAME
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.text.format import printable


def _fits_together(event: "ReplaceConsumer") -> None:
    fields.leaves_as_closed(leaves=event.leaves, leaves_group=event.leaves_group)


@record(check=_fits_together, defaults=True)
class ReplaceConsumer(ConsumerEvent):
    """What `by` does not say is as of the old consumer. One with the instance ID of a static member takes its place."""

    member_id: str = member(NAME)
    by: NewConsumer = member(codec_of(NewConsumer))
    leaves: bool = member(LEAVES, default=True, omit=True)
    leaves_group: bool = member(LEAVES_GROUP, default=False, omit=True)

    VERB = "replace_consumer"
    ACTIONS = (ActionName.STOP_CLIENT, ActionName.START_CLIENT)

    def sentence(self, name: Name) -> str:
        ends = event_words.how_it_ends(self.leaves, leaves_group=self.leaves_group)
        return f"replace {name(self.member_id)}{ends} by {words.newcomer(self.by)}"

    def title(self, name: Name) -> tuple[str, str]:
        return "replace", f"{name(self.member_id)} by {words.short_newcomer(self.by)}"

    def step(self, of: StepOf) -> StepWords:
        ends = event_words.how_it_ends(self.leaves, leaves_group=self.leaves_group)
        says = f"Stop {of.name(self.member_id)}{ends}, and start {words.newcomer(self.by)} at once"
        undo = "Stop the new consumer, and start the old one again."
        return StepWords(says, "", undo, words.LISTED, check_command=words.members(of.group_id))

    def applied(self, scene: Scene) -> Scene:
        old = scenes.member_of(scene, self.member_id)
        new = new_consumer.made(self.by, old)
        after = departure.stopped(scene, old, leaves=self.leaves, leaves_group=self.leaves_group)
        if old.instance_id is None or new.instance_id != old.instance_id or self.leaves_group:
            return scenes.joined(after, new, "by.member_id")
        if not self.leaves:
            raise InvalidInput(
                f"the coordinator refuses the instance ID '{printable(old.instance_id)}' until the session of the member that ended"
                " is over; give another one, or restart it",
                "by.instance_id",
            )
        return scenes.took_its_place(after, old, new, "by.member_id")

    def comes(self) -> Coming:
        return Coming(self.by, self.member_id)

    def drawn(self, member_id: str) -> Self:
        return replace(self, by=new_consumer.named(self.by, member_id))

    def stops(self) -> str:
        return self.member_id

    def leaves_as_static(self) -> bool:
        return self.leaves_group

    def crashes(self) -> bool:
        return not self.leaves
