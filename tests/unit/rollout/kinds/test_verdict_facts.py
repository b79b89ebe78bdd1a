"""Does a verdict carry what differs as values, next to the sentences?"""

from tests.harness.article import AFTER, LAST, A, B, C, altered, group
from tests.harness.plans import article_plan, read

from holdfast.rollout.facts.differences import DIFFERENCES, Difference, Differs
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.execution.json import verdict_to_json
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
    assert DIFFERENCES.read(verdict_to_json(verdict)["facts"]) == verdict.facts


def test_a_step_that_is_not_shown() -> None:
    verdict = verify(article_plan(BASELINE), read(group(AFTER)))

    assert [(one.kind, one.expected, one.found) for one in verdict.facts[:1]] == [(Differs.CLIENTS, (LAST,), (C,))]
    assert {(one.kind, one.status) for one in verdict.facts[1:]} == {(Differs.STEP, "not yet")}


def test_a_group_that_rebalances() -> None:
    verdict = verify(article_plan(BASELINE), read(altered(group(AFTER), ["group_state"], "PreparingRebalance")))

    assert verdict.facts == (Difference(Differs.STATE, "PreparingRebalance"),)
