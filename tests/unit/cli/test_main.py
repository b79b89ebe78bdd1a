"""What the commands do where nothing can be written, and with names that would steer a terminal."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.harness.article import AFTER, group

from holdfast.cli.main import main
from holdfast.rollout.json.strict import dumps

COMMANDS = (("assign", "SNAPSHOT"), ("guard", "SNAPSHOT"), ("schema", "plan"))


@pytest.fixture
def snapshot(tmp_path: Path) -> str:
    path = tmp_path / "snapshot.json"
    path.write_text(dumps(group(AFTER)), encoding="utf-8")
    return str(path)


@pytest.mark.thorough
@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_full_disk_is_said_in_a_line(arguments: tuple[str, ...], snapshot: str) -> None:
    given = [snapshot if one == "SNAPSHOT" else one for one in arguments]
    with Path("/dev/full").open("w", encoding="ascii") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "holdfast.cli.main", *given], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )

    assert (ended.returncode, ended.stderr.splitlines()) == (
        1,
        ["holdfast: the answer cannot be written: No space left on device"],
    )


def test_who_reads_no_further_has_seen_enough() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "holdfast.cli.main", "schema", "plan"]
    try:
        ended = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(write)
    assert (ended.returncode, ended.stderr) == (1, "")


@pytest.mark.parametrize("arguments", [("assign", "no\x1b[2Jsuch\u202efile\udcff"), ("assign", "--no\x1bsuch")])
def test_names_steer_no_terminal(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(arguments)

    said = capsys.readouterr().err
    assert said
    assert not any(steering in said for steering in "\x1b\u202e\udcff")
