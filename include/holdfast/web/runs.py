"""The runs of `plan_rollout` that made plans: who requested them, and whether they can still be decided."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from airflow.models.dagrun import DagRun
from airflow.utils.session import create_session
from sqlalchemy import select

from holdfast.web.access import DAG

ENDED = ("failed", "success")


@dataclass(frozen=True, slots=True)
class Run:
    """`ended`: no task of it waits for a decision any more. `requested_by`: the user who triggered it; empty where none did."""

    ended: bool
    requested_by: str


def of(run_ids: Iterable[str]) -> Mapping[str, Run]:
    """Those that there are; a run that was deleted is not among them."""
    wanted = [one for one in dict.fromkeys(run_ids) if "\0" not in one]
    if not wanted:
        return {}
    with create_session() as session:
        found = session.execute(
            select(DagRun.run_id, DagRun.state, DagRun.triggering_user_name).where(DagRun.dag_id == DAG, DagRun.run_id.in_(wanted))
        )
        return {run_id: Run(str(state) in ENDED, str(requested_by or "")) for run_id, state, requested_by in found}
