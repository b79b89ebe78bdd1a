"""`add_partitions`: a topic gets more partitions."""

from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts import scene as scenes
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.contract.batches_json import MOST_PARTITIONS
from holdfast.rollout.coordinated.roster import quoted
from holdfast.rollout.json.codec import NAME, integer
from holdfast.rollout.json.record import member, record


@record(about="The new number.")
class AddPartitions(ConsumerEvent):
    """The topic has `partitions` from now on."""

    topic: str = member(NAME)
    partitions: int = member(integer(1, MOST_PARTITIONS))

    VERB = "add_partitions"

    def applied(self, scene: Scene) -> Scene:
        topic = scenes.topic_of(scene, self.topic)
        if self.partitions <= topic.partitions:
            raise InvalidInput(f"{quoted(self.topic)} has {topic.partitions} partitions; a topic can only grow", "partitions")
        grown = replace(topic, partitions=self.partitions)
        return scenes.changed(scene, tuple(grown if one is topic else one for one in scene.topics), self.topic)
