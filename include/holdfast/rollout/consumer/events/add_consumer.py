"""`add_consumer`: one more consumer joins."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Self

from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.events.event import ConsumerEvent, Name
from holdfast.rollout.consumer.events.parts import new_consumer
from holdfast.rollout.consumer.events.parts import scene as scenes
from holdfast.rollout.consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.consumer.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.json.record import record, spread


@record
class AddConsumer(ConsumerEvent):
    """`consumer` inherits nothing."""

    consumer: NewConsumer = spread(new_consumer.ADDED)

    VERB = "add_consumer"
    ACTIONS = (ActionName.START_CLIENT,)

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - names no present member
        return f"add consumer {self.consumer.member_id}{new_consumer.given(self.consumer)}"

    def title(self, name: Name) -> tuple[str, str]:  # noqa: ARG002 - names no present member
        return "add", new_consumer.short_host(self.consumer) or "a consumer"

    def step(self, hosts: Mapping[str, Member]) -> StepWords:  # noqa: ARG002 - as every event
        return StepWords(f"Start {new_consumer.in_a_step(self.consumer)}", "", "Stop it.")

    def applied(self, scene: Scene, config: ConsumerConfig) -> Scene:  # noqa: ARG002 - as every event
        return scenes.joined(scene, new_consumer.made(self.consumer, None), "member_id", "group_instance_id")

    def swaps(self) -> tuple[tuple[str | None, str | None], ...]:
        return ((None, self.consumer.member_id),)

    def joining(self) -> NewConsumer | None:
        return self.consumer

    def with_ids(self, known: Name, joins: Name) -> Self:  # noqa: ARG002 - as every event
        return replace(self, consumer=replace(self.consumer, member_id=joins(self.consumer.member_id)))
