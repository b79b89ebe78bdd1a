"""The holder of a lock file, read without locking, so that a starting client finds it free; and how to take a lock.

Java's FileChannel locks are POSIX record locks on Linux (`fcntl`). The kernel is asked which lock would block one of
Holdfast's (F_GETLK); asking takes none. Closing the file would drop only record locks that this very process has on it, and no part
of Holdfast has one: what is taken here belongs to the open file, and blocks Java's nevertheless.
"""

import errno
import fcntl
import os
import stat
import struct
import sys
from pathlib import Path

from holdfast.rollout.disks.state_directory import Lock

_FLOCK = "hhqqi"
"""Linux's `struct flock` with 64-bit offsets: type, whence, start, length (0: to the end), process."""
_LARGEST_PID = 2**22
_64_BIT_LINUX = sys.platform.startswith("linux") and struct.calcsize("P") == 8
_OF_THE_OPEN_FILE: int | None = getattr(fcntl, "F_OFD_SETLK", None) if _64_BIT_LINUX else None
_REMOTE = "locks are visible on the machine itself only"


def remote(protocol: str) -> Lock:
    """What is known of a directory that is reached by this path."""
    return Lock(None, reason=f"the directory was read over {protocol}: {_REMOTE}")


def of(file: Path | str, folder: int | None = None) -> Lock:
    """Whether a process holds a lock on the file, and which. A missing file is not locked.

    `folder`: the handle of the folder that the name is looked up in.
    """
    if not _64_BIT_LINUX:
        return Lock(None, reason=f"the holder of a lock is read on 64-bit Linux only; this is {sys.platform}")
    try:
        # Neither a link nor a pipe is opened: the one leads elsewhere, the other would wait for a writer.
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return Lock(held=False)
    except OSError as error:
        return Lock(None, reason=f"the lock file cannot be read: {error.strerror}")
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return Lock(None, reason="the lock file is not a file")
        query = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        kind, _, _, _, pid = struct.unpack(_FLOCK, fcntl.fcntl(descriptor, fcntl.F_GETLK, query))
    except OSError as error:
        return Lock(None, reason=f"the file system does not report the holder of a lock: {error.strerror}")
    finally:
        os.close(descriptor)
    if kind == fcntl.F_UNLCK:
        return Lock(held=False)
    # In a container, and over NFS, the holder may have no number that means anything here.
    return Lock(held=True, pid=pid if 0 < pid <= _LARGEST_PID else None)


def try_lock(descriptor: int) -> bool:
    """Take the lock that Java's `FileChannel.tryLock` takes, of an open file that may be written; False: another process has it.

    Never waits. It is let go when the descriptor is closed, or its process ends. On Linux it belongs to the open file, not to the
    process: no other part of this process drops it by closing the same file, and two threads are two.
    """
    try:
        if _OF_THE_OPEN_FILE is None:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            fcntl.fcntl(descriptor, _OF_THE_OPEN_FILE, struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN):
            return False
        raise
    return True
