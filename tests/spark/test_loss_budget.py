"""The budget of a night's forecasts: every loss only where the executors compile as well as the driver."""

import pytest
from pyspark.sql import SparkSession
from tests.spark.conftest import Job

from holdfast.rollout.contract import loss_budget

pytestmark = pytest.mark.spark


def test_a_driver_that_compiles_asks_an_executor(
    spark: SparkSession, job: Job, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is compiled in tests (`tests/conftest.py`): the driver is taken to, the executor does not."""
    blast = job("blast_radius")
    monkeypatch.setattr(blast.jit, "is_installed", lambda: True)

    assert blast.budget_of(spark, None) == loss_budget.BUDGET_MS
    assert "without Numba on the executors" in capsys.readouterr().out

    monkeypatch.setattr(blast, "executors_compile", lambda _spark: True)
    assert blast.budget_of(spark, None) is None
    assert blast.budget_of(spark, "250") == 250
