"""The owner of each task at the end of a sequence of rebalances."""

from collections.abc import Mapping

from holdfast.kafka.streams.group import Assignment, Task
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.streams.forecast.outcomes import Course
from holdfast.rollout.streams.snapshot.ownership import owners_among


def owners_at_the_end(course: Course, before: Mapping[TaskId, ProcessId], tasks: tuple[Task, ...]) -> Mapping[TaskId, ProcessId]:
    """Who has which task after the last decision; a leader that fails hands out nothing.

    Without any decision who ran a task runs it still, maybe under another process ID.
    """
    if not course.rounds:
        return dict(owners_among(course.clients, tasks))
    for one in reversed(course.rounds):
        if isinstance(one.decision, Assignment):
            return {task: client.process_id for client in one.decision.clients for task in client.active}
    return before
