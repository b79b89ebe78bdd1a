"""A lake that may be read and not written to: a plan and a job each say so, and nothing is left of what they began."""

import sysconfig
from pathlib import Path

import pytest
from benchmarks import synthetic_fleet
from tests.harness import no_rights
from tests.spark.conftest import ROOT, strange_environment

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.workflows import snapshots

pytestmark = pytest.mark.spark
SCRIPTS = sysconfig.get_path("scripts")


@pytest.fixture
def lake(tmp_path: Path) -> FsspecLake:
    store = FsspecLake(str(tmp_path / "lake"))
    snapshots.keep(store, synthetic_fleet.group(3, 1).after)
    return store


def files_of(lake: FsspecLake) -> list[str]:
    return sorted(str(path) for path in Path(lake.url).rglob("*"))


def test_a_plan_says_so(lake: FsspecLake) -> None:
    before = files_of(lake)
    example = ROOT / "examples" / "streams-wordcount"
    with no_rights.read_only(Path(lake.url)):
        done = no_rights.run(
            f"{SCRIPTS}/holdfast", "plan", str(example / "snapshot.json"), str(example / "change.json"), "--lake", lake.url
        )

    assert done.returncode == 1
    assert f"cannot be written to the lake {lake.url}: [Errno 13] Permission denied" in done.stderr
    assert "This process needs read and write permission on the whole lake." in done.stderr
    assert "Traceback" not in done.stderr
    assert files_of(lake) == before


def test_a_job_says_so_before_it_computes_anything(lake: FsspecLake, packed: Path, strange_python: Path) -> None:
    before = files_of(lake)
    job = [str(ROOT / "spark_jobs" / "decode_snapshots.py"), "--lake", lake.url, "--days", synthetic_fleet.DAYS[1]]
    options = ["--master", "local[1]", "--conf", "spark.ui.enabled=false", "--py-files", str(packed)]
    with no_rights.read_only(Path(lake.url)):
        done = no_rights.run(f"{SCRIPTS}/spark-submit", *options, *job, timeout_s=1_200, **strange_environment(strange_python))

    assert done.returncode == 1
    assert (
        f"holdfast decode_snapshots: nothing can be written to {lake.url}/tables: Spark needs read and write permission on the"
        " whole lake" in done.stdout + done.stderr
    )
    assert "Traceback" not in done.stdout + done.stderr
    assert files_of(lake) == before
