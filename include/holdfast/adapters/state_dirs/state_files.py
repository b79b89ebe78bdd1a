"""The port `StateDirectoryReader`: a client's `<state.dir>/<application.id>` anywhere fsspec reaches.

Nothing is written, sizes and counts are bounded, on local disks no link is followed, and of a URL only what is not secret is kept.
A broken file is an `Unknown`, with what Kafka Streams would make of it.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from urllib.parse import urlunsplit

from holdfast.adapters.deadline import Deadline
from holdfast.adapters.state_dirs import state_trees
from holdfast.adapters.state_dirs.state_trees import Tree
from holdfast.adapters.urls import parts_of
from holdfast.errors import ClusterTrouble, HoldfastError, MalformedBytes, StatePathTrouble
from holdfast.kafka import java, state_dir, store_offsets
from holdfast.kafka.store_offsets import StoreOffsets
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.ports import ReadDirectory
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.disks.state_directory import StateDirectory, StateFile, TaskDirectory

_MOST_TASK_DIRECTORIES = 20_000
_MOST_STORES = 1_000
_MOST_OTHERS = 100
_LONGEST_NAME = 255
_FOR_STORES = 0.5
"""Of the time that there is: what reading inside stores may take, so that damaged ones leave time for all else."""

Offsets = tuple[tuple[TopicPartition, int], ...]


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a task's stores say. No `offsets`: there is a place for them, and nothing in it; None: no place, or not readable."""

    offsets: Offsets | None
    open: tuple[str, ...]
    unreadable: bool


def _segment(path: str) -> tuple[int, str]:
    """Segments are named after the time that they begin at: `<store>.<milliseconds>`."""
    name = path.rpartition("/")[2]
    start = name.rpartition(".")[2]
    return int(start) if start.isdecimal() and len(start) < 20 else 0, name


class FsspecStateDirectories:
    """Reads state directories within a time limit."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline

    def read(self, url: str) -> tuple[StateDirectory, tuple[Unknown, ...]]:
        shown = public_url(url)
        try:
            return self._deadline.within(f"reading {shown}", lambda: self._read(url, shown))
        except ClusterTrouble:
            limit = self._deadline.limit_s
            raise StatePathTrouble(f"{shown}: not read within {limit:g} s. Check that the host is up, or raise --timeout") from None

    def read_many(self, urls: Collection[str]) -> dict[str, ReadDirectory | HoldfastError]:
        found: dict[str, ReadDirectory | HoldfastError] = {}
        for url in urls:
            try:
                found[url] = self.read(url)
            except HoldfastError as refusal:
                found[url] = refusal
        return found

    def _read(self, url: str, shown: str) -> tuple[StateDirectory, tuple[Unknown, ...]]:
        with state_trees.opened(url, shown, self._deadline.remaining_s() * _FOR_STORES) as tree:
            return read_tree(tree, shown)


def read_tree(tree: Tree, shown: str) -> tuple[StateDirectory, tuple[Unknown, ...]]:
    """All that the directory holds, from wherever its files come. Raise StatePathTrouble where it cannot be listed."""
    return _Reading(tree, shown).result()


def public_url(url: str) -> str:
    """The URL without user, password, query and fragment."""
    parts = parts_of(url)
    if parts is None:
        scheme, sign, rest = url.partition("?")[0].partition("#")[0].partition("://")
        return f"{scheme}{sign}{rest.rpartition('@')[2]}"
    if not parts.scheme or not parts.netloc:
        return url.partition("?")[0] if parts.scheme else url
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


class _Reading:
    """One pass over one directory."""

    def __init__(self, tree: Tree, shown: str) -> None:
        self._tree = tree
        self._shown = shown
        self._unknown: list[Unknown] = []
        self._files: list[StateFile] = []

    def result(self) -> tuple[StateDirectory, tuple[Unknown, ...]]:
        lock = self._tree.lock(state_dir.LOCK)  # first: what is read afterwards is not older
        names = self._tree.names("")
        process_id = self._process_id() if state_dir.PROCESS_METADATA in names else None
        if state_dir.PROCESS_METADATA not in names:
            self._note("", f"has no {state_dir.PROCESS_METADATA}: its client is unknown")
        kept_globally = self._global() if state_dir.GLOBAL in names else None
        tasks = self._tasks("", names)
        named = tuple(self._named_topology(name) for name in names if state_dir.NAMED_TOPOLOGY.fullmatch(name))
        others = tuple(name[:_LONGEST_NAME] for name in names if not state_dir.is_known(name))
        found = StateDirectory(
            self._shown,
            process_id,
            tasks=tasks,
            files=tuple(self._files),
            lock=lock,
            global_checkpoint=kept_globally,
            named_topologies=named,
            others=others[:_MOST_OTHERS],
            free_bytes=self._tree.free_bytes(),
        )
        return found, tuple(self._unknown)

    def _tasks(self, folder: str, names: list[str]) -> tuple[TaskDirectory, ...]:
        """The task directories among the names of what is in `folder` ("", or that of a named topology with a slash)."""
        task_names = sorted(name for name in names if state_dir.TASK_DIRECTORY.fullmatch(name))
        if len(task_names) > _MOST_TASK_DIRECTORIES:
            self._note(folder, f"holds {len(task_names)} task directories; the first {_MOST_TASK_DIRECTORIES} were read")
        found: dict[TaskId, TaskDirectory] = {}
        for name in task_names[:_MOST_TASK_DIRECTORIES]:
            task_id = self._task_id(folder, name)
            if task_id is None:
                continue
            if task_id in found or name != str(task_id):
                # Java parses the name and makes the directory of what it parsed: 01_0 is task 1_0's name, and not its directory.
                self._note(f"{folder}{name}", f"is not the directory of task {task_id}, which is called {task_id}: it was not read")
                continue
            task = self._task(f"{folder}{name}", task_id)
            if task is not None:
                found[task_id] = task
        return tuple(found[task_id] for task_id in sorted(found))

    def _task_id(self, folder: str, name: str) -> TaskId | None:
        subtopology, partition = name.split("_")
        if max(len(subtopology), len(partition)) > 10 or max(int(subtopology), int(partition)) > java.INT_MAX:
            self._note(f"{folder}{name}", "has a number that no task has: Kafka Streams fails on such a directory; it was not read")
            return None
        return TaskId(int(subtopology), int(partition))

    def _named_topology(self, name: str) -> tuple[str, tuple[TaskDirectory, ...]]:
        """What is under `__name__` (Kafka Streams 3.x). It is kept as evidence; no report is inferred from it."""
        tasks: tuple[TaskDirectory, ...] = ()
        try:
            tasks = self._tasks(f"{name}/", self._tree.names(name))
        except StatePathTrouble as problem:
            self._note(name, str(problem))
        self._note(
            name,
            f"is of the named topology {name[2:-2]!r}, with {len(tasks)} task directories: they were read, but what a client would"
            " report of a named topology is not modelled",
        )
        return name[2:-2], tasks

    def _global(self) -> Offsets | None:
        """What the global stores have applied. No member reports it, and no assignment looks at it."""
        try:
            names = self._tree.names(state_dir.GLOBAL)
            if state_dir.CHECKPOINT in names:
                return state_dir.parse_checkpoint(self._bytes(f"{state_dir.GLOBAL}/{state_dir.CHECKPOINT}"))
        except (MalformedBytes, StatePathTrouble) as problem:
            self._note(state_dir.GLOBAL, str(problem))
            return None
        return self._kept_in_stores(state_dir.GLOBAL, names).offsets

    def _process_id(self) -> ProcessId | None:
        try:
            process_id = state_dir.parse_process_metadata(self._bytes(state_dir.PROCESS_METADATA))
        except HoldfastError as problem:
            self._note(state_dir.PROCESS_METADATA, str(problem))
            return None
        if process_id is None:
            self._note(state_dir.PROCESS_METADATA, "holds no process ID: Kafka Streams would generate a new one at its next start")
        return process_id

    def _task(self, name: str, task_id: TaskId) -> TaskDirectory | None:
        try:
            names = self._tree.names(name)
        except StatePathTrouble as problem:
            self._note(name, str(problem))
            return None
        non_empty = any(each != state_dir.CHECKPOINT and not each.endswith(state_dir.LOCK) for each in names)
        lock = self._tree.lock(f"{name}/{state_dir.LOCK}") if state_dir.LOCK in names else None
        task = TaskDirectory(task_id, None, non_empty, self._stores(name), lock=lock)
        if state_dir.CHECKPOINT in names:
            path = f"{name}/{state_dir.CHECKPOINT}"
            try:
                return replace(task, checkpoint=state_dir.parse_checkpoint(self._bytes(path)))
            except (MalformedBytes, StatePathTrouble) as problem:
                self._note(path, str(problem))
                return replace(task, unreadable=True)
        if not non_empty:
            return task
        kept = self._kept_in_stores(name, names)
        return replace(
            task,
            checkpoint=kept.offsets,
            offsets_in_stores=kept.offsets is not None,
            open_stores=kept.open,
            unreadable=kept.unreadable,
        )

    def _kept_in_stores(self, folder: str, names: list[str]) -> _Kept:
        """What stores themselves say (4.3): read on local disks only."""
        found: dict[TopicPartition, int] = {}
        still_open: list[str] = []
        has_place = False
        try:
            for name in names:
                if name.startswith(store_offsets.CHECKPOINT_OF_STORE):
                    has_place = True
                    found.update(state_dir.parse_checkpoint(self._bytes(f"{folder}/{name}")))
            for store, segments in self._rocksdb(folder).items():
                kept = self._newest(folder, segments)
                if kept is None:
                    continue
                has_place = True
                found.update(kept.offsets)
                if kept.open:
                    still_open.append(store)
        except (MalformedBytes, StatePathTrouble) as problem:
            self._note(folder, str(problem))
            return _Kept(None, tuple(sorted(still_open)), unreadable=True)
        return _Kept(tuple(sorted(found.items())) if has_place else None, tuple(sorted(still_open)), not self._tree.is_local)

    def _rocksdb(self, task: str) -> dict[str, list[str]]:
        """The RocksDB folders of each store, oldest segment first; on local disks only."""
        if not self._tree.is_local:
            return {}
        stores: dict[str, list[str]] = {}
        inside = self._tree.folders(task)
        places = [(task, name) for name in inside if name != state_dir.ROCKSDB]
        if state_dir.ROCKSDB in inside:
            rocksdb = f"{task}/{state_dir.ROCKSDB}"
            places = [(rocksdb, name) for name in self._tree.folders(rocksdb)] + places
        for folder, name in places[:_MOST_STORES]:
            place = f"{folder}/{name}"
            segments = [place] if self._is_store(place) else [f"{place}/{each}" for each in self._tree.folders(place)]
            found = [each for each in segments if self._is_store(each)]
            if found:
                stores.setdefault(name, []).extend(sorted(found, key=_segment))
        return stores

    def _is_store(self, folder: str) -> bool:
        return self._tree.has_file(f"{folder}/CURRENT")

    def _newest(self, task: str, segments: list[str]) -> StoreOffsets | None:
        """What the newest segment says that says anything; None where no segment has a place for it."""
        found: StoreOffsets | None = None
        for segment in reversed(segments):
            entries = self._tree.entries_of_store(segment)
            if entries is None:
                continue
            kept = store_offsets.read(entries)
            if kept.open:
                self._note(
                    f"{task}/{segment.rpartition('/')[2]}",
                    "was open when it was read, or not closed cleanly: its offsets are as old as its last flush, and with"
                    " exactly-once Kafka Streams would discard the store",
                )
            found = StoreOffsets(kept.offsets, bool(kept.open or (found and found.open)))
            if kept.offsets:
                break
        return found

    def _stores(self, task: str) -> tuple[str, ...]:
        """The folders of its stores: RocksDB's own, and those of window and session stores next to them."""
        found = self._tree.folders(task)
        if state_dir.ROCKSDB in found:
            found.remove(state_dir.ROCKSDB)
            found += self._tree.folders(f"{task}/{state_dir.ROCKSDB}")
        return tuple(sorted(found)[:_MOST_STORES])

    def _bytes(self, path: str) -> bytes:
        data, changed = self._tree.content(path)
        self._files.append(StateFile(path, len(data), changed))
        return data

    def _note(self, path: str, reason: str) -> None:
        place = f"{self._shown}/{path}" if path else self._shown
        self._unknown.append(Unknown(f"state_directories.{place}", reason))
