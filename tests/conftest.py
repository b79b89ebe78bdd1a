"""For every test: an Airflow that is imported keeps its files in a folder of this run, not in the home of the user who runs it.

Several processes share the suite (`bin/test`): whole files go to a process, and what shares something that is dear to start goes
there together.
"""

import gc
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.harness.suite.measured import Watch
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

_HOME = tempfile.TemporaryDirectory(prefix="holdfast-airflow-")
os.environ["AIRFLOW_HOME"] = _HOME.name
os.environ["AIRFLOW__CORE__LOAD_EXAMPLES"] = "False"
os.environ.setdefault("HOLDFAST_COMPILED", "0")
"""Nothing waits for the compiler, and coverage sees what is not compiled; `test_compiled` compiles in a process of its own."""
os.environ["JDK_JAVA_OPTIONS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Spark's JVMs live for seconds here: with the quick compiler alone a cluster of them costs half the processor time."""

settings.register_profile("holdfast", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("holdfast")
"""No test goes by the clock: several processes share the machine."""

_WATCH = Watch()
_WATCH.switch(os.environ.get("PYTEST_XDIST_WORKER", "gw0") == "gw0")
"""Modules are imported while tests are collected. Each process does so, and one of them watches: it takes twice as long."""
gc.disable()
"""What is imported and collected stays: looking for garbage in it took a sixth of the time."""


def pytest_collection_finish(session: pytest.Session) -> None:
    _WATCH.switch(False)
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    _WATCH.for_test(item)


def pytest_sessionfinish(session: pytest.Session) -> None:
    _WATCH.end()


def pytest_unconfigure(config: pytest.Config) -> None:
    _HOME.cleanup()


ALONE = ("tests/dags/test_try.py", "tests/dags/test_astro.py", "tests/project/test_pins.py")
"""Files that share nothing with the others of their folder."""
EXPERIMENT = "tests/live/test_experiment.py"
SHARING = {"tests/live/test_static_group.py": EXPERIMENT}
"""Files whose tests look at what those of another file have begun. The others of `tests/live` go file by file: each waits for
groups of its own, and one after the other they took 1,057 s of a run of 1,186 s."""
TOGETHER = (
    *("tests/web/", "tests/spark/", "tests/dags/", "tests/contract/"),
    *(f"tests/conformance/{folder}/" for folder in ("streams", "consumer", "coordinator")),
    "tests/project/",
)
"""Folders that stay in one process: their tests share a cluster, an Airflow, a browser, Spark, warm JVMs, syntax trees."""
LONGEST_FIRST = (
    *(EXPERIMENT, *SHARING, "tests/spark/", "tests/live/running/", "tests/dags/test_try.py", "tests/web/", "tests/live/"),
    *(*ALONE, *TOGETHER, "tests/conformance/", "tests/property/", "tests/unit/"),
)
"""What mostly waits begins together with what computes."""


FOREIGN = ("tests/dags/test_try.py",)
"""What runs a whole Airflow. Elsewhere a warning is an error: what is run is Holdfast's, but for what `pyproject.toml` names."""


def unit(nodeid: str) -> str:
    """What is handed to a process as a whole: a file, or a folder whose tests share something."""
    file = nodeid.split("::", maxsplit=1)[0]
    file = SHARING.get(file, file)
    return next((place for place in (*ALONE, *TOGETHER) if file.startswith(place)), file)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where several processes share the suite (`-n`), what takes longest begins first."""
    foreign = config.getini("filterwarnings")
    for item in items:
        if not item.nodeid.startswith(FOREIGN):
            item.add_marker(pytest.mark.filterwarnings("error", *foreign))
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: next((rank for rank, place in enumerate(LONGEST_FIRST) if item.nodeid.startswith(place)), 99))


class Shared(pytest.Package):
    """A folder with fixtures of its own: what has the scope "package" ends with the last of its tests.

    Without an `__init__.py` it is none for pytest, which would keep every such cluster, Airflow and session until the process ends.
    """

    def setup(self) -> None:
        """There is no `__init__.py` that might have a `setup_module`."""


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    return Shared.from_parent(parent, path=path) if (path / "conftest.py").exists() else None


class ByUnit(LoadScopeScheduling):
    """Hands whole units to the processes."""

    def _split_scope(self, nodeid: str) -> str:
        return unit(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByUnit:
    gc.enable()  # the process that hands out the tests collects none
    return ByUnit(config, log)
