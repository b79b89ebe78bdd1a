"""After each batch of a plan the group is where a target of its forecast has it, with whatever IDs; a task elsewhere is found."""

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.rollout.broker_streams.execution.acted_out import KIND, after, change_of, plan_for
from tests.unit.rollout.broker_streams.execution.test_broker_verify import CHANGES, CRASH, REMOVE, ROLL, swapped

from holdfast.rollout.broker_streams.execution.rounds import compared
from holdfast.rollout.broker_streams.forecast import course
from holdfast.rollout.broker_streams.forecast.forecast import ground_of
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.broker_streams.steps.steps import BrokerStep
from holdfast.rollout.execution.rounds import Agrees, NotCompared
from holdfast.rollout.facts.differences import Differs

SMALL = ("a roll-out", "one client twice", "a crash", "two clients more", "standbys", "partitions")


def stages(plan: BrokerPlan) -> list[tuple[BrokerStep, StreamsGroupSnapshot]]:
    """Each wait, and the stable group then."""
    targets = course.carried_out(ground_of(plan.basis), change_of(plan))
    waits = [step for step in plan.steps if KIND.waits(step)]
    return [(wait, after(plan, sum(one.batch <= number for one in targets))) for number, wait in enumerate(waits)]


@pytest.mark.parametrize("events", [CHANGES[one] for one in SMALL], ids=SMALL)
def test_each_batch_ends_as_forecast_and_a_task_elsewhere_is_found(events: tuple[Any, ...]) -> None:
    plan = plan_for(*events, only="baseline")
    for wait, fresh in stages(plan):
        found = compared(plan, plan.basis, "", wait, fresh)
        assert (found.agrees, found.differences, found.settled) == (Agrees.AS_FORECAST, (), True)
        assert found.round == found.rounds
        wrong = compared(plan, plan.basis, "", wait, swapped(fresh))
        assert wrong.agrees is Agrees.DIFFERENT
        assert {one.kind for one in wrong.differences} <= {Differs.OWNER, Differs.STANDBYS}


def test_what_follows_may_be_compared_from_the_middle_on() -> None:
    plan = plan_for(*ROLL, only="baseline")
    (first, midway), (second, later), _ = stages(plan)

    assert compared(plan, midway, first.id, second, later).agrees is Agrees.AS_FORECAST
    assert compared(plan, midway, first.id, second, swapped(later)).agrees is Agrees.DIFFERENT


def test_a_target_that_is_yet_to_come_is_waited_for() -> None:
    plan = plan_for(REMOVE, only="baseline")
    ((wait, fresh),) = stages(plan)
    pending = replace(fresh, group_epoch=(fresh.group_epoch or 0) + 1)

    assert (compared(plan, plan.basis, "", wait, pending).settled, KIND.at_rest(pending), KIND.at_rest(fresh)) == (
        False,
        False,
        fresh.group_state == "Stable",
    )
    assert compared(plan, plan.basis, "", wait, replace(fresh, group_epoch=None)).settled is None


def test_other_clients_are_not_compared() -> None:
    plan = plan_for(*ROLL, only="baseline")
    waits = [step for step in plan.steps if KIND.waits(step)]
    assert compared(plan, plan.basis, "", waits[-1], plan.basis).why is NotCompared.MEMBERS
    assert compared(plan, plan.basis, "", plan.steps[0], plan.basis).why is NotCompared.STEPS
    gone = plan_for(CRASH, only="baseline")
    assert compared(gone, gone.basis, "", gone.steps[-1], gone.basis).why is NotCompared.MEMBERS
