"""`remove_consumer`: a consumer is gone permanently."""

from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts import departure, fields
from holdfast.rollout.broker_consumer.events.parts import scene as scenes
from holdfast.rollout.broker_consumer.events.parts.fields import LEAVES, LEAVES_GROUP
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
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

    def applied(self, scene: Scene) -> Scene:
        found = scenes.member_of(scene, self.member_id)
        return departure.stopped(scene, found, leaves=self.leaves, leaves_group=self.leaves_group)

    def stops(self) -> str:
        return self.member_id

    def crashes(self) -> bool:
        return not self.leaves
