"""Are the unfinished files of dead writers removed, and no others?"""

import fcntl
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.adapters import temporary

WRITE_AND_WAIT = """
import os, sys
from holdfast.adapters import temporary
folder = os.open(sys.argv[1], os.O_RDONLY)
with temporary.new_file(folder, "plan.json") as (descriptor, name):
    os.write(descriptor, b"half")
    print(name, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


def test_a_writer_that_is_killed_leaves_what_the_next_removes_at_once(tmp_path: Path, folder: int) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITE_AND_WAIT, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    name = writer.stdout.readline().strip()
    assert temporary.remove_abandoned(folder) == ()  # it is being written
    assert names(tmp_path) == [name]

    writer.kill()
    writer.wait()
    writer.stdout.close()
    assert writer.stdin is not None
    writer.stdin.close()

    assert temporary.remove_abandoned(folder) == (name,)
    assert names(tmp_path) == []


def test_what_a_block_leaves_is_removed_by_it(tmp_path: Path, folder: int) -> None:
    with pytest.raises(KeyError), temporary.new_file(folder, "plan.json"):
        raise KeyError
    assert names(tmp_path) == []

    with temporary.new_file(folder, "plan.json") as (_, name):
        os.rename(name, "plan.json", src_dir_fd=folder, dst_dir_fd=folder)
    assert names(tmp_path) == ["plan.json"]


def test_foreign_files_stay(tmp_path: Path, folder: int) -> None:
    old = time.time() - 10 * temporary.ABANDONED_AFTER_S
    foreign = [
        ".plan.json.swp",
        "plan.json.0123456789abcdef.tmp",
        ".plan.json.0123456789ABCDEF.tmp",
        ".x.0123.tmp",
        ".tmp",
        "a.tmp",
    ]
    for name in foreign:
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (old, old))
    (tmp_path / ".folder.0123456789abcdef.tmp").mkdir()
    (tmp_path / ".link.0123456789abcdef.tmp").symlink_to(tmp_path / "a.tmp")
    os.mkfifo(tmp_path / ".pipe.0123456789abcdef.tmp")
    before = names(tmp_path)

    assert temporary.remove_abandoned(folder) == ()
    assert names(tmp_path) == before


def test_of_one_file_only(tmp_path: Path, folder: int) -> None:
    mine, other = temporary.name_for("plan.json"), temporary.name_for("other.json")
    for name in (mine, other):
        (tmp_path / name).touch()

    assert temporary.remove_abandoned(folder, of="plan.json") == (mine,)
    assert names(tmp_path) == [other]


@pytest.mark.parametrize(("age", "left"), [(temporary.ABANDONED_AFTER_S - 60, True), (temporary.ABANDONED_AFTER_S + 60, False)])
def test_files_of_writers_that_took_no_lock_go_by_age(tmp_path: Path, folder: int, age: float, left: bool) -> None:
    file = tmp_path / ".plan.json.0123abcd.tmp"
    file.touch()
    os.utime(file, (time.time() - age,) * 2)

    temporary.remove_abandoned(folder)
    assert file.exists() is left


@pytest.mark.parametrize(("age", "left"), [(60, True), (temporary.ABANDONED_AFTER_S + 60, False)])
def test_without_locks_they_go_by_age(tmp_path: Path, folder: int, age: float, left: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(descriptor: int, operation: int) -> None:
        raise OSError(temporary.errno.ENOLCK, "no locks here")

    monkeypatch.setattr(fcntl, "flock", refuses)
    with temporary.new_file(folder, "plan.json") as (_, name):
        os.utime(tmp_path / name, (time.time() - age,) * 2)
        temporary.remove_abandoned(folder)
        assert (tmp_path / name).exists() is left


def test_a_long_name_still_fits(tmp_path: Path, folder: int) -> None:
    with temporary.new_file(folder, "x" * 240) as (_, name):
        assert temporary.is_temporary(name)


def test_who_looks_for_leftovers_while_others_write_takes_none_of_theirs(tmp_path: Path, folder: int) -> None:
    """Between making a file and locking it the writer can lose it: then it makes another."""
    ends = threading.Event()

    def sweep() -> None:
        while not ends.is_set():
            temporary.remove_abandoned(folder)

    sweeper = threading.Thread(target=sweep)
    sweeper.start()
    try:
        for number in range(40):
            with temporary.new_file(folder, "n") as (_, name):
                os.rename(name, f"{number}", src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        ends.set()
        sweeper.join()
    assert len(names(tmp_path)) == 40
