"""This process as the owner of a lease, and whether the process of another owner has ended.

That is known on Linux only, and of processes of the same machine and process namespace: by their number and when they started.
"""

import getpass
import hashlib
import os
import re
import secrets
import socket
from pathlib import Path

from holdfast.rollout.journal.lease import LeaseOwner

LONGEST_NAME = 200
_PROC = Path("/proc")


def owner(name: str | None = None, run: str | None = None) -> LeaseOwner:
    """`name`: None takes that of the user whom this process runs as."""
    started = _started(os.getpid())
    # The last part distinguishes two owners in one process. An unknown process is never assumed to be dead.
    process = f"{_machine()}-{started}-{secrets.token_hex(4)}" if started else secrets.token_hex(16)
    return LeaseOwner(name or _user(), socket.gethostname()[:LONGEST_NAME], os.getpid(), process, run)


def has_ended(other: LeaseOwner) -> bool:
    """True only where that is certain."""
    parts = other.process.split("-")
    if len(parts) != 3 or parts[0] != _machine() or not 0 < other.pid < 2**31:
        return False
    started = parts[1]
    found = _started(other.pid)
    return not _is_there(other.pid) if found is None else found != started


def _is_there(pid: int) -> bool:
    """Whether a process lives that this user may not look at."""
    if (_PROC / str(pid)).exists():
        return False  # what could be looked at has ended, and is waited for only
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _user() -> str:
    try:
        return getpass.getuser()[:LONGEST_NAME]
    except (KeyError, OSError):
        return str(os.getuid())


def _machine() -> str:
    """This boot of this machine, and this namespace of process numbers."""
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return hashlib.sha256(f"{boot} {os.readlink(_PROC / 'self/ns/pid')}".encode()).hexdigest()[:16]  # noqa: PTH115
    except OSError:
        return secrets.token_hex(8)


def _started(pid: int) -> str | None:
    """When a process started, in the kernel's ticks; None if there is none, or it is only waited for by its parent."""
    try:
        fields = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    if len(fields) < 20 or fields[0] in {"Z", "X", "x"} or not re.fullmatch(r"[0-9]+", fields[19]):
        return None
    return fields[19]
