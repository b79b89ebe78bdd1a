"""`remove_client`: a client ends permanently: it leaves, or it ends without leaving."""

from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.parts import scene as scenes
from holdfast.rollout.broker_streams.events.parts.fields import LEAVES
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.json.codec import NAME
from holdfast.rollout.json.record import member, record


@record(defaults=True)
class RemoveClient(BrokerEvent):
    process_id: str = member(NAME)
    leaves: bool = member(LEAVES, default=True, omit=True)

    VERB = "remove_client"

    def applied(self, scene: Scene) -> Scene:
        found = scenes.members_of(scene, self.process_id)
        return scenes.gone(scene, found) if self.leaves else scenes.ended(scene, found)
