"""Who holds a lock file, seen from beside: nothing is locked, so nobody who starts meanwhile finds it taken.

Java's FileChannel locks are POSIX record locks on Linux (`fcntl`). The kernel is asked which lock would stand in the way of one of
ours (F_GETLK); asking takes none. Closing the file would drop only locks that this very process has on it, and no part of Holdfast
keeps one.
"""

import fcntl
import os
import stat
import struct
import sys
from pathlib import Path

from holdfast.rollout.snapshot import Lock

_FLOCK = "hhqqi"
"""Linux's `struct flock` with 64-bit offsets: type, whence, start, length (0: to the end), process."""
_LARGEST_PID = 2**22
_REMOTE = "a lock is seen on the machine itself only"


def remote(protocol: str) -> Lock:
    """What can be said of a directory that is reached in this way."""
    return Lock(None, reason=f"the directory was read over {protocol}: {_REMOTE}")


def of(file: Path) -> Lock:
    """Whether somebody holds a lock on the file, and who. A file that is not there is held by nobody."""
    if not sys.platform.startswith("linux") or struct.calcsize("P") != 8:
        return Lock(None, reason=f"who holds a lock is read on 64-bit Linux only, and this is {sys.platform}")
    try:
        # Neither a link nor a pipe is opened: the one leads elsewhere, the other would wait for a writer.
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return Lock(held=False)
    except OSError as error:
        return Lock(None, reason=f"the lock file cannot be read: {error.strerror}")
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return Lock(None, reason="the lock file is no file")
        asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        kind, _, _, _, pid = struct.unpack(_FLOCK, fcntl.fcntl(descriptor, fcntl.F_GETLK, asked))
    except OSError as error:
        return Lock(None, reason=f"the file system does not say who holds a lock: {error.strerror}")
    finally:
        os.close(descriptor)
    if kind == fcntl.F_UNLCK:
        return Lock(held=False)
    # In a container, and over NFS, the holder may have no number that means anything here.
    return Lock(held=True, pid=pid if 0 < pid <= _LARGEST_PID else None)
