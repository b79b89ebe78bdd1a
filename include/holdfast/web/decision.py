"""Airflow's own request for a decision: the one of the run that made a plan, and how it is answered.

The answer goes through Airflow's own REST route, in this process and with the user's own credentials: its checks, its record in the
audit log and its scheduler see what they would see from its own page.
"""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import httpx
from airflow.jobs.job import Job
from airflow.models.dagrun import DagRun
from airflow.models.hitl import HITLDetail
from airflow.models.taskinstance import TaskInstance
from airflow.utils.session import create_session
from airflow.utils.state import TaskInstanceState
from fastapi import Request
from sqlalchemy import select
from starlette.concurrency import run_in_threadpool

from holdfast.airflow_wiring import runs
from holdfast.airflow_wiring.airflow_objects import APPROVE, CHANGES, REJECT
from holdfast.airflow_wiring.decisions import is_about
from holdfast.errors import HoldfastError
from holdfast.ports import Lake
from holdfast.secrecy import redact
from holdfast.web import own_airflow
from holdfast.web.access import DAG

TASK = "approve"
ABOUT_A_PLAN = ("apply_rollout", "verify_rollout")
PARKED_AFTER_S, PARKED_AT_LAST_S = 2.0, 15.0
"""Airflow's scheduler may lose an answer that comes before it has seen that the asking process has ended. It has, once it has gone
round after that: its heartbeat shows it. Of several schedulers each must have. A person reads longer than this takes; Holdfast
waits for it, but not for ever."""
LONGEST_REASON = 2_000


AT_THE_SAME_MOMENT_S = 0.3
_ONE_AT_A_TIME = asyncio.Lock()
"""Of two answers within some hundredths of a second Airflow takes both (200), and keeps one. Holdfast's are never so close
together; one from Airflow's own page may."""


class NotAnswered(HoldfastError):
    """Airflow did not take the answer. `status` is that of its response."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class CheckedRequest:
    """What Airflow asks. `answer` None: not answered yet. `open`: it can be answered now. `approvers`: the IDs of the only ones
    who may answer; none: all who may trigger the DAG. `requested_by`: the user who triggered the run. `options`: what may be
    answered; a question of a former version does not have all.
    """

    run_id: str
    open: bool
    answer: str | None
    reason: str
    by: str | None
    requested_at: datetime | None
    approvers: tuple[str, ...] = ()
    requested_by: str | None = None
    options: tuple[str, ...] = (APPROVE, REJECT, CHANGES)

    @property
    def says(self) -> str:
        """The answer in words."""
        return {APPROVE: "approved", CHANGES: "changes requested"}.get(self.answer or "", "rejected")

    @property
    def takes_changes(self) -> bool:
        return CHANGES in self.options


def asked(run_id: str, print_of: str) -> CheckedRequest | None:
    """The request of this run, if it asks about the plan of this fingerprint: by the last line of its text, which is Holdfast's
    alone."""
    if "\0" in run_id:
        return None  # no run's ID, and some databases raise at the sight of it
    with create_session() as session:
        found = session.execute(
            select(HITLDetail, TaskInstance.state, DagRun.triggering_user_name)
            .join(TaskInstance, HITLDetail.ti_id == TaskInstance.id)
            .join(DagRun, (DagRun.dag_id == TaskInstance.dag_id) & (DagRun.run_id == TaskInstance.run_id))
            .where(
                TaskInstance.dag_id == DAG,
                TaskInstance.run_id == run_id,
                TaskInstance.task_id == TASK,
                TaskInstance.map_index == -1,
            )
        ).first()
        if found is None:
            return None
        detail, state, requested_by = found
        if not is_about(detail.body, print_of):
            return None
        options = detail.chosen_options or []
        return CheckedRequest(
            run_id=run_id,
            open=not detail.response_received and state in (TaskInstanceState.AWAITING_INPUT, TaskInstanceState.DEFERRED),
            answer=str(options[0]) if detail.response_received and options else None,
            reason=redact(str((detail.params_input or {}).get("reason") or "")),
            by=str(detail.responded_by["name"]) if detail.responded_by else None,
            requested_at=detail.created_at,
            approvers=tuple(str(one["id"]) for one in detail.assigned_users),
            requested_by=requested_by,
            options=tuple(str(one) for one in detail.options or ()),
        )


def plan_of(lake: Lake, dag_id: str, run_id: str) -> str | None:
    """The plan that a run made, by what is kept of the run in the lake; or was about, by what its form names."""
    if "\0" in run_id + dag_id:
        return None
    if dag_id == DAG:
        made = runs.made(lake, run_id)
        return None if made is None else made.plan_id
    if dag_id not in ABOUT_A_PLAN:
        return None
    with create_session() as session:
        conf = session.scalar(select(DagRun.conf).where(DagRun.dag_id == dag_id, DagRun.run_id == run_id))
    return str(conf.get("plan_id") or "") if isinstance(conf, dict) else None


async def _parked(requested_at: datetime) -> None:
    deadline = requested_at + timedelta(seconds=PARKED_AT_LAST_S)
    while datetime.now(UTC) < deadline:
        seen = await run_in_threadpool(_schedulers_seen)
        if seen is not None and seen > requested_at + timedelta(seconds=PARKED_AFTER_S):
            return
        await asyncio.sleep(0.3)


def _schedulers_seen() -> datetime | None:
    """The last heartbeat of the scheduler that has been silent for longest, of those that run: any of several may be the one that
    sees the asking process end. None: none runs."""
    with create_session() as session:
        found = session.scalars(select(Job).where(Job.job_type == "SchedulerJob", Job.state == "running"))
        return min((one.latest_heartbeat for one in found if one.is_alive()), default=None)


CHOICES = {"approve": APPROVE, "reject": REJECT, "changes": CHANGES}
"""What our form sends, and what Airflow calls it."""


async def answer(request: Request, one: CheckedRequest, print_of: str, *, choice: str, reason: str) -> None:
    """Answer as the user who sent `request`. Raise NotAnswered with Airflow's own reason."""
    if one.requested_at is not None:
        await _parked(one.requested_at)
    path = f"/api/v2/dags/{DAG}/dagRuns/{quote(one.run_id, safe='')}/taskInstances/{TASK}/-1/hitlDetails"
    chosen = CHOICES[choice]
    body = {"chosen_options": [chosen], "params_input": {"reason": reason}}
    async with _ONE_AT_A_TIME:
        response = await own_airflow.ask(request, "PATCH", path, body)
    if response.status_code == httpx.codes.CONFLICT:
        raise NotAnswered("Another user has already decided this plan.", 409)
    if not response.is_success:
        raise NotAnswered(f"Airflow refused the decision ({response.status_code}): {response.text[:300]}", response.status_code)
    await asyncio.sleep(AT_THE_SAME_MOMENT_S)
    kept = await run_in_threadpool(lambda: asked(one.run_id, print_of))
    if kept is not None and kept.answer is not None and (kept.answer, kept.reason) != (chosen, reason):
        raise NotAnswered(f"{kept.by or 'Another user'} decided at the same moment; Airflow recorded that decision.", 409)
