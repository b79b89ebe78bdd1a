"""One Spark session for all of these tests, and the recorded group in many shapes."""

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession

from holdfast.adapters import spark as lake_tables

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = json.loads((ROOT / "examples" / "streams-wordcount" / "snapshot.json").read_text())


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    session = (
        SparkSession.builder.master("local[2]")
        .appName("tests")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.pyspark.python", sys.executable)
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .getOrCreate()
    )
    lake_tables.settle(session)
    yield session
    session.stop()


@pytest.fixture(scope="session")
def job():
    """Load a job file as a module. Its functions travel to the executors by value, as they do from a submitted file."""

    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"submitted_{name}", ROOT / "spark_jobs" / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        cloudpickle.register_pickle_by_value(module)
        return module

    return load


def snapshot_text(**changes: object) -> str:
    """The recorded group with other values at the top."""
    return json.dumps(EXAMPLE | changes)


def with_client_renamed(old: str, new: str, **changes: object) -> str:
    """The recorded group in which one client has another process ID."""
    return json.dumps(EXAMPLE | changes).replace(old, new)
