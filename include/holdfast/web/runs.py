"""The runs of `plan_rollout` that made plans: who requested them, and whether they can still be decided. And whether a run of
`apply_rollout` has ended."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from airflow.models.dagrun import DagRun
from airflow.utils.session import create_session
from sqlalchemy import select

from holdfast.web.access import APPLY, DAG
from holdfast.web.plan.live_state import Ended

ENDED = ("failed", "success")
LONGEST_ID = 250
"""Of a run: Airflow's own limit."""


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


def ended_in_airflow(run_id: str) -> Ended | None:
    """How the run of `apply_rollout` with this ID ended, which may be any text. None: it has not."""
    if "\0" in run_id or len(run_id) > LONGEST_ID:
        return None
    with create_session() as session:
        state = session.scalar(select(DagRun.state).where(DagRun.dag_id == APPLY, DagRun.run_id == run_id))
    if state is None:
        return Ended.DELETED
    return {"failed": Ended.FAILED, "success": Ended.SUCCESS}.get(str(state))
