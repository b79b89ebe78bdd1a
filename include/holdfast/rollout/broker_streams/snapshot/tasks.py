"""Tasks of a streams group in JSON: `["0_0", "1_2"]`, and `{"0_0": 1234}`. A subtopology's ID may be any text."""

from holdfast.errors import InvalidInput
from holdfast.kafka.coordinator.streams.group import Task, Tasks, each_task, tasks_of
from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.codec import Codec, integer, items, table


def _task(value: object) -> Task:
    written = strict.text(value)
    try:
        return Task.parse(written)
    except InvalidInput:
        raise InvalidInput(f"{strict.shown(written)} is not a task ID; the format is '1_0' (subtopology, partition)") from None


TASK: Codec[Task] = Codec(_task, str, shapes.text)


def _by_subtopology(tasks: tuple[Task, ...]) -> Tasks:
    if len(dict.fromkeys(tasks)) < len(tasks):
        seen: dict[Task, None] = {}
        for task in tasks:
            if task in seen:
                raise InvalidInput(f"the task {strict.shown(str(task))} is given twice")
            seen[task] = None
    return tasks_of(tasks)


TASKS: Codec[Tasks] = items(TASK).to(_by_subtopology, lambda tasks: tuple(each_task(tasks)))
"""Written by subtopology (as Java orders strings) and partition."""


def in_order(tasks: Tasks) -> Tasks:
    """As documents have them: what a coordinator goes through is a set."""
    return tasks_of(each_task(tasks))


TASK_OFFSETS: Codec[tuple[tuple[Task, int], ...]] = table(TASK, integer(-(2**63)))
"""What a member reports of its disk."""
