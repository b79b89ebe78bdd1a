"""Runs of other DAGs by what an airflow task sends to its worker; the answers are those of Airflow 3.3.2 in a `dag.test`."""

from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk.exceptions import AirflowRuntimeError, ErrorType
from airflow.sdk.execution_time import task_runner
from airflow.sdk.execution_time.comms import (
    DagRunStateResult,
    DRCount,
    ErrorResponse,
    GetDagRunState,
    GetDRCount,
    OKResponse,
    TriggerDagRun,
)
from airflow.utils.state import DagRunState

from holdfast.airflow_wiring.dag_runs import AirflowDagRuns
from holdfast.errors import HostTrouble

GONE = ErrorResponse(error=ErrorType.API_SERVER_ERROR, detail={"status_code": 404, "message": "Dag with dag_id: 'gone' not found"})
BROKEN = ErrorResponse(error=ErrorType.API_SERVER_ERROR, detail={"status_code": 500, "message": "database is locked"})


class Worker:
    """Has the runs of one DAG."""

    def __init__(self) -> None:
        self.runs: dict[str, Any] = {}
        self.refuses: ErrorResponse | None = None

    def send(self, msg: Any) -> Any:
        if self.refuses is not None:
            raise AirflowRuntimeError(self.refuses)
        match msg:
            case TriggerDagRun(dag_id="restarts", run_id=run_id, conf=conf, reset_dag_run=False):
                if run_id in self.runs:
                    return ErrorResponse(error=ErrorType.DAGRUN_ALREADY_EXISTS)
                self.runs[run_id] = conf
                return OKResponse(ok=True)
            case GetDRCount(dag_id="restarts", run_ids=[run_id]):
                return DRCount(count=int(run_id in self.runs))
            case GetDagRunState(dag_id="restarts", run_id=run_id) if run_id in self.runs:
                return DagRunStateResult(state=DagRunState.QUEUED)
        raise AssertionError(msg)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Worker:
    found = Worker()
    monkeypatch.setattr(task_runner, "SUPERVISOR_COMMS", found, raising=False)
    return found


def test_a_run_is_triggered_once_and_seen(worker: Worker) -> None:
    runs = AirflowDagRuns()
    assert runs.state("restarts", "holdfast__1") is None
    assert runs.trigger("restarts", "holdfast__1", {"host": "app-1"})
    assert not runs.trigger("restarts", "holdfast__1", {"host": "app-2"})
    assert runs.state("restarts", "holdfast__1") == "queued"
    assert worker.runs == {"holdfast__1": {"host": "app-1"}}


@pytest.mark.parametrize(("refuses", "begun", "lasting"), [(GONE, False, True), (BROKEN, True, False)])
def test_what_airflow_refuses_is_no_run(worker: Worker, refuses: ErrorResponse, *, begun: bool, lasting: bool) -> None:
    worker.refuses = refuses
    with pytest.raises(HostTrouble) as trouble:
        AirflowDagRuns().trigger("restarts", "holdfast__1", {})
    assert (trouble.value.begun, trouble.value.lasting) == (begun, lasting)
    with pytest.raises(HostTrouble) as trouble:
        AirflowDagRuns().state("restarts", "holdfast__1")
    assert not trouble.value.begun


def test_what_is_not_wrapped_is_understood_too(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(_: object) -> None:
        error = RuntimeError("Server returned error")
        error.response = SimpleNamespace(status_code=404)  # type: ignore[attr-defined]
        raise error

    monkeypatch.setattr(worker, "send", raises)
    with pytest.raises(HostTrouble, match="there is no such DAG"):
        AirflowDagRuns().trigger("gone", "holdfast__1", {})
