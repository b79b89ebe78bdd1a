"""A plan is applied by what the group is now: no older snapshot, and no clock that runs backwards."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.harness.article import AFTER, group
from tests.harness.plans import NOON, article_plan, read

from holdfast.errors import StepRefused
from holdfast.rollout.journal.journal import Approval
from holdfast.rollout.kinds.freshness import CLOCKS_S, FRESH_S, refuse_old
from holdfast.rollout.policy.policy import Policy

PLAN = replace(article_plan(Policy(valid_for_s=7_200)), expires_at="2026-11-20T13:00:00Z")
"""Made at noon."""


def refused(
    taken: float | None = 600, approved: float = 300, now: float = 630, here: bool = False, expires: float = 3_600
) -> str | None:
    """The message; None: none. Seconds after noon."""

    def at(seconds: float) -> str:
        return (NOON + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")

    approval = Approval(PLAN.plan_id, True, "ann", "seen", at(approved))
    snapshot = read(group(AFTER) | {"captured_at": None if taken is None else at(taken)})
    try:
        refuse_old(replace(PLAN, expires_at=at(expires)), snapshot, approval, NOON + timedelta(seconds=now), approved_here=here)
    except StepRefused as refusal:
        return str(refusal)
    return None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, None),
        ({"taken": 300}, None if FRESH_S >= 330 else "is 5 min 30 s old"),
        ({"taken": 300, "now": 300 + FRESH_S}, None),
        ({"taken": 300, "now": 301 + FRESH_S}, "at most 5 min is allowed"),
        ({"taken": -27 * 3_600}, "before the plan was approved"),
        ({"taken": 299}, "before the plan was approved (2026-11-20T12:05:00Z)"),
        ({"taken": 599, "approved": 600, "here": True}, None),
        ({"taken": 600 - FRESH_S, "approved": 601, "now": 601, "here": True}, "is 5 min 1 s old"),
        ({"taken": 630 + CLOCKS_S}, None),
        ({"taken": 631 + CLOCKS_S}, "one of the two clocks is wrong"),
        ({"taken": 10**8}, "one of the two clocks is wrong"),
        ({"taken": None}, "does not state when it was taken"),
        ({"approved": 640, "taken": 634}, "was approved at 2026-11-20T12:10:40Z, and here it is 2026-11-20T12:10:30+00:00"),
        ({"now": -60, "taken": -60, "approved": -60}, "was made at 2026-11-20T12:00:00Z, and here it is"),
        ({"approved": -60}, "before it was made"),
        ({"expires": 7_200}, None),
        ({"expires": 7_206}, "its policy allows only 2 h"),
        ({"expires": 10**9}, "the plan was changed"),
    ],
    ids=str,
)
def test_is_refused_by_its_age_and_by_clocks(given: dict[str, float], said: str | None) -> None:
    found = refused(**given)

    assert (found is None) if said is None else (found is not None and said in found)
