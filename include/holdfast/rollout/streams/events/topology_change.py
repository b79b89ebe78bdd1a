"""Another topology: which state directories still hold what its tasks need.

A state directory is named by subtopology and partition and by nothing else. If subtopologies are renumbered, a task finds in "its"
directory the stores of another: it restores its own from the beginning, while its client reports the offsets of what lies there.
"""

from holdfast.errors import CannotPredict
from holdfast.kafka.streams.group import Task
from holdfast.rollout.streams.change.change import SetTopology
from holdfast.rollout.text.wording import listed, many


def refuse_what_does_not_fit(before: tuple[Task, ...], event: SetTopology) -> None:
    """Raise CannotPredict where a task that keeps its number keeps other stores, unless the disks are cleared."""
    if not event.keeps_state:
        return
    had = {task.id: _logs(task) for task in before}
    wrong = [task for task in event.tasks if had.get(task.id) and had[task.id] != _logs(task)]
    if not wrong:
        return
    moved = {}
    for task in wrong:
        was = next((one for one, logs in had.items() if logs and logs == _logs(task)), None)
        if was is not None:
            moved[was.subtopology] = task.id.subtopology
    known = ", ".join(f"{old} is now {new}" for old, new in sorted(moved.items()))
    raise CannotPredict(
        f"The directories of {many(len(wrong), 'task')} ({listed([task.id for task in wrong])}) hold the stores of others"
        f"{f' (subtopology {known})' if known else ''}. Their clients would report offsets of those stores, and restore their own"
        ' from the beginning. Keep the subtopologies\' order, or clear the state directories and say `"keeps_state": false`.'
    )


def _logs(task: Task) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((one.topic, one.partition) for one in task.changelogs or ()))
