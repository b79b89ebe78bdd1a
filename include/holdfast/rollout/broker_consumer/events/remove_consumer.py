"""`remove_consumer`: a consumer is gone permanently."""

from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts import departure, fields, words
from holdfast.rollout.broker_consumer.events.parts import scene as scenes
from holdfast.rollout.broker_consumer.events.parts.fields import LEAVES, LEAVES_GROUP
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated import event_words
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.json.codec import NAME
from holdfast.rollout.json.record import member, record


def _fits_together(event: "RemoveConsumer") -> None:
    fields.leaves_as_closed(leaves=event.leaves, leaves_group=event.leaves_group)


@record(check=_fits_together, defaults=True)
class RemoveConsumer(ConsumerEvent):
    """A static member that is closed stays until its session is over, unless it `leaves_group`."""

    member_id: str = member(NAME)
    leaves: bool = member(LEAVES, default=True, omit=True)
    leaves_group: bool = member(LEAVES_GROUP, default=False, omit=True)

    VERB = "remove_consumer"
    ACTIONS = (ActionName.STOP_CLIENT,)

    def sentence(self, name: Name) -> str:
        return f"remove {name(self.member_id)}{event_words.how_it_ends(self.leaves, leaves_group=self.leaves_group)}"

    def title(self, name: Name) -> tuple[str, str]:
        return "remove", name(self.member_id)

    def step(self, of: StepOf) -> StepWords:
        says = f"Stop {of.name(self.member_id)}{event_words.how_it_ends(self.leaves, leaves_group=self.leaves_group)}"
        shows = words.members(of.group_id)
        return StepWords(says, "", "Start it again.", words.NOT_LISTED, check_command=shows)

    def applied(self, scene: Scene) -> Scene:
        found = scenes.member_of(scene, self.member_id)
        return departure.stopped(scene, found, leaves=self.leaves, leaves_group=self.leaves_group)

    def stops(self) -> str:
        return self.member_id

    def leaves_as_static(self) -> bool:
        return self.leaves_group

    def crashes(self) -> bool:
        return not self.leaves
