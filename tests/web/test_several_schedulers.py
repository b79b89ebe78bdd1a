"""An answer from the plan's page waits until every scheduler that runs has gone round: any of them may lose it before."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from airflow.jobs.job import Job
from sqlalchemy import create_engine, insert
from sqlalchemy.orm import Session
from sqlalchemy.pool import StaticPool

from holdfast.web import decision


def job(seconds_ago: float, kind: str = "SchedulerJob", state: str = "running") -> dict[str, Any]:
    return {"job_type": kind, "state": state, "latest_heartbeat": timedelta(seconds=seconds_ago)}


@pytest.mark.parametrize(
    ("jobs", "seconds_ago"),
    [
        ([job(1), job(4)], 4),
        ([job(4), job(1), job(9, "TriggererJob")], 4),
        ([job(1), job(9, state="success")], 1),
        ([job(1), job(100_000)], 1),
        ([], None),
    ],
    ids=["each", "not the triggerer", "not one that has ended", "not one that was killed", "none"],
)
def test_the_one_that_was_silent_for_longest_counts(
    monkeypatch: pytest.MonkeyPatch, jobs: list[dict[str, Any]], seconds_ago: float | None
) -> None:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    Job.__table__.create(engine)

    @contextmanager
    def session() -> Iterator[Session]:
        with Session(engine) as opened:
            yield opened

    monkeypatch.setattr(decision, "create_session", session)
    now = datetime.now(UTC).replace(microsecond=0)
    with engine.begin() as connection:
        for one in jobs:
            connection.execute(insert(Job.__table__).values(one | {"latest_heartbeat": now - one["latest_heartbeat"]}))

    assert decision._schedulers_seen() == (None if seconds_ago is None else now - timedelta(seconds=seconds_ago))
