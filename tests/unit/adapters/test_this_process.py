"""Is a process known to have ended only where that is certain?"""

import subprocess
import sys
from dataclasses import replace

import pytest

from holdfast.adapters import this_process
from holdfast.rollout.journal.lease import LeaseOwner

TELL = "from holdfast.adapters import this_process; import sys; print(this_process.owner().process, flush=True); sys.stdin.read()"


def test_who_lives_has_not_ended() -> None:
    mine = this_process.owner()

    assert not this_process.has_ended(mine)
    assert mine.process != this_process.owner().process
    assert (this_process.owner("ann", "a run").name, this_process.owner("ann", "a run").run) == ("ann", "a run")


def test_who_was_killed_has_though_it_is_not_waited_for_yet() -> None:
    child = subprocess.Popen([sys.executable, "-c", TELL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    owner = LeaseOwner("ann", "here", child.pid, child.stdout.readline().strip())
    assert not this_process.has_ended(owner)

    child.kill()
    child.stdout.read()  # until its end of the pipe is closed
    for _ in range(1_000):
        if this_process.has_ended(owner):
            break
    child.communicate()
    assert this_process.has_ended(owner)


def test_another_process_of_the_same_number_is_another() -> None:
    machine, started, token = this_process.owner().process.split("-")

    assert this_process.has_ended(replace(this_process.owner(), process=f"{machine}-{int(started) - 1}-{token}"))


@pytest.mark.parametrize("process", ["", "-", "a-b", "a-b-c", "0" * 16 + "-1-a", "é" * 10, "x" * 10_000])
@pytest.mark.parametrize("pid", [-1, 0, 1, 2**22 - 1, 2**40])
def test_of_what_is_not_known_nothing_is_said(process: str, pid: int) -> None:
    assert not this_process.has_ended(LeaseOwner("ann", "there", pid, process))
