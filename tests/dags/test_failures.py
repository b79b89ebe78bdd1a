"""Why a run made no plan: kept in words that may be shown, and nothing else; and what is tried again."""

from types import SimpleNamespace

import pytest

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.spark import executors, submissions
from holdfast.adapters.spark import spark as lake_tables
from holdfast.airflow_wiring import airflow_objects, failures
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


def test_a_job_that_was_submitted_again_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where two submit at once, the one that Airflow waits for may be the older one."""

    def outlived(_: object) -> None:
        raise submissions.Outlived("decode_snapshots was submitted again")

    monkeypatch.setattr(lake_tables, "session", lambda _: SimpleNamespace(stop=lambda: None))
    monkeypatch.setattr(executors, "refuse_unfit", lambda _: None)
    with pytest.raises(SystemExit, match="submitted again") as ended:
        lake_tables.run("decode_snapshots", outlived)

    told = f"Cannot execute: spark-submit. Error code is: 1. Last lines:\n{ended.value}\n"
    assert airflow_objects.DEFAULTS["retry_policy"].evaluate(RuntimeError(told), 1, 3).action.value == "default"
