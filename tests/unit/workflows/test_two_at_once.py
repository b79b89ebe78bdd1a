"""Two processes apply one plan at once, each into a directory of its own; and one is killed at every step of its course.

`HOLDFAST_APPLY_ROUNDS` asks for more rounds than CI does, and then it dies at every operation on files, not at each ninth.
"""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.harness import two_applies
from tests.harness.article import C
from tests.harness.pages.airflow_server import ROOT
from tests.harness.plans import article_plan

from holdfast.adapters import temporary
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.state_dirs.process_metadata import LocalProcessMetadataFiles
from holdfast.rollout.journal.journal import JournalEntry, JournalEvent
from holdfast.rollout.json.record import codec_of
from holdfast.workflows import journals
from holdfast.workflows import plan as plans

pytestmark = pytest.mark.starts

ROUNDS = int(os.environ.get("HOLDFAST_APPLY_ROUNDS") or 0)
STATE_DIRS = ("one", "other")
DONE = [("1", "done"), ("2", "begun"), ("2", "done")]


def written(folder: Path) -> list[str]:
    return [name for name in STATE_DIRS if LocalProcessMetadataFiles().read(str(folder / name)) is not None]


def round_folder(folder: Path) -> Path:
    for name in STATE_DIRS:
        (folder / name).mkdir(parents=True)
    return folder


@pytest.fixture
def appliers(tmp_path: Path) -> Iterator[list["subprocess.Popen[str]"]]:
    plans.keep(FsspecLake(str(tmp_path / "plan")), article_plan())
    command = [sys.executable, "-m", "tests.harness.two_applies", str(tmp_path / "plan")]
    started = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in STATE_DIRS]
    for one in started:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    yield started
    for one in started:
        one.communicate()


def test_two_at_once_write_it_into_one_directory_and_lose_no_entry(appliers: list["subprocess.Popen[str]"], tmp_path: Path) -> None:
    refused = 0
    for number in range(ROUNDS or 10):
        folder = round_folder(tmp_path / str(number))
        for one, name in zip(appliers, STATE_DIRS, strict=True):
            assert one.stdin is not None
            one.stdin.write(f"{folder}\t{name}\t{random.randint(0, 3_000)}\n")
            one.stdin.flush()
        answers = [json.loads(one.stdout.readline()) for one in appliers if one.stdout is not None]

        kept = journals.read(FsspecLake(str(folder / "lake")), article_plan().plan_id)
        entries = [codec_of(JournalEntry).write(entry) for entry in kept.journal.entries]
        assert kept.broken is None
        assert [(entry["step"], entry["event"]) for entry in entries] == DONE, answers
        assert len(written(folder)) == 1, answers
        assert all(answer["entries"] == entries[: len(answer["entries"])] for answer in answers if "entries" in answer)
        assert any("entries" in answer for answer in answers)
        refused += sum("refused" in answer for answer in answers)
        assert not any(temporary.is_temporary(path.name) for path in folder.rglob("*"))
    print(f"{refused} of {2 * (ROUNDS or 10)} were refused")


WATCHED = {"open", "os.rename", "os.link", "os.remove", "os.mkdir", "fcntl.flock", "fcntl.lockf", "os.scandir", "os.listdir"}


def dies(folder: Path, at: int) -> bool:
    """Apply in a child that is killed before its n-th operation on files. Whether it was."""
    child = os.fork()
    if child == 0:
        seen = [0]

        def watch(event: str, arguments: tuple[object, ...]) -> None:
            if event in WATCHED:
                seen[0] += 1
                if seen[0] >= at:
                    os._exit(9)

        sys.addaudithook(watch)
        try:
            two_applies.apply(article_plan(), folder, "one")
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def test_killed_anywhere_the_next_run_ends_right_and_leaves_nothing(tmp_path: Path) -> None:
    plan = article_plan()
    points = range(1, 2_000) if ROUNDS else range(3, 2_000, 9)
    for at in points:
        folder = round_folder(tmp_path / str(at))
        if not dies(folder, at):
            break
        two_applies.apply(plan, folder, "one")

        events = [
            (entry.step, str(entry.event)) for entry in plans.journal_of(FsspecLake(str(folder / "lake")), plan.plan_id).entries
        ]
        assert [event for event in events if event[1] != JournalEvent.TAKEN_OVER] == DONE, f"killed at {at}: {events}"
        assert written(folder) == ["one"]
        left = [path for path in folder.rglob("*") if temporary.is_temporary(path.name)]
        assert left == [], f"killed at {at}"
        assert LocalProcessMetadataFiles().read(str(folder / "one")) == two_applies.ProcessId.parse(C)
    assert at > 100, "the children did not get far"
