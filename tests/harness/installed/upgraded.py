"""An Airflow that is upgraded while a question waits for an answer, and then set back to the older Holdfast.

`python -m tests.harness.installed.upgraded [--from COMMIT]`: the wheel of an older commit (by default the one whose lake is
recorded) in the lowest Airflow makes a plan, and asks. All of it is stopped, and installed anew: this checkout's wheel, in the
newest Airflow, with the same database and lake. The plan is approved there, as it was shown. Another plan is made, and the older
wheel is installed again: it decides that one, too. Some minutes, because of the downloads; not part of bin/test.
"""

import argparse
import json
import secrets
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.harness.installed import environments, running
from tests.harness.installed.__main__ import LOWEST, RELEASED
from tests.harness.installed.environments import ROOT, Case
from tests.harness.pages.airflow_server import Server, serving

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.workflows import plan as plans

RECORDED = "tests/recorded/holdfast-0.1.0.zip"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="older", metavar="COMMIT", help="the commit whose wheel comes first")
    older = parser.parse_args().older or _git("log", "-1", "--format=%H", "--", RECORDED)
    with environments.scratch() as name:
        _upgrade(Path(name), older)


def _upgrade(folder: Path, older: str) -> None:
    before, after = _wheels(folder, older)
    lowest, newest = (Case(version, version, RELEASED[version]) for version in (LOWEST, max(RELEASED)))
    programs = environments.environment(lowest, before, folder)
    kept = {"AIRFLOW__API__SECRET_KEY": secrets.token_hex(32), "AIRFLOW__API_AUTH__JWT_SECRET": secrets.token_hex(64)}
    lake = FsspecLake(str(folder / "lake"))

    with _airflow(folder, programs, kept) as server:
        path, plan_id = running.asks_for_approval(server, lake)
    _tell(f"plan {plan_id} waits, made by {older[:10]} in Airflow {lowest.airflow}")

    environments.install(newest, after, programs.parent, folder)
    assert _waiting(programs, folder, "--dry-run") == [plan_id]
    assert _waiting(programs, folder) == [plan_id]
    with _airflow(folder, programs, kept) as server:
        running.approves(server, path, plan_id)
        _is_approved(lake, plan_id)
        _tell(f"approved by this checkout in Airflow {newest.airflow}")
        path, plan_id = running.asks_for_approval(server, lake)

    environments.install(newest, before, programs.parent, folder)
    assert _waiting(programs, folder, "--dry-run") == [plan_id]
    with _airflow(folder, programs, kept) as server:
        running.approves(server, path, plan_id)
    _is_approved(lake, plan_id)
    _tell(f"plan {plan_id} of this checkout approved by {older[:10]}")


def _wheels(folder: Path, older: str) -> tuple[Path, Path]:
    """Of the commit `older`, and of this checkout; they may have the same name."""
    source = folder / "source"
    _git("worktree", "add", "--quiet", "--detach", str(source), older)
    try:
        found = []
        for name, files in (("before", source), ("after", ROOT)):
            (folder / name).mkdir()
            found.append(environments.wheel(folder / name, files))
    finally:
        _git("worktree", "remove", "--force", str(source))
    return found[0], found[1]


@contextmanager
def _airflow(folder: Path, programs: Path, kept: dict[str, str]) -> Iterator[Server]:
    """All components, on the database that is there already, if it is."""
    more = running.environment(programs, folder, [running.OURS]) | kept
    airflow = (str(programs / "airflow"),)
    with serving(folder / "airflow", folder / "lake", scheduling=True, more=more, airflow=airflow) as server:
        yield server


def _waiting(programs: Path, folder: Path, *options: str) -> list[str]:
    """The plans that wait for a decision, as `holdfast migrate` says, which reads all that is there."""
    command = [str(programs / "holdfast"), "migrate", "--lake", str(folder / "lake"), "--json", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    assert said["cannot_read"] == []
    return [one["plan_id"] for one in said["waiting"]]


def _is_approved(lake: FsspecLake, plan_id: str) -> None:
    approved = plans.approval_of(lake, plan_id)
    assert approved is not None
    assert approved.approved


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def _tell(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", flush=True)


if __name__ == "__main__":
    main()
