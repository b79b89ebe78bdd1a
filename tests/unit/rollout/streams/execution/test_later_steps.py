"""What later steps of a plan stop, start or change again is no proof that earlier ones have not happened."""

from dataclasses import replace

import pytest
from tests.harness.article import A, B
from tests.unit.rollout.streams.execution.carried_out import KIND, Case, after, before, planned

from holdfast.rollout.execution.step_evidence import Shown
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.facts.step_sightings import Sees
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

N = "5a5a5a5a-0000-4000-8000-000000000000"
STABLE = {"then": "stable"}
ADD_N: Case = {"add_client": {"process_id": N, "threads": 1}}
REMOVE_N: Case = {"remove_client": {"process_id": N}}
REMOVE_A: Case = {"remove_client": {"process_id": A}}
BACK_A: Case = {"add_client": {"process_id": A, "threads": 2}}
AS_N: Case = {"restart_client": {"process_id": A, "keeps_process_id": False, "new_process_id": N}}
AS_A: Case = {"restart_client": {"process_id": N, "keeps_process_id": False, "new_process_id": A}}
ROLL: Case = {"set_config": {"num.standby.replicas": 1}}
GROW: list[Case] = [{"add_partitions": {"topic": "input", "partitions": count}} for count in (7, 8)]


def threads(count: int) -> Case:
    return {"set_threads": {"process_id": B, "threads": count}}


CASES = {
    "started, stopped": ([ADD_N], [REMOVE_N]),
    "stopped, started, stopped": ([REMOVE_A], [BACK_A], [REMOVE_A]),
    "started twice": ([REMOVE_A], [BACK_A], [REMOVE_A], [BACK_A]),
    "under another ID, and back": ([AS_N], [AS_A]),
    "a roll before a client goes": ([ROLL], [REMOVE_A]),
    "a roll before a client has another ID": ([ROLL], [AS_N]),
    "threads and threads": ([threads(3)], [threads(1)]),
    "threads, as at first": ([threads(3)], [threads(2)]),
    "threads of one that goes": ([threads(3)], [{"remove_client": {"process_id": B}}]),
    "started with threads, then others": ([ADD_N], [{"set_threads": {"process_id": N, "threads": 3}}]),
    "grown twice": ([GROW[0]], [GROW[1]]),
}


def plan_of(batches: tuple[list[Case], ...], recorded: bool) -> tuple[Snapshot, Plan]:
    basis = before("3.9.1", recorded)
    plan = planned(basis, [one for batch in batches for one in (*batch, STABLE)][:-1])
    assert plan is not None
    return basis, plan


@pytest.mark.parametrize("recorded", [True, False], ids=["recorded", "not recorded"])
@pytest.mark.parametrize("batches", CASES.values(), ids=CASES)
def test_what_was_done_is_no_step_to_come(batches: tuple[list[Case], ...], recorded: bool) -> None:
    basis, plan = plan_of(batches, recorded)
    found = KIND.verify(plan, after(basis, plan))

    assert (found.result, found.differences) == (Result.AS_FORECAST, ())
    if recorded:
        assert KIND.verify(plan, basis).result is Result.NOT_YET


@pytest.mark.parametrize("case", ["started twice", "stopped, started, stopped", "under another ID, and back"])
def test_a_client_whose_members_are_those_from_before_was_not_stopped(case: str) -> None:
    basis, plan = plan_of(CASES[case], recorded=False)
    found = KIND.verify(plan, basis)

    first = next(one for one in found.steps if one.evidence.shown is Shown.NOT_YET)
    assert first.step == plan.steps[0].id


@pytest.mark.parametrize("case", ["started, stopped", "started twice", "under another ID, and back"])
def test_without_records_what_later_steps_hide_cannot_be_shown(case: str) -> None:
    basis, plan = plan_of(CASES[case], recorded=False)
    found = KIND.verify(plan, after(basis, plan))

    hidden = [one.evidence.seen for one in found.steps if one.evidence.shown is Shown.CANNOT_SHOW]
    assert any(one is not None and one.kind is Sees.CHANGED_LATER for one in hidden)


@pytest.mark.parametrize("case", ["started, stopped", "started twice", "stopped, started, stopped", "under another ID, and back"])
def test_a_start_that_the_records_do_not_have_is_yet_to_come(case: str) -> None:
    """The records of the first part only: the group is where the whole plan would leave it."""
    basis, plan = plan_of(CASES[case], recorded=True)
    last = after(basis, plan)
    members = {each.member_id: each for each in last.generations[0].members}
    never = tuple(replace(one, members=tuple(members.values())) for one in last.generations)
    clients = tuple(one for one in basis.clients if last.client(one.process_id) is not None)
    found = KIND.verify(plan, replace(last, generations=never, clients=clients, evidence=()))

    assert found.result is not Result.AS_FORECAST
