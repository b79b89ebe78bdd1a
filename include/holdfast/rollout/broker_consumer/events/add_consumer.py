"""`add_consumer`: one more consumer joins."""

from dataclasses import replace
from typing import Self

from holdfast.rollout.broker_consumer.events.event import Coming, ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts import new_consumer
from holdfast.rollout.broker_consumer.events.parts import scene as scenes
from holdfast.rollout.broker_consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.json.record import record, spread


@record
class AddConsumer(ConsumerEvent):
    """`consumer` inherits nothing."""

    consumer: NewConsumer = spread(new_consumer.ADDED)

    VERB = "add_consumer"

    def applied(self, scene: Scene) -> Scene:
        return scenes.joined(scene, new_consumer.made(self.consumer, None))

    def comes(self) -> Coming:
        return Coming(self.consumer)

    def drawn(self, member_id: str) -> Self:
        return replace(self, consumer=new_consumer.named(self.consumer, member_id))
