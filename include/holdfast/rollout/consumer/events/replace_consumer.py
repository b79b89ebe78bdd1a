"""`replace_consumer`: a consumer is stopped, and another one started in its place."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.events import new_consumer
from holdfast.rollout.consumer.events import scene as scenes
from holdfast.rollout.consumer.events.event import ConsumerEvent, Name, StepWords
from holdfast.rollout.consumer.events.new_consumer import NewConsumer
from holdfast.rollout.consumer.events.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.shapes import closed
from holdfast.rollout.json.strict import Fields


@dataclass(frozen=True, slots=True)
class ReplaceConsumer(ConsumerEvent):
    member_id: str
    by: NewConsumer

    VERB = "replace_consumer"
    SHAPE = closed({"member_id": shapes.name(), "by": closed({"member_id": shapes.name()}, new_consumer.SHAPES)})
    ACTIONS = (ActionName.STOP_CLIENT, ActionName.START_CLIENT)

    @classmethod
    def from_json(cls, value: object) -> Self:
        fields = Fields(value)
        event = cls(fields.need("member_id", strict.name), fields.need("by", _replacement))
        fields.finish(closed=True)
        return event

    def to_json(self) -> dict[str, object]:
        return {"member_id": self.member_id, "by": {"member_id": self.by.member_id} | new_consumer.to_json(self.by)}

    def sentence(self, name: Name) -> str:
        return f"replace {name(self.member_id)} by {self.by.member_id}{new_consumer.given(self.by)}"

    def title(self, name: Name) -> tuple[str, str]:
        place, old = new_consumer.short_host(self.by), name(self.member_id)
        return "replace", f"{old} by {place if place and place != old else 'a new consumer'}"

    def step(self, hosts: Mapping[str, Member]) -> StepWords:
        old, new = new_consumer.known_in_a_step(self.member_id, hosts), new_consumer.in_a_step(self.by)
        undo = "Stop the new one and start the old one again."
        return StepWords(f"Stop {old} and start {new} instead", new_consumer.commits(self.member_id, hosts), undo)

    def applied(self, scene: Scene, config: ConsumerConfig) -> Scene:  # noqa: ARG002 - as every event
        old = scenes.member_of(scene, self.member_id)
        new = new_consumer.made(self.by, old)
        return scenes.joined(scenes.without(scene, old), new, "by.member_id", "by.group_instance_id")

    def swaps(self) -> tuple[tuple[str | None, str | None], ...]:
        return ((self.member_id, self.by.member_id),)

    def joining(self) -> NewConsumer | None:
        return self.by

    def with_ids(self, known: Name, joins: Name) -> Self:
        return replace(self, member_id=known(self.member_id), by=replace(self.by, member_id=joins(self.by.member_id)))


def _replacement(value: object) -> NewConsumer:
    fields = Fields(value)
    consumer = new_consumer.like_the_old_one(fields, fields.need("member_id", strict.name))
    fields.finish(closed=True)
    return consumer
