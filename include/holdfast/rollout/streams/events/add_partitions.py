"""`add_partitions`: a source topic gets more partitions: which tasks come, and what keeps the application from going on.

Kafka Streams makes a task for each partition of the widest topic that a subtopology reads, and wants each changelog to have as
many partitions. It creates changelogs, and never grows one: its leader throws when it finds one too narrow (InternalTopicManager,
every release covered), whichever member leads, until an operator has added partitions to it.
"""

from dataclasses import replace

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka.streams.group import Changelog, Task
from holdfast.kafka.vocabulary import TaskId, TopicPartition
from holdfast.rollout.contract.batches_json import MOST_PARTITIONS
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.facts.notes import Note, NoteKind
from holdfast.rollout.json.codec import BOOLEAN, NAME, integer
from holdfast.rollout.json.record import member, record
from holdfast.rollout.streams.events.event import Before, Event, Name, StepContext
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.steps.drafts import Draft, StepOrder
from holdfast.rollout.streams.steps.steps import GrowTopic
from holdfast.rollout.text.format import many, printable
from holdfast.rollout.text.request_words import short


@record(defaults=True)
class AddPartitions(Event):
    """A source topic has `partitions` from now on. `changelogs_grown`: the changelogs of the tasks that read it were grown too."""

    topic: str = member(NAME)
    partitions: int = member(integer(1, MOST_PARTITIONS))
    changelogs_grown: bool = member(BOOLEAN, default=False, omit=True)

    # JSON.

    VERB = "add_partitions"
    REFRESHES_METADATA = True

    def partitions_made(self) -> int:
        return self.partitions

    # In words.

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - names no client
        grown = ", its changelogs grown too" if self.changelogs_grown else ""
        return f"give the topic {self.topic} {many(self.partitions, 'partition')}{grown}"

    def title(self, host: Name) -> tuple[str, str]:  # noqa: ARG002 - names no client
        return "grow", f"{short(self.topic)} to {many(self.partitions, 'partition')}"

    def moves_tasks(self) -> bool:
        return True

    # Its effect.

    def applied(self, scene: Scene, before: Before, reports: Reports) -> Scene:  # noqa: ARG002 - as every event
        if dict(scene.config).get("rack.aware.assignment.strategy", "none") != "none":
            raise CannotPredict(
                f"The tasks of this group are placed by rack, and the racks of the new partitions of {self.topic} are unknown."
                " Add them, and take a snapshot."
            )
        tasks = self._tasks_after(scene.tasks)
        failure = scene.failure or self._failure(scene.tasks, tasks)
        return replace(scene, tasks=tasks, failure=failure, notes=(*scene.notes, *self._notes(tasks)))

    def _tasks_after(self, tasks: tuple[Task, ...]) -> tuple[Task, ...]:
        """The tasks with the topic's new partitions, sorted. What is new in a changelog is empty.

        Raise InvalidInput where no task reads the topic, or it has as many partitions already.
        """
        readers = dict.fromkeys(task.id.subtopology for task in tasks for one in task.partitions if one.topic == self.topic)
        if not readers:
            raise InvalidInput(f"no task reads the topic {self.topic!r}", "topic")
        now = 1 + max(one.partition for task in tasks for one in task.partitions if one.topic == self.topic)
        if self.partitions <= now:
            raise InvalidInput(f"{self.topic!r} has {now} partitions; a topic can only grow", "partitions")
        found = {task.id: task for task in tasks}
        for subtopology in readers:
            logs = _changelogs(tasks, subtopology)
            for partition in range(now, self.partitions):
                task_id, read = TaskId(subtopology, partition), TopicPartition(self.topic, partition)
                known = found.get(task_id) or Task(task_id, (), tuple(Changelog(topic, partition, 0) for topic in logs))
                found[task_id] = replace(known, partitions=tuple(sorted((*known.partitions, read))))
        return tuple(found[task_id] for task_id in sorted(found))

    def _failure(self, before: tuple[Task, ...], after: tuple[Task, ...]) -> str | None:
        """What the leader throws after it; None: nothing."""
        if self.changelogs_grown:
            return None
        known = {task.id for task in before}
        for task in after:
            if task.id not in known:
                for changelog in task.changelogs or ():
                    if changelog.topic != self.topic:  # a source topic that is the changelog has grown itself
                        width = 1 + max(one.id.partition for one in after if one.id.subtopology == task.id.subtopology)
                        narrow = 1 + max(one.id.partition for one in before if one.id.subtopology == task.id.subtopology)
                        return (
                            f"StreamsException: the changelog {changelog.topic} has {narrow} partitions and {width} are needed;"
                            " Kafka Streams does not extend it. Extend it by hand first, and set `changelogs_grown`."
                        )
        return None

    def _notes(self, tasks: tuple[Task, ...]) -> tuple[Note, ...]:
        """What a Snapshot does not show and what would break the application too."""
        topics = dict.fromkeys(one.topic for task in tasks for one in task.partitions)
        others = dict.fromkeys(
            one.topic
            for task in tasks
            if any(one.topic == self.topic for one in task.partitions)
            for one in task.partitions
            if one.topic != self.topic
        )
        found = []
        if any(topic.endswith("-repartition") for topic in topics):
            found.append(
                f"A repartition topic that is written from {self.topic} must have as many partitions as it, unless the application"
                " says how many: which ones are is not in a snapshot. The leader throws if one is too narrow."
            )
        if others:
            found.append(
                f"{self.topic} is read together with {', '.join(sorted(others))}: if they are joined they must have equally many"
                " partitions, or the leader throws. Whether they are is not in a snapshot."
            )
        return tuple(Note(NoteKind.TOPICS, one) for one in found)

    # Its steps.

    def drafts(self, context: StepContext) -> tuple[Draft, ...]:  # noqa: ARG002 - as every event
        topic, partitions = printable(self.topic), many(self.partitions, "partition")
        grown = " The changelogs of its tasks are given as many partitions first." if self.changelogs_grown else ""
        draft = Draft(
            StepOrder.CONFIGURE,
            GrowTopic(self.topic, self.partitions),
            Who.OPERATOR,
            f"The application tolerates that keys map to {partitions} of {topic}: a key in another partition"
            f" is processed by another task, without its previous state.{grown}",
            f"{topic} has {partitions}, and so has every changelog of its tasks.",
            "Not possible: Kafka cannot remove partitions.",
            "The group rebalances within metadata.max.age.ms.",
        )
        return (draft,)


def _changelogs(tasks: tuple[Task, ...], subtopology: int) -> tuple[str, ...]:
    """The changelog topics of a subtopology."""
    return tuple(dict.fromkeys(one.topic for task in tasks if task.id.subtopology == subtopology for one in task.changelogs or ()))
