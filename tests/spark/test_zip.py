"""The zip is all of Holdfast that a job needs: submitted to a Python that does not know the checkout."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from tests.spark.conftest import EXAMPLE, ROOT

from holdfast.adapters.lake import FsspecLake
from holdfast.adapters.package_zip import package_zip
from holdfast.rollout import codec
from holdfast.workflows import snapshots

pytestmark = pytest.mark.spark


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    name, content = package_zip()
    (tmp_path / name).write_bytes(content)
    return tmp_path / name


@pytest.fixture
def strange_python(tmp_path: Path) -> Path:
    """The same interpreter and libraries, without the .pth file by which the environment knows the checkout."""
    script = tmp_path / "python"
    libraries = sysconfig.get_path("purelib")
    script.write_text(f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{libraries}" exec "{sys.executable}" -S "$@"\n')
    script.chmod(0o755)
    return script


def submit(python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {
        "PYSPARK_PYTHON": str(python),
        "PYSPARK_DRIVER_PYTHON": str(python),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_HOME": sysconfig.get_path("purelib") + "/pyspark",
    }
    command = ["spark-submit", "--master", "local[2]", "--conf", "spark.ui.enabled=false", *arguments]
    return subprocess.run(command, env=environment, cwd=python.parent, capture_output=True, text=True, check=False, timeout=300)


def test_the_same_sources_give_the_same_zip(packed: Path) -> None:
    assert package_zip() == (packed.name, packed.read_bytes())


def test_holds_what_travels_and_nothing_else(packed: Path) -> None:
    names = zipfile.ZipFile(packed).namelist()

    expected = {"holdfast/__init__.py", "holdfast/errors.py", "holdfast/rollout/codec/__init__.py", "holdfast/kafka/java.py"}
    assert expected <= set(names)
    assert [name for name in names if name.startswith(("holdfast/cli", "holdfast/workflows", "holdfast/wiring"))] == []
    assert [name for name in names if name.startswith("holdfast/adapters/")] == [
        "holdfast/adapters/__init__.py",
        "holdfast/adapters/spark.py",
        "holdfast/adapters/table_schemas.py",
    ]
    assert [name for name in names if not name.endswith(".py")] == []


def test_a_job_works_from_the_zip_alone(packed: Path, strange_python: Path, tmp_path: Path) -> None:
    lake = FsspecLake(str(tmp_path / "the lake"))
    snapshots.keep(lake, codec.snapshot_from_json(EXAMPLE))
    job = [
        str(ROOT / "spark_jobs" / "decode_snapshots.py"),
        "--lake",
        lake.url,
        "--days",
        EXAMPLE["captured_at"][:10],
    ]

    done = submit(strange_python, "--py-files", str(packed), *job)

    assert done.returncode == 0, done.stderr[-4000:]
    assert set(lake.names(("tables", "v1"))) >= {"changelogs", "groups", "members", "quarantine", "tasks"}


def test_and_not_without_it(strange_python: Path) -> None:
    done = submit(strange_python, str(ROOT / "spark_jobs" / "decode_snapshots.py"))

    assert done.returncode != 0
    assert "No module named 'holdfast'" in done.stdout + done.stderr
