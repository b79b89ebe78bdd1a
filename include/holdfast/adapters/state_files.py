"""The port `StateDirectoryReader`: a client's `<state.dir>/<application.id>` anywhere fsspec reaches.

Nothing is written, sizes and counts are bounded, a link that leads out of the directory is not followed, and of a URL only what is
not secret is kept. A broken file is an `Unknown`, with what Kafka Streams would make of it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import fsspec

from holdfast.adapters import file_locks
from holdfast.adapters.deadline import Deadline
from holdfast.errors import ClusterTrouble, HoldfastError, MalformedBytes, StatePathTrouble
from holdfast.kafka import java, state_dir, store_offsets
from holdfast.kafka.store_offsets import StoreOffsets
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.rollout.snapshot import Lock, StateDirectory, StateFile, TaskDirectory, Unknown

_LARGEST_FILE = 1_048_576
_MOST_TASK_DIRECTORIES = 20_000
_MOST_STORES = 1_000
_MOST_OTHERS = 100
_LONGEST_NAME = 255
_LOCAL = ("file", "local")

Offsets = tuple[tuple[TopicPartition, int], ...]


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a task's stores say. No `offsets`: there is a place for them, and nothing in it; None: no place, or not readable."""

    offsets: Offsets | None
    open: tuple[str, ...]
    unreadable: bool


def _segment(folder: Path) -> tuple[int, str]:
    """Segments are named after the time that they begin at: `<store>.<milliseconds>`."""
    start = folder.name.rpartition(".")[2]
    return int(start) if start.isdecimal() else 0, folder.name


class FsspecStateDirectories:
    """Reads state directories within a time limit."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline

    def read(self, url: str) -> tuple[StateDirectory, tuple[Unknown, ...]]:
        shown = public_url(url)
        try:
            return self._deadline.within(f"reading {shown}", lambda: _Reading(url, shown).result())
        except ClusterTrouble:
            limit = self._deadline.limit_s
            raise StatePathTrouble(
                f"{shown}: not read within {limit:g} s. Is the host up? More time is given with --timeout"
            ) from None


def public_url(url: str) -> str:
    """The URL without user, password, query and fragment."""
    parts = urlsplit(url)
    if not parts.scheme or not parts.netloc:
        return url.partition("?")[0] if parts.scheme else url
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


class _Reading:
    """One pass over one directory."""

    def __init__(self, url: str, shown: str) -> None:
        self._shown = shown
        self._unknown: list[Unknown] = []
        self._files: list[StateFile] = []
        with self._readable(shown):
            self._fs, root = fsspec.core.url_to_fs(url)
            self._root = str(root).rstrip("/") or "/"
            if not self._fs.isdir(self._root):
                raise StatePathTrouble(f"{shown}: there is no such directory; needed is <state.dir>/<application.id> of one client")
        self._is_local = any(name in _LOCAL for name in _protocols(self._fs))

    def result(self) -> tuple[StateDirectory, tuple[Unknown, ...]]:
        lock = self._lock(state_dir.LOCK)  # first: what is read afterwards is not older
        names = self._names(self._root)
        process_id = self._process_id() if state_dir.PROCESS_METADATA in names else None
        if state_dir.PROCESS_METADATA not in names:
            self._note("", f"has no {state_dir.PROCESS_METADATA}: whose directory it is cannot be told")
        kept_globally = self._global() if state_dir.GLOBAL in names else None
        tasks = self._tasks("", names)
        named = tuple(self._named_topology(name) for name in names if state_dir.NAMED_TOPOLOGY.fullmatch(name))
        others = tuple(name[:_LONGEST_NAME] for name in names if not state_dir.is_known(name))
        found = StateDirectory(
            self._shown,
            process_id,
            tasks,
            tuple(self._files),
            lock=lock,
            global_checkpoint=kept_globally,
            named_topologies=named,
            others=others[:_MOST_OTHERS],
            free_bytes=self._free_bytes(),
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
        """What lies under `__name__` (Kafka Streams 3.x). It is kept as evidence; no report is inferred from it."""
        tasks: tuple[TaskDirectory, ...] = ()
        try:
            self._stay_inside(name)
            tasks = self._tasks(f"{name}/", self._names(f"{self._root}/{name}"))
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
            self._stay_inside(state_dir.GLOBAL)
            names = self._names(f"{self._root}/{state_dir.GLOBAL}")
            if state_dir.CHECKPOINT in names:
                return state_dir.parse_checkpoint(self._bytes(f"{state_dir.GLOBAL}/{state_dir.CHECKPOINT}"))
        except (MalformedBytes, StatePathTrouble) as problem:
            self._note(state_dir.GLOBAL, str(problem))
            return None
        return self._kept_in_stores(state_dir.GLOBAL, names).offsets

    def _lock(self, path: str) -> Lock:
        if not self._is_local:
            return file_locks.remote(_protocols(self._fs)[0])
        try:
            self._stay_inside(path)
        except StatePathTrouble as problem:
            return Lock(None, reason=f"{path} {problem}")
        return file_locks.of(Path(self._root) / path)

    def _free_bytes(self) -> int | None:
        """What a user without special rights may still write. Only a local file system says."""
        if not self._is_local:
            return None
        try:
            found = os.statvfs(self._root)
        except OSError:
            return None
        return found.f_bavail * found.f_frsize

    def _process_id(self) -> ProcessId | None:
        try:
            process_id = state_dir.parse_process_metadata(self._bytes(state_dir.PROCESS_METADATA))
        except HoldfastError as problem:
            self._note(state_dir.PROCESS_METADATA, str(problem))
            return None
        if process_id is None:
            self._note(state_dir.PROCESS_METADATA, "holds no process ID: Kafka Streams would make up a new one at its next start")
        return process_id

    def _task(self, name: str, task_id: TaskId) -> TaskDirectory | None:
        try:
            self._stay_inside(name)
            names = self._names(f"{self._root}/{name}")
        except StatePathTrouble as problem:
            self._note(name, str(problem))
            return None
        non_empty = any(each != state_dir.CHECKPOINT and not each.endswith(state_dir.LOCK) for each in names)
        lock = self._lock(f"{name}/{state_dir.LOCK}") if state_dir.LOCK in names else None
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
        return _Kept(tuple(sorted(found.items())) if has_place else None, tuple(sorted(still_open)), not self._is_local)

    def _rocksdb(self, task: str) -> dict[str, list[Path]]:
        """The RocksDB folders of each store, oldest segment first; on local disks only."""
        if not self._is_local:
            return {}
        from holdfast.adapters import rocksdb_offsets

        stores: dict[str, list[Path]] = {}
        for folder in (f"{task}/{state_dir.ROCKSDB}", task):
            if folder != task and state_dir.ROCKSDB not in self._folders(f"{self._root}/{task}"):
                continue
            for name in self._folders(f"{self._root}/{folder}"):
                place = Path(self._root) / folder / name
                segments = [place] if rocksdb_offsets.is_store(place) else [place / each for each in self._folders(str(place))]
                found = [each for each in segments if rocksdb_offsets.is_store(each)]
                if name != state_dir.ROCKSDB and found:
                    stores.setdefault(name, []).extend(sorted(found, key=_segment))
        return stores

    def _newest(self, task: str, segments: list[Path]) -> StoreOffsets | None:
        """What the newest segment says that says anything; None where no segment has a place for it."""
        from holdfast.adapters import rocksdb_offsets

        found: StoreOffsets | None = None
        for segment in reversed(segments):
            entries = rocksdb_offsets.read(segment)
            if entries is None:
                continue
            kept = store_offsets.read(entries)
            if kept.open:
                self._note(
                    f"{task}/{segment.name}",
                    "was open when it was read, or not closed cleanly: its offsets are as old as its last flush, and with"
                    " exactly-once Kafka Streams would throw the store away",
                )
            found = StoreOffsets(kept.offsets, bool(kept.open or (found and found.open)))
            if kept.offsets:
                break
        return found

    def _stores(self, task: str) -> tuple[str, ...]:
        """The folders of its stores: RocksDB's own, and those of window and session stores beside it."""
        found = self._folders(f"{self._root}/{task}")
        if state_dir.ROCKSDB in found:
            found.remove(state_dir.ROCKSDB)
            found += self._folders(f"{self._root}/{task}/{state_dir.ROCKSDB}")
        return tuple(sorted(found)[:_MOST_STORES])

    def _folders(self, folder: str) -> list[str]:
        """Names of what is a folder and no link."""
        with self._readable(folder):
            entries = self._fs.ls(folder, detail=True)
            folders = [str(each["name"]) for each in entries if each["type"] == "directory" and not each.get("islink")]
        return [name.rstrip("/").rpartition("/")[2] for name in folders]

    def _names(self, folder: str) -> list[str]:
        with self._readable(folder):
            entries = self._fs.ls(folder, detail=True)
            found = [(str(each["name"]).rstrip("/"), each["type"]) for each in entries]
        if len(found) == 1 and found[0][1] == "file" and found[0][0].lstrip("/") == folder.strip("/"):
            raise StatePathTrouble("is a file where Kafka Streams has a directory; it was not read")
        return sorted(name.rpartition("/")[2] for name, _ in found)

    def _bytes(self, path: str) -> bytes:
        self._stay_inside(path)
        place = f"{self._root}/{path}"
        with self._readable(path):
            if not self._fs.isfile(place):
                raise StatePathTrouble("is not a file")
            with self._fs.open(place, "rb") as file:
                data: bytes = file.read(_LARGEST_FILE + 1)
        if len(data) > _LARGEST_FILE:
            raise StatePathTrouble(f"is larger than {_LARGEST_FILE} bytes, and no such file is")
        self._files.append(StateFile(path, len(data), self._modified_at(place)))
        return data

    def _stay_inside(self, path: str) -> None:
        if not self._is_local:
            return
        root = os.path.realpath(self._root)
        place = os.path.realpath(f"{self._root}/{path}")
        if os.path.commonpath((root, place)) != root:
            raise StatePathTrouble("is a link that leads out of the state directory; it was not followed")

    def _modified_at(self, place: str) -> str | None:
        try:
            moment = self._fs.modified(place)
        except (NotImplementedError, OSError, KeyError):
            return None
        if not isinstance(moment, datetime):
            return None
        return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _note(self, path: str, reason: str) -> None:
        place = f"{self._shown}/{path}" if path else self._shown
        self._unknown.append(Unknown(f"state_directories.{place}", reason))

    @contextmanager
    def _readable(self, what: str) -> Iterator[None]:
        """Raise StatePathTrouble for whatever a file system raises. Its texts may quote the URL, so they are not passed on."""
        try:
            yield
        except HoldfastError:
            raise
        except OSError as error:
            raise StatePathTrouble(
                f"{what}: {error.strerror or type(error).__name__}. The reader needs the group's or root's rights"
            ) from None
        except ImportError as error:
            raise StatePathTrouble(
                f"{what}: this kind of URL needs the package {error.name or 'that fsspec names for it'}"
            ) from None
        except Exception as error:  # noqa: BLE001 - each file system has errors of its own
            raise StatePathTrouble(f"{what}: cannot be read ({type(error).__name__})") from None


def _protocols(fs: Any) -> tuple[str, ...]:
    protocol = fs.protocol
    return (protocol,) if isinstance(protocol, str) else tuple(protocol)
