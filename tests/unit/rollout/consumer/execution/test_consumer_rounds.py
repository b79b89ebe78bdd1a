"""After each batch of a plan a consumer group is where its forecast has it, with the member IDs that a broker made."""

from dataclasses import replace

import pytest
from tests.harness.plain_groups import change
from tests.unit.workflows.test_plain_rollout import COOPERATIVE, JOINS, NOON, REPLACE, lived, named

from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.consumer.change.json import consumer_change_from_json
from holdfast.rollout.consumer.execution.rounds import compared
from holdfast.rollout.consumer.kind.kind import ConsumerKind
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.json import consumer_snapshot_from_json
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.execution.rounds import Agrees, NotCompared
from holdfast.rollout.facts.differences import Differs
from holdfast.rollout.journal.journal import Journal
from holdfast.rollout.policy.policy import Policy
from holdfast.workflows import plan as planning

STABLE = {"then": "stable"}
LEAVES = {"remove_consumer": {"member_id": "b"}}
BATCHES = {"joins": [JOINS], "replaced": [REPLACE], "joins, and one leaves": [JOINS, STABLE, LEAVES]}
KIND = ConsumerKind()


def planned(*events: object) -> ConsumerPlan:
    snapshot = consumer_snapshot_from_json(COOPERATIVE)
    found = planning.make(snapshot, consumer_change_from_json(change(*events)), Policy(), NOON)
    assert isinstance(found, ConsumerPlan)
    return found


def after(plan: ConsumerPlan, *events: object) -> ConsumerSnapshot:
    return consumer_snapshot_from_json(lived(COOPERATIVE, *named("consumer-42", *events), captured_at="2026-11-20T12:10:00Z"))


def swapped(fresh: ConsumerSnapshot, withheld: bool = False) -> ConsumerSnapshot:
    """A partition of the first is the second's, or no one's."""
    first, second, *others = fresh.members
    taken: tuple[TopicPartition, ...] = first.owned[:1]
    theirs = second if withheld else replace(second, owned=(*second.owned, *taken))
    return replace(fresh, members=(replace(first, owned=first.owned[1:]), theirs, *others))


@pytest.mark.parametrize("events", BATCHES.values(), ids=BATCHES)
def test_each_batch_ends_as_forecast_and_a_partition_elsewhere_is_found(events: list[object]) -> None:
    plan = planned(*events)
    for number, wait in enumerate(step for step in plan.steps if KIND.waits(step)):
        fresh = after(plan, *events[: 2 * number + 1])
        found = compared(plan, plan.basis, "", wait, fresh)
        assert (found.agrees, found.settled, found.round) == (Agrees.AS_FORECAST, True, found.rounds)
        assert KIND.compared(plan, Journal(plan.plan_id), plan.basis, "", wait, fresh) == found
        wrong = compared(plan, plan.basis, "", wait, swapped(fresh))
        assert wrong.agrees is Agrees.DIFFERENT
        assert [one.kind for one in wrong.differences] == [Differs.READER]


def test_a_partition_that_is_withheld_is_on_its_way() -> None:
    plan = planned(JOINS)
    found = compared(plan, plan.basis, "", plan.steps[-1], swapped(after(plan, JOINS), withheld=True))

    assert (found.agrees, found.settled) == (Agrees.BETWEEN, None)


def test_what_follows_may_be_compared_from_the_middle_on() -> None:
    plan = planned(JOINS, STABLE, LEAVES)
    first, last = (step for step in plan.steps if KIND.waits(step))
    midway = replace(after(plan, JOINS), generation=13)

    assert compared(plan, midway, first.id, last, after(plan, JOINS, STABLE, LEAVES)).agrees is Agrees.AS_FORECAST


def test_other_members_are_not_compared() -> None:
    plan = planned(JOINS)

    assert compared(plan, plan.basis, "", plan.steps[-1], plan.basis).why is NotCompared.MEMBERS
    assert compared(plan, plan.basis, "", plan.steps[0], plan.basis).why is NotCompared.STEPS
