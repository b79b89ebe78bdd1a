"""Runs of other DAGs, for acts of a run (`adapters.hosts.dag_actor`), and the state of the task's own run: from inside an airflow
task, by what its worker speaks.

Airflow has no public call for it: what TriggerDagRunOperator raises ends its own task. This is the message that becomes of it.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from holdfast.errors import HostTrouble


class AirflowDagRuns:
    """The port `DagRuns`."""

    def trigger(self, dag_id: str, run_id: str, conf: Mapping[str, Any]) -> bool:
        from airflow.sdk.exceptions import ErrorType
        from airflow.sdk.execution_time import task_runner
        from airflow.sdk.execution_time.comms import ErrorResponse, TriggerDagRun

        with _understood(dag_id, begun=True):
            answer = task_runner.SUPERVISOR_COMMS.send(TriggerDagRun(dag_id=dag_id, run_id=run_id, conf=dict(conf)))
        if not isinstance(answer, ErrorResponse):
            return True
        if answer.error is ErrorType.DAGRUN_ALREADY_EXISTS:
            return False
        raise HostTrouble(f"Airflow refused to trigger the DAG {dag_id} ({answer.error.value})", begun=False)

    def state(self, dag_id: str, run_id: str) -> str | None:
        from airflow.sdk.execution_time.task_runner import RuntimeTaskInstance

        with _understood(dag_id, begun=False):
            if not RuntimeTaskInstance.get_dr_count(dag_id=dag_id, run_ids=[run_id]):
                return None
            state = RuntimeTaskInstance.get_dagrun_state(dag_id=dag_id, run_id=run_id)
        return str(getattr(state, "value", state))


_ENDED = frozenset({"failed", "success", "skipped", "removed", "upstream_failed"})


def how_ended(dag_id: str, run_id: str, task_id: str, map_index: int) -> str | None:
    """What Airflow has of the airflow task that asks, where it is not to go on: a user has marked it or its run, or deleted the
    run. None: it goes on, or Airflow does not answer."""
    from airflow.sdk.execution_time.task_runner import RuntimeTaskInstance

    try:
        if not RuntimeTaskInstance.get_dr_count(dag_id=dag_id, run_ids=[run_id]):
            return "deleted"
        own = map_index if map_index >= 0 else None
        states = RuntimeTaskInstance.get_task_states(dag_id=dag_id, map_index=own, task_ids=[task_id], run_ids=[run_id])
        state = states.get(run_id, {}).get(task_id if own is None else f"{task_id}_{own}")
    except Exception:  # noqa: BLE001 - whatever: Airflow ends the task by itself, some seconds later
        return None
    name = str(getattr(state, "value", state))
    return name if name in _ENDED else None


@contextmanager
def _understood(dag_id: str, *, begun: bool) -> Iterator[None]:
    """Raise HostTrouble for whatever Airflow raises: its worker wraps what the API server answers, `dag.test` does not."""
    try:
        yield
    except Exception as error:
        detail = getattr(getattr(error, "error", None), "detail", None) or {}
        status = detail.get("status_code") or getattr(getattr(error, "response", None), "status_code", None)
        why = "there is no such DAG" if status == 404 else f"{type(error).__name__}, status {status}"
        raise HostTrouble(
            f"the DAG {dag_id} was not triggered, or its run is not seen: {why}",
            begun=begun and status != 404,
            lasting=status in (401, 403, 404),
        ) from error
