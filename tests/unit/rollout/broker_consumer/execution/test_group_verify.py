"""Applying a plan for a consumer group whose broker assigns, and comparing it with the group afterwards: with other member IDs than
those of its example, as every start makes them."""

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.rollout.broker_consumer.groups import A, B, C, group
from tests.unit.rollout.broker_consumer.plans import NOON, STABLE, after, carried_out, planned, restart
from tests.unit.rollout.broker_consumer.rolls import NINE, fast

from holdfast.errors import StalePlan
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.change.change import GroupChange
from holdfast.rollout.broker_consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.broker_consumer.execution import acts, apply, drift, evidence, starts, undo
from holdfast.rollout.broker_consumer.kind.kind import KIND
from holdfast.rollout.broker_consumer.plan.plan import GroupPlan
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.execution.next_actions import NothingLeft, WaitForOutside
from holdfast.rollout.execution.rounds import Agrees
from holdfast.rollout.execution.step_evidence import Shown
from holdfast.rollout.execution.undo import Nature
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.group import applying
from holdfast.rollout.journal.acted import Does
from holdfast.rollout.journal.journal import Journal, JournalEntry, JournalEvent
from holdfast.rollout.journal.started import Started

ROLL: dict[str, Any] = {"rolling_restart": {}}
CASES: dict[str, tuple[dict[str, Any], ...]] = {
    "a roll": (ROLL,),
    "a restart": (restart(B),),
    "a consumer more": ({"add_consumer": {"subscription": ["orders"], "host": "app-d"}},),
    "a consumer less": ({"remove_consumer": {"member_id": C}},),
    "a crash": ({"remove_consumer": {"member_id": C, "leaves": False}},),
    "a replacement": ({"replace_consumer": {"member_id": A, "by": {"host": "app-d"}}},),
    "more partitions": ({"add_partitions": {"topic": "orders", "partitions": 8}},),
    "another assignor": ({"set_assignor": {"assignor": "range"}}, {"remove_consumer": {"member_id": B}}),
}


@pytest.mark.parametrize("assignor", ["uniform", "range"])
@pytest.mark.parametrize("name", CASES)
def test_the_group_after_a_plan_is_as_forecast(name: str, assignor: str) -> None:
    plan = planned(*CASES[name], of=group(assignor))
    fresh = after(plan)
    if name == "more partitions":
        (topic,) = fresh.topics
        fresh = replace(fresh, topics=(replace(topic, partitions=(*topic.partitions, *topic.partitions[:2])),))
    if name == "another assignor":
        fresh = replace(fresh, assignor="range")

    verdict = KIND.verify(plan, fresh)
    assert (verdict.result, verdict.differences) == (Result.AS_FORECAST, ())
    assert verdict.score.compared
    assert all(one.evidence.shown in (Shown.HAPPENED, Shown.CANNOT_SHOW) for one in verdict.steps)


def test_a_static_member_that_is_back_has_what_it_had() -> None:
    plan = planned(restart(A), of=group("range", a="host-a"))
    fresh = after(plan)
    assert {one.member_id for one in fresh.members} != {A, B, C}

    assert KIND.verify(plan, fresh).result is Result.AS_FORECAST
    assert KIND.verify(plan, plan.basis).result is Result.NOT_YET


def swapped(fresh: BrokerConsumerSnapshot) -> BrokerConsumerSnapshot:
    """The first two members have each other's partitions."""
    first, second, *others = fresh.members
    both = replace(first, assignment=second.assignment), replace(second, assignment=first.assignment)
    return replace(fresh, members=(*both, *others))


def test_other_partitions_are_seen() -> None:
    plan = planned(restart(B), of=group("range"))
    fresh = after(plan)
    first, second, third = fresh.members
    moved = replace(
        fresh, members=(replace(first, assignment=second.assignment), replace(second, assignment=first.assignment), third)
    )

    verdict = KIND.verify(plan, moved)
    assert verdict.result is Result.DIFFERENT
    assert len(verdict.differences) == 4
    assert [row[1] for row in KIND.verdict_rows(verdict)] == ["reads"] * 4
    assert KIND.verify(plan, replace(moved, assignment_epoch=7)).result is Result.IN_PROGRESS, "its last target has epoch 9"


def test_a_consumer_that_was_fast_is_as_forecast_too() -> None:
    """It was back before the coordinator computed without it: one target in the place of two."""
    plan = planned(restart(A), of=group("uniform"))
    (event,) = carried_out(plan).events
    assert isinstance(event, RestartConsumer)
    fast = after(plan, GroupChange((replace(event, within_interval=True),)))
    slow = after(plan)
    assert {one.assignment for one in fast.members} != {one.assignment for one in slow.members}

    assert KIND.verify(plan, fast).result is Result.AS_FORECAST
    assert KIND.verify(plan, slow).result is Result.AS_FORECAST


def test_each_of_a_whole_roll_may_have_been_fast_or_not() -> None:
    document = group("uniform")
    document["topics"]["orders"]["partitions"] = [{"id": number} for number in range(10)]
    for number, letter in enumerate("def", 6):
        one = {"host": f"app-{letter}", "assignment": [["orders", number]], "target": [["orders", number]]}
        document["members"][letter * 22] = document["members"][A] | one
    last = document["members"]["f" * 22]
    last["assignment"] = last["target"] = [["orders", 8], ["orders", 9]]
    members = list(document["members"])
    plan = planned(*(event for name in members for event in (restart(name), STABLE)), of=document)
    for chosen in ({0, 4, 5}, set(range(6))):
        events = [
            replace(one, within_interval=True)
            if isinstance(one, RestartConsumer) and members.index(one.member_id) in chosen
            else one
            for one in carried_out(plan).events
        ]
        fresh = after(plan, GroupChange(tuple(events)))
        assert KIND.verify(plan, fresh).result is Result.AS_FORECAST, chosen
        assert KIND.verify(plan, swapped(fresh)).result is Result.DIFFERENT, chosen


def test_who_is_who_shows_by_instance_and_host() -> None:
    plan = planned(restart(A), STABLE, restart(B), STABLE, restart(C), of=group("range"))
    fresh = after(plan)

    found = starts.courses(plan.basis, plan.change, fresh)
    assert found.all_of_them
    assert len(found.changes) == 2**3, "each may have been fast or not; hosts say who it is"
    hidden = replace(fresh, members=tuple(replace(one, host="app") for one in fresh.members))
    assert len(starts.courses(plan.basis, plan.change, hidden).changes) == 2**3 * 6
    assert KIND.verify(plan, hidden).result is Result.AS_FORECAST
    others = replace(fresh, members=tuple(replace(one, instance_id=one.host) for one in fresh.members))
    assert KIND.verify(plan, others).result is Result.DIFFERENT


def test_where_too_much_is_possible_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(restart(A), of=group("range"))
    fresh = after(plan)
    first, second, third = fresh.members
    moved = replace(
        fresh, members=(replace(first, assignment=second.assignment), replace(second, assignment=first.assignment), third)
    )
    monkeypatch.setattr(starts, "MOST_FAST", 0)

    verdict = KIND.verify(plan, moved)
    assert (verdict.result, verdict.partitions) == (Result.NOT_COMPARED, ())
    assert [one.what for one in verdict.unknown] == ["partitions"]
    assert KIND.verify(plan, fresh).result is Result.AS_FORECAST


def test_strangers_and_those_that_left_are_named() -> None:
    plan = planned(restart(B), of=group("range"))
    fresh = after(plan)

    gone = replace(fresh, members=tuple(one for one in fresh.members if one.member_id != A))
    assert KIND.verify(plan, gone).result is Result.DIFFERENT
    more = replace(fresh, members=(*fresh.members, replace(fresh.members[0], member_id="another", host="app-x")))
    assert KIND.verify(plan, more).result is Result.DIFFERENT
    less = replace(fresh, members=tuple(one for one in fresh.members if one.member_id in (A, C)))
    assert KIND.verify(plan, less).result is Result.NOT_YET


# Applying.


def test_each_step_is_seen_in_the_group() -> None:
    plan = planned(restart(A), STABLE, restart(B), of=group("uniform"), policy=None)
    assert plan.steps
    journal = Journal(plan.plan_id, ())
    first = KIND.next_action(plan, journal, plan.basis, NOON)
    assert isinstance(first, WaitForOutside)


def stepped(plan: GroupPlan, number: int, fresh: BrokerConsumerSnapshot) -> object:
    """What comes next of the step number `number` (from 1), once the others are done."""
    step = plan.steps[number - 1]
    return apply.APPLYING.decide(plan, Journal(plan.plan_id, ()), step, fresh, None)


def test_what_the_snapshot_shows_of_a_step_need_not_be_confirmed() -> None:
    plan = planned(restart(B), of=group("range"))

    assert isinstance(stepped(plan, 1, plan.basis), WaitForOutside)
    assert isinstance(stepped(plan, 1, after(plan)), NothingLeft)
    end = plan.steps[-1]
    assert applying.shown(apply.APPLYING, plan, Journal(plan.plan_id, ()), end, after(plan))


def test_a_consumer_that_comes_back_with_the_old_protocol_has_not_converted() -> None:
    """People set the protocol: a run that only restarted the consumer would change nothing."""
    document = group("uniform")
    for name, one in document["members"].items():
        one["member_type"] = "consumer" if name == C else "classic"
    plan = planned({"convert_consumer": {"member_id": A, "to": "consumer"}}, of=document)
    fresh = after(plan)
    (new,) = [one for one in fresh.members if one.member_id not in (B, C)]
    as_it_was = replace(fresh, members=tuple(replace(one, member_type="classic") if one is new else one for one in fresh.members))
    converted = replace(fresh, members=tuple(replace(one, member_type="consumer") if one is new else one for one in fresh.members))

    assert acts.acts(plan, plan.steps[0]) is None
    assert evidence.of_plan(plan, as_it_was)[0].evidence.shown is Shown.NOT_YET
    assert evidence.of_plan(plan, converted)[0].evidence.shown is Shown.HAPPENED
    assert KIND.verify(plan, converted).result is Result.AS_FORECAST


def test_a_group_that_has_drifted_stops_a_plan() -> None:
    plan = planned(restart(B), of=group("range"))
    other = replace(plan.basis, members=plan.basis.members[:2])

    with pytest.raises(StalePlan, match="not in the group any more"):
        KIND.next_action(plan, Journal(plan.plan_id, ()), other, NOON)


@pytest.mark.parametrize(
    ("differs", "found"),
    [
        ({"assignor": "uniform"}, "assignor was range"),
        ({"broker_release": "4.0.0"}, "release was 4.3.1"),
        ({"config": (("consumer.session.timeout.ms", 60_000),)}, "consumer.session.timeout.ms"),
        ({"topics": ()}, "had 6 partitions"),
    ],
)
def test_what_a_plan_was_made_for_must_not_differ(differs: dict[str, Any], found: str) -> None:
    plan = planned(restart(B), of=group("range"))

    drifts = drift.drifts(plan.basis, replace(plan.basis, **differs))
    assert any(found in one.found and one.matters for one in drifts)
    assert KIND.staleness(plan, replace(plan.basis, **differs)).drifts
    assert not KIND.staleness(plan, plan.basis).drifts


def test_a_static_member_under_another_id_is_no_stranger() -> None:
    plan = planned(restart(B), of=group("range", a="host-a"))
    (one,) = [one for one in plan.basis.members if one.member_id == A]
    others = tuple(each for each in plan.basis.members if each is not one)
    back = replace(plan.basis, members=(replace(one, member_id="another"), *others))

    assert [each.found for each in drift.drifts(plan.basis, back)] == ["host-a is back under another member ID."]


def test_what_holdfast_can_do_of_a_step() -> None:
    plan = planned(restart(A), {"remove_consumer": {"member_id": B}}, STABLE, restart(C, leaves=False), of=group("range"))

    done = [acts.acts(plan, step) for step in plan.steps]
    assert [None if one is None else [act.does for act in one.acts] for one in done] == [
        [Does.RESTART],
        [Does.STOP],
        None,
        None,
        None,
    ]
    assert [undo.rollback(plan, step).nature for step in plan.steps][:2] == [Nature.AS_BEFORE, Nature.PROCESSES]
    config = planned({"set_config": {"consumer.heartbeat.interval.ms": 6_000}})
    assert [(one.key, one.after) for one in acts.sets(config, config.steps[0])] == [("consumer.heartbeat.interval.ms", "6000")]


def test_each_batch_is_compared_on_its_way() -> None:
    plan = planned(restart(A), STABLE, restart(B), of=group("uniform"))
    assert plan.recommended_option is not None
    events = carried_out(plan).events
    at = next(index for index, one in enumerate(events) if isinstance(one, Then))
    waits = [step for step in plan.steps if isinstance(step.item, Then)]
    after_first = after(plan, GroupChange(events[:at]))

    found = KIND.compared(plan, Journal(plan.plan_id, ()), plan.basis, "", waits[0], after_first)
    assert found is not None
    assert found.agrees is Agrees.AS_FORECAST
    first, *others = after_first.members
    wrong = replace(first, assignment=(TopicPartition("orders", 5),))
    seen = KIND.compared(plan, Journal(plan.plan_id, ()), plan.basis, "", waits[0], replace(after_first, members=(wrong, *others)))
    assert seen is not None
    assert seen.agrees is not Agrees.AS_FORECAST


# A run notes what it compares.


def rolled_by_a_run(plan: GroupPlan, chosen: set[int]) -> tuple[Journal, BrokerConsumerSnapshot]:
    """The journal of a run that compared after each batch, and the group at the end. `chosen`: which restarts were fast."""
    events = fast(carried_out(plan).events, chosen)
    journal = Journal(plan.plan_id)
    for place, step in enumerate(plan.steps):
        if not isinstance(step.item, Then):
            continue
        fresh = after(plan, GroupChange(events[:place]))
        seen = KIND.compared(plan, journal, plan.basis, "", step, fresh)
        assert seen is not None
        assert seen.agrees is Agrees.AS_FORECAST, (step.id, seen)
        journal = journal.with_entry(noting(step.id, seen.started))
    return journal, fresh


def noting(step: str, started: tuple[Started, ...]) -> JournalEntry:
    return JournalEntry("2026-11-23T12:05:00Z", step, JournalEvent.DONE, "run", "stable", started=started)


@pytest.mark.parametrize("chosen", [{0, 3, 8}, set(range(9))])
def test_a_run_of_more_than_can_be_tried_is_compared_by_what_it_noted(chosen: set[int]) -> None:
    journal, fresh = rolled_by_a_run(NINE, chosen)
    assert [len(one.started) for one in journal.entries] == [1] * 9, "each comparison notes what is new"
    assert 0 < sum(one.fast for one in journal.started()) <= len(chosen), "where both lead to the same, it is not told apart"

    assert KIND.verify(NINE, fresh).result is Result.NOT_COMPARED
    verdict = KIND.verify_run(NINE, journal, fresh)
    assert (verdict.result, verdict.score.as_forecast, verdict.score.compared) == (Result.AS_FORECAST, 10, 10)
    assert KIND.verify_run(NINE, journal, swapped(fresh)).result is Result.DIFFERENT
    assert KIND.verify_run(NINE, journal.with_entry(noting("18", ())), fresh).result is Result.AS_FORECAST


def test_what_is_missing_or_invented_makes_no_verdict_better() -> None:
    journal, fresh = rolled_by_a_run(NINE, {0, 3, 8})
    noted = journal.started()

    def found(*started: Started, of: BrokerConsumerSnapshot = fresh) -> Result:
        return KIND.verify_run(NINE, Journal(NINE.plan_id, (noting("18", started),)), of).result

    assert found(*noted) is Result.AS_FORECAST
    assert found(*noted[1:]) is Result.AS_FORECAST, "one alone is tried both ways"
    assert found(*noted[8:]) is Result.NOT_COMPARED
    assert found(*noted[8:], of=swapped(fresh)) is Result.NOT_COMPARED
    first, second, *others = noted
    crossed = replace(first, member_id=second.member_id), replace(second, member_id=first.member_id)
    assert found(*crossed, *others) is Result.NOT_COMPARED, "their hosts say otherwise"
    assert found(*(replace(one, member_id=first.member_id) for one in noted)) is Result.NOT_COMPARED
    assert found(*(replace(one, member_id="x" * 22) for one in noted)) is Result.NOT_COMPARED
    for wrong in (swapped(fresh), replace(fresh, members=fresh.members[::-1][:8])):
        for each in (noted, tuple(replace(one, fast=not one.fast) for one in noted)):
            assert found(*each, of=wrong) is not Result.AS_FORECAST


def test_of_a_small_group_what_was_noted_changes_nothing() -> None:
    plan = planned(restart(A), STABLE, restart(B), of=group("uniform"))
    fresh = after(plan)
    wrong = tuple(Started(step.id, "x" * 22, fast=True) for step in plan.steps)
    journal = Journal(plan.plan_id, (noting(plan.steps[-1].id, wrong),))

    assert KIND.verify_run(plan, journal, fresh) == KIND.verify(plan, fresh)
    assert KIND.verify_run(plan, journal, swapped(fresh)) == KIND.verify(plan, swapped(fresh))
