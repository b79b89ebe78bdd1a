"""After each batch of a plan a Kafka Streams group is where its forecast has it, with the process IDs that new clients got."""

import copy

import pytest
from tests.harness.article import AFTER, LAST, A, B, C, Document, client, group
from tests.harness.plans import REPLACE_FIRST, planned, read, restarted, without_client

from holdfast.errors import CannotPredict
from holdfast.rollout.execution.rounds import Agrees, NotCompared, RoundCompared
from holdfast.rollout.journal.journal import Journal
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.execution.rounds import compared
from holdfast.rollout.streams.kind.kind import StreamsKind
from holdfast.rollout.streams.plan.plan import Plan

KIND = StreamsKind()
STABLE = {"then": "stable"}
BASELINE = Policy(exclude=("copy-process-metadata", "copy-state-directory", "seed-process-id", "raise-warmups", "standbys-first"))
ANY_ID = copy.deepcopy(REPLACE_FIRST)
ANY_ID["replace_client"]["by"]["process_id"] = None  # type: ignore[index]
REPLACED = {
    A: (("0_0", "1_0"), ("0_3", "1_3")),
    B: (("0_1", "1_1"), ("0_4", "1_4")),
    LAST: (("0_2", "1_2"), ("0_5", "1_5")),
}


def at(plan: Plan, fresh: Document, wait: int = -1, after: str = "") -> RoundCompared:
    waits = [step for step in plan.steps if KIND.waits(step)]
    return compared(plan, read(group(AFTER)), after, waits[wait], read(fresh))


@pytest.mark.thorough
def test_a_new_client_is_known_by_the_id_that_it_got() -> None:
    plan = planned(group(AFTER), ANY_ID, policy=BASELINE)

    assert plan.recommended_option is not None
    assert at(plan, group(REPLACED)).agrees is Agrees.AS_FORECAST
    moved = dict(REPLACED) | {LAST: (("0_2", "1_2"), ("0_5",)), A: (("0_0", "1_0", "1_5"), ("0_3", "1_3"))}
    assert at(plan, group(moved)).agrees in (Agrees.BETWEEN, Agrees.DIFFERENT)
    assert at(plan, group(AFTER)).why is NotCompared.MEMBERS
    both = group(REPLACED)
    both["clients"][STRANGER] = client(STRANGER, ((), ()))
    assert at(plan, both).why is NotCompared.MEMBERS


STRANGER = "11111111-57d0-457d-951f-d06556c148ca"


def test_a_stateful_task_where_nothing_of_it_is_differs_at_any_time() -> None:
    plan = planned(
        group(AFTER), {"restart_client": {"process_id": A}}, STABLE, {"restart_client": {"process_id": B}}, policy=BASELINE
    )
    moved = dict(AFTER) | {A: (("0_1",), ("0_4", "1_4")), C: (("0_0", "1_0", "1_1"), ("0_3", "1_3"))}
    for number in (0, 1):
        found = at(plan, restarted(group(moved), A, B), number)
        assert [(one.of, one.found) for one in found.differences] == [("1_1", (C,))]
    stateless = dict(AFTER) | {A: (("1_1",), ("0_4", "1_4")), C: (("0_0", "0_1", "1_0"), ("0_3", "1_3"))}
    assert at(plan, restarted(group(stateless), A, B)).agrees is Agrees.BETWEEN


@pytest.mark.thorough
def test_steps_that_are_no_batches_of_the_forecast_are_not_compared() -> None:
    rolled = planned(group(AFTER), {"set_config": {"num.standby.replicas": 1}}, policy=BASELINE)
    waits = [step for step in rolled.steps if KIND.waits(step)]
    fresh = read(restarted(group(AFTER)))

    assert compared(rolled, read(group(AFTER)), "", rolled.steps[0], fresh).why is NotCompared.STEPS
    assert compared(rolled, read(group(AFTER)), waits[-1].id, waits[-1], fresh).why is NotCompared.STEPS


def test_what_is_not_shown_yet_is_not_compared() -> None:
    plan = planned(group(AFTER), {"restart_client": {"process_id": A}}, policy=BASELINE)
    basis, wait = read(group(AFTER)), plan.steps[-1]

    def now(document: Document) -> RoundCompared | None:
        return KIND.compared(plan, Journal(plan.plan_id), basis, "", wait, read(document))

    assert now(group(AFTER)) is None, "its old members are still there"
    assert now(restarted(group(AFTER), A) | {"group_state": "PreparingRebalance"}) is None
    found = now(restarted(group(AFTER), A))
    assert found is not None
    assert found.agrees is Agrees.AS_FORECAST
    assert KIND.basis(plan) is None


def test_a_course_without_an_end_is_not_compared() -> None:
    document = group(AFTER)
    document["tasks"]["1_0"]["changelogs"] = [["changelog", 0, None]]
    plan = planned(group(AFTER), {"restart_client": {"process_id": A}}, policy=BASELINE)

    with pytest.raises(CannotPredict):
        compared(plan, read(document), "", plan.steps[-1], read(restarted(group(AFTER), A)))


def test_a_client_that_is_gone_is_not_among_those_of_the_forecast() -> None:
    plan = planned(group(AFTER), {"restart_client": {"process_id": A}}, policy=BASELINE)

    assert at(plan, without_client(restarted(group(AFTER), A), C)).why is NotCompared.MEMBERS
