"""For every test: an Airflow that is imported keeps its files in a folder of this run, not in the home of whoever runs it."""

import os
import tempfile

import pytest

_HOME = tempfile.TemporaryDirectory(prefix="holdfast-airflow-")
os.environ["AIRFLOW_HOME"] = _HOME.name
os.environ["AIRFLOW__CORE__LOAD_EXAMPLES"] = "False"


def pytest_unconfigure(config: pytest.Config) -> None:
    _HOME.cleanup()
