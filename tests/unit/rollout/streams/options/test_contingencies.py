"""What a Plan assumes of a Change, and what comes where it does not hold."""

from typing import Any

import pytest
from tests.harness.article import AFTER, LAST, A, B, C, Document, change, fleet, group
from tests.harness.plans import planned, read

from holdfast.errors import InvalidInput
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.change.json import change_from_json, change_to_json
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.forecast.outcomes import Outcome
from holdfast.rollout.streams.options import contingencies, contingency_words, proposals
from holdfast.rollout.streams.options.contingencies import If
from holdfast.rollout.streams.options.usual_assumptions import as_usual
from holdfast.rollout.streams.plan import json as plan_json

STABLE = {"then": "stable"}
SESSION_10 = {"session.timeout.ms": 10_000}


def requested(*events: object) -> Change:
    return change_from_json(change(*events))


def events_of(found: Change) -> list[Any]:
    return change_to_json(found)["events"]  # type: ignore[return-value]


def outcome(document: Document, *events: object) -> Outcome:
    (found,) = forecast(read(document), requested(*events)).outcomes
    return found


def static(document: Document) -> Document:
    for client in document["clients"].values():
        for number, consumer in enumerate(client["consumers"].values()):
            consumer["group_instance_id"] = f"{client['host']}-{number}"
    return document


def restart(process_id: str, **others: object) -> dict[str, Any]:
    return {"restart_client": {"process_id": process_id, "keeps_process_id": True, "keeps_state": True} | others}


def replacement(old: str, new: str, **others: object) -> dict[str, Any]:
    return {"replace_client": {"process_id": old, "by": {"process_id": new, "threads": 2}, "state": "empty"} | others}


class TestUsual:
    def test_a_client_that_is_removed_does_not_leave_unless_it_is_said(self) -> None:
        removed = {"remove_client": {"process_id": A}}
        stays = {"remove_client": {"process_id": A, "leaves": False}}
        leaves = {"remove_client": {"process_id": A, "leaves": True}}

        assert events_of(as_usual(read(group(AFTER)), requested(removed))) == [stays]
        assert events_of(as_usual(read(group(AFTER)), requested(leaves))) == [leaves]
        assert planned(group(AFTER, config=SESSION_10), removed).steps == planned(group(AFTER, config=SESSION_10), stays).steps

    def test_a_forecast_keeps_to_its_contract(self) -> None:
        removed = outcome(group(AFTER), {"remove_client": {"process_id": A}})

        assert removed.rounds == outcome(group(AFTER), {"remove_client": {"process_id": A, "leaves": True}}).rounds
        assert removed.rounds[0].at_seconds == 0

    def test_static_members_return_in_time(self) -> None:
        assert events_of(as_usual(read(static(group(AFTER))), requested(restart(A)))) == [restart(A, within_session=True)]
        assert events_of(as_usual(read(group(AFTER)), requested(restart(A)))) == [restart(A)]

    def test_who_may_come_back_in_the_middle_of_a_rebalance_is_left_alone(self) -> None:
        events = [replacement(C, C), {"then": "rebalance"}, restart(A)]

        assert events_of(as_usual(read(static(group(AFTER))), requested(*events))) == events

    @pytest.mark.parametrize(
        "events",
        [
            [{"add_client": {"process_id": None, "threads": 2}}],
            [replacement(C, "7d9f2c5e-41b8-4a06-9c3d-5e8f0b7a6d21")],
            [
                {"add_client": {"process_id": "c1e2d3f4-0a1b-4c2d-8e3f-405162738495", "threads": 2}},
                STABLE,
                {"rolling_restart": {"within_session": True}},
            ],
            [{"set_threads": {"process_id": A, "threads": 3}}],
        ],
    )
    def test_a_static_group_can_grow_and_have_a_client_replaced(self, events: list[object]) -> None:
        assert planned(static(group(AFTER, "3.5.2", config={"max.warmup.replicas": 2})), *events).chosen is not None

    def test_a_release_may_reach_a_static_group_without_a_rebalance(self) -> None:
        plan = planned(static(group(AFTER, "3.5.2")), {"rolling_restart": {"kafka_release": "3.9.1"}})
        (found,) = (one for one in plan.otherwise if one.branch.condition is If.IN_TIME)

        assert plan.recommended_option is not None
        assert plan.recommended_option.costs[0].rebalances.low == 3
        assert [cost.rebalances.high for cost in found.costs] == [0]
        assert "the same group.instance.id within" in contingency_words.sentence(found)

    @pytest.mark.thorough
    def test_a_static_group_is_restarted_and_set_without_a_rebalance(self) -> None:
        for event in ({"rolling_restart": {}}, {"set_config": {"num.standby.replicas": 1}}):
            plan = planned(static(group(AFTER)), event)
            (cost,) = plan.baseline_option.costs if plan.baseline_option else ()
            assert (cost.rebalances.low, cost.rebalances.high) == (0, 0)


class TestWhatWaitsForARebalance:
    STANDBYS = {"set_config": {"num.standby.replicas": 1}}  # noqa: RUF012

    def test_settings_of_static_members_wait_and_the_plan_says_so(self) -> None:
        plan = planned(static(group(AFTER, "3.9.1")), self.STANDBYS)
        offered = {one.name: one for one in plan.candidates}

        assert plan.chosen == "baseline"
        assert any("num.standby.replicas takes effect only with the next rebalance" in one.text for one in plan.unknown)
        assert not any(end.standby for end in offered["baseline"].costs[0].end)

    def test_a_way_that_brings_one_about_is_offered(self) -> None:
        found = planned(static(group(AFTER, "3.9.1")), self.STANDBYS).candidates
        (option,) = [one for one in found if one.name == "then-a-rebalance"]

        assert [next(iter(one)) for one in events_of(option.change)] == ["rolling_restart", "then", "restart_client"]
        assert option.costs[0].rebalances.low >= 2
        assert not any("takes effect only" in one.text for one in option.unknown)
        (outcome,) = forecast(read(static(group(AFTER, "3.9.1"))), option.change).outcomes
        assert any(client.standby for client in outcome.rounds[-1].decision.clients)  # type: ignore[union-attr]

    @pytest.mark.thorough
    def test_not_to_dynamic_members(self) -> None:
        assert "then-a-rebalance" not in [one.name for one in planned(group(AFTER, "3.9.1"), self.STANDBYS).candidates]

    def test_its_steps_wait_until_the_client_is_missed(self) -> None:
        steps = proposals.propose(read(static(group(AFTER, "3.9.1"))), requested(self.STANDBYS))
        (option,) = [one for one in steps if one.name == "then-a-rebalance"]
        start = option.steps[-2]
        assert start.check_before.startswith("45 s have passed since the old process ended")


class TestLate:
    def test_who_is_late_is_removed_and_added(self) -> None:
        """As if it had been requested in three steps, with what its disk holds."""
        document = group(AFTER, "3.9.1", config=SESSION_10)
        late = outcome(document, replacement(C, C, late=True))
        apart = outcome(
            document,
            {"remove_client": {"process_id": C, "leaves": False}},
            STABLE,
            {"add_client": {"process_id": C, "threads": 2, "host": read(document).clients[0].host}},
        )

        assert [(one.trigger, one.at_seconds) for one in late.rounds] == [(one.trigger, one.at_seconds) for one in apart.rounds]
        assert late.rounds[0].at_seconds == 10
        assert len(late.rounds) > len(outcome(document, replacement(C, C)).rounds)

    def test_it_may_be_back_before_the_others_are_stable(self) -> None:
        """Seen on 2.8.2: three late restarts took 17 rebalances and 80 s; in peace each probes before and after the return."""
        summary = outcome(group(AFTER, "2.8.2", config=SESSION_10), *(restart(C, late=True),)).summary

        assert summary.rebalances_at_least < summary.rebalances
        assert (summary.seconds_to_stable_at_least or 0) < 60 < (summary.seconds_to_stable or 0)

    def test_who_comes_back_late_has_what_its_disk_holds(self) -> None:
        kept, lost = (
            outcome(group(AFTER, "4.3.1", config=SESSION_10), restart(C, keeps_state=state, late=True)) for state in (True, False)
        )
        assert kept.summary.restore_records < lost.summary.restore_records

    def test_it_may_come_back_under_another_process_id(self) -> None:
        back = {"keeps_process_id": False, "new_process_id": "7d9f2c5e-41b8-4a06-9c3d-5e8f0b7a6d21", "late": True}
        found = outcome(group(AFTER), restart(C, **back))

        assert back["new_process_id"] in map(str, found.process_ids)
        assert C not in map(str, found.process_ids)

    def test_the_last_client_is_missed_by_nobody(self) -> None:
        found = outcome(group(AFTER, config=SESSION_10), *(restart(one, late=True) for one in (A, B, C)))
        assert found.stable

    def test_late_and_in_time_are_two_things(self) -> None:
        with pytest.raises(InvalidInput, match="not both"):
            requested(restart(A, late=True, within_session=True))


class TestBranches:
    def test_a_client_may_be_away_for_its_session_less_a_heartbeat(self) -> None:
        assert contingencies.in_time_s(read(group(AFTER, "2.8.2"))) == 7
        assert contingencies.in_time_s(read(group(AFTER, "3.9.1"))) == 42
        assert contingencies.in_time_s(read(group(AFTER, config=SESSION_10 | {"heartbeat.interval.ms": 500}))) == 9.5

    @pytest.mark.parametrize(
        ("document", "events", "conditions"),
        [
            (group(AFTER), [restart(A)], [If.LATE]),
            (group(AFTER), [replacement(C, C)], [If.LATE]),
            (static(group(AFTER)), [restart(A)], [If.LATE, If.IN_TIME]),
            (static(group(AFTER)), [restart(A, within_session=True)], [If.LATE]),
            (static(group(AFTER)), [replacement(C, C)], [If.LATE, If.IN_TIME]),
            (group(AFTER), [{"add_client": {"process_id": None, "threads": 2}}] * 2, [If.ONE_BY_ONE]),
            (group(AFTER), [{"add_client": {"process_id": None, "threads": 2}}], []),
            (group(AFTER), [{"set_config": {"max.warmup.replicas": 6}}], []),
            (group(AFTER), [{"rolling_restart": {"set_config": {"max.warmup.replicas": 6}}}], [If.LATE, If.MERGED]),
        ],
    )
    def test_each_condition_has_one(self, document: Document, events: list[object], conditions: list[If]) -> None:
        found = contingencies.branches(read(document | {"stores": "persistent"}), requested(*events))
        assert [one.condition for one in found] == conditions
        assert all(one.change != requested(*events) for one in found)

    def test_of_many_restarts_one_is_late(self) -> None:
        events = [item for _ in range(5) for one in (A, B) for item in (restart(one), STABLE)]
        late, *_ = contingencies.branches(read(group(AFTER)), requested(*events))
        assert len(late.process_ids) == 1

    def test_a_roll_out_restarts_those_who_are_in_the_group_then(self) -> None:
        there_and_back = [{"rolling_restart": {"set_config": {"max.warmup.replicas": count}}} for count in (6, 2)]
        events = [there_and_back[0], STABLE, replacement(C, LAST), STABLE, there_and_back[1]]
        late, *_ = contingencies.contingencies_of(read(group(AFTER)), requested(*events))

        assert late.branch.condition is If.LATE
        assert (late.refusal, len(late.costs)) == (None, 1)

    def test_a_plan_says_the_limit_and_what_comes_then(self) -> None:
        plan = planned(group(AFTER, config=SESSION_10), replacement(C, C))
        late, *_ = plan.otherwise

        assert "more than 7 s" in plan.wrong_if
        assert late.costs[0].rebalances.high > plan.recommended_option.costs[0].rebalances.high  # type: ignore[union-attr]
        assert contingency_words.sentence(late).startswith(
            "If a client returns, or is replaced, more than 7 s after its stop began: "
        )
        assert plan_json.plan_from_json(plan_json.plan_to_json(plan)) == plan

    def test_a_plan_without_the_field_is_read(self) -> None:
        plan = planned(group(AFTER, "3.9.1"), {"set_threads": {"process_id": A, "threads": 3}})
        assert plan.otherwise == ()
        assert "otherwise" not in plan_json.plan_to_json(plan)


def test_of_a_large_group_no_branch_is_forecast_beside_its_plan() -> None:
    """The plan is put together at once; the branch is named, and says why it has no figures."""
    document, ids = fleet(120, 1_000, 2)
    event = {"replace_client": {"process_id": ids[3], "by": {"process_id": LAST, "threads": 2}, "state": "empty"}}
    found = contingencies.contingencies_of(read(document), change_from_json(change(event)))

    assert found
    assert {(one.costs, one.refusal) for one in found} == {((), contingencies.TOO_LARGE)}


class TestMerged:
    """The restarts do not wait until the group is stable: live, three restarts within one session were one rebalance, and two."""

    def merged(self, *events: object, document: Document | None = None) -> contingencies.Branch | None:
        snapshot = read(document or group(AFTER))
        found = contingencies.branches(snapshot, as_usual(snapshot, requested(*events)))
        return next((one for one in found if one.condition is If.MERGED), None)

    def test_all_restarts_fall_into_one_rebalance(self) -> None:
        branch = self.merged(restart(C), STABLE, restart(A), STABLE, restart(B))

        assert branch is not None
        assert events_of(branch.change) == [restart(C), restart(A), restart(B)]
        (found,) = forecast(read(group(AFTER)), branch.change).outcomes
        assert found.summary.rebalances == 1

    def test_of_a_roll_out_too(self) -> None:
        settings = {"num.standby.replicas": 1}
        branch = self.merged({"rolling_restart": {"set_config": settings}})

        assert branch is not None
        assert events_of(branch.change) == [restart(C), restart(A), restart(B), {"set_config": settings}]

    @pytest.mark.parametrize(
        "events",
        [
            (restart(A),),
            (restart(A), restart(B)),  # they are together anyway
            (restart(A), {"then": "rebalance"}, restart(B)),
            (restart(A), STABLE, restart(A)),  # cannot be at the same time
            (restart(A), STABLE, {"add_client": {"process_id": LAST, "threads": 1}}),
        ],
    )
    def test_otherwise_there_is_nothing_to_merge(self, events: tuple[object, ...]) -> None:
        assert self.merged(*events) is None

    def test_nor_where_static_members_return_without_a_rebalance(self) -> None:
        assert self.merged(restart(A), STABLE, restart(B), document=static(group(AFTER))) is None

    @pytest.mark.thorough
    def test_a_plan_says_so(self) -> None:
        plan = planned(group(AFTER), restart(C), STABLE, restart(A), STABLE, restart(B))
        (found,) = (one for one in plan.otherwise if one.branch.condition is If.MERGED)

        assert "do not wait until the group is stable" in contingency_words.sentence(found)
        assert "1 rebalance, " in contingency_words.sentence(found)
        assert contingency_words.sentence(found).endswith("If only some of them do, the outcome is between this and the plan.")
        assert plan_json.plan_from_json(plan_json.plan_to_json(plan)) == plan
