"""Who holds a lock file: locks of other processes are seen, and asking leaves them, and everything else, as it was."""

import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast.adapters.state_dirs import file_locks
from holdfast.rollout.disks.state_directory import Lock

_HOLD = """
import fcntl, sys
file = open(sys.argv[1], "r+b")
fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
print("held", flush=True)
sys.stdin.read()
"""
"""Takes the lock as Java's FileChannel does, and keeps it until its standard input ends."""


@contextmanager
def held_by_another(file: Path) -> Iterator[subprocess.Popen[str]]:
    holder = subprocess.Popen([sys.executable, "-c", _HOLD, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdin is not None
    assert holder.stdout is not None
    with holder:
        assert holder.stdout.readline() == "held\n"
        yield holder
        holder.stdin.close()
        holder.wait(300)


def can_lock(file: Path) -> bool:
    """Whether a third process could take the lock now."""
    program = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+b'), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    return subprocess.run([sys.executable, "-c", program, str(file)], capture_output=True, check=False).returncode == 0


def test_a_lock_of_another_process_is_seen_with_its_holder_until_it_lets_go(tmp_path: Path) -> None:
    file = tmp_path / ".lock"
    file.touch()
    assert file_locks.of(file) == Lock(held=False)
    with held_by_another(file) as holder:
        for _ in range(100):
            assert file_locks.of(file) == Lock(held=True, pid=holder.pid)
        assert not can_lock(file)
    assert file_locks.of(file) == Lock(held=False)


@pytest.mark.thorough
def test_asking_never_stands_in_the_way_of_one_who_locks(tmp_path: Path) -> None:
    """Were the lock taken to see whether it can be had, a client starting at that moment would fail."""
    file = tmp_path / ".lock"
    file.touch()
    stop = threading.Event()
    asking = threading.Thread(target=lambda: [file_locks.of(file) for _ in iter(stop.is_set, True)])
    asking.start()
    try:
        assert all(can_lock(file) for _ in range(20))
    finally:
        stop.set()
        asking.join()


def test_nothing_is_made_or_changed(tmp_path: Path) -> None:
    file = tmp_path / ".lock"
    assert file_locks.of(file) == Lock(held=False)
    assert not file.exists()
    file.write_bytes(b"")
    before = file.stat()
    file_locks.of(file)
    after = file.stat()
    assert (after.st_mtime_ns, after.st_size, after.st_ino) == (before.st_mtime_ns, before.st_size, before.st_ino)


def test_a_file_that_may_only_be_read_is_enough(tmp_path: Path) -> None:
    file = tmp_path / ".lock"
    file.touch()
    with held_by_another(file) as holder:
        file.chmod(0o400)
        assert file_locks.of(file) == Lock(held=True, pid=holder.pid)


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_lock_file_is_said_and_not_waited_for(tmp_path: Path, kind: str) -> None:
    file = tmp_path / ".lock"
    if kind == "link":
        (tmp_path / "elsewhere").touch()
        file.symlink_to(tmp_path / "elsewhere")
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.mkdir()
    found = file_locks.of(file)
    assert found.held is None
    assert found.reason


def test_an_flock_is_no_lock_of_java(tmp_path: Path) -> None:
    file = tmp_path / ".lock"
    with file.open("w") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        assert file_locks.of(file) == Lock(held=False)


def test_over_a_network_it_cannot_be_known() -> None:
    found = file_locks.remote("sftp")
    assert found.held is None
    assert "sftp" in str(found.reason)
