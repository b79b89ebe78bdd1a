"""Plans for consumer groups whose broker assigns: which options there are, what is recommended, and how a plan reads."""

import json
from typing import Any

import pytest
from tests.unit.rollout.broker_consumer.groups import A, B, C, group
from tests.unit.rollout.broker_consumer.plans import QUICK, STABLE, option, planned, restart

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka.coordinator.consumer.group import Assignor
from holdfast.rollout.broker_consumer.events.set_assignor import SetAssignor
from holdfast.rollout.broker_consumer.plan.plan import GroupPlan
from holdfast.rollout.contract.assessment import RuleStatus
from holdfast.rollout.facts.refusals import Refuses
from holdfast.rollout.kinds import any_document, plan_summary
from holdfast.rollout.policy.policy import Policy

ROLL: dict[str, Any] = {"rolling_restart": {}}
SLOW = Policy(start_up_s_least=5, start_up_s=20, start_up_s_most=60)


def names(plan: GroupPlan) -> set[str]:
    return {one.name for one in plan.candidates}


def test_a_roll_with_uniform_within_the_interval_moves_what_its_first_restart_moves() -> None:
    """Consumers that are back before the next target take over what their predecessors had."""
    plan = planned(ROLL)

    assert plan.chosen == "within-interval"
    found, baseline = option(plan, "within-interval"), option(plan, "baseline")
    assert found.summary is not None
    assert baseline.summary is not None
    assert (found.summary.targets, baseline.summary.targets) == (4, 6)
    assert found.summary.moves == 4
    assert baseline.summary.moves == 12
    assert [(one.key, one.value, one.revert_to) for one in found.settings] == [("consumer.assignment.interval.ms", 15_000, None)]
    assert [one.says for one in plan.steps][-2:] == [
        "Set consumer.assignment.interval.ms to Kafka's default on the group",
        "Wait until the group is stable",
    ]
    assert found.course is not None
    assert sum(len(one.then or ()) for one in found.course.shares) == 6


def test_what_does_not_apply_says_why() -> None:
    old = planned(ROLL, of=group("uniform", release="4.2.1"))
    refusal = option(old, "within-interval").refusal
    assert refusal is not None
    assert refusal.kind is Refuses.NO_INTERVAL

    slow = option(planned(ROLL, policy=SLOW), "within-interval").refusal
    assert slow is not None
    assert slow.kind is Refuses.INTERVAL_TOO_SHORT

    static = planned(restart(A), STABLE, restart(B), of=group("uniform", a="host-a", b="host-b"))
    assert "within-interval" not in names(static)
    made = option(static, "make-static").refusal
    assert made is not None
    assert made.kind is Refuses.NO_DYNAMIC_MEMBER


def test_static_members_move_nothing_and_the_plan_says_when_it_is_invalid() -> None:
    plan = planned(restart(A), of=group("range", a="host-a"))

    assert plan.chosen == "baseline"
    summary = option(plan, "baseline").summary
    assert summary is not None
    assert (summary.moved, summary.moves, summary.targets) == (0, 0, 0)
    assert "session timeout" in plan.wrong_if
    assert plan.steps[0].says == "Restart host-a"


def test_range_deals_anew_and_make_static_is_for_later_rolls() -> None:
    plan = planned(ROLL, of=group("range"))

    baseline, static = option(plan, "baseline"), option(plan, "make-static")
    assert baseline.bounds is not None
    assert baseline.bounds.moves.most > 12, "uniform needs twelve"
    assert static.summary is not None
    assert all(one.given.instance_id for one in static.change.statements() if one.restarts())  # type: ignore[attr-defined]
    assert "decide first" in static.why_not or "allow" in static.why_not


def test_the_other_assignor_counts_once_the_first_consumer_is_back() -> None:
    """Without the first one it is still range that assigns; with it, uniform keeps what range gave."""
    plan = planned(ROLL, of=group("range"))
    found = option(plan, "other-assignor")

    first = found.change.events[0]
    assert isinstance(first, SetAssignor)
    assert (first.assignor, first.once_back) == (Assignor.UNIFORM, True)
    assert found.summary is not None
    assert found.bounds is not None
    baseline = option(plan, "baseline").bounds
    assert baseline is not None
    assert found.bounds.moves.most < baseline.moves.most
    assert "group.remote.assignor=uniform" in found.title


def test_a_replacement_is_one_target_or_two() -> None:
    plan = planned({"replace_consumer": {"member_id": A, "by": {"host": "app-9"}}})

    targets = {one.name: one.summary.targets for one in plan.candidates if one.summary is not None}
    assert targets == {"baseline": 1, "old-consumer-first": 2, "new-consumer-first": 2}
    assert plan.chosen == "baseline"


def test_the_policy_counts_the_most_of_all_possibilities() -> None:
    plan = planned(restart(A), of=group("range"), policy=Policy(moved_percent_most=30))

    baseline = option(plan, "baseline")
    assert baseline.summary is not None
    assert baseline.bounds is not None
    assert baseline.bounds.exhaustive
    assert baseline.bounds.collateral.least < baseline.bounds.collateral.most
    rule = next(one for one in baseline.rules if one.name == "collateral-migration")
    assert rule.measured is not None
    assert rule.measured.most == baseline.bounds.collateral.most


def test_skipped_data_comes_first() -> None:
    document = group("uniform") | {"config": {"auto.offset.reset": "latest"}}
    document["topics"]["orders"]["partitions"][0] |= {"committed_offset": None, "begin_offset": 0}
    plan = planned({"remove_consumer": {"member_id": A}}, of=document)

    reads_on = next(one for one in option(plan, "baseline").rules if one.name == "reads-on")
    assert reads_on.status is RuleStatus.FAIL
    assert plan.headline.startswith(option(plan, "baseline").warnings[0].text)


def test_a_group_that_is_handing_over_or_empty_is_not_planned_for() -> None:
    with pytest.raises(CannotPredict, match="Reconciling"):
        planned(restart(A), of=group("uniform") | {"group_state": "Reconciling"})
    with pytest.raises(CannotPredict, match="no client"):
        planned({"set_config": {"consumer.heartbeat.interval.ms": 5000}}, of=group() | {"members": {}, "group_state": "Empty"})
    with pytest.raises(InvalidInput, match="not in the group"):
        planned(restart("nobody"))


def test_the_documents_of_a_plan_are_read_again() -> None:
    plan = planned(ROLL, policy=QUICK)

    document = any_document.plan_to_json(plan)
    assert document["protocol"] == "consumer"
    assert any_document.plan_from_json(json.loads(json.dumps(document))) == plan
    brief = plan_summary.summary(plan)
    assert brief.hand_overs is not None
    assert (brief.hand_overs.hand_overs, brief.hand_overs.partitions) == (4, 6)
    assert plan_summary.SUMMARY.read(plan_summary.SUMMARY.write(brief)) == brief


def test_what_each_event_is_called() -> None:
    events: list[dict[str, Any]] = [
        {"add_consumer": {"subscription": ["orders"], "host": "app-9", "instance_id": "nine"}},
        {"remove_consumer": {"member_id": C, "leaves": False}},
        STABLE,
        {"add_partitions": {"topic": "orders", "partitions": 8}},
        {"set_config": {"consumer.session.timeout.ms": 60_000}},
    ]
    plan = planned(*events)

    texts = [step.says for step in plan.steps]
    assert texts == [
        "Start a new consumer on app-9 (group.instance.id nine), reading orders",
        "Stop app-c without leaving the group",
        "Wait until the group is stable",
        "Give orders 8 partitions",
        "Set consumer.session.timeout.ms to 60000 on the group",
        "Wait until the group is stable",
    ]
    assert "--entity-type groups" in plan.steps[4].command
    assert "kafka-consumer-groups.sh" in plan.steps[0].check_command
