"""State directories without the names of files, topics and stores that the application chose, and without sentences."""

from collections.abc import Iterable
from dataclasses import replace

from holdfast.kafka.state_dir import TASK_DIRECTORY
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.disks.state_directory import Lock, StateDirectory, StateFile, TaskDirectory
from holdfast.rollout.redaction.found import Found, Role
from holdfast.rollout.redaction.names import Names
from holdfast.rollout.redaction.unknowns import LEFT_OUT

_KAFKAS_FILES = frozenset((".lock", ".checkpoint", "kafka-streams-process-metadata", "global", "rocksdb"))
Checkpoint = tuple[tuple[TopicPartition, int], ...]


def take(found: Found, directories: Iterable[StateDirectory]) -> None:
    for one in directories:
        found.add(Role.DIRECTORY, one.url)
        found.add(Role.PROCESS, None if one.process_id is None else str(one.process_id))
        for task in (*one.tasks, *(task for _, tasks in one.named_topologies for task in tasks)):
            found.add(Role.TOPIC, *(partition.topic for partition, _ in task.checkpoint or ()))
            found.add(Role.STORE, *task.stores, *task.open_stores)
        found.add(Role.TOPIC, *(partition.topic for partition, _ in one.global_checkpoint or ()))
        found.add(Role.ENTRY, *(name for name, _ in one.named_topologies), *one.others)
        for file in one.files:
            found.add(Role.ENTRY, *(part for part in file.path.split("/") if not _is_kafkas(part)))


def redacted(directories: Iterable[StateDirectory], names: Names) -> tuple[StateDirectory, ...]:
    return tuple(_directory(one, names) for one in directories)


def _directory(one: StateDirectory, names: Names) -> StateDirectory:
    report = one.first_report
    return StateDirectory(
        url=names.of(Role.DIRECTORY, one.url),
        process_id=None if one.process_id is None else names.process(one.process_id),
        lock=_lock(one.lock),
        files=tuple(StateFile(_path(file.path, names), file.size, file.modified_at) for file in one.files),
        global_checkpoint=_checkpoint(one.global_checkpoint, names),
        tasks=tuple(_task(task, names) for task in one.tasks),
        named_topologies=tuple(
            (names.of(Role.ENTRY, name), tuple(_task(task, names) for task in tasks)) for name, tasks in one.named_topologies
        ),
        others=names.each(Role.ENTRY, one.others),
        first_report=None if report is None else replace(report, doubts=tuple(LEFT_OUT for _ in report.doubts)),
        free_bytes=one.free_bytes,
    )


def _task(task: TaskDirectory, names: Names) -> TaskDirectory:
    return TaskDirectory(
        task_id=task.task_id,
        checkpoint=_checkpoint(task.checkpoint, names),
        non_empty=task.non_empty,
        stores=tuple(map(names.store, task.stores)),
        offsets_in_stores=task.offsets_in_stores,
        open_stores=tuple(map(names.store, task.open_stores)),
        unreadable=task.unreadable,
        lock=_lock(task.lock),
    )


def _lock(lock: Lock | None) -> Lock | None:
    return None if lock is None else Lock(lock.held, lock.pid, None if lock.reason is None else LEFT_OUT)


def _checkpoint(checkpoint: Checkpoint | None, names: Names) -> Checkpoint | None:
    if checkpoint is None:
        return None
    return tuple((TopicPartition(names.of(Role.TOPIC, one.topic), one.partition), offset) for one, offset in checkpoint)


def _path(path: str, names: Names) -> str:
    return "/".join(part if _is_kafkas(part) else names.of(Role.ENTRY, part) for part in path.split("/"))


def _is_kafkas(part: str) -> bool:
    return not part or part in _KAFKAS_FILES or TASK_DIRECTORY.fullmatch(part) is not None
