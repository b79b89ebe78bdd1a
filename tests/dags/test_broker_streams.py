"""A streams group whose broker assigns through the DAGs' functions: draft, search, assemble, question, decision, apply, verify."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.dags.conftest import decided
from tests.dags.test_decisions import answer
from tests.unit.rollout.broker_streams.execution.acted_out import after
from tests.unit.rollout.broker_streams.streams_groups import snapshot

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring import decisions, planning, rollouts
from holdfast.errors import StalePlan
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT, StreamsGroupSnapshot
from holdfast.rollout.json import instants
from holdfast.rollout.kinds import distributed_search, plan_title
from holdfast.workflows import plan as plans
from holdfast.workflows import snapshots

BEFORE = snapshot(cluster="local", captured_at=instants.to_second(datetime.now(UTC) - timedelta(minutes=1)))
FORM: dict[str, Any] = {"cluster": "local", "group": "shop", "policy": None}


def planned(lake: FsspecLake) -> BrokerPlan:
    """Of a host that is replaced, asked for in the form, with the search as the Spark job does it."""
    asked = {"change": None, "what": "replace a host", "hosts": ["host-a"], "new_host": "host-d"}
    draft = planning.draft("run", FORM | asked | {"snapshot": snapshots.keep(lake, SNAPSHOT.read(BEFORE))})
    folder = tuple(draft.split("/"))
    group, requested = (lake.read((*folder, name), 10**6).decode() for name in ("snapshot.json", "change.json"))
    lines = [distributed_search.evaluation(group, candidate) for candidate in distributed_search.candidates(group, requested)]
    lake.write((*folder, "evaluations", "part-00000.txt"), "\n".join(lines).encode())
    plan = plans.load(lake, planning.assemble("run"))
    assert isinstance(plan, BrokerPlan)
    return plan


def now(lake: FsspecLake, group: StreamsGroupSnapshot) -> str:
    return snapshots.keep(lake, replace(group, captured_at=instants.to_second(datetime.now(UTC))))


def walked(lake: FsspecLake, plan: BrokerPlan, group: StreamsGroupSnapshot, *confirmed: str) -> dict[str, Any]:
    params = {"state_dirs": {}, "confirmed": list(confirmed), "snapshot": now(lake, group)}
    return json.loads(lake.read(tuple(rollouts.apply(plan.plan_id, params, "ann" if confirmed else None).split("/")), 10**6))


def test_goes_all_the_way(lake: FsspecLake) -> None:
    plan = planned(lake)
    question = decisions.question("run")
    assert question.subject == plan_title.question_of(plan)
    assert "stateful tasks migrate" in question.body
    assert decided(plan.plan_id, answer("Approve", plan, reason="read it")) == plan.plan_id

    assert walked(lake, plan, SNAPSHOT.read(BEFORE))["waiting_for"]["step"] == "1"
    found = walked(lake, plan, after(plan))
    while not found["done"]:
        found = walked(lake, plan, after(plan), found["waiting_for"]["step"])
    verdict = rollouts.verify(plan.plan_id, {"plan_id": "", "snapshot": now(lake, after(plan))}, None)
    assert json.loads(lake.read(tuple(verdict.split("/")), 10**6))["result"] == "as forecast"


def test_is_refused_where_it_has_drifted(lake: FsspecLake) -> None:
    plan = planned(lake)
    decided(plan.plan_id, answer("Approve", plan))

    with pytest.raises(StalePlan, match=r"is now 4\.4\.0"):
        walked(lake, plan, replace(SNAPSHOT.read(BEFORE), broker_release="4.4.0"))
