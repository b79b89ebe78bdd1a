"""`add_consumer`: one more consumer joins."""

from dataclasses import replace
from typing import Self

from holdfast.rollout.broker_consumer.events.event import Coming, ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts import new_consumer, words
from holdfast.rollout.broker_consumer.events.parts import scene as scenes
from holdfast.rollout.broker_consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.json.record import record, spread


@record
class AddConsumer(ConsumerEvent):
    """`consumer` inherits nothing."""

    consumer: NewConsumer = spread(new_consumer.ADDED)

    VERB = "add_consumer"
    ACTIONS = (ActionName.START_CLIENT,)

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - as every event
        return f"add {words.newcomer(self.consumer)}"

    def title(self, name: Name) -> tuple[str, str]:  # noqa: ARG002
        return "add", words.short_newcomer(self.consumer)

    def step(self, of: StepOf) -> StepWords:
        says = f"Start {words.newcomer(self.consumer)}"
        return StepWords(says, "", "Stop it.", words.LISTED, check_command=words.members(of.group_id))

    def applied(self, scene: Scene) -> Scene:
        return scenes.joined(scene, new_consumer.made(self.consumer, None))

    def comes(self) -> Coming:
        return Coming(self.consumer)

    def drawn(self, member_id: str) -> Self:
        return replace(self, consumer=new_consumer.named(self.consumer, member_id))
