"""Is every option of a change proposed where it makes sense, and only there, and does its forecast say what it is for?"""

import gc
from types import SimpleNamespace
from typing import Any

import pytest
from tests.harness.article import AFTER, BEFORE, LAST, A, B, C, Document, altered, change, group
from tests.harness.plans import REPLACE_FIRST, planned, read

from holdfast.errors import InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.contract.requests import Disk
from holdfast.rollout.facts.conditions import Invalid
from holdfast.rollout.facts.refusals import Refuses
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.cost import cost
from holdfast.rollout.streams.cost.evaluation import EvaluatedOption, Option, Span
from holdfast.rollout.streams.events.add_client import AddClient
from holdfast.rollout.streams.events.replace_client import ReplaceClient
from holdfast.rollout.streams.events.restart_client import RestartClient
from holdfast.rollout.streams.forecast.segments import Shared
from holdfast.rollout.streams.options import proposals
from holdfast.rollout.streams.steps.steps import (
    AwaitStable,
    CopyStateDirectory,
    RestartInPlace,
    RollOutConfig,
    StartClient,
    StopClient,
)

IDS_AND_DISK = ("copy-process-metadata", "seed-process-id", "copy-state-directory")
LAST_RESORTS = ("switch-assignor", "clear-state", "nothing-now")
SECOND_COPIES = ("standbys-first", "copy-process-metadata+standbys-first")
EMPTY_RESTART = {"restart_client": {"process_id": A, "keeps_process_id": False, "new_process_id": LAST, "keeps_state": False}}


def proposed(snapshot: Document, *events: object) -> dict[str, Option]:
    options = proposals.propose(read(snapshot), change_from_json(change(*events)))
    return {option.name: option for option in options}


def evaluated(snapshot: Document, *events: object) -> dict[str, EvaluatedOption]:
    return {name: proposals.evaluate(read(snapshot), option) for name, option in proposed(snapshot, *events).items()}


def actions(option: Option) -> list[type]:
    return [type(step.action) for step in option.steps][:-1]


class TestProposed:
    def test_a_replacement_has_every_remedy_and_plainly_comes_first(self) -> None:
        names = list(proposed(group(AFTER), REPLACE_FIRST))

        assert names == ["baseline", *IDS_AND_DISK, "raise-warmups", *SECOND_COPIES, *LAST_RESORTS]

    def test_a_restart_that_loses_its_id_has_the_same(self) -> None:
        names = list(proposed(group(AFTER), EMPTY_RESTART))

        assert names == ["baseline", *IDS_AND_DISK, "raise-warmups", *SECOND_COPIES, *LAST_RESORTS]

    def test_a_restart_that_keeps_all_needs_none(self) -> None:
        names = list(proposed(group(AFTER), {"restart_client": {"process_id": A}}))

        assert names == ["baseline", "raise-warmups", *LAST_RESORTS]

    def test_an_added_client_can_only_be_placed_and_warmed_up(self) -> None:
        names = list(proposed(group(BEFORE), {"add_client": {"process_id": C, "threads": 2}}))

        for_more = ["seed-process-id", "raise-warmups", "seed-process-id+raise-warmups", "switch-assignor", "clear-state"]
        assert names == ["baseline", *for_more, "double-the-clients", "nothing-now"]

    def test_a_replacement_under_the_old_id_need_not_get_it(self) -> None:
        same = {"replace_client": {"process_id": C, "by": {"process_id": C, "threads": 2}, "state": "kept"}}

        assert list(proposed(group(AFTER), same)) == ["baseline", "raise-warmups", *LAST_RESORTS]

    @pytest.mark.parametrize("release", ["2.6.0", "2.6.1", "2.7.0"])
    def test_releases_that_read_no_process_file_cannot_be_given_an_id(self, release: str) -> None:
        names = [name for name in proposed(group(AFTER, release), REPLACE_FIRST) if name != "switch-assignor"]

        assert names == ["baseline", "raise-warmups", "standbys-first", "nothing-now"]

    def test_a_stateless_group_has_nothing_to_remedy(self) -> None:
        snapshot = group(AFTER)
        for task in snapshot["tasks"].values():
            task["changelogs"] = []
        for client in snapshot["clients"].values():
            for consumer in client["consumers"].values():
                consumer["task_offset_sums"] = {}

        assert list(proposed(snapshot, REPLACE_FIRST)) == ["baseline", "nothing-now"]

    def test_warm_ups_are_not_raised_where_the_change_sets_them(self) -> None:
        sets = {"set_config": {"max.warmup.replicas": 3}}

        assert "raise-warmups" not in proposed(group(AFTER), REPLACE_FIRST, sets)

    def test_a_group_that_probes_seldom_may_probe_more_often(self) -> None:
        seldom = group(AFTER)
        seldom["config"]["probing.rebalance.interval.ms"] = 600_000

        assert "probe-more-often" not in proposed(group(AFTER), REPLACE_FIRST)  # it probes every minute anyway
        assert "probe-more-often" in proposed(seldom, REPLACE_FIRST)
        assert "probe-more-often" not in proposed(seldom, REPLACE_FIRST, {"set_config": {"probing.rebalance.interval.ms": 120_000}})

    def test_every_candidate_survives_its_json(self) -> None:
        for option in proposed(group(AFTER), REPLACE_FIRST).values():
            text = dumps(codec_of(Option).write(option))

            assert codec_of(Option).read(loads(text)) == option

    def test_a_change_that_does_not_fit_is_refused_before_anything_is_searched(self) -> None:
        with pytest.raises(InvalidInput, match=r"events\[0\]\.remove_client\.process_id"):
            proposed(group(AFTER), {"remove_client": {"process_id": LAST}})


class TestRewritten:
    def test_only_the_events_that_a_remedy_changes_are_done_its_way(self) -> None:
        option = proposed(group(AFTER), {"restart_client": {"process_id": B}}, {"then": "stable"}, EMPTY_RESTART)[
            "copy-process-metadata"
        ]

        assert actions(option) == [RestartInPlace, AwaitStable, StopClient, WriteProcessMetadata, StartClient]

    def test_copying_the_metadata_keeps_the_id_and_not_the_state(self) -> None:
        option = proposed(group(AFTER), REPLACE_FIRST)["copy-process-metadata"]

        (event,) = option.change.events
        assert isinstance(event, ReplaceClient)
        assert (event.by.process_id, event.disk) == (ProcessId.parse(C), Disk.EMPTY)
        assert actions(option) == [StopClient, WriteProcessMetadata, StartClient]

    def test_copying_the_state_directory_keeps_both(self) -> None:
        option = proposed(group(AFTER), REPLACE_FIRST)["copy-state-directory"]

        (event,) = option.change.events
        assert isinstance(event, ReplaceClient)
        assert (event.by.process_id, event.disk) == (ProcessId.parse(C), Disk.KEPT)
        assert actions(option) == [StopClient, CopyStateDirectory, StartClient]

    def test_a_seeded_id_stands_where_the_old_one_stood_and_is_written_before_the_stop(self) -> None:
        option = proposed(group(AFTER), REPLACE_FIRST)["seed-process-id"]

        (event,) = option.change.events
        assert isinstance(event, ReplaceClient)
        seed = event.by.process_id
        assert seed is not None
        assert seed not in (ProcessId.parse(C), ProcessId.parse(LAST))
        assert seed < ProcessId.parse(A)
        assert actions(option) == [WriteProcessMetadata, StopClient, StartClient]

    def test_in_the_middle_the_seed_stands_between_the_neighbours(self) -> None:
        middle = {"replace_client": {"process_id": A, "by": {"process_id": LAST, "threads": 2}}}
        (event,) = proposed(group(AFTER), middle)["seed-process-id"].change.events

        assert isinstance(event, ReplaceClient)
        assert event.by.process_id is not None
        assert ProcessId.parse(C) < event.by.process_id < ProcessId.parse(B)

    def test_a_restarted_client_gets_its_id_back(self) -> None:
        (event,) = proposed(group(AFTER), EMPTY_RESTART)["copy-process-metadata"].change.events

        assert isinstance(event, RestartClient)
        assert (event.keeps_process_id, event.keeps_state) == (True, False)

    def test_raised_warm_ups_are_put_back(self) -> None:
        option = proposed(group(AFTER), REPLACE_FIRST)["raise-warmups"]

        assert [(one.key, one.value, one.revert_to) for one in option.settings] == [("max.warmup.replicas", 6, 2)]
        first, last = option.steps[0].action, option.steps[-2].action
        assert (first, last) == (RollOutConfig("max.warmup.replicas", 6, 2), RollOutConfig("max.warmup.replicas", 2, 6))
        assert [step.id for step in option.steps] == [str(number) for number in range(1, len(option.steps) + 1)]

    def test_a_place_is_found_for_an_added_client(self) -> None:
        (event,) = proposed(group(BEFORE), {"add_client": {"process_id": None, "threads": 2}})["seed-process-id"].change.events

        assert isinstance(event, AddClient)
        assert event.client.process_id is not None


class TestEvaluated:
    """The article: clients C, A, B in process-ID order; C is replaced by one that sorts last, with an empty disk."""

    def test_plainly_every_stateful_task_changes_hands(self) -> None:
        (cost,) = evaluated(group(AFTER), REPLACE_FIRST)["baseline"].costs

        assert (cost.moved, cost.stateful_tasks, cost.needless) == (6, 6, 4)
        assert cost.restored_records == 2 + 2 + 8 + 6 + 4 + 4
        assert cost.rebalances.high > cost.rebalances.low > 1

    @pytest.mark.thorough
    def test_with_the_old_metadata_only_its_own_tasks_restore(self) -> None:
        (cost,) = evaluated(group(AFTER), REPLACE_FIRST)["copy-process-metadata"].costs

        assert (cost.moved, cost.needless, cost.rebalances.high) == (0, 0, 1)
        assert [(str(one.process_id), " ".join(map(str, one.tasks)), one.records) for one in cost.restores] == [(C, "1_0 1_3", 8)]
        assert cost.cold == cost.restores

    def test_with_a_seeded_id_the_same_but_for_the_name(self) -> None:
        options = evaluated(group(AFTER), REPLACE_FIRST)
        (seeded,), (copied,) = options["seed-process-id"].costs, options["copy-process-metadata"].costs

        assert (seeded.moved, seeded.needless, seeded.restored_records) == (2, 0, copied.restored_records)

    def test_with_the_whole_disk_nothing_restores(self) -> None:
        (cost,) = evaluated(group(AFTER), REPLACE_FIRST)["copy-state-directory"].costs

        assert (cost.moved, cost.restores, cost.cold, cost.rebalances.high) == (0, (), (), 1)

    def test_more_warm_ups_move_the_same_sooner(self) -> None:
        options = evaluated(group(AFTER), REPLACE_FIRST)
        (plain,), (raised,) = options["baseline"].costs, options["raise-warmups"].costs

        assert raised.moved == plain.moved
        assert raised.seconds_to_stable.high < plain.seconds_to_stable.high

    @pytest.mark.thorough
    def test_probing_more_often_moves_the_same_in_a_tenth_of_the_time(self) -> None:
        seldom = group(AFTER)
        seldom["config"]["probing.rebalance.interval.ms"] = 600_000
        options = evaluated(seldom, REPLACE_FIRST)
        (plain,), (often,) = options["baseline"].costs, options["probe-more-often"].costs

        restarts = 2 * len(AFTER)
        assert often.moved == plain.moved
        assert often.rebalances == Span(plain.rebalances.low + restarts, plain.rebalances.high + restarts)
        assert often.seconds_to_stable.high * 10 == plain.seconds_to_stable.high
        option = proposed(seldom, REPLACE_FIRST)["probe-more-often"]
        assert [(one.value, one.revert_to) for one in option.settings] == [(60_000, 600_000)]
        assert option.title == "Shorten probing.rebalance.interval.ms from 600000 to 60000 during the rollout"

    @pytest.mark.thorough
    def test_with_standbys_first_nothing_stands_still_and_with_the_old_id_nothing_moves(self) -> None:
        options = evaluated(group(AFTER), REPLACE_FIRST)
        (plain,), (first,), (both,) = (options[name].costs for name in ("baseline", *SECOND_COPIES))

        assert (bool(plain.cold), first.cold, both.cold) == (True, (), ())
        assert (first.moved, both.moved) == (plain.moved, 0)
        assert first.restored_records > plain.restored_records, "every store once more"
        steps = [type(step.action) for step in proposed(group(AFTER), REPLACE_FIRST)["standbys-first"].steps]
        assert (steps[:2], steps[-2:]) == ([RollOutConfig, AwaitStable], [RollOutConfig, AwaitStable])

    @pytest.mark.parametrize(("setting", "proposes"), [(0, True), (1, False)])
    def test_a_group_with_standbys_needs_no_more(self, setting: int, proposes: bool) -> None:
        has = group(AFTER)
        has["config"]["num.standby.replicas"] = setting

        assert ("standbys-first" in proposed(has, REPLACE_FIRST)) is proposes

    @pytest.mark.thorough
    def test_an_id_left_to_chance_has_an_outcome_for_every_place(self) -> None:
        event = {"replace_client": {"process_id": C, "by": {"process_id": None, "threads": 2}}}
        plain = evaluated(group(AFTER), event)["baseline"]

        assert [cost.moved for cost in plain.costs] == [2, 4, 6]
        assert sum(cost.probability for cost in plain.costs) == pytest.approx(1)
        assert plain.worst.moved == 6
        assert 2 < plain.expected_moved < 3

    def test_a_client_that_must_give_some_of_its_tasks_gives_none_needlessly(self) -> None:
        last = {"add_client": {"process_id": LAST, "threads": 2}}
        (cost,) = evaluated(group(BEFORE), last)["baseline"].costs
        got = sum(len(client.active) for client in cost.end if str(client.process_id) == LAST)

        assert cost.moved - cost.needless == sum(
            str(task).startswith("1_") for client in cost.end if str(client.process_id) == LAST for task in client.active
        )
        assert got > 0

    def test_what_cannot_be_predicted_says_why(self) -> None:
        snapshot = altered(group(AFTER), ["tasks", "1_0", "changelogs"], None)

        for evaluation in evaluated(snapshot, REPLACE_FIRST).values():
            assert evaluation.costs == ()
            assert evaluation.refused is not None
            assert evaluation.refused.kind is Refuses.EVIDENCE
            assert "1_0" in evaluation.refused.reason

    @pytest.mark.thorough
    def test_every_evaluation_survives_its_json(self) -> None:
        for evaluation in evaluated(group(AFTER), REPLACE_FIRST).values():
            text = dumps(codec_of(EvaluatedOption).write(evaluation))

            assert codec_of(EvaluatedOption).read(loads(text)) == evaluation


@pytest.mark.parametrize("event", [{"restart_client": {"process_id": A}}, {"rolling_restart": {}}])
def test_a_static_client_that_comes_back_elsewhere_asks_for_a_rebalance(event: object) -> None:
    """It finds its own application.server missing in the assignment that the broker has kept for it."""
    without, said = group(AFTER), group(AFTER)
    for document in (without, said):
        for client in document["clients"].values():
            for number, consumer in enumerate(client["consumers"].values()):
                consumer["group_instance_id"] = f"{client['host']}-{number}"
    for client in said["clients"].values():
        client["user_endpoint"] = f"{client['host']}:8080"

    kinds = [one.kind for one in proposed(said, event)["baseline"].invalid_if]
    assert Invalid.OTHER_ENDPOINT in kinds
    for group_, what in ((without, event), (said, {"remove_client": {"process_id": A}})):
        assert Invalid.OTHER_ENDPOINT not in [one.kind for one in proposed(group_, what)["baseline"].invalid_if]


@pytest.mark.parametrize(
    ("event", "problem"),
    [
        ({"set_config": {"max.warmup.replicas": 0}}, r"events\[2\]\.set_config: max\.warmup\.replicas is 0"),
        ({"rolling_restart": {"set_config": {"acceptable.recovery.lag": -7}}}, r"events\[2\]\.rolling_restart: acceptable"),
        ({"set_config": {"session.timeout.ms": -1}}, r"events\[2\]\.set_config: session\.timeout\.ms is -1"),
        (
            {"set_config": {"session.timeout.ms": 9000, "heartbeat.interval.ms": 9000}},
            r"events\[2\]\.set_config: session\.timeout\.ms is 9,000 and heartbeat\.interval\.ms 9,000; the second must be lower",
        ),
    ],
)
def test_a_value_that_no_client_starts_with_is_refused_by_the_event_that_was_given(event: object, problem: str) -> None:
    """Not by one of those that a roll-out is written out as."""
    with pytest.raises(InvalidInput, match=problem):
        proposed(group(AFTER), {"restart_client": {"process_id": A}}, {"then": "stable"}, event)


def test_a_change_that_leaves_no_client_is_blocked_and_says_why() -> None:
    """Options that roll a setting out and back find no client to restart at the end: they are none."""
    plan = planned(group(AFTER), *({"remove_client": {"process_id": one}} for one in (A, B, C)))

    assert plan.recommended_option is None
    assert any("No client is left in the group" in one for one in plan.blocked_by)


@pytest.mark.thorough
def test_what_options_have_in_common_changes_no_figure() -> None:
    fresh = {"replace_client": {"process_id": A, "by": {"process_id": None, "threads": 2}, "state": "empty"}}
    snapshot, requested, shared = read(group(BEFORE)), change_from_json(change(fresh)), Shared()
    options = proposals.propose(snapshot, requested)

    together = [proposals.evaluate(snapshot, option, None, shared) for option in (*options, *options)]

    assert together == 2 * [proposals.evaluate(snapshot, option) for option in options]


def test_no_cycles_are_searched_for_while_an_option_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its decisions are trees of tuples: a search among millions of them finds nothing, again and again."""
    searched: list[bool] = []

    def costs_of(*arguments: Any) -> Any:
        searched.append(gc.isenabled())
        return cost.costs_of(*arguments)

    monkeypatch.setattr(proposals, "cost", SimpleNamespace(costs_of=costs_of))
    evaluated(group(AFTER), REPLACE_FIRST)

    assert searched
    assert not any(searched)
    assert gc.isenabled()
