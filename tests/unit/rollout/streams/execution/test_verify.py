"""Is the forecast compared with what happened: task by task, round by round, and never with a guess?"""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.harness.article import AFTER, BEFORE, LAST, A, B, C, Document, altered, client, group
from tests.harness.plans import NOON, REPLACE_FIRST, article_plan, planned, read, restarted, with_client, without_client

from holdfast.errors import InvalidInput
from holdfast.rollout.backtest.learnt import Held, Learnt
from holdfast.rollout.backtest.past import Of, PastScore
from holdfast.rollout.backtest.score import Score
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.execution.verdict import VERDICT
from holdfast.rollout.streams.execution.verify import verify
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot import replay

STRANGER = "11111111-57d0-457d-951f-d06556c148ca"
BASELINE_ONLY = Policy(
    exclude=("copy-process-metadata", "copy-state-directory", "seed-process-id", "raise-warmups", "standbys-first")
)
REPLACED = {
    A: (("0_0", "1_0"), ("0_3", "1_3")),
    B: (("0_1", "1_1"), ("0_4", "1_4")),
    LAST: (("0_2", "1_2"), ("0_5", "1_5")),
}
"""Where everything is after the first was replaced by one that sorts last."""


def with_generations(document: Document, *minutes: int) -> Document:
    """Rebalances the given minutes after the plan was made."""
    generations = [
        {
            "number": number,
            "completed_at": (NOON + timedelta(minutes=minute)).isoformat(),
            "leader_member_id": None,
            "protocol": "stream",
            "members": {},
        }
        for number, minute in enumerate(minutes, start=1)
    ]
    return altered(document, ["generations"], generations)


def test_what_happened_as_forecast_is_said_task_by_task() -> None:
    verdict = verify(article_plan(BASELINE_ONLY), read(group(REPLACED)))

    assert (verdict.result, verdict.differences) == (Result.AS_FORECAST, ())
    assert len(verdict.tasks) == 12
    assert verdict.rebalances.found is None


def test_a_task_elsewhere_is_a_difference() -> None:
    swapped = REPLACED | {A: (("0_0", "1_1"), ("0_3", "1_3")), B: (("0_1", "1_0"), ("0_4", "1_4"))}
    verdict = verify(article_plan(BASELINE_ONLY), read(group(swapped)))

    assert verdict.result is Result.DIFFERENT
    assert verdict.differences == (
        f"Task 1_0 is on {B}; forecast: {A}.",
        f"Task 1_1 is on {A}; forecast: {B}.",
    )
    assert VERDICT.write(verdict)["score"] == {"tasks_as_forecast": 10, "tasks": 12}


def test_a_warm_up_on_the_right_client_is_on_the_way() -> None:
    half = group(REPLACED | {A: (("0_0", "1_0", "1_1"), ("0_3", "1_3")), B: (("0_1",), ("0_4", "1_4"))})
    member = next(iter(half["clients"][B]["consumers"].values()))
    member["assigned"] = {"active": ["0_1"], "standby": ["1_1"]}

    assert verify(article_plan(BASELINE_ONLY), read(half)).result is Result.IN_PROGRESS


@pytest.mark.parametrize(
    ("fresh", "result"),
    [
        (group(AFTER), Result.NOT_YET),
        (without_client(group(AFTER), C), Result.NOT_YET),
        (altered(group(REPLACED), ["group_state"], "PreparingRebalance"), Result.IN_PROGRESS),
        (
            with_client(without_client(group(AFTER), C), "11111111-57d0-457d-951f-d06556c148ca", client(C, AFTER[C])),
            Result.DIFFERENT,
        ),
    ],
    ids=["not begun", "the old one gone", "rebalancing", "another process ID"],
)
def test_other_clients_are_on_the_way_or_strangers(fresh: Document, result: Result) -> None:
    verdict = verify(article_plan(BASELINE_ONLY), read(fresh))

    assert verdict.result is result
    assert verdict.tasks == ()
    assert verdict.differences


@pytest.mark.parametrize(
    ("minutes", "result"),
    [((-5, 1), Result.AS_FORECAST), ((1, 2), Result.DIFFERENT), ((-5,), Result.IN_PROGRESS)],
    ids=["one, as forecast", "one too many", "none yet"],
)
def test_rebalances_are_counted_from_when_the_plan_was_made(minutes: tuple[int, ...], result: Result) -> None:
    verdict = verify(article_plan(), read(with_generations(restarted(group(AFTER), C), *minutes)))

    assert verdict.result is result
    assert verdict.rebalances.found == sum(minute > 0 for minute in minutes)


def test_a_range_that_its_past_makes_wider_is_what_counts() -> None:
    """One rebalance too many, as in some past courses; three are too many all the same."""
    past = PastScore(Of.GROUP, Score(equal=40), 1, NOON.isoformat(), learnt=Learnt(rebalances=Held(29, 31, 1)))
    plan = replace(article_plan(), past=past)

    found = [verify(plan, read(with_generations(restarted(group(AFTER), C), *range(1, 1 + many)))) for many in (2, 3)]

    assert [one.result for one in found] == [Result.AS_FORECAST, Result.DIFFERENT]
    assert found[0].rebalances.expected == (1, 2)


@pytest.mark.thorough
def test_a_fresh_id_is_found_by_its_place_in_the_order() -> None:
    added = {"add_client": {"process_id": None, "threads": 2}}
    plan: Plan = planned(group(BEFORE), added)
    first = "cccccccc-0000-4000-8000-000000000000"
    renamed = {first if owner == C else owner: tasks for owner, tasks in AFTER.items()}

    assert plan.chosen == "baseline"
    assert verify(plan, read(group(renamed))).result is Result.AS_FORECAST


def test_nothing_to_verify_is_refused() -> None:
    with pytest.raises(InvalidInput, match="nothing to do"):
        verify(planned(group(AFTER)), read(group(AFTER)))


def test_another_group_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'other'"):
        verify(planned(group(AFTER), REPLACE_FIRST), read(altered(group(AFTER), ["group_id"], "other")))


@pytest.mark.thorough
def test_a_group_whose_leader_asked_members_back_is_on_the_way() -> None:
    """The recorded group in the middle of its moves: the last rebalance was not the last, and C has restarted."""
    example = Path(__file__).resolve().parents[5] / "examples" / "streams-wordcount" / "snapshot.json"
    document = json.loads(example.read_text())
    settled = [replay.leaders_decision(one).settled for one in read(document).generations]
    document["generations"] = document["generations"][: settled.index(False) + 1]

    plan = planned(document | {"generations": document["generations"][:1]}, REPLACE_FIRST)
    restarted = json.loads(json.dumps(document).replace(f"{C}-StreamThread", f"{C}-again-StreamThread"))

    assert verify(plan, read(restarted)).result is Result.IN_PROGRESS
    assert verify(plan, read(document)).result is Result.NOT_YET


def test_the_only_client_that_comes_is_known_by_its_place_too() -> None:
    """One gap, one outcome, and still an unforeseeable ID."""
    alone = group({A: (("0_0", "0_1", "0_2", "1_0", "1_1", "1_2"), ("0_3", "0_4", "0_5", "1_3", "1_4", "1_5"))}, leader=None)
    plan = planned(alone, {"replace_client": {"process_id": A, "by": {"process_id": None, "threads": 2}}}, policy=BASELINE_ONLY)
    came = json.loads(json.dumps(alone).replace(A, STRANGER))

    assert plan.chosen == "baseline"
    assert verify(plan, read(came)).result is Result.AS_FORECAST
