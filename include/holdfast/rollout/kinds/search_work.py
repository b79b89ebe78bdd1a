"""How much work a search is, and whether that is worth starting Spark for, whichever kind of group it is."""

from holdfast.rollout.group.values import AnyChange, AnySnapshot
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.options.search_size import TRIED


def work_of(snapshot: AnySnapshot, change: AnyChange) -> int:
    """In units of a task, or of a partition, that is looked at once."""
    return kind_of(snapshot).search_work(snapshot, change)


def is_tried_here(snapshot: AnySnapshot, change: AnyChange) -> bool:
    """Whether the search is begun without Spark."""
    return work_of(snapshot, change) <= TRIED
