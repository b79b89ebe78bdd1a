"""Does a verdict carry what differs as values, next to the sentences?"""

import json
from pathlib import Path

import pytest
from tests.harness.article import AFTER, LAST, A, B, C, altered, group
from tests.harness.plans import article_plan, read

from holdfast.errors import InvalidInput
from holdfast.rollout.consumer.execution import verdict as consumer
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.facts.differences import DIFFERENCES, Difference, Differs
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds.score_json import SCORE
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.execution.verdict import VERDICT
from holdfast.rollout.streams.execution.verify import verify

BASELINE = Policy(exclude=("copy-process-metadata", "copy-state-directory", "seed-process-id", "raise-warmups", "standbys-first"))
SWAPPED = {
    A: (("0_0", "1_1"), ("0_3", "1_3")),
    B: (("0_1", "1_0"), ("0_4", "1_4")),
    LAST: (("0_2", "1_2"), ("0_5", "1_5")),
}


def test_a_task_elsewhere() -> None:
    verdict = verify(article_plan(BASELINE), read(group(SWAPPED)))

    assert verdict.facts == (Difference(Differs.OWNER, "1_0", (A,), (B,)), Difference(Differs.OWNER, "1_1", (B,), (A,)))
    assert DIFFERENCES.read(VERDICT.write(verdict)["facts"]) == verdict.facts


def test_a_step_that_is_not_shown() -> None:
    verdict = verify(article_plan(BASELINE), read(group(AFTER)))

    assert [(one.kind, one.expected, one.found) for one in verdict.facts[:1]] == [(Differs.CLIENTS, (LAST,), (C,))]
    assert {(one.kind, one.status) for one in verdict.facts[1:]} == {(Differs.STEP, "not yet")}


def test_a_group_that_rebalances() -> None:
    verdict = verify(article_plan(BASELINE), read(altered(group(AFTER), ["group_state"], "PreparingRebalance")))

    assert verdict.facts == (Difference(Differs.STATE, "PreparingRebalance"),)


RECORDED = Path(__file__).parents[2] / "recorded" / "verdicts.jsonl"
"""Verdicts as Holdfast wrote them on 2026-11-22 (format 1.2)."""


@pytest.mark.parametrize("line", RECORDED.read_text().splitlines(), ids=lambda line: json.loads(line)["name"])
def test_a_recorded_verdict(line: str) -> None:
    recorded = json.loads(line)["verdict"]
    codec = consumer.VERDICT if "protocol" in recorded else VERDICT
    verdict = codec.read(recorded)

    written = codec.write(verdict)  # type: ignore[arg-type]
    former = {"format_version": "1.2"} | ({"result": "on the way"} if verdict.result is Result.IN_PROGRESS else {})
    assert json.loads(dumps(written | former)) == recorded
    assert SCORE.read(recorded).tasks == verdict.score.compared


def test_a_verdict_from_before_there_were_facts_and_steps() -> None:
    written = VERDICT.write(verify(article_plan(BASELINE), read(group(SWAPPED))))
    older = {name: value for name, value in written.items() if name not in ("facts", "steps", "standbys")} | {
        "format_version": "1.0"
    }
    verdict = VERDICT.read(older)

    assert (verdict.facts, verdict.steps, verdict.standbys) == ((), (), ())
    assert verdict.differences == tuple(older["differences"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("broken", "path"),
    [
        ({"score": {"partitions_as_forecast": 9, "partitions": 9}}, "score"),
        ({"partitions": {"orders": {"expected": "a", "found": None}}}, "partitions"),
        ({"partitions": {"orders-x": {"expected": "a", "found": None}}}, "partitions"),
        ({"rebalances": {"expected": [1], "found": None}}, r"rebalances\.expected"),
        ({"facts": []}, "facts"),
    ],
)
def test_a_verdict_that_contradicts_itself_is_refused(broken: dict[str, object], path: str) -> None:
    recorded = next(one for one in map(json.loads, RECORDED.read_text().splitlines()) if one["name"] == "consumer-diverged")

    with pytest.raises(InvalidInput, match=path):
        consumer.VERDICT.read(recorded["verdict"] | broken)
