"""`add_topic`: a topic is created, which consumers may already subscribe to."""

from holdfast.errors import InvalidInput
from holdfast.kafka.coordinator.consumer.group import Topic
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts import scene as scenes
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.batches_json import MOST_PARTITIONS
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated.roster import quoted
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.json.codec import NAME, integer
from holdfast.rollout.json.kafka_codecs import TOPIC_ID
from holdfast.rollout.json.record import member, record
from holdfast.rollout.text import kafka_commands
from holdfast.rollout.text.format import many, printable
from holdfast.rollout.text.request_words import short


@record
class AddTopic(ConsumerEvent):
    """`id`: its hash code decides ties; the broker makes it when the topic is created."""

    topic: str = member(NAME)
    id: int = member(TOPIC_ID)
    partitions: int = member(integer(1, MOST_PARTITIONS))

    VERB = "add_topic"
    ACTIONS = (ActionName.ADD_TOPIC,)

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - as every event
        return f"add the topic {self.topic} with {many(self.partitions, 'partition')}"

    def title(self, name: Name) -> tuple[str, str]:  # noqa: ARG002
        return "add", f"the topic {short(self.topic)}"

    def step(self, of: StepOf) -> StepWords:  # noqa: ARG002
        says = f"Create {printable(self.topic)} with {many(self.partitions, 'partition')}"
        after, shows = "The topic has that number of partitions.", kafka_commands.describe_topic(self.topic)
        return StepWords(says, "", "Delete it.", after, check_command=shows)

    def topic_afterwards(self) -> tuple[str, int | None]:
        return self.topic, self.partitions

    def applied(self, scene: Scene) -> Scene:
        if any(one.name == self.topic for one in scene.topics):
            raise InvalidInput(f"the topic {quoted(self.topic)} exists already; add_partitions lets it grow", "topic")
        if any(one.id == self.id for one in scene.topics):
            raise InvalidInput("another topic has that ID", "id")
        return scenes.changed(scene, (*scene.topics, Topic(self.topic, self.id, self.partitions)), self.topic)
