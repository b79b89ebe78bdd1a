"""For every test: an Airflow that is imported keeps its files in a folder of this run, not in the home of whoever runs it."""

import os
import tempfile

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

_HOME = tempfile.TemporaryDirectory(prefix="holdfast-airflow-")
os.environ["AIRFLOW_HOME"] = _HOME.name
os.environ["AIRFLOW__CORE__LOAD_EXAMPLES"] = "False"


def pytest_unconfigure(config: pytest.Config) -> None:
    _HOME.cleanup()


TOGETHER = ("tests/live/", "tests/web/", "tests/dags/", "tests/spark/", "tests/contract/")
"""Folders that stay in one process each: their tests share what is dear to start, or would wait for one another's processor."""
LONGEST_FIRST = (*TOGETHER, "tests/conformance/", "tests/property/", "tests/unit/")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where several processes share the suite (`-n`), what waits longest begins first."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: next((rank for rank, place in enumerate(LONGEST_FIRST) if item.nodeid.startswith(place)), 99))


class ByFolder(LoadScopeScheduling):
    """Hands whole files to the processes, and whole folders where those are dear."""

    def _split_scope(self, nodeid: str) -> str:
        return next((place for place in TOGETHER if nodeid.startswith(place)), nodeid.split("::", maxsplit=1)[0])


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFolder:
    return ByFolder(config, log)
