"""What the pages ask Airflow's database about runs of `apply_rollout`: its own table, without a server."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from airflow.models.dagrun import DagRun
from sqlalchemy import create_engine, insert
from sqlalchemy.orm import Session

from holdfast.web import runs
from holdfast.web.plan.live_state import Ended

RUNS = (
    ("apply_rollout", "queued", "queued"),
    ("apply_rollout", "running", "running"),
    ("apply_rollout", "failed", "failed"),
    ("apply_rollout", "marked", "success"),
    ("plan_rollout", "another DAG's", "running"),
)


@pytest.fixture(autouse=True)
def _airflow(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = create_engine("sqlite://")
    table = DagRun.__table__
    table.create(engine)
    now = datetime.now(UTC)
    with engine.begin() as connection:
        for dag_id, run_id, state in RUNS:
            given = {"dag_id": dag_id, "run_id": run_id, "_state": state, "run_type": "manual", "run_after": now}
            connection.execute(insert(DagRun).values(given | {"log_template_id": None}))

    @contextmanager
    def session() -> Iterator[Session]:
        with Session(engine) as one:
            yield one

    monkeypatch.setattr(runs, "create_session", session)


@pytest.mark.parametrize(
    ("run_id", "ended"),
    [
        ("queued", None),
        ("running", None),
        ("failed", Ended.FAILED),
        ("marked", Ended.SUCCESS),
        ("there is none", Ended.DELETED),
        ("another DAG's", Ended.DELETED),
        ("\0", None),
        ("x" * 251, None),
    ],
)
def test_how_a_run_ended(run_id: str, ended: Ended | None) -> None:
    """What a run says of itself may be any text: what cannot be an ID is not asked for."""
    assert runs.ended_in_airflow(run_id) is ended
