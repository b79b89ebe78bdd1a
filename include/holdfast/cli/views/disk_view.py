"""The output of `holdfast disk` for a reader: a block for each directory."""

from collections.abc import Iterator, Sequence

from holdfast.cli.views import blocks_view
from holdfast.errors import HoldfastError
from holdfast.ports import ReadDirectory
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.disks.state_directory import Lock, StateDirectory, TaskDirectory
from holdfast.rollout.text.document_blocks import Block, Heading, Paragraph, Table
from holdfast.rollout.text.format import printable

_LONGEST = 400


def show(answers: Sequence[tuple[str, ReadDirectory | HoldfastError]]) -> None:
    blocks_view.show(tuple(block for url, answer in answers for block in _blocks(url, answer)))


def _blocks(url: str, answer: ReadDirectory | HoldfastError) -> Iterator[Block]:
    if isinstance(answer, HoldfastError):
        yield Heading(1, printable(url, _LONGEST))
        yield Paragraph(f"It was not read: {printable(str(answer), _LONGEST)}")
        return
    directory, unknown = answer
    yield Heading(1, printable(directory.url, _LONGEST))
    yield Table(("fact", "value"), tuple(_facts(directory)))
    if directory.tasks:
        yield Heading(2, "Tasks")
        rows = tuple(_row(task) for task in directory.tasks)
        yield Table(("task", "stores", "offsets", "lock"), rows)
    if unknown:
        yield Heading(2, "Unknown")
        yield Table(("what", "reason"), tuple(_unknown(directory, one) for one in unknown))


def _facts(directory: StateDirectory) -> Iterator[tuple[str, str]]:
    yield "process ID", str(directory.process_id or "none")
    yield "lock", _lock(directory.lock)
    yield "free", "unknown" if directory.free_bytes is None else f"{directory.free_bytes:,} bytes"
    if directory.global_checkpoint is not None:
        yield "global stores", _offsets(directory.global_checkpoint)
    for name, tasks in directory.named_topologies:
        yield f"named topology {printable(name)}", f"{len(tasks)} tasks"
    if directory.others:
        yield "other entries", ", ".join(printable(one) for one in directory.others)


def _row(task: TaskDirectory) -> tuple[str, str, str, str]:
    stores = ", ".join(f"{printable(one)}{' (open)' if one in task.open_stores else ''}" for one in task.stores)
    if task.checkpoint is None:
        offsets = "unreadable" if task.unreadable else "none" if task.non_empty else "empty"
    else:
        offsets = _offsets(task.checkpoint)
    return str(task.task_id), stores, offsets, "" if task.lock is None else _lock(task.lock)


def _offsets(found: tuple[tuple[object, int], ...]) -> str:
    return ", ".join(f"{printable(str(partition))}: {offset if offset >= 0 else 'unknown'}" for partition, offset in found)


def _lock(lock: Lock | None) -> str:
    if lock is None or lock.held is None:
        return f"unknown{f': {printable(lock.reason, _LONGEST)}' if lock and lock.reason else ''}"
    return f"held{f' by process {lock.pid}' if lock.pid else ''}" if lock.held else "not held"


def _unknown(directory: StateDirectory, one: Unknown) -> tuple[str, str]:
    what = one.what.removeprefix(f"state_directories.{directory.url}").lstrip("/") or "the directory"
    return printable(what, _LONGEST), printable(one.reason, _LONGEST)
