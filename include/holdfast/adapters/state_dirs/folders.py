"""A folder of a local disk, by its handle: no link is followed at any part of its path, nothing is waited for, reads are bounded.

Users who may write into a parent could otherwise put a link, a pipe or another folder there between a look and an act. What is
done through a handle is done in the folder that was looked at.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Self

from holdfast.errors import NotAllowed, StatePathTrouble

_NO_LINK = os.O_NOFOLLOW | os.O_CLOEXEC
_PASS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | _NO_LINK
"""To go through a folder its search right is enough."""
_LIST = os.O_RDONLY | os.O_DIRECTORY | _NO_LINK
_FILE = _NO_LINK | os.O_NONBLOCK | os.O_NOCTTY
_NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS)
_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFBLK: "a device",
    stat.S_IFCHR: "a device",
    stat.S_IFDIR: "a folder",
    stat.S_IFREG: "a file",
}

Identity = tuple[int, int]
"""Of a file or folder, whatever it is called: device and inode."""


class NoSuchFolder(StatePathTrouble):
    """There is nothing of that name, or something that is no folder."""


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """What is in a folder. `kind` is a word of `_KINDS`."""

    name: str
    kind: str

    @property
    def is_folder(self) -> bool:
        return self.kind == _KINDS[stat.S_IFDIR]

    @property
    def is_file(self) -> bool:
        return self.kind == _KINDS[stat.S_IFREG]


@dataclass(frozen=True, slots=True)
class Folder:
    """`shown` is its name in messages. It is closed by the code that opened it (`opened`, `Folder.below`)."""

    descriptor: int
    shown: str

    @property
    def identity(self) -> Identity:
        return identity(os.fstat(self.descriptor))

    @property
    def status(self) -> os.stat_result:
        return os.fstat(self.descriptor)

    def entries(self, most: int) -> tuple[FolderEntry, ...]:
        """What is in it, sorted by name; the links as links. Raise StatePathTrouble for more than `most`."""
        found: list[FolderEntry] = []
        try:
            with os.scandir(self.descriptor) as listing:
                for each in listing:
                    if len(found) >= most:
                        raise StatePathTrouble(f"{self.shown} holds more than {most:,} entries")
                    with suppress(FileNotFoundError):  # it was removed meanwhile
                        found.append(FolderEntry(each.name, _kind(_mode(each))))
        except OSError as error:
            raise trouble(f"{self.shown} cannot be listed", error) from None
        return tuple(sorted(found, key=lambda entry: entry.name))

    def status_of(self, name: str) -> os.stat_result | None:
        """Of the entry itself, not of what a link leads to; None where there is none."""
        try:
            return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise trouble(f"{self.shown}/{name} cannot be read", error) from None

    def sync(self) -> None:
        """Make the names in it durable."""
        try:
            os.fsync(self.descriptor)
        except OSError as error:
            raise trouble(f"{self.shown} was written, but may be lost if the machine crashes", error) from None

    def is_link(self, name: str) -> bool:
        found = self.status_of(name)
        return found is not None and stat.S_ISLNK(found.st_mode)

    @contextmanager
    def file(self, name: str, access: int = os.O_RDONLY) -> Iterator[int | None]:
        """The descriptor of an ordinary file; None where there is none. Raise StatePathTrouble for anything else of that name."""
        descriptor = self._open_file(name, access)
        try:
            yield descriptor
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def _open_file(self, name: str, access: int) -> int | None:
        found = self.status_of(name)  # before it is opened: to open a device may do something
        if found is None:
            return None
        self._refuse_other_than_file(name, found)
        try:
            descriptor = os.open(name, access | _FILE, dir_fd=self.descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise trouble(f"{self.shown}/{name} cannot be opened", error) from None
        try:
            self._refuse_other_than_file(name, os.fstat(descriptor))
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def _refuse_other_than_file(self, name: str, found: os.stat_result) -> None:
        if not stat.S_ISREG(found.st_mode):
            raise StatePathTrouble(f"{self.shown}/{name} is {_kind(found.st_mode)}; a file is needed. It was not changed.")

    @contextmanager
    def below(self, name: str) -> Iterator["Folder"]:
        """A folder in it."""
        folder = self.step(name, _LIST)
        try:
            yield folder
        finally:
            os.close(folder.descriptor)

    def step(self, name: str, how: int) -> "Folder":
        """The folder of that name, for the caller to close."""
        place = f"{self.shown.rstrip('/')}/{name}"
        try:
            return Folder(os.open(name, how, dir_fd=self.descriptor), place)
        except (OSError, ValueError) as error:
            raise self._why_not(name, place, error) from None

    def _why_not(self, name: str, place: str, error: OSError | ValueError) -> StatePathTrouble:
        if isinstance(error, FileNotFoundError):
            return NoSuchFolder(f"{place}: there is no such folder")
        if isinstance(error, OSError) and error.errno in (errno.ENOTDIR, errno.ELOOP):
            found = self.status_of(name)
            if found is not None and not stat.S_ISLNK(found.st_mode):
                return NoSuchFolder(f"{place} is {_kind(found.st_mode)}, not a folder")
            return StatePathTrouble(
                f"{place} is a symbolic link (to {os.path.realpath(place)!r}), and none is followed: give the path that it leads to"
            )
        return trouble(f"{place} cannot be opened", error)

    def read(self, descriptor: int, name: str, limit: int) -> bytes:
        """All of an open file. Raise StatePathTrouble if it is larger than `limit` bytes."""
        parts: list[bytes] = []
        size = 0
        try:
            while size <= limit and (part := os.pread(descriptor, min(limit + 1 - size, 1 << 20), size)):
                parts.append(part)
                size += len(part)
        except OSError as error:
            raise trouble(f"{self.shown}/{name} cannot be read", error) from None
        if size > limit:
            raise StatePathTrouble(f"{self.shown}/{name} is larger than {limit:,} bytes, and no such file is that large")
        return b"".join(parts)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)


def opened(path: str) -> Folder:
    """The folder at `path`, to be used in a `with`. Raise StatePathTrouble; NoSuchFolder where there is none.

    The walk begins at the root, or at the working directory, and takes one part at a time.
    """
    parts = [part for part in path.split("/") if part not in ("", ".")]
    start = "/" if path.startswith("/") else os.getcwd()  # noqa: PTH109 - the kernel's own name of it, without links
    try:
        here = Folder(os.open(start, _PASS if parts else _LIST), start)
    except OSError as error:
        raise trouble(f"{start} cannot be opened", error) from None
    for number, part in enumerate(parts, start=1):
        try:
            child = here.step(part, _LIST if number == len(parts) else _PASS)
        finally:
            os.close(here.descriptor)
        here = child
    return Folder(here.descriptor, path.rstrip("/") or "/")


def identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino


def trouble(what: str, error: OSError | ValueError) -> StatePathTrouble:
    """What the system refused, in its words; for want of a right by its own name."""
    if not isinstance(error, OSError):
        return StatePathTrouble(f"{what}: a path cannot contain such characters")
    message = f"{what}: {error.strerror or type(error).__name__}"
    if error.errno in _NOT_ALLOWED:
        return NotAllowed(f"{message}. The permissions of the application's user, its group or root are needed.")
    return StatePathTrouble(f"{message}.")


def _mode(entry: os.DirEntry[str]) -> int:
    if entry.is_symlink():
        return stat.S_IFLNK
    if entry.is_dir(follow_symlinks=False):
        return stat.S_IFDIR
    if entry.is_file(follow_symlinks=False):
        return stat.S_IFREG
    return entry.stat(follow_symlinks=False).st_mode


def _kind(mode: int) -> str:
    return _KINDS.get(stat.S_IFMT(mode), "something else")
