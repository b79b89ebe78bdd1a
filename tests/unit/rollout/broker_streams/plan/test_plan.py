"""A plan for a streams group whose broker assigns: its options, what is recommended and why, its steps and its JSON."""

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.rollout.broker_streams.plans import NOON, QUICK, ROLL, STABLE, option, planned, restart
from tests.unit.rollout.broker_streams.streams_groups import Case, snapshot

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.rollout.broker_streams.options import evaluation
from holdfast.rollout.broker_streams.plan.json import PLAN, broker_plan_from_json
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.contract.assessment import BASELINE_NAME, Assessment, RuleStatus
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.facts.conditions import Assumed, Invalid
from holdfast.rollout.facts.reasons import Block
from holdfast.rollout.facts.refusals import Refuses
from holdfast.rollout.group.difference import Line
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.kinds import any_difference, any_document, distributed_search
from holdfast.rollout.kinds.plan_summary import SUMMARY, summary
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.policy.policy import Policy, Review

INTERVAL, STANDBYS, DELAY = "streams.assignment.interval.ms", "streams.num.standby.replicas", "streams.initial.rebalance.delay.ms"


def names(plan: BrokerPlan) -> list[str]:
    return [one.name for one in plan.candidates]


def moves(plan: BrokerPlan) -> dict[str, int | None]:
    return {one.name: None if one.summary is None else one.summary.moves for one in plan.candidates}


def status(plan: BrokerPlan, rule: str, of: str | None = None) -> RuleStatus:
    return next(one.status for one in option(plan, of or plan.chosen or "").rules if one.name == rule)


def why_refused(plan: BrokerPlan, name: str) -> tuple[Refuses, str]:
    found = option(plan, name).refusal
    assert found is not None
    return found.kind, found.reason


@pytest.fixture(scope="module")
def roll() -> BrokerPlan:
    return planned(*ROLL)


def test_a_roll_within_intervals_hands_nothing_over(roll: BrokerPlan) -> None:
    assert roll.chosen == "within-interval-from-the-first"
    assert roll.assessment is Assessment.SAFE
    found = moves(roll)
    assert found[BASELINE_NAME] == 13
    assert (found["within-interval"], found["within-interval-from-the-first"]) == (6, 0)  # only the first is noticed, and none
    assert roll.settings == (
        SettingChange(INTERVAL, 15_000, None, roll.settings[0].note),
        SettingChange(STANDBYS, 1, 0, roll.settings[0].note),
    )


def test_standbys_first_spare_restores_and_no_hand_overs(roll: BrokerPlan) -> None:
    plain, first = option(roll, BASELINE_NAME).summary, option(roll, "standbys-first").summary
    assert plain is not None
    assert first is not None
    assert (plain.moves, plain.cold_moves) == (13, 9)
    assert (first.moves, first.cold_moves) == (12, 2)


def test_its_steps_can_be_carried_out_and_undone(roll: BrokerPlan) -> None:
    written = [(one.item.VERB if hasattr(one.item, "VERB") else str(one.item.wait)) for one in roll.steps]
    assert written == [
        *("set_config", "rebalance", "restart_client", "rebalance", "restart_client", "rebalance"),
        *("restart_client", "stable", "set_config", "stable"),
    ]
    first, wait, restarted, *_, last, end = roll.steps
    assert first.command.endswith(f"--add-config {INTERVAL}=15000,{STANDBYS}=1")
    assert last.command.endswith(f"--add-config {STANDBYS}=0 --delete-config {INTERVAL}")
    assert last.undo == f"Set {INTERVAL} to 15000, {STANDBYS} to 1."
    assert wait.expect.startswith("1 target (group epoch 13 then); 0 hand-overs")
    assert restarted.says == "Restart host-a, within 15 s of the newest target"
    assert "15 s" in restarted.check_before
    assert end.expect.startswith("1 target")


def test_a_slow_start_does_not_fit_into_the_interval() -> None:
    """What is usually not back in time does not apply; where it may be, a person looks."""
    slow = planned(*ROLL, policy=Policy(start_up_s=20, start_up_s_most=40))
    assert slow.chosen == "standbys-first"
    assert why_refused(slow, "within-interval") == (
        Refuses.INTERVAL_TOO_SHORT,
        "it takes 20 s to start, and the interval is 15 s",
    )
    maybe = planned(*ROLL, policy=Policy(start_up_s=5, start_up_s_most=30))
    assert (maybe.chosen, status(maybe, "back-in-interval")) == ("within-interval-from-the-first", RuleStatus.UNKNOWN)
    assert maybe.assessment is Assessment.REVIEW


@pytest.mark.parametrize(
    ("release", "static", "interval"),
    [
        ("4.2.1", (Refuses.NO_STATIC_MEMBERS, "4.2.1"), (Refuses.NO_INTERVAL, "4.2.1")),
        ("4.3.1", (Refuses.NO_STATIC_MEMBERS, "4.3.1"), None),
    ],
)
def test_what_a_release_cannot_do_is_listed_with_the_reason(release: str, static: object, interval: object) -> None:
    plan = planned(*ROLL, of=snapshot(broker_release=release))
    assert why_refused(plan, "static-members") == static
    found = option(plan, "within-interval").refusal
    assert (None if found is None else (found.kind, found.reason)) == interval
    assert release in option(plan, "static-members").why_not
    assert not plan.blocked_by
    assert plan.steps


def test_what_does_not_apply_does_not_block_where_nothing_can_be_predicted() -> None:
    grown = {"add_partitions": {"topic": "users", "partitions": 8}}
    plan = planned(grown, STABLE, restart("a"))
    assert (plan.assessment, plan.chosen, plan.steps) == (Assessment.BLOCKED, None, ())
    assert [one.kind for one in plan.blocked] == [Block.NOT_PREDICTED]
    assert plan.headline.startswith("The coordinator rejects the topology: ")
    assert "'counts' has different number of partitions: expected 8, found 6" in plan.headline


def static(*clients: str, **differs: Any) -> Case:
    document = snapshot(broker_release="4.4.0", cluster="prod", captured_at="2026-11-23T11:59:00Z", **differs)
    for name, member in document["members"].items():
        if member["process_id"] in clients:
            member["instance_id"] = f"i-{name}"
    return document


def test_static_members_that_restart_move_nothing() -> None:
    plan = planned(*ROLL, of=static("a", "b", "c"))
    base = option(plan, BASELINE_NAME)
    assert base.summary is not None
    assert (base.summary.targets, base.summary.moves) == (0, 0)
    assert plan.chosen == BASELINE_NAME
    assert {one.kind for one in plan.assumptions} == {Assumed.BACK_IN_SESSION, Assumed.DIRECTORIES_REPORTED}
    assert Invalid.SESSION_OVER in {one.kind for one in plan.invalidations}
    assert base.unowned is not None
    assert base.unowned.usual > 0  # until the clients have started
    assert {one.name for one in plan.candidates} == {BASELINE_NAME, "all-together"}


@pytest.mark.thorough
def test_static_members_are_an_option_for_dynamic_ones_from_4_4_on() -> None:
    plan = planned(*ROLL, of=static())
    made = option(plan, "static-members")
    assert moves(plan)["static-members"] == moves(plan)[BASELINE_NAME]
    assert plan.chosen != "static-members"
    assert all(one.becomes_instances() for one in made.change.statements())
    others = tuple(name for name in names(plan) if name != "static-members")
    chosen = planned(*ROLL, of=static(), policy=replace(QUICK, allow=("static-members",), exclude=others))
    assert chosen.chosen == "static-members"
    assert "Give it a group.instance.id that no other client of the group has." in str(chosen.steps)
    assert Assumed.INSTANCE_IDS_UNIQUE in {one.kind for one in chosen.assumptions}
    removal = planned({"remove_client": {"process_id": "a"}}, of=static())
    assert why_refused(removal, "static-members") == (Refuses.NO_RESTART, "")


def test_one_static_client_of_several() -> None:
    plan = planned(*ROLL, of=static("a"))
    base = option(plan, BASELINE_NAME)
    assert {Assumed.LEAVES_ON_CLOSE, Assumed.BACK_IN_SESSION} <= {one.kind for one in plan.assumptions}
    assert base.summary is not None
    assert base.summary.targets == 6  # b and c, each its first thread alone
    assert "within-interval" in {one.name for one in plan.candidates}


@pytest.mark.thorough
def test_no_more_standbys_than_brokers_allow_or_clients_could_have() -> None:
    two = planned(restart("a"), of=snapshot(config={STANDBYS: 2}))
    assert why_refused(two, "standbys-first") == (Refuses.NO_MORE_STANDBYS, "2")
    alone = {name: one for name, one in snapshot()["members"].items() if one["process_id"] == "a"}
    one = planned({"remove_client": {"process_id": "a"}}, STABLE, {"add_client": {"process_id": "z", "threads": 1}}, of=snapshot())
    assert one.chosen is not None
    single = planned(restart("a"), {"add_client": {"process_id": "z", "member_ids": ["z0"]}}, of=snapshot(members=alone))
    assert single.chosen is not None
    apart = planned({"add_client": {"process_id": "z", "member_ids": ["z0"]}}, STABLE, restart("a"), of=snapshot(members=alone))
    assert why_refused(apart, "standbys-first") == (Refuses.NO_OTHER_CLIENT, "")


def test_orders_are_tried_and_counted() -> None:
    """One client has one thread: when it restarts matters."""
    document = snapshot()
    document["members"].pop("c1")
    document["members"]["c0"]["target"] = document["members"]["c0"]["assignment"] = {"active": ["0_4", "0_5", "1_4", "1_5"]}
    plan = planned(restart("c", member_ids=["c0x"]), STABLE, *ROLL[:3], of=document)
    other = option(plan, "other-order")
    assert other.orders is not None
    assert (other.orders.tried, other.orders.of) == (6, 6)
    assert "best of 6 orders (of 6)" in other.title
    events: Any = any_document.change_to_json(other.change)["events"]
    first = planned(*events, of=document)
    assert why_refused(first, "other-order") == (Refuses.NO_BETTER_ORDER, "6 orders (of 6)")


def test_a_large_group_has_fewer_draws_and_no_other_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.rollout.options.orders.ORDERS_WORK", 1)
    monkeypatch.setattr(evaluation, "WORK", 1)
    plan = planned(*({"restart_client": {"process_id": one}} for one in "ab"))
    assert why_refused(plan, "other-order") == (Refuses.TOO_LARGE, "")
    draws = option(plan, BASELINE_NAME).draws
    assert draws is not None
    assert (draws.count, draws.missed_at_most) == (1, 0.95)


REPLACED: Case = {"replace_client": {"process_id": "a", "by": {"process_id": "n", "host": "host-n", "member_ids": ["n0", "n1"]}}}


@pytest.mark.thorough
def test_a_replacement_has_to_be_there_before_the_next_target() -> None:
    plan = planned(REPLACED)
    assert plan.chosen == "within-interval-from-the-first"
    assert status(plan, "back-in-interval", BASELINE_NAME) is RuleStatus.FAIL  # an interval of 1 s
    assert moves(plan)["old-client-first"] is not None
    assert moves(plan)["new-client-first"] is not None
    assert plan.steps[2].says == (
        "Stop host-a and start a new client on host-n (process ID n), 2 threads instead, within 15 s of the newest target"
    )
    old = planned(REPLACED, of=snapshot(broker_release="4.2.1"))
    assert why_refused(old, "within-interval-from-the-first") == (Refuses.NO_INTERVAL, "4.2.1")
    kept = {"replace_client": {"process_id": "a", "by": {"member_ids": ["n0"]}, "state": {"copied_from": "b"}}}
    copied = planned(kept)
    assert "new-client-first" not in names(copied)
    assert option(copied, BASELINE_NAME).effort_counts is not None
    assert option(copied, BASELINE_NAME).effort_counts.copies == 1  # type: ignore[union-attr]


COLD = (restart("a"), restart("b"), restart("c"))


def test_all_stop_and_all_start() -> None:
    plan = planned(*COLD)
    assert plan.chosen == BASELINE_NAME
    assert why_refused(plan, "seed-process-ids")[0] is Refuses.IDS_ALREADY_KEPT
    assert status(plan, "joined-in-delay") is RuleStatus.PASS
    late = planned(*COLD, policy=Policy())
    assert (late.chosen, status(late, "joined-in-delay")) == ("longer-initial-delay", RuleStatus.PASS)
    assert [(one.key, one.value, one.revert_to) for one in late.settings] == [(DELAY, 60_000, None)]


def test_the_longer_initial_delay_follows_the_number_of_clients() -> None:
    """A run starts one after the other, which takes the time between two steps for each."""
    for clients, delay_ms in ((1, 60_000), (3, 60_000), (5, 90_000), (20, 315_000), (60, 600_000)):
        joins = [{"add_client": {"process_id": f"c{one:02}", "member_ids": [f"m{one}"]}} for one in range(clients)]
        change = dumps({"format_version": "1.0", "events": joins})
        proposed = map(loads, distributed_search.candidates(dumps(snapshot(members={}, group_state="Empty")), change))
        (found,) = (one for one in proposed if one["name"] == "longer-initial-delay")
        assert [one["value"] for one in found["settings"]] == [delay_ms], clients

    by_run = planned(*COLD, policy=replace(QUICK, acts=("restart_client",)))
    assert status(by_run, "joined-in-delay", BASELINE_NAME) is RuleStatus.FAIL, "two more clients, 5 s each, and a delay of 3 s"
    assert (by_run.chosen, status(by_run, "joined-in-delay")) == ("longer-initial-delay", RuleStatus.PASS)


def test_process_ids_are_seeded_where_clients_would_lose_them() -> None:
    new = [restart(one, keeps_process_id=False, new_process_id=f"{one}-new") for one in "abc"]
    plan = planned(*new)
    kept = option(plan, "seed-process-ids")
    assert [event.process_id for event in kept.change.statements()] == ["a", "b", "c"]  # type: ignore[attr-defined]
    assert all(event.seeds() for event in option(plan, BASELINE_NAME).change.statements())
    assert not any(event.seeds() for event in kept.change.statements())


def test_a_first_start_can_be_planned() -> None:
    joins = [{"add_client": {"process_id": one, "member_ids": [f"{one}0"]}} for one in "ab"]
    empty = snapshot(members={}, group_state="Empty")
    plan = planned(*joins, of=empty)
    assert plan.chosen is not None
    assert "longer-initial-delay" in names(plan)
    with pytest.raises(CannotPredict, match="there is nothing to assign to"):
        planned({"set_config": {STANDBYS: 1}}, of=empty)


@pytest.mark.parametrize("state", ["Assigning", "Reconciling", "Dead"])
def test_a_group_that_is_not_settled_is_refused(state: str) -> None:
    with pytest.raises(CannotPredict, match=f"was {state}, not Stable"):
        planned(restart("a"), of=snapshot(group_state=state))


def test_every_kind_of_event_has_its_step() -> None:
    plan = planned(
        {"add_client": {"process_id": "z", "host": "host-z", "threads": 1, "member_ids": ["z0"]}},
        STABLE,
        {"remove_client": {"process_id": "a", "leaves": False}},
        STABLE,
        {"add_partitions": {"topic": "orders", "partitions": 7}},
        {"add_partitions": {"topic": "by-id", "partitions": 7}},
        {"then": "target"},
        {"set_config": {STANDBYS: None, "streams.rack.aware.assignment.tags": ["zone"]}},
        policy=Policy(actions=("start_client", "stop_client", "set_config", "add_partitions")),
    )
    says = {one.says for one in plan.steps}
    assert "Start a new client on host-z (process ID z), 1 thread" in says
    assert "Stop host-a without leaving the group" in says
    assert "Give orders 7 partitions" in says
    assert any(one.endswith("streams.rack.aware.assignment.tags to zone on the group") for one in says)
    assert any(one.undo == "Not possible: a topic cannot shrink." for one in plan.steps)
    assert any("--add-config 'streams.rack.aware.assignment.tags=[zone]'" in one.command for one in plan.steps)
    assert status(plan, "actions") is RuleStatus.PASS
    assert "remove host-a without leaving the group; wait until it is stable; give orders 7 partitions" in kind_of(plan).request(
        plan
    )
    assert kind_of(plan).title(plan) == "add host-z, remove host-a, grow orders, by-id, and 1 more event"


def test_what_a_policy_limits_without_sizes_is_unknown_or_nothing() -> None:
    strict = Policy(
        start_up_s=2,
        start_up_s_most=4,
        restored_bytes_most=1,
        restored_bytes_per_hour_most=1,
        disk_free_bytes_least=1,
        copies_on_one_client_percent_most=500,
        without_caught_up_copy_tasks_most=0,
        untouchable_hosts=("host-b",),
        blocking=(),
    )
    plan = planned(*ROLL, policy=strict)
    unknown = {one.name for one in option(plan, BASELINE_NAME).rules if one.status is RuleStatus.UNKNOWN}
    assert {"restored-bytes", "restored-bytes-per-hour", "disk", "without-caught-up-copy"} <= unknown
    failed = {one.name for one in option(plan, BASELINE_NAME).rules if one.status is RuleStatus.FAIL}
    assert {"untouchable-hosts", "without-caught-up-copy-at-once", "collateral-migration"} <= failed
    within = {one.name: one.status for one in option(plan, "within-interval-from-the-first").rules}
    assert within["restored-bytes"] is within["copies-on-one-client"] is RuleStatus.PASS
    assert within["disk"] is RuleStatus.UNKNOWN  # the standbys are copies too
    nothing = planned({"set_config": {INTERVAL: 2_000}}, policy=strict)
    assert status(nothing, "copies-on-one-client") is RuleStatus.PASS


def test_nothing_to_do_and_a_plan_over_a_limit() -> None:
    assert planned().assessment is Assessment.NOTHING_TO_DO
    over = Policy(blocking=("collateral-migration",), exclude=("within-interval-from-the-first", "within-interval"))
    assert planned(*ROLL, policy=over).assessment is Assessment.BLOCKED
    never = planned(restart("a"), policy=replace(QUICK, review=Review.NEVER))
    assert never.assessment in (Assessment.SAFE, Assessment.BLOCKED)


def test_a_client_that_ends_without_leaving_takes_its_session() -> None:
    plan = planned({"remove_client": {"process_id": "a", "leaves": False}})
    times = option(plan, BASELINE_NAME).times
    assert times is not None
    assert times.rebalancing_ends is not None
    assert times.rebalancing_ends.usual >= 45


# Documents.


def test_it_is_read_as_it_was_written(roll: BrokerPlan) -> None:
    document: Any = PLAN.write(roll)
    assert any_document.plan_from_json(json.loads(json.dumps(document))) == roll
    edited = document | {"headline": "Nothing moves."}
    with pytest.raises(InvalidInput, match="was edited"):
        broker_plan_from_json(edited)


def test_options_travel(roll: BrokerPlan) -> None:
    """As texts to executors and back."""
    document, change = dumps(any_document.snapshot_to_json(roll.basis)), dumps(any_document.change_to_json(roll.change))
    kind = kind_of(roll)
    options = distributed_search.candidates(document, change)
    evaluated = tuple(kind.evaluated_from_json(loads(distributed_search.evaluation(document, one))) for one in options)
    again = kind.assemble(roll.basis, roll.change, evaluated, QUICK, NOON, None)
    assert [one.name for one in again.candidates] == names(roll)
    assert moves(again) == moves(roll)
    distributed_search.refuse_other_options(roll.basis, roll.change, evaluated)
    assert kind.search_work(roll.basis, roll.change) > 0


def test_what_a_list_and_tables_have_of_it(roll: BrokerPlan) -> None:
    found = summary(roll)
    assert SUMMARY.read(SUMMARY.write(found)) == found
    assert found.targets is not None
    assert found.plain_targets is not None
    assert (found.targets.hand_overs, found.plain_targets.hand_overs, found.figures) == (0, 13, None)
    assert (found.targets.stable_text, found.targets.effort_text) != ("", "")
    rows = kind_of(roll).option_rows(roll)
    assert (rows[0]["moved"], rows[0]["rebalances_most"], rows[-1]) == (2, 9, {})  # static members are refused


def test_two_plans_compared(roll: BrokerPlan) -> None:
    other = planned(restart("a"))
    lines: list[Line] = list(any_difference.of_plans(roll, other).lines)
    assert {"option", "step"} <= {one.part for one in lines}


def test_offsets_count_only_where_the_release_assigns_by_them() -> None:
    def fingerprint(release: str, offset: int) -> str:
        document = snapshot(broker_release=release)
        document["members"]["a0"]["task_offsets"] = {"1_0": offset}
        return planned(restart("a"), of=document).created_from.snapshot

    assert fingerprint("4.3.1", 1) == fingerprint("4.3.1", 2)
    assert fingerprint("4.4.0", 1) != fingerprint("4.4.0", 2)
