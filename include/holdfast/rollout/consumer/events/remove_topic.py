"""`remove_topic`: a topic is deleted."""

from collections.abc import Mapping
from dataclasses import replace

from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.events.event import ConsumerEvent, Name
from holdfast.rollout.consumer.events.parts import scene as scenes
from holdfast.rollout.consumer.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.json.codec import NAME
from holdfast.rollout.json.record import member, record
from holdfast.rollout.text import kafka_commands
from holdfast.rollout.text.format import printable
from holdfast.rollout.text.request_words import short


@record
class RemoveTopic(ConsumerEvent):
    topic: str = member(NAME)

    VERB = "remove_topic"
    ACTIONS = (ActionName.REMOVE_TOPIC,)

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - names no member
        return f"remove the topic {self.topic}"

    def title(self, name: Name) -> tuple[str, str]:  # noqa: ARG002 - names no member
        return "remove", f"the topic {short(self.topic)}"

    def step(self, hosts: Mapping[str, Member]) -> StepWords:  # noqa: ARG002 - as every event
        return StepWords(
            f"Delete {printable(self.topic)}",
            "Its records are read, or not needed.",
            "Not possible: its records are deleted.",
            "The topic is gone.",
            check_command=kafka_commands.list_topics(),
        )

    def applied(self, scene: Scene, config: ConsumerConfig) -> Scene:  # noqa: ARG002 - as every event
        gone = scenes.topic_of(scene, self.topic)
        return replace(scene, topics=tuple(one for one in scene.topics if one is not gone))

    def topic_changed(self) -> str | None:
        return self.topic
