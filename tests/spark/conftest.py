"""One Spark session for all of these tests, and the recorded group in many shapes."""

import importlib.util
import json
import os
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession
from tests.harness.kafka import maven, spark_classes
from tests.spark import kinds_of_group

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.spark import spark as lake_tables
from holdfast.adapters.spark.package_zip import package_zip
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.tables.collection_report import CollectionReport, Unread, Why

ROOT = Path(__file__).resolve().parents[2]
JOBS = ("decode_snapshots", "compute_targets", "detect_order_changes", "blast_radius", "examine_settings", "summarize_fleet")
Job = Callable[[str], ModuleType]
EXAMPLE = json.loads((ROOT / "examples" / "streams-wordcount" / "snapshot.json").read_text())


@pytest.fixture(scope="package", autouse=True)
def classes() -> Iterator[None]:
    """Spark's JVMs of this folder start from an archive of their classes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JDK_JAVA_OPTIONS", f"{os.environ.get('JDK_JAVA_OPTIONS', '')} {spark_classes.java_options()}")
        yield


@pytest.fixture(scope="package")
def spark(tmp_path_factory: pytest.TempPathFactory, classes: None) -> Iterator[SparkSession]:
    session = (
        SparkSession.builder.master("local[2]")
        .appName("tests")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.pyspark.python", sys.executable)
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .config("spark.jars", s3a_jars().replace(":", ","))
        .getOrCreate()
    )
    lake_tables.settle(session)
    yield session
    session.stop()


def s3a_jars() -> str:
    """What Spark needs for a lake on S3, as a class path."""
    return maven.of_pom(ROOT / "spark_jobs" / "s3a" / "pom.xml")


@pytest.fixture(scope="session")
def job() -> Job:
    """Load a job file as a module. Its functions travel to the executors by value, as they do from a submitted file."""

    return loaded


def loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"submitted_{name}", ROOT / "spark_jobs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    cloudpickle.register_pickle_by_value(module)
    return module


@pytest.fixture(scope="package")
def every_kind(spark: SparkSession, job: Job, tmp_path_factory: pytest.TempPathFactory) -> FsspecLake:
    """A lake with groups of every kind, after one run of all jobs."""
    lake = FsspecLake(str(tmp_path_factory.mktemp("lake")))
    kinds_of_group.keep(lake)
    for name in JOBS:
        job(name).work(spark, lake.url, [kinds_of_group.DAY])
    return lake


def report(day: str, *unlisted: str) -> bytes:
    """Of a run of collecting that could not read one group."""
    unread = (Unread("slow", Why.NOT_READ, "broker 3 did not answer within 6 s"),)
    found = CollectionReport("local", "run", f"{day}T05:00:00Z", 3, 2, (day,), unread, unlisted=unlisted)
    return json.dumps(codec_of(CollectionReport).write(found)).encode()


def snapshot_text(**changes: object) -> str:
    """The recorded group with other values at the top."""
    return json.dumps(EXAMPLE | changes)


def with_client_renamed(old: str, new: str, **changes: object) -> str:
    """The recorded group in which one client has another process ID."""
    return json.dumps(EXAMPLE | changes).replace(old, new)


LIBRARIES = ("pyspark", "py4j", "pyarrow", "numpy", "numpy.libs")
"""All that an executor's Python has in addition to the standard library."""
OF_THE_DRIVER = ("pandas", "pandas.libs", "dateutil", "pytz", "six.py", "tzdata")
"""PySpark wants pandas wherever a function is handed to it, though not where it is run."""


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zip that travels."""
    name, content = package_zip()
    path = tmp_path_factory.mktemp("zip") / name
    path.write_bytes(content)
    return path


@pytest.fixture(scope="session")
def strange_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same interpreter with neither Airflow nor the checkout: a few libraries, and no .pth file of the environment.

    Next to it is `driver`, which has pandas too.
    """
    place = tmp_path_factory.mktemp("strange")
    for name, libraries in (("python", LIBRARIES), ("driver", LIBRARIES + OF_THE_DRIVER)):
        folder = place / f"lib-{name}"
        folder.mkdir()
        for library in libraries:
            installed = Path(sysconfig.get_path("purelib")) / library
            if installed.exists():
                (folder / library).symlink_to(installed)
        script = place / name
        script.write_text(f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{folder}" exec "{sys.executable}" -S "$@"\n')
        script.chmod(0o755)
    return place / "python"


def strange_environment(python: Path) -> dict[str, str]:
    """What spark-submit, masters and workers run in."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return environment | {
        "PYSPARK_PYTHON": str(python),
        "PYSPARK_DRIVER_PYTHON": str(python.with_name("driver")),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_HOME": sysconfig.get_path("purelib") + "/pyspark",
    }


def fresh(row: dict) -> dict:
    """A row of `blast_radius` without what is about the nights after it."""
    return {name: value for name, value in row.items() if name not in ("fingerprint", "computed_on")}
