"""`replace_consumer`: a consumer is stopped, and another one started in its place."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Self

from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.events.event import ConsumerEvent, Name
from holdfast.rollout.consumer.events.parts import new_consumer
from holdfast.rollout.consumer.events.parts import scene as scenes
from holdfast.rollout.consumer.events.parts.new_consumer import WITHIN_REBALANCE, NewConsumer
from holdfast.rollout.consumer.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.json.codec import NAME
from holdfast.rollout.json.record import codec_of, member, record


@record
class ReplaceConsumer(ConsumerEvent):
    member_id: str = member(NAME)
    by: NewConsumer = member(codec_of(NewConsumer))
    within_rebalance: bool | None = member(WITHIN_REBALANCE, default=None, omit=True)

    VERB = "replace_consumer"
    ACTIONS = (ActionName.STOP_CLIENT, ActionName.START_CLIENT)

    def sentence(self, name: Name) -> str:
        fast = new_consumer.BACK_SOON if self.within_rebalance else ""
        return f"replace {name(self.member_id)} by {self.by.member_id}{new_consumer.given(self.by)}{fast}"

    def title(self, name: Name) -> tuple[str, str]:
        place, old = new_consumer.short_host(self.by), name(self.member_id)
        return "replace", f"{old} by {place if place and place != old else 'a new consumer'}"

    def step(self, hosts: Mapping[str, Member]) -> StepWords:
        old, new = new_consumer.known_in_a_step(self.member_id, hosts), new_consumer.in_a_step(self.by)
        undo = "Stop the new one and start the old one again."
        return StepWords(f"Stop {old} and start {new} instead", new_consumer.commits(self.member_id, hosts), undo)

    def applied(self, scene: Scene, config: ConsumerConfig) -> Scene:  # noqa: ARG002 - as every event
        stopped = new_consumer.stopped(scene, self.member_id, self.within_rebalance)
        if stopped is not None:
            return stopped
        old = scenes.member_of(scene, self.member_id)
        new = new_consumer.made(self.by, old)
        return scenes.joined(scenes.without(scene, old), new, "by.member_id", "by.group_instance_id")

    def returned(self, scene: Scene) -> Scene:
        return new_consumer.back(scene, self.member_id, self.by, "by.member_id", "by.group_instance_id")

    def as_processes_start(self) -> Self:
        return replace(self, within_rebalance=False) if self.within_rebalance is None else self

    def back_before_others(self) -> Self:
        return replace(self, within_rebalance=True) if self.within_rebalance is False else self

    def swaps(self) -> tuple[tuple[str | None, str | None], ...]:
        return ((self.member_id, self.by.member_id),)

    def joining(self) -> NewConsumer | None:
        return self.by

    def with_ids(self, known: Name, joins: Name) -> Self:
        return replace(self, member_id=known(self.member_id), by=replace(self.by, member_id=joins(self.by.member_id)))
