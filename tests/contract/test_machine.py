"""Every machine keeps the promises of `ports.Machine`: the fake, and this one."""

from pathlib import Path

import pytest
from tests.fakes.machine import FakeMachine

from holdfast.adapters.machine import ThisMachine
from holdfast.ports import Machine

NOWHERE = "/proc/no such folder"


@pytest.fixture(params=["fake", "real"])
def machine(request: pytest.FixtureRequest) -> Machine:
    return FakeMachine(problems={NOWHERE: "No such file or directory"}) if request.param == "fake" else ThisMachine()


def test_what_is_installed(machine: Machine) -> None:
    java = machine.java_major()
    assert java is not None
    assert java >= 17
    assert machine.package_version("pyspark") == "4.3.0"
    assert machine.package_version("no-such-package") is None


def test_folders_that_can_be_written_to_and_others(machine: Machine, tmp_path: Path) -> None:
    assert machine.folder_problem(str(tmp_path)) is None
    assert machine.folder_problem(f"file://{tmp_path}") is None
    assert machine.folder_problem(NOWHERE)
    assert ThisMachine().folder_problem(str(tmp_path / "not made yet"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("echo 'openjdk version \"17.0.19\" 2026-04-21' >&2", 17),
        ("echo 'java version \"1.8.0_402\"' >&2", 8),
        ("echo 'openjdk version \"25\" 2025-09-16' >&2", 25),
        ("echo nonsense >&2", None),
    ],
)
def test_the_version_of_java(script: str, found: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "a jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\n{script}\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(java.parents[1]))
    assert ThisMachine().java_major() == found


def test_no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert ThisMachine().java_major() is None
