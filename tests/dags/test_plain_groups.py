"""A consumer group through the DAGs' functions: draft, search, assemble, question, decision, apply, verify."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from airflow.sdk.exceptions import AirflowFailException
from tests.dags.conftest import decided
from tests.dags.test_decisions import answer
from tests.harness.plain_groups import change
from tests.unit.workflows.test_plain_rollout import COOPERATIVE, REPLACE, lived, named

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring import decisions, planning, rollouts
from holdfast.errors import InvalidInput, StalePlan
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.kinds import any_document, distributed_search, plan_title
from holdfast.workflows import plan as plans
from holdfast.workflows import snapshots

NOW = datetime.now(UTC)
BEFORE = COOPERATIVE | {"cluster": "local", "captured_at": (NOW - timedelta(minutes=1)).isoformat()}
FORM: dict[str, Any] = {"cluster": "local", "group": "billing", "policy": None}


def kept(lake: FsspecLake, document: dict[str, Any]) -> str:
    return snapshots.keep(lake, any_document.snapshot_from_json(document))


def planned(lake: FsspecLake) -> tuple[str, str]:
    """The plan and its run, with the search as the Spark job does it."""
    draft = planning.draft("run", FORM | {"snapshot": kept(lake, BEFORE), "change": change(REPLACE)})
    folder = tuple(draft.split("/"))
    snapshot, requested = (lake.read((*folder, name), 10**6).decode() for name in ("snapshot.json", "change.json"))
    lines = [distributed_search.evaluation(snapshot, candidate) for candidate in distributed_search.candidates(snapshot, requested)]
    lake.write((*folder, "evaluations", "part-00000.txt"), "\n".join(lines).encode())
    return planning.assemble("run"), "run"


def walked(lake: FsspecLake, plan_id: str, document: dict[str, Any]) -> dict[str, Any]:
    params = {"state_dirs": {}, "confirmed": [], "snapshot": kept(lake, document | {"captured_at": datetime.now(UTC).isoformat()})}
    return json.loads(lake.read(tuple(rollouts.apply(plan_id, params, None).split("/")), 10**6))


def test_goes_all_the_way(lake: FsspecLake) -> None:
    plan_id, run = planned(lake)
    plan = plans.load(lake, plan_id)
    question = decisions.question(run)
    assert question.subject == plan_title.question_of(plan)
    assert "4 of 6 partitions migrate" in question.body
    assert decided(plan_id, answer("Approve", plan, reason="read it")) == plan_id  # type: ignore[arg-type]

    after = lived(BEFORE, *named("billing-1", REPLACE)) | {"captured_at": NOW.isoformat()}
    assert walked(lake, plan_id, BEFORE)["waiting_for"]["step"] == "1"
    assert walked(lake, plan_id, after)["done"] is True
    verdict = rollouts.verify(plan_id, {"plan_id": "", "snapshot": kept(lake, after)}, None)
    assert json.loads(lake.read(tuple(verdict.split("/")), 10**6))["result"] == "as forecast"


def test_fails_where_the_group_went_another_way(lake: FsspecLake) -> None:
    plan_id, _ = planned(lake)
    swapped = lived(BEFORE, *named("billing-1", REPLACE)) | {"captured_at": NOW.isoformat()}
    consumers = swapped["consumers"]
    consumers["b"]["owned"], consumers["c"]["owned"] = consumers["c"]["owned"], consumers["b"]["owned"]

    with pytest.raises(AirflowFailException, match="orders-2 is assigned to c; forecast: b"):
        rollouts.verify(plan_id, {"plan_id": "", "snapshot": kept(lake, swapped)}, None)


def test_is_refused_without_an_approval_and_where_it_has_drifted(lake: FsspecLake) -> None:
    plan_id, _ = planned(lake)
    with pytest.raises(InvalidInput, match="was not approved"):
        walked(lake, plan_id, BEFORE)
    decided(plan_id, answer("Approve", plans.load(lake, plan_id)))  # type: ignore[arg-type]
    grown = BEFORE | {"topics": {"orders": {"partitions": [{"id": number} for number in range(9)]}}}

    with pytest.raises(StalePlan, match="orders had 6 partitions, it now has 9"):
        walked(lake, plan_id, grown)


def test_a_change_for_the_other_kind_is_refused(lake: FsspecLake) -> None:
    streams = {"remove_client": {"process_id": "4b61083e-57d0-457d-951f-d06556c148ca"}}
    with pytest.raises(InvalidInput, match="remove_client"):
        planning.draft("run", FORM | {"snapshot": kept(lake, BEFORE), "change": change(streams)})

    assert lake.names(("drafts",)) == ()


def test_the_search_says_what_a_plan_made_at_once_says(lake: FsspecLake) -> None:
    snapshot, requested = (dumps(document) for document in (BEFORE, change(REPLACE, {"then": "stable"})))

    assert [loads(one)["name"] for one in distributed_search.candidates(snapshot, requested)] == ["baseline"]  # type: ignore[index]
