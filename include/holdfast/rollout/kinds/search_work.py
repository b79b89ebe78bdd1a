"""How much work a search is, and whether that is worth starting Spark for, whichever kind of group it is."""

from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.options import search_work
from holdfast.rollout.streams.options.search_work import OPTIONS, SMALL
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


def work_of(snapshot: Snapshot | ConsumerSnapshot, change: Change | ConsumerChange) -> int:
    """In units of a task, or of a partition, that is looked at once."""
    if isinstance(snapshot, ConsumerSnapshot):
        partitions = sum(len(topic.partitions) for topic in snapshot.topics)
        return OPTIONS * (len(change.events) + 1) * (partitions + len(snapshot.members))
    assert isinstance(change, Change), "a change is of its group's kind"
    return search_work.work_of(snapshot, change)


def is_small(snapshot: Snapshot | ConsumerSnapshot, change: Change | ConsumerChange) -> bool:
    return work_of(snapshot, change) <= SMALL
