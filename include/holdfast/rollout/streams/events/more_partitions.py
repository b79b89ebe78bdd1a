"""A source topic gets more partitions: which tasks come, and what keeps the application from going on.

Kafka Streams makes a task for each partition of the widest topic that a subtopology reads, and wants each changelog to have as
many partitions. It creates changelogs, and never grows one: its leader throws when it finds one too narrow (InternalTopicManager,
every release covered), whoever leads, until somebody has grown it by hand.
"""

from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.kafka.streams.group import Changelog, Task
from holdfast.kafka.vocabulary import TaskId, TopicPartition
from holdfast.rollout.facts.notes import Note, NoteKind
from holdfast.rollout.streams.change.change import AddPartitions


def tasks_after(tasks: tuple[Task, ...], event: AddPartitions) -> tuple[Task, ...]:
    """The tasks with the topic's new partitions, sorted. What is new in a changelog is empty.

    Raise InvalidInput where no task reads the topic, or it has as many partitions already.
    """
    readers = dict.fromkeys(task.id.subtopology for task in tasks for one in task.partitions if one.topic == event.topic)
    if not readers:
        raise InvalidInput(f"no task reads the topic {event.topic!r}", "topic")
    now = 1 + max(one.partition for task in tasks for one in task.partitions if one.topic == event.topic)
    if event.partitions <= now:
        raise InvalidInput(f"{event.topic!r} has {now} partitions; a topic can only grow", "partitions")
    found = {task.id: task for task in tasks}
    for subtopology in readers:
        logs = _changelogs(tasks, subtopology)
        for partition in range(now, event.partitions):
            task_id, read = TaskId(subtopology, partition), TopicPartition(event.topic, partition)
            known = found.get(task_id) or Task(task_id, (), tuple(Changelog(topic, partition, 0) for topic in logs))
            found[task_id] = replace(known, partitions=tuple(sorted((*known.partitions, read))))
    return tuple(found[task_id] for task_id in sorted(found))


def failure(before: tuple[Task, ...], after: tuple[Task, ...], event: AddPartitions) -> str | None:
    """What the leader throws after it; None: nothing."""
    if event.changelogs_grown:
        return None
    there = {task.id for task in before}
    for task in after:
        if task.id not in there:
            for changelog in task.changelogs or ():
                if changelog.topic != event.topic:  # a source topic that is the changelog has grown itself
                    width = 1 + max(one.id.partition for one in after if one.id.subtopology == task.id.subtopology)
                    narrow = 1 + max(one.id.partition for one in before if one.id.subtopology == task.id.subtopology)
                    return (
                        f"StreamsException: the changelog {changelog.topic} has {narrow} partitions and {width} are needed; Kafka"
                        " Streams grows no changelog. Grow it by hand before, and say `changelogs_grown`."
                    )
    return None


def notes(tasks: tuple[Task, ...], event: AddPartitions) -> tuple[Note, ...]:
    """What a Snapshot does not show and what would break the application too."""
    topics = dict.fromkeys(one.topic for task in tasks for one in task.partitions)
    beside = dict.fromkeys(
        one.topic
        for task in tasks
        if any(one.topic == event.topic for one in task.partitions)
        for one in task.partitions
        if one.topic != event.topic
    )
    found = []
    if any(topic.endswith("-repartition") for topic in topics):
        found.append(
            f"A repartition topic that is written from {event.topic} must have as many partitions as it, unless the application"
            " says how many: which ones are is not in a snapshot. The leader throws if one is too narrow."
        )
    if beside:
        found.append(
            f"{event.topic} is read together with {', '.join(sorted(beside))}: if they are joined they must have equally many"
            " partitions, or the leader throws. Whether they are is not in a snapshot."
        )
    return tuple(Note(NoteKind.TOPICS, one) for one in found)


def _changelogs(tasks: tuple[Task, ...], subtopology: int) -> tuple[str, ...]:
    """The changelog topics of a subtopology."""
    return tuple(dict.fromkeys(one.topic for task in tasks if task.id.subtopology == subtopology for one in task.changelogs or ()))
