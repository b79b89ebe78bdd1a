"""Does a plan carry, next to each sentence, the fact that it was made from?"""

import pytest
from tests.harness.article import AFTER, altered, group
from tests.harness.plain_groups import change, member
from tests.harness.plain_groups import group as consumer_group
from tests.harness.plans import NOON, REPLACE_FIRST, article_plan, planned

from holdfast.rollout.facts.conditions import Assumed, Invalid
from holdfast.rollout.facts.reasons import EXCEEDS, Block, Blocked, NotRecommended, Reason
from holdfast.rollout.policy.policy import Policy, Review
from holdfast.web.parts import plan_view as parts
from holdfast.workflows import plan as planning

OVER = Policy(blocking=("collateral-migration",), exclude=("copy-process-metadata", "copy-state-directory", "seed-process-id"))


def test_why_each_option_lost() -> None:
    found = {one.name: one.reason for one in article_plan().candidates}

    assert found["baseline"] == Reason(NotRecommended.CRITERION, "limits", 1, 0, ("collateral-migration",))
    assert found["copy-process-metadata"] is None
    assert found["seed-process-id"] == Reason(NotRecommended.CRITERION, "moved", 2, 0)
    assert found["clear-state"] == Reason(NotRecommended.NOT_ALLOWED)
    assert found["nothing-now"] == Reason(NotRecommended.DRAWBACK)


def test_what_the_policy_excludes() -> None:
    plan = article_plan(Policy(exclude=("seed-process-id",)))

    assert {one.name: one.reason for one in plan.candidates}["seed-process-id"] == Reason(NotRecommended.EXCLUDED)


def test_a_page_does_not_list_limits_twice() -> None:
    (baseline,) = (one for one in article_plan().candidates if one.name == "baseline")

    assert "(collateral-migration: 4 of 6" in baseline.why_not
    assert parts.why_not(baseline) == f"{EXCEEDS}."


@pytest.mark.parametrize(
    ("document", "policy", "blocked"),
    [
        (altered(group(AFTER), ["tasks", "1_0", "changelogs"], None), Policy(), Blocked(Block.NOT_PREDICTED)),
        (group(AFTER), OVER, Blocked(Block.LIMIT, "collateral-migration")),
    ],
    ids=["cannot predict", "over a limit"],
)
def test_why_a_plan_is_blocked(document: dict[str, object], policy: Policy, blocked: Blocked) -> None:
    plan = planned(document, REPLACE_FIRST, policy=policy)

    assert plan.blocked[0] == blocked
    assert len(plan.blocked) == len(plan.blocked_by)


def test_a_policy_without_reviews_blocks_what_needs_one() -> None:
    consumers = {"a": member(0, 1, 2), "b": member(3, 4, 5)}
    event = {"restart_consumer": {"member_id": "a", "new_member_id": "a2"}}
    plan = planning.make_from(("s", consumer_group(consumers)), ("c", change(event)), Policy(review=Review.NEVER), NOON)

    assert {one.kind for one in plan.blocked} == {Block.NO_REVIEW}  # type: ignore[attr-defined]


def test_what_the_forecast_depends_on() -> None:
    plan = article_plan()

    assert [(one.kind, len(one.process_ids), one.seconds) for one in plan.invalidations] == [
        (Invalid.NEW_CLIENT_OTHER_ID, 1, None),
        (Invalid.BACK_LATE, 0, 7.0),
    ]
    assert [one.kind for one in plan.assumptions] == [Assumed.READS_PROCESS_ID, Assumed.ONE_CLIENT_AN_ID]
