"""Files being written: their names, their owners, and the removal of leftovers.

A file is written under a temporary name in the folder that it belongs to (or in one above it, on the same file system) and renamed
or linked to its place when it is whole. A writer holds a lock on the file (`flock`) for as long as it has the temporary
name; the kernel drops it when the writer ends, however it ends. So a temporary file that can be locked has no writer any more, and
the next writer removes it, at once and without a clock. Where a file system knows no such locks, and for files from before there
were any, an hour without a change is waited for. A name of another shape is never touched, nor a link, nor a folder.

Everything goes by a descriptor of the folder: what a folder is swapped for meanwhile is not reached.
"""

import errno
import fcntl
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

ABANDONED_AFTER_S = 3_600
LONGEST_STEM = 100
MOST_ENTRIES = 100_000
"""Of a folder: what is looked through for leftovers."""
_NAME = re.compile(r"\.(?P<stem>[^/]{1,200})\.(?P<token>[0-9a-f]{16}|[0-9a-f]{8})\.tmp", re.DOTALL)
_FIRST_TOKENS = 8
"""Digits in the names of writers that took no lock."""
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL, errno.EBADF)
_TRIES = 8


def name_for(name: str) -> str:
    """A fresh temporary name for the file `name`."""
    return f".{name[:LONGEST_STEM]}.{secrets.token_hex(8)}.tmp"


def is_temporary(name: str, of: str | None = None) -> bool:
    """Whether this is the name of an unfinished file; with `of`, of one that was to be called that."""
    found = _NAME.fullmatch(name)
    return found is not None and of in (None, found["stem"])


@contextmanager
def new_file(folder: int, name: str, mode: int = 0o666) -> Iterator[tuple[int, str]]:
    """A descriptor of an empty temporary file for `name` in `folder`, open to write, and what it is called until it is renamed.

    It is locked until the end of the block; what has still its temporary name then is removed.
    """
    descriptor, temporary = _created(folder, name, mode)
    try:
        yield descriptor, temporary
    finally:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        os.close(descriptor)


def _created(folder: int, name: str, mode: int) -> tuple[int, str]:
    for _ in range(_TRIES):
        temporary = name_for(name)
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=folder)
        try:
            # Until it is locked another process may treat it as a leftover, lock it, and remove it.
            if _locked(descriptor) is not False and os.fstat(descriptor).st_nlink > 0:
                return descriptor, temporary
        except OSError:
            os.close(descriptor)
            raise
        os.close(descriptor)
    raise OSError(errno.EAGAIN, "temporary files are deleted as soon as they are created", name)


def _locked(descriptor: int) -> bool | None:
    """Whether the lock on an open file is Holdfast's now. None: its file system knows no such locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return None if error.errno in _NO_LOCKS else False
    return True


def remove_abandoned(folder: int, of: str | None = None) -> tuple[str, ...]:
    """Remove the unfinished files of dead writers in `folder` (with `of`: of that file only). Return their names.

    What cannot be inspected or removed is left: a writer does not fail because of it.
    """
    removed: list[str] = []
    with suppress(OSError), os.scandir(folder) as entries:
        for count, entry in enumerate(entries):
            if count >= MOST_ENTRIES:
                break
            if is_temporary(entry.name, of) and _removed(folder, entry.name):
                removed.append(entry.name)
    return tuple(sorted(removed))


def _removed(folder: int, name: str) -> bool:
    # A pipe would wait for a writer, a link leads elsewhere: neither is opened.
    with suppress(OSError):
        descriptor = os.open(name, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or not _is_abandoned(descriptor, name, found):
                return False
            os.unlink(name, dir_fd=folder)
        finally:
            os.close(descriptor)
        return True
    return False


def _is_abandoned(descriptor: int, name: str, found: os.stat_result) -> bool:
    parts = _NAME.fullmatch(name)
    ours = _locked(descriptor)
    by_lock = ours is True and parts is not None and len(parts["token"]) > _FIRST_TOKENS
    return by_lock or (ours is not False and time.time() - found.st_mtime > ABANDONED_AFTER_S)
