"""`add_partitions`: a topic of the topology gets more partitions."""

from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.parts import scene as scenes
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.batches_json import MOST_PARTITIONS
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated import event_words
from holdfast.rollout.coordinated.roster import quoted
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.json.codec import NAME, integer
from holdfast.rollout.json.record import member, record


@record(about="The new number.")
class AddPartitions(BrokerEvent):
    """The topic has `partitions` from now on."""

    topic: str = member(NAME)
    partitions: int = member(integer(1, MOST_PARTITIONS))

    VERB = "add_partitions"

    ACTIONS = (ActionName.ADD_PARTITIONS,)

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - as every event
        return event_words.grown(self.topic, self.partitions)

    def title(self, name: Name) -> tuple[str, str]:  # noqa: ARG002
        return "grow", self.topic

    def step(self, of: StepOf) -> StepWords:  # noqa: ARG002
        return event_words.grown_step(self.topic, self.partitions)

    def grows(self) -> tuple[str, int] | None:
        return self.topic, self.partitions

    def applied(self, scene: Scene) -> Scene:
        topic = scenes.topic_of(scene, self.topic)
        if self.partitions <= topic.partitions:
            raise InvalidInput(f"{quoted(self.topic)} has {topic.partitions} partitions; a topic can only grow", "partitions")
        grown = replace(topic, partitions=self.partitions)
        topics = tuple(grown if one is topic else one for one in scene.topics)
        return replace(scene, topics=topics, grown=True)
