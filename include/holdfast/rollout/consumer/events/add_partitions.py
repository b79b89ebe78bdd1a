"""`add_partitions`: a topic that is read gets more partitions."""

from collections.abc import Mapping
from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.events import new_partitions
from holdfast.rollout.consumer.events.event import Name
from holdfast.rollout.consumer.events.parts import scene as scenes
from holdfast.rollout.consumer.events.parts.scene import Scene, quoted
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.json.record import record
from holdfast.rollout.text.format import many, printable
from holdfast.rollout.text.request_words import short


@record(about="The new number.")
class AddPartitions(new_partitions.NewPartitions):
    """The topic has `partitions` from now on. `replica_racks`: of the new ones alone; None: unknown."""

    VERB = "add_partitions"
    ACTIONS = (ActionName.ADD_PARTITIONS,)

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - names no member
        return f"give the topic {self.topic} {many(self.partitions, 'partition')}"

    def title(self, name: Name) -> tuple[str, str]:  # noqa: ARG002 - names no member
        return "grow", f"{short(self.topic)} to {many(self.partitions, 'partition')}"

    def step(self, hosts: Mapping[str, Member]) -> StepWords:  # noqa: ARG002 - as every event
        says = f"Grow {printable(self.topic)} to {self.partitions} partitions"
        return StepWords(says, "", "Not possible: a topic cannot shrink.", new_partitions.SEEN, check_command=self.check())

    def applied(self, scene: Scene, config: ConsumerConfig) -> Scene:  # noqa: ARG002 - as every event
        topic = scenes.topic_of(scene, self.topic)
        now = len(topic.partitions)
        if self.partitions <= now:
            raise InvalidInput(f"{quoted(self.topic)} has {now} partitions; a topic can only grow", "partitions")
        more = scenes.new_partitions(scene, self.partitions - now, self.replica_racks, "new partition")
        grown = replace(topic, partitions=(*topic.partitions, *more))
        return replace(scene, topics=tuple(grown if one is topic else one for one in scene.topics))
