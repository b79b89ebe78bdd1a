"""Plans and verdicts as rows."""

import json

import pytest
from tests.harness.article import AFTER, group
from tests.harness.plans import article_plan, read

from holdfast.rollout.json.strict import dumps
from holdfast.rollout.streams.execution import verdict
from holdfast.rollout.streams.execution.verify import verify
from holdfast.rollout.streams.plan import json as plan_json
from holdfast.rollout.tables import plan_rows

PLAN = article_plan()
PLAN_TEXT = dumps(plan_json.plan_to_json(PLAN)).encode()
VERDICT = verdict.VERDICT.write(verify(PLAN, read(group(AFTER))))


def test_every_way_that_was_weighed_is_a_row() -> None:
    found = plan_rows.plan_rows(f"plans/{PLAN.plan_id}/plan.json", PLAN_TEXT)

    assert (found["problem"], found["verdicts"]) == (None, [])
    rows = found["candidates"]
    assert [row["name"] for row in rows] == [one.name for one in PLAN.candidates]
    assert [row["name"] for row in rows if row["chosen"]] == [PLAN.chosen]
    assert {(row["plan_id"], row["day"], row["group_id"]) for row in rows} == {(PLAN.plan_id, "2026-11-20", PLAN.basis.group_id)}
    option = next(one for one in PLAN.candidates if one.costs)
    row = next(row for row in rows if row["name"] == option.name)
    assert row["moved"] == max(cost.moved for cost in option.costs)
    assert row["expected_moved"] == pytest.approx(sum(cost.probability * cost.moved for cost in option.costs))


def test_a_verdict_is_a_row() -> None:
    (row,) = plan_rows.plan_rows(f"plans/{PLAN.plan_id}/verdict.json", json.dumps(VERDICT).encode())["verdicts"]

    assert (row["plan_id"], row["result"]) == (PLAN.plan_id, VERDICT["result"])
    assert (row["tasks"], row["tasks_as_forecast"]) == (VERDICT["score"]["tasks"], VERDICT["score"]["tasks_as_forecast"])
    assert [row["rebalances_least"], row["rebalances_most"]] == VERDICT["rebalances"]["expected"]


@pytest.mark.parametrize("name", ["plan", "verdict"])
@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"format_version": "9.0"}', b"\xff"])
def test_what_is_neither_has_a_problem(name: str, content: bytes) -> None:
    found = plan_rows.plan_rows(f"plans/x/{name}.json", content)

    assert found["problem"]
    assert (found["candidates"], found["verdicts"]) == ([], [])


def test_half_a_verdict_has_a_problem() -> None:
    half = VERDICT | {"rebalances": {"expected": [1], "found": 2}}
    assert (
        "rebalances.expected: two numbers are needed"
        in plan_rows.plan_rows("plans/x/verdict.json", json.dumps(half).encode())["problem"]
    )
