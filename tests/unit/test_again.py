"""`tests/harness/suite/again.py`: the files of failed tests run once more."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.harness.suite.again import files_of

ROOT = Path(__file__).parents[2]
ONCE = """
from pathlib import Path
def test_a():
    seen = Path(__file__).with_suffix(".seen")
    assert seen.exists() or seen.touch()
"""
ALWAYS = "def test_a():\n    assert False\n"

pytestmark = pytest.mark.starts


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""}
    return subprocess.run([sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, check=False)


def twice(folder: Path, **files: str) -> subprocess.CompletedProcess[str]:
    """The files as tests, run as `bin/test` does, and what failed once more."""
    for name, content in files.items():
        (folder / f"test_{name}.py").write_text(content)
    assert run(folder, "-m", "pytest", "-o", "cache_dir=cache").returncode == 1
    return run(folder, "-m", "tests.harness.suite.again", "cache")


def test_what_passes_the_second_time_is_named(tmp_path: Path) -> None:
    ended = twice(tmp_path, once=ONCE, sound="def test_a():\n    pass\n")
    assert ended.returncode == 0, ended.stdout
    assert "FAILED ONCE, passed when run again, alone, to be fixed: test_once.py::test_a\n" in ended.stdout
    assert "1 passed" in ended.stdout


def test_what_fails_again_has_failed(tmp_path: Path) -> None:
    ended = twice(tmp_path, once=ONCE, broken=ALWAYS)
    assert ended.returncode == 1
    assert "FAILED ONCE" not in ended.stdout


def test_three_files_are_not_run_again(tmp_path: Path) -> None:
    ended = twice(tmp_path, a=ONCE, b=ONCE, c=ONCE)
    assert ended.returncode == 1
    assert "run again" not in ended.stdout


def test_nothing_known_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "v/cache").mkdir(parents=True)
    (tmp_path / "v/cache/lastfailed").write_text(json.dumps({}))
    assert run(ROOT, "-m", "tests.harness.suite.again", str(tmp_path)).returncode == 1
    assert run(ROOT, "-m", "tests.harness.suite.again", str(tmp_path / "absent")).returncode == 1


def test_each_file_once() -> None:
    assert files_of(["t/b.py::C::d[x::y]", "t/a.py::e", "t/b.py::f", "t/c.py"]) == ["t/b.py", "t/a.py", "t/c.py"]
