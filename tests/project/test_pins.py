"""The locks: they agree with pyproject.toml, carry hashes, name no address, and hold the versions the project is built on."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pyspark
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("requirements.lock", "requirements-dev.lock")
PINNED = {
    "apache-airflow": "3.3.2",
    "apache-airflow-providers-apache-spark": "6.3.4",
    "pyspark": "4.3.0",
    "kafka-python": "3.0.12",
}


def locked(name: str) -> dict[str, set[str]]:
    """Package → versions; more than one where the lock distinguishes Pythons."""
    versions: dict[str, set[str]] = {}
    for match in re.finditer(r"^([a-z0-9][a-z0-9._-]*)==([^ \\]+)", (ROOT / name).read_text(), re.MULTILINE):
        versions.setdefault(match[1], set()).add(match[2])
    return versions


@pytest.mark.parametrize("name", LOCKS)
class TestEachLock:
    def test_names_no_address(self, name: str) -> None:
        assert not re.search(r"https?://|--index-url|--find-links|@ ", (ROOT / name).read_text())

    def test_has_a_hash_for_every_requirement(self, name: str) -> None:
        requirements = re.split(r"\n(?=[a-z0-9])", (ROOT / name).read_text())

        assert len(requirements) > 100
        assert [text.split()[0] for text in requirements if "--hash=sha256:" not in text] == []

    def test_pins_what_the_project_is_built_on(self, name: str) -> None:
        versions = locked(name)

        assert {package: versions[package] for package in PINNED} == {package: {version} for package, version in PINNED.items()}

    def test_leaves_out_the_package_that_would_overwrite_pyspark(self, name: str) -> None:
        assert "pyspark-client" not in locked(name)

    def test_keeps_pandas_below_3(self, name: str) -> None:
        assert all(int(version.split(".")[0]) < 3 for version in locked(name)["pandas"])


def test_the_test_lock_holds_the_same_versions_as_the_run_lock() -> None:
    run, dev = (locked(name) for name in LOCKS)

    assert {package: dev.get(package) for package in run} == run


@pytest.mark.starts
def test_the_locks_follow_from_pyproject(tmp_path: Path) -> None:
    """Compiling again, with what is locked preferred, changes nothing: so no requirement was edited without `bin/lock`."""
    for name in ("pyproject.toml", "README.md", "bin/lock", "bin/setup", *LOCKS):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    uv = ROOT / ".holdfast" / "uv" / "bin"

    subprocess.run([tmp_path / "bin/lock"], check=True, env=os.environ | {"PATH": f"{uv}:{os.environ['PATH']}"})

    assert {name: (tmp_path / name).read_text() for name in LOCKS} == {name: (ROOT / name).read_text() for name in LOCKS}


def test_what_locking_is_told_of_pyspark_is_what_pyspark_says() -> None:
    (told,) = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["uv"]["dependency-metadata"]
    required = [Requirement(line) for line in importlib.metadata.requires("pyspark") or ()]

    assert told["version"] == PINNED["pyspark"]
    assert {Requirement(line) for line in told["requires-dist"]} == {
        requirement for requirement in required if not requirement.marker
    }


def test_the_installed_pyspark_is_whole() -> None:
    """pyspark-client owns the same files; were it installed too, the module and its metadata would disagree."""
    assert pyspark.__version__ == importlib.metadata.version("pyspark") == PINNED["pyspark"]
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        importlib.metadata.version("pyspark-client")


def test_the_project_asks_for_what_it_pins() -> None:
    """What is not pinned is asked for as a range that has an upper end: `bin/test-install` tries both ends."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = {
        one.name: one.specifier for one in map(Requirement, project["dependencies"] + project["optional-dependencies"]["airflow"])
    }

    assert all(asked[package].contains(version) for package, version in PINNED.items())
    assert [package for package in PINNED if asked[package].contains("99")] == []
