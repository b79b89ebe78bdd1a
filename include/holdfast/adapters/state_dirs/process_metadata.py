"""The file `kafka-streams-process-metadata` of local state directories: read, and written, never under a running client.

Java: `StateDirectory.initializeProcessId`, 2.6.2 to 4.3: a client takes an exclusive lock on `.lock` and keeps it for as long as it
runs; only then it looks for the file, reads it, or makes it. So:

- Where there is no file it is made by a hard link, which fails if there is one by now. That takes no lock: a client that
  starts in between finds Holdfast's file, or puts its own ID into it, and in both cases the file says what the client is.
- A file that is there is replaced by a rename, under the client's own lock, because a client may have just read it. Everything is
  ready before; under the lock the file is compared once more and renamed. A client that starts in these microseconds fails to.
- All of it goes through the folder's handle (`folders`), and is looked at again by its path afterwards.

What a killed writer leaves, the next one removes (`temporary`).
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import unquote

from holdfast.adapters import temporary
from holdfast.adapters.deadline import Deadline
from holdfast.adapters.state_dirs import file_locks, folders
from holdfast.adapters.state_dirs.folders import Folder
from holdfast.adapters.urls import parts_of
from holdfast.errors import ClusterTrouble, MalformedBytes, NotAllowed, StatePathTrouble
from holdfast.kafka import state_dir as kafka
from holdfast.kafka.vocabulary import ProcessId

T = TypeVar("T")
FILE_NAME = kafka.PROCESS_METADATA
LARGEST_FILE = 64 * 1024
LIMIT_S = 30.0
_ATTEMPTS = 5
_NOTHING = "Nothing was written."
_POSIX_ACL = "system.posix_acl_access"


class LocalProcessMetadataFiles:
    """State directories on local disks (or mounted ones): a path, or a `file://` URL. Nothing takes longer than `limit_s`."""

    def __init__(self, limit_s: float = LIMIT_S) -> None:
        self._limit_s = limit_s

    def read(self, state_dir: str) -> ProcessId | None:
        path = _path(state_dir)

        def read() -> ProcessId | None:
            try:
                with folders.opened(path) as folder, _found(folder) as found:
                    return None if found is None else found.process_id
            except folders.NoSuchFolder:
                return None

        return self._bounded(f"{path} was not read", read)

    def write(self, state_dir: str, process_id: ProcessId, replaces: ProcessId | None = None) -> None:
        turn = _Turn()
        self._in_time(_Writing(_path(state_dir), process_id, replaces, turn), turn, "written")

    def remove(self, state_dir: str, process_id: ProcessId) -> None:
        turn = _Turn()
        self._in_time(_Removing(_path(state_dir), process_id, None, turn), turn, "removed")

    def _in_time(self, change: "_Writing", turn: "_Turn", done: str) -> None:
        try:
            self._bounded(f"{change.file} was not {done}", change.run)
        except _TookTooLong as late:
            if turn.end():
                raise StatePathTrouble(f"{late} {_NOTHING}") from None
            raise StatePathTrouble(f"{late} It is unknown whether the file was {done}: check before you continue.") from None

    def _bounded(self, what: str, action: Callable[[], T]) -> T:
        """What a file system does not bound: a server that does not answer."""
        try:
            return Deadline(self._limit_s).within(what, action)
        except ClusterTrouble:
            raise _TookTooLong(f"{what} within {self._limit_s:g} s: the file system does not answer.") from None
        except OSError as error:
            raise folders.trouble(what, error) from None


class _TookTooLong(StatePathTrouble):
    pass


class _Turn:
    """Whether the writer may still act: once its time is up it no longer may, however late it gets there."""

    def __init__(self) -> None:
        self._only_one = threading.Lock()
        self._acts = False
        self._is_over = False

    def take(self) -> None:
        with self._only_one:
            if self._is_over:
                raise StatePathTrouble(f"the time limit was reached. {_NOTHING}")
            self._acts = True

    def end(self) -> bool:
        """True: nothing was done, and nothing will be."""
        with self._only_one:
            self._is_over = True
            return not self._acts


@dataclass(frozen=True, slots=True)
class _Found:
    """The file, open."""

    descriptor: int
    content: bytes
    process_id: ProcessId

    @property
    def status(self) -> os.stat_result:
        return os.fstat(self.descriptor)


@dataclass(frozen=True, slots=True)
class _Belongs:
    """Whose a file is, and who may do what with it."""

    user: int
    group: int
    mode: int
    acl: bytes | None = None

    @classmethod
    def as_of(cls, found: _Found) -> "_Belongs":
        status = found.status
        return cls(status.st_uid, status.st_gid, status.st_mode & 0o777, _acl(found.descriptor))

    @classmethod
    def for_new_in(cls, folder: Folder) -> "_Belongs":
        """The folder's user and group, and for others what they may do in the folder; our own umask counts for nothing.

        Java makes it with the rights that the application's umask leaves: its user can read and write, its group can mostly read.
        """
        status = folder.status
        return cls(status.st_uid, status.st_gid, 0o640 | status.st_mode & 0o064)


class _Writing:
    """One writing of one process ID into one directory."""

    def __init__(self, path: str, process_id: ProcessId, replaces: ProcessId | None, turn: _Turn) -> None:
        self._path, self._process_id, self._replaces, self._turn = path, process_id, replaces, turn
        self.file = f"{path}/{FILE_NAME}"

    def run(self) -> None:
        try:
            folder = folders.opened(self._path)
        except folders.NoSuchFolder:
            raise folders.NoSuchFolder(
                f"{self._path} is not a directory. Create <state.dir>/<application.id> as the application's user first."
            ) from None
        with folder:
            temporary.remove_abandoned(folder.descriptor, FILE_NAME)
            if not any(self._attempt(folder) for _ in range(_ATTEMPTS)):
                raise StatePathTrouble(
                    f"{self.file} was changed by another process each time before it could be written. {_NOTHING}"
                )

    def _attempt(self, folder: Folder) -> bool:
        """False: another process changed it meanwhile, and it has to be inspected anew."""
        with _found(folder) as found:
            if found is not None and found.process_id == self._process_id:
                folder.sync()  # its writer may have been killed before
                return True
            if found is not None and found.process_id != self._replaces:
                raise StatePathTrouble(
                    f"{self.file} already holds process ID {found.process_id}, not {self._replaces or self._process_id}: another"
                    f" client has started there. {_NOTHING}"
                )
            self._refuse_running_client(folder, _NOTHING)
            belongs = _Belongs.for_new_in(folder) if found is None else _Belongs.as_of(found)
            with _next_to_it(folder, belongs) as next_to_it:
                _fill(next_to_it.descriptor, kafka.with_process_id(b"{}" if found is None else found.content, self._process_id))
                done = self._create(next_to_it) if found is None else self._replace(folder, next_to_it, found)
        if done:
            folder.sync()
            self._look_again(folder, created=found is None)
        return done

    def _create(self, next_to_it: "_NextToIt") -> bool:
        self._turn.take()
        return next_to_it.link_as(FILE_NAME)

    def _replace(self, folder: Folder, next_to_it: "_NextToIt", found: _Found) -> bool:
        with self._unchanged(folder, found) as unchanged:
            if unchanged:
                self._turn.take()
                next_to_it.rename_to(FILE_NAME)
            return unchanged

    @contextmanager
    def _unchanged(self, folder: Folder, found: _Found) -> Iterator[bool]:
        """Whether the file is still as it was found. To the end of the block a client that starts finds its lock taken."""
        with self._client_lock(folder, _Belongs.as_of(found)) as lock:
            current = folder.status_of(FILE_NAME)
            yield (
                lock is not None
                and current is not None
                and folders.identity(current) == folders.identity(found.status)
                and os.pread(found.descriptor, LARGEST_FILE + 1, 0) == found.content
            )

    @contextmanager
    def _client_lock(self, folder: Folder, belongs: _Belongs) -> Iterator[int | None]:
        """The client's own lock, held; None: the lock file is another one by now."""
        name = kafka.LOCK
        if folder.status_of(name) is None:
            with _next_to_it(folder, belongs) as made:  # no client has run here: it makes an empty file, and keeps it for ever
                made.link_as(name)
        with folder.file(name, os.O_RDWR) as lock:
            if lock is None:
                yield None
                return
            if not self._take(lock):
                self._refuse_running_client(folder, _NOTHING)
                raise StatePathTrouble(f"A running client holds {folder.shown}/{name}. Stop it first. {_NOTHING}")
            current = folder.status_of(name)
            yield lock if current is not None and folders.identity(current) == folders.identity(os.fstat(lock)) else None

    def _take(self, lock: int) -> bool:
        try:
            return file_locks.try_lock(lock)
        except OSError as error:
            raise folders.trouble(
                f"the file system of {self._path} has no locks, and without its lock no client can be kept out. {_NOTHING}", error
            ) from None

    def _refuse_running_client(self, folder: Folder, result: str) -> None:
        """Seen from outside; no lock is taken, so that a client that starts is not blocked."""
        found = folder.status_of(kafka.LOCK)
        if found is None:
            return
        with folder.file(kafka.LOCK):  # refuses what is no file
            holder = file_locks.of(kafka.LOCK, folder.descriptor)
        if holder.held:
            who = f" (process {holder.pid})" if holder.pid else ""
            raise StatePathTrouble(f"A running client{who} holds {folder.shown}/{kafka.LOCK}. Stop it first. {result}")

    def _look_again(self, folder: Folder, *, created: bool) -> None:
        with folders.opened(self._path) as again:
            if again.identity != folder.identity:
                raise StatePathTrouble(f"{self._path} was replaced while {FILE_NAME} was written: the file is in the former folder")
            if created:
                self._refuse_running_client(
                    again,
                    "It started while the file was written, and may have put its own process ID there: take a fresh snapshot.",
                )
            with _found(again) as found:
                if found is None or found.process_id != self._process_id:
                    holds = "is gone" if found is None else f"holds process ID {found.process_id}"
                    raise StatePathTrouble(f"{self.file} {holds} right after the write: another client has started there.")


class _Removing(_Writing):
    """The file is removed under the client's lock; a client that starts later makes up its own process ID."""

    def run(self) -> None:
        with suppress(folders.NoSuchFolder):
            super().run()

    def _attempt(self, folder: Folder) -> bool:
        with _found(folder) as found:
            if found is None:
                folder.sync()
                return True
            if found.process_id != self._process_id:
                raise StatePathTrouble(
                    f"{self.file} holds process ID {found.process_id}, not {self._process_id}: another client has started there."
                    " Nothing was removed."
                )
            self._refuse_running_client(folder, "Nothing was removed.")
            with self._unchanged(folder, found) as unchanged:
                if unchanged:
                    self._turn.take()
                    os.unlink(FILE_NAME, dir_fd=folder.descriptor)
        if unchanged:
            folder.sync()
        return unchanged


def _path(state_dir: str) -> str:
    parts = parts_of(state_dir)
    path = unquote(parts.path) if parts is not None and parts.scheme == "file" and not parts.netloc else state_dir
    if "://" in path:
        raise StatePathTrouble("A process ID can be written to a path, a file://, an ssh:// or a kubernetes:// URL only.")
    if not path or "\0" in path:
        raise StatePathTrouble("A state directory is needed: the path of <state.dir>/<application.id>.")
    return path


@contextmanager
def _found(folder: Folder) -> Iterator[_Found | None]:
    """The file, read as Kafka reads it. Raise StatePathTrouble where it holds no process ID."""
    with folder.file(FILE_NAME) as descriptor:
        if descriptor is None:
            yield None
            return
        content = folder.read(descriptor, FILE_NAME, LARGEST_FILE)
        try:
            process_id = kafka.parse_process_metadata(content)
        except MalformedBytes:
            process_id = None
        if process_id is None:
            raise StatePathTrouble(
                f"{folder.shown}/{FILE_NAME} holds no process ID; Kafka would replace it. Find out why, then delete it."
            )
        yield _Found(descriptor, content, process_id)


@dataclass(frozen=True, slots=True)
class _NextToIt:
    """A file of Holdfast's next to the one that it will replace, with the same owner and permissions."""

    folder: Folder
    name: str
    descriptor: int

    def link_as(self, name: str) -> bool:
        """False: there is one of that name."""
        here = self.folder.descriptor
        try:
            os.link(self.name, name, src_dir_fd=here, dst_dir_fd=here, follow_symlinks=False)
        except FileExistsError:
            return False
        except OSError as error:
            raise folders.trouble(
                f"{self.folder.shown}/{name} cannot be created by a hard link, the only method that never overwrites a file."
                f" {_NOTHING}",
                error,
            ) from None
        return True

    def rename_to(self, name: str) -> None:
        here = self.folder.descriptor
        os.rename(self.name, name, src_dir_fd=here, dst_dir_fd=here)


@contextmanager
def _next_to_it(folder: Folder, belongs: _Belongs) -> Iterator[_NextToIt]:
    with ExitStack() as opened:
        try:
            made = opened.enter_context(temporary.new_file(folder.descriptor, FILE_NAME, 0o600))
        except OSError as error:
            raise folders.trouble(f"nothing can be written into {folder.shown}", error) from None
        next_to_it = _NextToIt(folder, made[1], made[0])
        _hand_over(next_to_it, belongs)
        yield next_to_it


def _hand_over(next_to_it: _NextToIt, belongs: _Belongs) -> None:
    """While it is empty: set the file's owner, group and permissions. Raise NotAllowed where Holdfast may not."""
    descriptor = next_to_it.descriptor
    try:
        status = os.fstat(descriptor)
        if (status.st_uid, status.st_gid) != (belongs.user, belongs.group):
            os.fchown(descriptor, belongs.user, belongs.group)
        os.fchmod(descriptor, belongs.mode)
        if belongs.acl is not None:
            os.setxattr(descriptor, _POSIX_ACL, belongs.acl)
        status = os.fstat(descriptor)
    except OSError as error:
        status, problem = None, error.strerror or type(error).__name__
    else:
        problem = "the file system sets different ones"
    if status is None or (status.st_uid, status.st_gid, status.st_mode & 0o777) != (belongs.user, belongs.group, belongs.mode):
        raise NotAllowed(
            f"{next_to_it.folder.shown}/{FILE_NAME} must belong to user {belongs.user} and group {belongs.group} with mode"
            f" {belongs.mode:04o}, or the application cannot use it; this process (user {os.geteuid()}) may not give it to them"
            f" ({problem}). Run it as that user, or as root. {_NOTHING}"
        )


def _fill(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]
    os.fsync(descriptor)


def _acl(descriptor: int) -> bytes | None:
    """The POSIX access-control list, where the file has one beyond its mode."""
    if not hasattr(os, "getxattr"):
        return None
    try:
        return os.getxattr(descriptor, _POSIX_ACL)
    except OSError:
        return None
