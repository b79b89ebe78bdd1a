"""A run whose lake is on a disk that fills up, or becomes read-only: it stops before its next act, leaves nothing half-written, and
the next one goes on once there is room.

Where the tests are root's, the disk is a small one in memory. Else a limit on the size of files, and a folder without the right to
write, stand for it.
"""

import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import psutil
import pytest
from tests.harness.process import TetheredProcess
from tests.harness.running_group import Life, RunningGroup
from tests.unit.workflows.running.test_kills import RUNS, check
from tests.unit.workflows.running.test_run import ALL_THREE, rolling

from holdfast.adapters import temporary
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.errors import NotAllowed, StatePathTrouble
from holdfast.ports import LakePath
from holdfast.workflows import journals
from holdfast.workflows.running.run import Ran

pytestmark = pytest.mark.starts

EACH = int(os.environ.get("HOLDFAST_FULL_AT_EACH", "11"))
"""Writes of a run from one at which the disk fills up to the next; 1: it fills up at each of them."""


class SmallDisk:
    """`folder`: a disk as the tests of root see it. It has room until `fill`, and again after `free`."""

    def __init__(self, folder: Path, inside: tuple[str, ...] = (), mounted: Path = Path()) -> None:
        self.folder, self._inside, self._mounted = folder, inside, mounted

    def fill(self) -> None:
        if not self._inside:
            resource.setrlimit(resource.RLIMIT_FSIZE, (16, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
            return
        with (self.folder / "filler").open("wb", buffering=0) as filler, suppress(OSError):
            while True:
                filler.write(bytes(4096))

    def free(self) -> None:
        if not self._inside:
            most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            return
        (self.folder / "filler").unlink(missing_ok=True)

    def turn(self, how: str) -> None:
        """Read-only (`ro`), or writable (`rw`) again."""
        if self._inside:
            subprocess.run([*self._inside, "mount", "-o", f"remount,{how}", str(self._mounted)], check=True)
            return
        for one in [self.folder, *self.folder.rglob("*")]:
            if one.is_dir():
                one.chmod(0o555 if how == "ro" else 0o755)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    mounted = tmp_path / "disk"
    mounted.mkdir()
    if os.geteuid() != 0:
        small = SmallDisk(mounted)
        yield small
        small.free()
        small.turn("rw")
        return
    script = 'mount -t tmpfs -o size=64m tmpfs "$1" && echo mounted && exec sleep infinity'
    command = ["unshare", "-m", "--propagation", "private", "sh", "-c", script, "sh", str(mounted)]
    with TetheredProcess("the disk", command, tmp_path / "log") as holder:
        holder.wait_until(lambda: holder.logged("mounted"), "mounted", 120)
        (number,) = (one.pid for one in psutil.Process(holder.pid).children())
        yield SmallDisk(Path(f"/proc/{number}/root{mounted}"), ("nsenter", "-t", str(number), "-m", "--"), mounted)


class Lake(FsspecLake):
    """`at` its write of that number (the first one is 0) something happens to its disk first."""

    def __init__(self, folder: Path, at: int, happens: Callable[[], None]) -> None:
        super().__init__(str(folder))
        self.life = Life()
        self._left, self._happens = at, happens

    @property
    def is_over(self) -> bool:
        return self._left < 0

    def write(self, path: LakePath, content: bytes) -> None:
        self._writes()
        super().write(path, content)

    def create(self, path: LakePath, content: bytes) -> bool:
        self._writes()
        return super().create(path, content)

    def _writes(self) -> None:
        if self._left == 0:
            self._happens()
        self._left -= 1


def group_on(lake: Lake) -> RunningGroup:
    reality = RunningGroup()
    reality.lake = lake  # type: ignore[assignment]
    return reality


def is_whole(lake: Lake, folder: Path) -> None:
    """The journal, and each file of it."""
    assert journals.read(lake, rolling().plan_id).broken is None
    assert [one for one in folder.rglob("*") if temporary.is_temporary(one.name)] == []


@pytest.mark.thorough
@pytest.mark.parametrize("run", RUNS)
def test_a_disk_that_fills_up_at_any_write(run: Callable[..., Ran], disk: SmallDisk) -> None:
    """What is refused at the very end (the run's progress, the end of its lease) is missed by no one: all is done then."""
    acts = set()
    for at in count(0, EACH):
        lake = Lake(disk.folder / f"lake-{at}", at, disk.fill)
        reality = group_on(lake)
        acts.add(_met(run, reality, disk))
        is_whole(lake, disk.folder)
        if not lake.is_over:
            break
    assert acts == {0, 1, 2, 3}, "it filled up before each act, and after it"


def _met(run: Callable[..., Ran], reality: RunningGroup, disk: SmallDisk) -> int:
    """How many acts were done when the disk was full."""
    done = ALL_THREE
    try:
        check(reality, run(reality, rolling()))
    except StatePathTrouble:
        done = list(reality.done)
        with pytest.raises(StatePathTrouble, match="Make room"):
            run(reality, rolling())
        assert reality.done == done, "nothing is done that cannot be kept"
        disk.free()
        reality.sleep(1)
        check(reality, run(reality, rolling()))
    disk.free()
    return len(done)


def test_a_disk_that_becomes_read_only_after_an_act(disk: SmallDisk) -> None:
    lake = Lake(disk.folder / "lake", 10**9, disk.fill)
    reality = group_on(lake)

    def turns() -> None:
        if len(reality.done) == 1:
            disk.turn("ro")

    reality.on_sleep = turns
    with pytest.raises(NotAllowed):
        reality.run(rolling())
    reality.on_sleep = lambda: None
    assert len(reality.done) == 1
    is_whole(lake, disk.folder)
    with pytest.raises(NotAllowed):
        reality.run(rolling())
    assert len(reality.done) == 1

    disk.turn("rw")
    check(reality, reality.run(rolling()))
