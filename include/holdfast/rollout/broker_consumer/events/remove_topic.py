"""`remove_topic`: a topic is deleted."""

from holdfast.errors import CannotPredict
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts import scene as scenes
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated.roster import quoted
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.json.codec import NAME
from holdfast.rollout.json.record import member, record
from holdfast.rollout.text import kafka_commands
from holdfast.rollout.text.format import printable
from holdfast.rollout.text.request_words import short


@record
class RemoveTopic(ConsumerEvent):
    topic: str = member(NAME)

    VERB = "remove_topic"
    ACTIONS = (ActionName.REMOVE_TOPIC,)

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - as every event
        return f"remove the topic {self.topic}"

    def title(self, name: Name) -> tuple[str, str]:  # noqa: ARG002
        return "remove", f"the topic {short(self.topic)}"

    def step(self, of: StepOf) -> StepWords:  # noqa: ARG002
        says, before = f"Delete {printable(self.topic)}", "Its records are read, or not needed."
        undo, shows = "Not possible: its records are deleted.", kafka_commands.list_topics()
        return StepWords(says, before, undo, "The topic is gone.", check_command=shows)

    def topic_afterwards(self) -> tuple[str, int | None]:
        return self.topic, None

    def applied(self, scene: Scene) -> Scene:
        gone = scenes.topic_of(scene, self.topic)
        if any(gone.name in matched for _, matched in scene.resolved()):
            raise CannotPredict(
                f"remove_topic: a regular expression of a member matches {quoted(self.topic)}: its coordinator notices the deletion"
                " at once, and resolves the expression anew up to 10 s later; whether that makes one target or two is unknown"
            )
        return scenes.changed(scene, tuple(one for one in scene.topics if one is not gone), self.topic)
