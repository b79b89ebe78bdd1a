"""`add_topic`: a topic is created, which consumers may already subscribe to."""

from collections.abc import Mapping
from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.events import new_partitions
from holdfast.rollout.consumer.events.event import Name
from holdfast.rollout.consumer.events.parts import scene as scenes
from holdfast.rollout.consumer.events.parts.scene import Scene, quoted
from holdfast.rollout.consumer.snapshot.snapshot import ConsumedTopic
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.facts.notes import Note, NoteKind
from holdfast.rollout.json.record import record
from holdfast.rollout.text.format import many, printable
from holdfast.rollout.text.request_words import short


@record
class AddTopic(new_partitions.NewPartitions):
    """`replica_racks`: of every partition; None: unknown."""

    VERB = "add_topic"
    ACTIONS = (ActionName.ADD_TOPIC,)

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - names no member
        return f"add the topic {self.topic} with {many(self.partitions, 'partition')}"

    def title(self, name: Name) -> tuple[str, str]:  # noqa: ARG002 - names no member
        return "add", f"the topic {short(self.topic)}"

    def step(self, hosts: Mapping[str, Member]) -> StepWords:  # noqa: ARG002 - as every event
        says = f"Create {printable(self.topic)} with {self.partitions} partitions"
        return StepWords(says, "", "Delete it.", new_partitions.SEEN, check_command=self.check())

    def applied(self, scene: Scene, config: ConsumerConfig) -> Scene:  # noqa: ARG002 - as every event
        if any(one.name == self.topic for one in scene.topics):
            raise InvalidInput(f"the topic {quoted(self.topic)} exists already; add_partitions lets it grow", "topic")
        new = ConsumedTopic(self.topic, scenes.new_partitions(scene, self.partitions, self.replica_racks, "partition"))
        scene = replace(scene, topics=(*scene.topics, new))
        if any(self.topic in one.subscription for one in scene.members):
            return scene
        note = f"No consumer subscribes to {quoted(self.topic)}: the topic causes no rebalance, and is not read."
        return replace(scene, notes=(*scene.notes, Note(NoteKind.TOPICS, note)))
