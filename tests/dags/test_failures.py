"""Why a run made no plan: kept in words that may be shown, and nothing else."""

from types import SimpleNamespace

import pytest

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring import failures
from holdfast.errors import InvalidInput, StatePathTrouble

SPARK = (
    "Cannot execute: ['spark-submit', '--password', 'x']. Error code is: 1. holdfast search_candidates: the lake is full\nand more"
)


@pytest.mark.parametrize(
    ("exception", "said"),
    [
        (InvalidInput("no client of the group runs on 'app-7'", "hosts"), "hosts: no client of the group runs on 'app-7'"),
        (RuntimeError(SPARK), "the lake is full"),
        (RuntimeError("user=x password=y"), None),
        (None, None),
    ],
    ids=["a refusal", "what a Spark job told", "anything else may hold what is not to be shown", "nothing"],
)
def test_is_kept_with_the_draft(lake: FsspecLake, exception: Exception | None, said: str | None) -> None:
    failures.keep({"task_instance": SimpleNamespace(task_id="search"), "run_id": "manual__1", "exception": exception})
    found = failures.of(lake, "manual__1")

    assert found is not None
    assert (found.task, found.message) == ("search", said)
    assert failures.of(lake, "manual__2") is None


def test_a_lake_that_cannot_be_written_to_does_not_hide_the_failure(lake: FsspecLake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_LAKE", "/proc/no-such-place")

    failures.keep({"task_instance": SimpleNamespace(task_id="search"), "run_id": "x", "exception": StatePathTrouble("full")})
