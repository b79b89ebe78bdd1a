"""The zip is all of Holdfast that a job needs: submitted to a Python that does not know the checkout."""

import subprocess
import zipfile
from pathlib import Path

import pytest
from tests.spark.conftest import ROOT, strange_environment

from holdfast.adapters.spark import earlier_losses
from holdfast.adapters.spark.package_zip import package_zip

pytestmark = pytest.mark.spark


def submit(python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["spark-submit", "--master", "local[2]", "--conf", "spark.ui.enabled=false", *arguments]
    return subprocess.run(
        command, env=strange_environment(python), cwd=python.parent, capture_output=True, text=True, check=False, timeout=1_200
    )


def test_the_same_sources_give_the_same_zip(packed: Path) -> None:
    assert package_zip() == (packed.name, packed.read_bytes())


def test_holds_what_travels_and_nothing_else(packed: Path) -> None:
    names = zipfile.ZipFile(packed).namelist()

    expected = {"holdfast/__init__.py", "holdfast/errors.py", "holdfast/rollout/json/strict.py", "holdfast/kafka/java.py"}
    assert expected <= set(names)
    assert [name for name in names if name.startswith(("holdfast/cli", "holdfast/workflows", "holdfast/wiring"))] == []
    assert [name for name in names if name.startswith("holdfast/adapters/")] == [
        "holdfast/adapters/__init__.py",
        "holdfast/adapters/lake/__init__.py",
        "holdfast/adapters/lake/table_schemas.py",
        "holdfast/adapters/spark/__init__.py",
        "holdfast/adapters/spark/documents.py",
        "holdfast/adapters/spark/earlier_losses.py",
        "holdfast/adapters/spark/executors.py",
        "holdfast/adapters/spark/hadoop_files.py",
        "holdfast/adapters/spark/spark.py",
        "holdfast/adapters/spark/submissions.py",
        "holdfast/adapters/spark/whole_objects.py",
    ]
    assert [name for name in names if not name.endswith(".py")] == []


def test_its_code_is_that_of_the_sources(packed: Path, tmp_path: Path) -> None:
    """Else a run on a cluster would not carry over what another one worked out, or would after the code has changed."""
    assert earlier_losses.code(zipfile.Path(packed, "holdfast/")) == earlier_losses.code()

    with zipfile.ZipFile(packed) as archive:
        archive.extractall(tmp_path)
    leader = tmp_path / "holdfast" / "kafka" / "streams" / "leader.py"
    leader.write_text(leader.read_text() + "\n")
    assert earlier_losses.code(tmp_path / "holdfast") != earlier_losses.code()


def test_no_job_works_without_it(strange_python: Path) -> None:
    """With it: see test_cluster."""
    done = submit(strange_python, str(ROOT / "spark_jobs" / "decode_snapshots.py"))

    assert done.returncode != 0
    assert "No module named 'holdfast'" in done.stdout + done.stderr
