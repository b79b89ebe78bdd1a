"""`remove_topic`: a topic is deleted."""

from holdfast.errors import CannotPredict
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts import scene as scenes
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.coordinated.roster import quoted
from holdfast.rollout.json.codec import NAME
from holdfast.rollout.json.record import member, record


@record
class RemoveTopic(ConsumerEvent):
    topic: str = member(NAME)

    VERB = "remove_topic"

    def applied(self, scene: Scene) -> Scene:
        gone = scenes.topic_of(scene, self.topic)
        if any(gone.name in matched for _, matched in scene.resolved()):
            raise CannotPredict(
                f"remove_topic: a regular expression of a member matches {quoted(self.topic)}: its coordinator notices the deletion"
                " at once, and resolves the expression anew up to 10 s later; whether that makes one target or two is unknown"
            )
        return scenes.changed(scene, tuple(one for one in scene.topics if one is not gone), self.topic)
