"""The options beyond identity and window: in another order, with no rebalance, under other IDs, cleared, or something else
instead."""

from typing import Any

import pytest
from tests.harness.article import AFTER, LAST, A, B, C, Document, altered, change, fleet, group
from tests.harness.plans import NOON, planned, read

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.json import change_from_json, change_to_json
from holdfast.rollout.streams.cost.evaluation import EvaluatedOption, Option
from holdfast.rollout.streams.events.restart_client import RestartClient
from holdfast.rollout.streams.events.rolling_restart import RollingRestart
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.options import proposals
from holdfast.rollout.streams.plan import json as plan_json
from holdfast.rollout.streams.plan.assembly import assemble
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.steps.steps import (
    AwaitStable,
    ChangeThreads,
    DeployTopology,
    GrowTopic,
    RestartInPlace,
    RollOutConfig,
    StartClient,
    StopAllClients,
    StopClient,
)

COUNTS = ("another-count", "double-the-clients", "baseline")
STABLE = {"then": "stable"}


def options(snapshot: Document, *events: object) -> dict[str, Option]:
    return {option.name: option for option in proposals.propose(read(snapshot), change_from_json(change(*events)))}


def weighed(snapshot: Document, option: Option) -> EvaluatedOption:
    return proposals.evaluate(read(snapshot), option)


def events_of(option: Option) -> list[Any]:
    return change_to_json(option.change)["events"]


def restart(process_id: str, **others: object) -> dict[str, object]:
    return {"restart_client": {"process_id": process_id, "keeps_process_id": True, "keeps_state": True} | others}


def static(document: Document) -> Document:
    for client in document["clients"].values():
        for number, consumer in enumerate(client["consumers"].values()):
            consumer["group_instance_id"] = f"{client['host']}-{number}"
    return document


class TestInAnotherOrder:
    def test_what_happens_together_may_happen_one_by_one_and_the_other_way_round(self) -> None:
        removes = [{"remove_client": {"process_id": one, "leaves": False}} for one in (A, B)]

        one_by_one = options(group(AFTER), *removes)["one-at-a-time"]
        together = options(group(AFTER), removes[0], STABLE, removes[1])

        assert events_of(one_by_one) == [removes[0], STABLE, removes[1]]
        assert events_of(together["all-together"]) == removes
        assert events_of(together["reverse-order"]) == [removes[1], STABLE, removes[0]]
        assert "one-at-a-time" not in together

    def test_a_rolling_restart_may_come_in_waves(self) -> None:
        document, ids = fleet(8, 16, seed=1)

        found = options(document, {"rolling_restart": {}})

        assert [len(batch) for batch, _ in found["in-waves"].change.batches()] == [3, 3, 2]
        assert [len(batch) for batch, _ in found["all-together"].change.batches()] == [8]
        first = found["reverse-order"].change.events[0]
        assert isinstance(first, RestartClient)
        assert str(first.process_id) == ids[-1]

    def test_one_event_has_no_other_order(self) -> None:
        found = options(group(AFTER), {"remove_client": {"process_id": A}})

        assert not {"one-at-a-time", "in-waves", "all-together", "reverse-order"} & set(found)


class TestStaticMembers:
    def test_who_returns_in_time_causes_no_rebalance(self) -> None:
        document = static(group(AFTER))
        option = options(document, restart(A))["baseline"]
        (cost,) = weighed(document, option).costs

        assert events_of(option) == [restart(A, within_session=True)]
        assert (cost.rebalances.high, cost.moved) == (0, 0)

    def test_who_is_said_to_be_noticed_may_return_in_time(self) -> None:
        noticed = restart(A, within_session=False)
        assert [events_of(options(static(group(AFTER)), noticed)[name]) for name in ("baseline", "static-return")] == [
            [noticed],
            [restart(A, within_session=True)],
        ]

    def test_dynamic_members_cannot(self) -> None:
        found = options(group(AFTER), restart(A))
        assert "static-return" not in found
        assert events_of(found["baseline"]) == [restart(A)]

    def test_a_restart_of_everybody_may_make_them_static(self) -> None:
        found = options(group(AFTER), {"rolling_restart": {}})

        assert "static-membership" in found
        assert "static-membership" not in options(group(AFTER), restart(A))
        assert "static-membership" not in options(static(group(AFTER)), {"rolling_restart": {}})

    def test_a_setting_is_rolled_out_to_static_members_without_a_rebalance(self) -> None:
        document = static(group(AFTER))
        (rolled,) = options(document, {"set_config": {"max.warmup.replicas": 6}})["baseline"].change.events
        (outcome,) = forecast(read(document), change_from_json(change({"rolling_restart": {"within_session": True}}))).outcomes

        assert isinstance(rolled, RollingRestart)
        assert rolled.within_session
        assert outcome.rounds == ()

    @pytest.mark.parametrize("with_the", [0, 1, 2])
    def test_restarts_in_turn_take_a_setting_along(self, with_the: int) -> None:
        """Written out or not, a roll-out is the same: no client restarts once more."""
        setting: dict[str, Any] = {"set_config": {"max.warmup.replicas": 6}}
        events: list[dict[str, Any]] = []
        for number, one in enumerate((A, B, C)):
            events += [{"then": "stable"}] if number else []
            events += [restart(one), *([setting] if number == with_the else [])]
        (rolled,) = options(group(AFTER), *events)["baseline"].change.events
        (short,) = options(group(AFTER), {"rolling_restart": {"process_ids": [A, B, C]} | setting})["baseline"].change.events

        assert isinstance(rolled, RollingRestart)
        assert rolled == short

    def test_restarts_of_some_or_not_alike_take_nothing_along(self) -> None:
        setting: dict[str, Any] = {"set_config": {"max.warmup.replicas": 6}}
        of_two = [restart(A), {"then": "stable"}, restart(B), setting]
        not_alike = [restart(A), {"then": "stable"}, restart(B), {"then": "stable"}, restart(C, threads=3), setting]
        for events in (of_two, not_alike):
            found = options(group(AFTER), *events)["baseline"].change.events
            assert sum(isinstance(one, RollingRestart) for one in found) == 1
            assert len(found) > 1

    def test_a_latent_reshuffle_counts_as_needless(self) -> None:
        """A static member that comes back under an ID that sorts elsewhere: stable now, and a reshuffle with the next rebalance."""
        document = static(group(AFTER))
        lost = {"restart_client": {"process_id": C, "keeps_process_id": False, "new_process_id": LAST, "within_session": True}}
        (cost,) = weighed(document, options(document, lost)["baseline"]).costs

        assert (cost.moved, cost.handovers) == (0, 0)
        assert cost.needless == 6
        assert planned(document, lost).chosen == "copy-process-metadata"


class TestRelabel:
    """Five clients run what they would if the fourth had its old ID: each restart in turn moves everything, new labels nothing."""

    def drifted(self) -> tuple[Document, list[str]]:
        document, ids = fleet(5, 20, seed=7)
        clients = document["clients"]
        document["clients"] = {
            ids[index]: clients[ids[other]] | {"host": f"h{other}"} for index, other in enumerate((3, 0, 1, 2, 4))
        }
        return document, ids

    def test_clients_that_restart_anyway_change_ids_so_that_nothing_moves(self) -> None:
        document, ids = self.drifted()
        found = options(document, {"rolling_restart": {}})
        (plain,) = weighed(document, found["baseline"]).costs
        (relabelled,) = weighed(document, found["relabel"]).costs

        assert (plain.moved, relabelled.moved) == (16, 0)
        assert (relabelled.handovers, relabelled.rebalances.high, relabelled.restored_records) == (0, 1, 0)
        assert sorted(str(one) for one in relabelled.process_ids) == sorted(ids)

    def test_all_stop_before_a_file_is_written_and_all_files_before_a_start(self) -> None:
        document, ids = self.drifted()
        steps = [step.action for step in options(document, {"rolling_restart": {}})["relabel"].steps]

        kinds = [type(one) for one in steps if not isinstance(one, RestartInPlace)]
        assert kinds == [*[StopClient] * 4, *[WriteProcessMetadata] * 4, *[StartClient] * 4, AwaitStable]
        writes = [one for one in steps if isinstance(one, WriteProcessMetadata)]
        assert all(one.replaces == one.source != one.process_id for one in writes)
        assert [str(one.process_id) for one in steps if isinstance(one, RestartInPlace)] == [ids[4]]

    @pytest.mark.thorough
    def test_it_wins_where_plainly_breaks_the_limits(self) -> None:
        document, _ = self.drifted()
        plan = planned(document, {"rolling_restart": {}})

        assert plan.chosen == "relabel"
        assert plan_json.plan_from_json(plan_json.plan_to_json(plan)) == plan

    def test_clients_may_take_over_ids_only_from_those_that_leave_them(self) -> None:
        snapshot = read(group(AFTER))
        swap = [
            {"restart_client": {"process_id": one, "keeps_process_id": False, "new_process_id": other}}
            for one, other in ((A, B), (B, A))
        ]
        (outcome,) = forecast(snapshot, change_from_json(change(*swap))).outcomes

        assert sorted(str(client.process_id) for client in outcome.clients) == sorted([A, B, C])
        with pytest.raises(InvalidInput, match="in the group already"):
            forecast(snapshot, change_from_json(change(swap[0])))
        both = {"restart_client": {"process_id": C, "keeps_process_id": False, "new_process_id": B}}
        with pytest.raises(InvalidInput, match="two clients would have one process ID"):
            forecast(snapshot, change_from_json(change(swap[0], both, {"remove_client": {"process_id": B}})))


class TestCleared:
    def test_all_go_where_they_belong_in_one_rebalance_and_stand_still(self) -> None:
        document, ids = fleet(6, 24, seed=3)
        option = options(document, {"replace_client": {"process_id": ids[0], "by": {"process_id": LAST, "threads": 1}}})[
            "clear-state"
        ]
        (cost,) = weighed(document, option).costs

        assert (cost.rebalances.high, cost.cold_tasks, cost.restored_records) == (1, 24, 24_000_000)

    @pytest.mark.thorough
    @pytest.mark.parametrize(("allow", "chosen"), [((), "baseline"), (("clear-state",), "clear-state")])
    def test_it_is_chosen_only_where_the_policy_names_it(self, allow: tuple[str, ...], chosen: str) -> None:
        policy = Policy(
            exclude=("copy-process-metadata", "seed-process-id", "copy-state-directory", "raise-warmups", "standbys-first"),
            allow=allow,
            time_to_stable_s_most=100,
            without_caught_up_copy_s_most=10**9,
            moved_percent_most=100,
        )
        document, ids = fleet(6, 24, seed=3)
        event = {"replace_client": {"process_id": ids[0], "by": {"process_id": LAST, "threads": 1}}}
        plan = planned(altered(document, ["config", "probing.rebalance.interval.ms"], 60_000), event, policy=policy)

        assert plan.chosen == chosen
        if not allow:
            reasons = {one.name: one.why_not for one in plan.candidates}
            assert reasons["clear-state"] == "Your policy does not list clear-state under allow."


class TestSomethingElse:
    def plan(self, *events: object) -> Plan:
        document, _ = fleet(20, 400, seed=5)
        change_ = change_from_json(change(*events))
        snapshot = read(document)
        wanted = ("baseline", "double-the-clients", "halve-the-clients", "another-count", "nothing-now")
        found = tuple(proposals.evaluate(snapshot, one) for one in proposals.propose(snapshot, change_) if one.name in wanted)
        return assemble(snapshot, change_, found, Policy(), NOON)

    @pytest.mark.thorough
    def test_twice_as_many_move_half_of_what_one_more_does(self) -> None:
        plan = self.plan({"add_client": {"process_id": LAST, "threads": 1}})
        moved = {one.name: one.costs[0].moved for one in plan.candidates}

        assert moved["double-the-clients"] == 200
        assert moved["baseline"] > 350
        assert moved["nothing-now"] == 0
        assert plan.chosen == "baseline"
        assert all(one.as_asked == (one.name == "baseline") for one in plan.candidates)
        assert next(one.why_not for one in plan.candidates if one.name == "nothing-now").startswith(
            "Reference only; not the requested change"
        )

    @pytest.mark.thorough
    def test_half_as_many_keep_who_stays(self) -> None:
        _, ids = fleet(20, 400, seed=5)
        plan = self.plan({"remove_client": {"process_id": ids[-1]}})
        halved = next(one for one in plan.candidates if one.name == "halve-the-clients")

        assert len(halved.costs[0].process_ids) == 10
        assert halved.costs[0].moved == 200

    def test_a_count_in_between_is_named_where_it_moves_less(self) -> None:
        document, _ = fleet(6, 24, seed=5)
        found = options(document, {"add_client": {"process_id": LAST, "threads": 1}})

        (least,), (twice,), (one_more,) = (weighed(document, found[name]).costs for name in COUNTS)
        assert len(found["double-the-clients"].change.events) == 6
        assert least.moved <= twice.moved < one_more.moved
        assert 7 < len(least.process_ids) < 12

    def test_more_clients_have_a_thread_for_each_member_id_of_the_one_requested(self) -> None:
        found = options(group(AFTER), {"add_client": {"process_id": LAST, "member_ids": ["one", "two"]}})

        assert {each["add_client"]["threads"] for each in events_of(found["double-the-clients"])} == {2}


class TestRolledOut:
    def test_a_setting_costs_a_restart_of_everybody(self) -> None:
        document = group(AFTER)
        (cost,) = weighed(document, options(document, {"set_config": {"max.warmup.replicas": 6}})["baseline"]).costs

        assert (cost.rebalances.low, cost.moved) == (3, 0)

    def test_where_everybody_restarts_anyway_it_comes_along(self) -> None:
        restarts = [restart(one) for one in (A, B, C)]
        option = options(group(AFTER), *restarts, {"set_config": {"max.warmup.replicas": 6}})["baseline"]

        (roll,) = (item for item in option.change.events if isinstance(item, RollingRestart))
        assert roll.at_once == 3
        assert [type(step.action) for step in option.steps] == [RollOutConfig, AwaitStable]
        assert "Restart all 3 clients together." in option.steps[0].check_before
        assert option.steps[0].expect.startswith("3 restarts, all together")

    def test_several_settings_come_with_the_same_restarts(self) -> None:
        both = {"set_config": {"max.warmup.replicas": 6, "rack.aware.assignment.tags": []}, "kafka_release": "3.9.1"}
        option = options(group(AFTER, "3.5.2"), {"rolling_restart": both})["baseline"]
        first, *others, last = option.steps

        assert first.expect.startswith("3 restarts, one after the other")
        assert [one.expect for one in others] == ["No further restart."] * 2
        assert {one.check_before for one in others} == {"The restarts of step 1 bring it too: no client restarts again for it."}
        assert isinstance(last.action, AwaitStable)
        assert any(one.check_after == "Every client has logged rack.aware.assignment.tags = empty at its start." for one in others)

    @pytest.mark.parametrize(
        ("pace", "to_do"),
        [
            ({"at_once": 2}, "Restart 2 clients together, wait until the group is stable, then the next 2."),
            ({"at_once": 2, "wait": "rebalance"}, "Restart 2 clients together, wait for a rebalance, then the next 2."),
            ({"at_once": 9}, "Restart all 3 clients together."),
        ],
    )
    def test_a_step_says_how_many_restart_at_once(self, pace: dict[str, object], to_do: str) -> None:
        option = options(group(AFTER), {"rolling_restart": {"set_config": {"max.warmup.replicas": 6}} | pace})["baseline"]

        assert option.steps[0].check_before == f"The group is stable. {to_do}"

    def test_it_comes_before_what_takes_effect_with_it(self) -> None:
        added = {"add_client": {"process_id": LAST, "threads": 2}}
        option = options(group(AFTER), added, {"set_config": {"num.standby.replicas": 1}})["baseline"]

        assert [type(step.action) for step in option.steps] == [
            RollOutConfig,
            AwaitStable,
            WriteProcessMetadata,
            StartClient,
            AwaitStable,
        ]
        assert [next(iter(event)) for event in events_of(option)] == ["rolling_restart", "then", "add_client"]

    def test_the_settings_of_a_window_are_put_back_where_an_id_is_left_to_chance(self) -> None:
        fresh = {"replace_client": {"process_id": C, "by": {"process_id": None, "threads": 2}}}
        option = options(group(AFTER), fresh)["raise-warmups"]
        evaluation = weighed(group(AFTER), option)

        assert evaluation.refused is None
        assert len(evaluation.costs) == 3
        assert all(cost.rebalances.low >= 3 + 1 + 3 for cost in evaluation.costs)

    @pytest.mark.parametrize(("release", "name"), [("2.7.2", "StickyTaskAssignor"), ("3.9.1", "LegacyStickyTaskAssignor")])
    def test_the_other_assignor_has_the_name_of_its_release(self, release: str, name: str) -> None:
        option = options(group(AFTER, release), restart(A))["switch-assignor"]

        assert [str(one.value).rsplit(".", 1)[-1] for one in option.settings] == [name]
        assert weighed(group(AFTER, release), option).refused is None


class TestEverybody:
    """Changes of threads, partitions and topology, and a stop of all clients, are planned too."""

    @pytest.mark.parametrize(
        ("event", "action"),
        [
            ({"set_threads": {"process_id": A, "threads": 3}}, ChangeThreads),
            ({"add_partitions": {"topic": "repartition", "partitions": 8, "changelogs_grown": True}}, GrowTopic),
            ({"stop_application": {"minutes": 30}}, StopAllClients),
            ({"set_topology": {"tasks": group(AFTER)["tasks"]}}, DeployTopology),
        ],
    )
    def test_they_have_a_step_and_survive_their_json(self, event: dict[str, object], action: type) -> None:
        plan = planned(group(AFTER, "3.9.1"), event)
        baseline = options(group(AFTER, "3.9.1"), event)["baseline"]

        assert [type(step.action) for step in baseline.steps] == [action, AwaitStable]
        assert plan_json.plan_from_json(plan_json.plan_to_json(plan)) == plan
        assert plan.recommended_option is not None
        assert plan.recommended_option.costs


class TestPlacesOfAnId:
    @pytest.mark.thorough
    def test_a_few_places_stand_for_all_with_the_worst_among_them(self) -> None:
        document, ids = fleet(20, 40, seed=9)
        requested = change_from_json(change({"replace_client": {"process_id": ids[3], "by": {"process_id": None, "threads": 1}}}))
        every, few = (forecast(read(document), requested, most) for most in (None, 4))

        assert (len(every.outcomes), len(few.outcomes)) == (20, 4)
        assert sum(one.probability for one in few.outcomes) == pytest.approx(1)
        assert max(one.summary.active_moved for one in few.outcomes) == max(one.summary.active_moved for one in every.outcomes)
        mean, sampled = (sum(one.probability * one.summary.active_moved for one in found.outcomes) for found in (every, few))
        assert sampled == pytest.approx(mean, abs=2)
        assert any("4 of 20 possible ranks" in one.reason for one in few.unknown)
        assert not any("possible ranks" in one.reason for one in every.unknown)
