"""The command `holdfast guard`."""

import json
import subprocess
from pathlib import Path

from tests.harness import command_line
from tests.harness.article import AFTER, LAST, A, B, C, group


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return command_line.run(["guard", *arguments])


def test_a_latent_reshuffle_is_the_first_line_and_its_defusal_follows(tmp_path: Path) -> None:
    document = group({LAST if one == C else one: tasks for one, tasks in AFTER.items()})
    path = tmp_path / "snapshot.json"
    path.write_text(json.dumps(document))

    done = run(path)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == (
        "The group looks stable, but its next rebalance moves 6 stateful tasks of 6, whatever triggers it."
    )
    assert f"stop {LAST}, write" in done.stdout

    answer = json.loads(run(path, "--json").stdout)
    assert answer["order"] == [A, B, LAST]
    assert list(answer["reshuffle"]["defusal"]["labels"]) == [LAST]
    assert answer["reshuffle"]["defusal"]["change"]["events"][0]["restart_client"]["process_id"] == LAST


def test_a_quiet_group_is_said_to_be_quiet(tmp_path: Path) -> None:
    path = tmp_path / "snapshot.json"
    path.write_text(json.dumps(group(AFTER)))

    assert run(path).stdout.splitlines()[0] == "The next rebalance moves no stateful task."


def test_what_is_no_snapshot_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "snapshot.json"
    path.write_text("[]")

    done = run(path)

    assert (done.returncode, done.stdout) == (1, "")
    assert "snapshot.json" in done.stderr
