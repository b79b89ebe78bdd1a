"""`add_topic`: a topic is created, which consumers may already subscribe to."""

from holdfast.errors import InvalidInput
from holdfast.kafka.coordinator.consumer.group import Topic
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts import scene as scenes
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.broker_consumer.snapshot.topic_ids import TOPIC_ID
from holdfast.rollout.contract.batches_json import MOST_PARTITIONS
from holdfast.rollout.coordinated.roster import quoted
from holdfast.rollout.json.codec import NAME, integer
from holdfast.rollout.json.record import member, record


@record
class AddTopic(ConsumerEvent):
    """`id`: its hash code decides ties; the broker makes it when the topic is created."""

    topic: str = member(NAME)
    id: int = member(TOPIC_ID)
    partitions: int = member(integer(1, MOST_PARTITIONS))

    VERB = "add_topic"

    def applied(self, scene: Scene) -> Scene:
        if any(one.name == self.topic for one in scene.topics):
            raise InvalidInput(f"the topic {quoted(self.topic)} exists already; add_partitions lets it grow", "topic")
        if any(one.id == self.id for one in scene.topics):
            raise InvalidInput("another topic has that ID", "id")
        return scenes.changed(scene, (*scene.topics, Topic(self.topic, self.id, self.partitions)), self.topic)
