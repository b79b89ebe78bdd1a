"""The time model against rollouts of real groups, timed from the first action on (`tests/live/time_campaign.py` recorded them)."""

import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.times import Estimate
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.cost.evaluation import Cost
from holdfast.rollout.streams.cost.times_of_costs import stated, times_of
from holdfast.rollout.streams.options import proposals
from holdfast.rollout.streams.snapshot.json import snapshot_from_json

RECORDED = Path(__file__).resolve().parents[2] / "recorded" / "times.jsonl"
RECORDS = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
WIDEST = 12
"""The most that a roll may take, for the least: wider would say nothing."""


def cost(record: dict[str, Any]) -> Cost:
    snapshot, change = snapshot_from_json(record["snapshot"]), change_from_json(record["change"])
    baseline = next(one for one in proposals.propose(snapshot, change) if one.name == BASELINE_NAME)
    return stated(proposals.evaluate(snapshot, baseline).costs, Policy())


def ends(record: dict[str, Any]) -> Estimate:
    times = times_of(cost(record), Policy())
    assert times.rebalancing_ends is not None
    return times.rebalancing_ends


@pytest.mark.thorough
@pytest.mark.parametrize("record", RECORDS, ids=lambda record: str(record["name"]))
def test_a_real_rollout_ends_within_its_range(record: dict[str, Any]) -> None:
    found = ends(record)

    assert found.low <= record["ended_s"] <= found.high


@pytest.mark.thorough
@pytest.mark.parametrize("record", RECORDS, ids=lambda record: str(record["name"]))
def test_a_real_rollout_rebalances_within_its_range(record: dict[str, Any]) -> None:
    found = cost(record).rebalances

    assert found.low <= record["rebalances"] <= found.high


@pytest.mark.thorough
def test_ranges_say_something() -> None:
    """Where warm-ups that are caught up at once may spare a probing interval, the least is far below; so it is where stores are in
    memory, and a new process ID moves nothing or most."""
    kept = [one for one in RECORDS if "in memory" not in one["name"]]
    rolls = [ends(one) for one in kept if "rolling restart" in one["name"] or "process ID kept" in one["name"]]

    assert rolls
    assert all(one.high <= WIDEST * one.low for one in rolls)


@pytest.mark.thorough
def test_the_usual_figure_is_near() -> None:
    """For most rollouts within a third and ten seconds of what happened."""
    near = [abs(ends(one).usual - one["ended_s"]) <= 10 + one["ended_s"] / 3 for one in RECORDS]

    assert sum(near) >= 2 * len(near) // 3
