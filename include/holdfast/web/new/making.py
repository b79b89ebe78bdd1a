"""A run of `plan_rollout` without a plan yet: its progress and requester, or why planning failed."""

from dataclasses import dataclass
from datetime import datetime

from airflow.models.dag import DagModel
from airflow.models.dagrun import DagRun
from airflow.models.taskinstance import TaskInstance
from airflow.utils.session import create_session
from sqlalchemy import select

from holdfast.airflow_wiring import failures, planning
from holdfast.airflow_wiring import runs as airflow_runs
from holdfast.errors import HoldfastError
from holdfast.ports import Lake
from holdfast.rollout.text.format import duration
from holdfast.web.access import DAG
from holdfast.workflows import searching
from holdfast.workflows.run_documents import Failure

STEPS = {
    "snapshot": "Take a snapshot of the group and check the change against it",
    "search": "Forecast every option",
    planning.ON_SPARK: "Forecast on Spark what takes longer",
    "assemble": "Compare the options and write the plan",
}
_WORDS = {
    "success": "done",
    "running": "in progress",
    "failed": "failed",
    "up_for_retry": "failed, retrying",
    "upstream_failed": "not reached",
    "skipped": "not needed",
}


@dataclass(frozen=True, slots=True)
class TaskOfRun:
    """A task of the run in words. `state`: one of the words above, or `waiting`. `seconds` that it has run; None: not at all."""

    title: str
    state: str
    seconds: int | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """How far the search is: each option's title, and how long it took; empty: it is not forecast yet. Only those that
    were forecast, where the others are unknown."""

    options: tuple[tuple[str, str], ...]
    of: int

    @property
    def done(self) -> int:
        """How many were forecast."""
        return sum(1 for _, took in self.options if took)


@dataclass(frozen=True, slots=True)
class Making:
    """`over`: nothing more will come of it. `request`: what was asked for, as the run's note has it; empty where it has none."""

    run_id: str
    cluster: str
    group: str
    request: str
    asked_by: str
    requested_at: str
    steps: tuple[TaskOfRun, ...]
    elapsed: int | None
    search: Search
    over: bool
    paused: bool
    failure: Failure | None


def of(lake: Lake, run_id: str, now: datetime) -> Making | None:
    """None: there is no such run."""
    with create_session() as session:
        run = session.scalar(select(DagRun).where(DagRun.dag_id == DAG, DagRun.run_id == run_id))
        if run is None:
            return None
        rows = session.execute(
            select(TaskInstance.task_id, TaskInstance.state, TaskInstance.start_date, TaskInstance.end_date).where(
                TaskInstance.dag_id == DAG, TaskInstance.run_id == run_id
            )
        ).all()
        states = {task: str(state or "") for task, state, _, _ in rows}
        ran = {task: _seconds(start, end or now) for task, _, start, end in rows}
        conf = run.conf if isinstance(run.conf, dict) else {}
        state, note, requested_at = str(run.state), str(run.note or ""), run.queued_at or run.run_after
        ended = run.end_date
        asked_by = str(run.triggering_user_name or "")
        paused = bool(session.scalar(select(DagModel.is_paused).where(DagModel.dag_id == DAG)))
    over = state in ("failed", "success")
    return Making(
        run_id=run_id,
        cluster=str(conf.get("cluster") or ""),
        group=str(conf.get("group") or ""),
        request=note,
        asked_by=asked_by,
        requested_at=requested_at.isoformat() if isinstance(requested_at, datetime) else "",
        steps=tuple(TaskOfRun(title, _WORDS.get(states.get(task, ""), "waiting"), ran.get(task)) for task, title in STEPS.items()),
        elapsed=_seconds(requested_at, (ended or now) if over else now),
        search=search_of(lake, run_id),
        over=over,
        paused=paused and not over,
        failure=_failure(lake, run_id, states),
    )


def _seconds(start: datetime | None, end: datetime) -> int | None:
    return None if start is None else max(0, int((end - start).total_seconds()))


def search_of(lake: Lake, run_id: str) -> Search:
    """Where the lake cannot be read there is nothing to show."""
    try:
        found = searching.progress(lake, airflow_runs.folder(run_id))
    except HoldfastError:
        return Search((), 0)
    told = {one.place: (one.title, _took(one.milliseconds)) for one in found.done}
    waiting = {place: (title, "") for place, title in enumerate(found.titles)}
    options = waiting | told
    return Search(tuple(options[place] for place in sorted(options)), found.of)


def _took(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.1f} s" if milliseconds < 60_000 else duration(milliseconds // 1000)


def conf_of(run_id: str) -> dict[str, object] | None:
    """The parameters with which a run was triggered; None: there is no such run."""
    with create_session() as session:
        found = session.scalar(select(DagRun.conf).where(DagRun.dag_id == DAG, DagRun.run_id == run_id))
    return dict(found) if isinstance(found, dict) else None


def _failure(lake: Lake, run_id: str, states: dict[str, str]) -> Failure | None:
    """What was kept, while it is still so: a task that was tried again with success has failed no more."""
    failed = [task for task in states if states[task] in ("failed", "up_for_retry")]
    if not failed:
        return None
    try:
        kept = failures.of(lake, run_id)
    except HoldfastError:
        kept = None
    return kept if kept is not None and kept.task in failed else Failure(failed[0], None, "")
