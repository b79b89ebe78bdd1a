"""`set_assignor`: most members ask for another assignor (`group.remote.assignor`) from now on.

Java: `ConsumerGroup.computePreferredServerAssignor`. Up to 4.3 that raises no epoch: the next target is computed with it. From 4.4
on it does, by one, unless it comes with a member that joins. Members that ended without leaving have votes until their sessions
are over.
"""

from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.kafka.coordinator.consumer.group import Assignor
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.json.codec import either
from holdfast.rollout.json.record import member, record


@record
class SetAssignor(ConsumerEvent):
    assignor: Assignor = member(either(Assignor))

    VERB = "set_assignor"

    def applied(self, scene: Scene) -> Scene:
        if scene.members and 2 * scene.alive() <= len(scene.members):
            raise InvalidInput(
                "most members have ended without leaving, and keep their votes until their sessions are over: let the event come"
                ' after {"then": "stable"}',
                "assignor",
            )
        asked = scene.asked or (scene.facts.assignor_raises_epoch and self.assignor is not scene.assignor)
        return replace(scene, assignor=self.assignor, asked=asked)
