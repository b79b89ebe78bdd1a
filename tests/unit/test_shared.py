"""What the tests of a folder share ends with the last of them, not with the process that runs other folders after it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import unit

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = """
import pytest

@pytest.fixture(scope="package")
def cluster():
    print("the cluster begins")
    yield
    print("the cluster ends")
"""
TESTS = """
def test_it(cluster):
    print("a test of the cluster")
"""
OTHERS = """
def test_it():
    print("a test of another folder")
"""


@pytest.mark.starts
def test_fixtures_of_a_folder_end_with_its_last_test(tmp_path: Path) -> None:
    for name, text in (
        ("shared/conftest.py", FIXTURES),
        ("shared/test_first.py", TESTS),
        ("shared/test_second.py", TESTS),
        ("unshared/test_other.py", OTHERS),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-qs", "-n", "0", "-p", "tests.conftest", "--import-mode=importlib", str(tmp_path)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "HOLDFAST_COVERAGE"))}

    done = subprocess.run(
        [*command, "--rootdir", str(tmp_path)],
        cwd=tmp_path,
        env=environment | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    said = [line.lstrip(".") for line in done.stdout.splitlines() if " cluster" in line or "folder" in line]
    assert said == [
        "the cluster begins",
        "a test of the cluster",
        "a test of the cluster",
        "the cluster ends",
        "a test of another folder",
    ], done.stdout + done.stderr


def test_what_shares_something_goes_to_one_process_and_the_rest_file_by_file() -> None:
    live = ("test_experiment", "test_static_group", "test_rollout", "running/test_run")
    experiment, static, rollout, run = (unit(f"tests/live/{name}.py::test_it[a::b]") for name in live)
    assert experiment == static
    assert len({experiment, rollout, run}) == 3
    assert unit("tests/web/test_new.py::test_it") == unit("tests/web/test_access.py::test_it")
    assert unit("tests/unit/test_a.py::test_it") != unit("tests/unit/test_b.py::test_it")
