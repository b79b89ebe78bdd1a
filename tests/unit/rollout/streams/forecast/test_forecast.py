"""Does a forecast say what the published experiment and real clusters showed?"""

import pytest
from tests.harness.article import AFTER, BEFORE, LAST, A, B, C, Document, change, fleet, group

from holdfast.errors import CannotPredict, InvalidInput, Unsupported
from holdfast.kafka.streams.group import Assignment
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.forecast.assignment_json import assignment_to_json
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.forecast.outcomes import Forecast, Outcome, Round
from holdfast.rollout.streams.process_ids import order
from holdfast.rollout.streams.snapshot.json import snapshot_from_json


def predict(snapshot: Document, *events: object, **others: object) -> Forecast:
    return forecast(snapshot_from_json(snapshot), change_from_json(change(*events, **others)))


def only(answer: Forecast) -> Outcome:
    (outcome,) = answer.outcomes
    return outcome


def planned(one: Round) -> dict[str, str]:
    """What the task assignor decided, a line a client: active | standby."""
    assert isinstance(one.decision, Assignment)
    return {
        str(client.process_id): f"{' '.join(map(str, client.active))} | {' '.join(map(str, client.standby))}".strip()
        for client in one.decision.clients
    }


def moved(snapshot: Document, *events: object, **others: object) -> int:
    outcome = only(predict(snapshot, *events, **others))
    assert outcome.stable
    return outcome.summary.active_moved


JOIN_C = {"add_client": {"process_id": C, "threads": 2}}


def replace(old: str, new: str | None, **others: object) -> Document:
    return {"replace_client": {"process_id": old, "by": {"process_id": new, "threads": 2}} | others}


class TestTheArticle:
    """Published: Kafka Streams 2.7.2, a third client joins two others."""

    def test_each_rebalance_decides_what_the_logs_show(self) -> None:
        outcome = only(predict(group(BEFORE), JOIN_C))

        steps = [planned(one) for one in outcome.rounds if one.trigger is not Trigger.IMMEDIATE]
        assert steps == [
            {C: "0_0 0_1 0_2 0_3 | 1_0", A: "0_4 1_0 1_2 1_4 |", B: "0_5 1_1 1_3 1_5 | 1_2"},
            {C: "0_0 0_2 0_4 1_0 | 1_3", A: "0_1 0_3 0_5 1_4 | 1_1", B: "1_1 1_2 1_3 1_5 |"},
            {C: "0_0 0_3 1_0 1_3 |", A: "0_1 0_4 1_1 1_4 |", B: "0_2 0_5 1_2 1_5 |"},
        ]

    def test_it_takes_two_probing_intervals_and_restores_what_moves(self) -> None:
        summary = only(predict(group(BEFORE), JOIN_C)).summary

        assert (summary.stateful_tasks, summary.active_moved) == (6, 4)
        assert (summary.seconds_to_stable_at_least, summary.seconds_to_stable) == (0, 120)
        assert summary.rebalances_at_least < summary.rebalances
        assert summary.restore_records == 2 + 2 + 8 + 6  # the end offsets of 1_0 to 1_3
        assert summary.without_caught_up_copy.tasks == 0

    @pytest.mark.parametrize("release", ["3.5.2", "3.9.1", "4.3.1"])
    def test_later_releases_begin_with_other_warm_ups_and_end_alike(self, release: str) -> None:
        outcome = only(predict(group(BEFORE, release), JOIN_C))

        first, last = planned(outcome.rounds[0]), planned(outcome.rounds[-1])
        assert first[C].endswith("| 1_0")
        assert first[A].endswith("| 1_1")
        assert last == {C: "0_0 0_3 1_0 1_3 |", A: "0_1 0_4 1_1 1_4 |", B: "0_2 0_5 1_2 1_5 |"}

    @pytest.mark.parametrize("release", ["2.7.2", "3.9.1", "4.3.1"])
    def test_the_first_replaced_by_one_that_sorts_last_moves_everything(self, release: str) -> None:
        assert moved(group(AFTER, release), replace(C, LAST)) == 6

    @pytest.mark.parametrize("release", ["2.7.2", "3.9.1", "4.3.1"])
    @pytest.mark.parametrize("disk", ["empty", "kept", {"copied_from": C}])
    def test_the_first_replaced_by_its_own_process_id_moves_nothing(self, release: str, disk: object) -> None:
        outcome = only(predict(group(AFTER, release), replace(C, C, state=disk)))

        assert outcome.summary.active_moved == 0
        assert outcome.summary.rebalances == 1
        assert outcome.summary.restore_records == (8 if disk == "empty" else 0)
        assert outcome.summary.without_caught_up_copy.tasks == (2 if disk == "empty" else 0)

    def test_where_all_copies_have_caught_up_a_follow_up_may_still_miss_one(self) -> None:
        """Seen with standbys on 2.7.2 and 3.9.1: three rebalances where two would do."""
        before = group(AFTER)
        before["config"]["acceptable.recovery.lag"] = 10_000
        summary = only(predict(before, {"remove_client": {"process_id": A}})).summary
        assert (summary.rebalances_at_least, summary.rebalances, summary.rebalances_at_most) == (2, 2, 4)

    def test_the_last_replaced_by_one_that_sorts_last_moves_its_own_tasks_only(self) -> None:
        assert moved(group(AFTER), replace(B, LAST)) == 2

    def test_nothing_moves_without_a_change(self) -> None:
        outcome = only(predict(group(AFTER)))

        assert outcome.summary.active_moved == 0
        assert [(one.trigger, one.at_seconds) for one in outcome.rounds] == [(Trigger.CHANGE, 0)]

    @pytest.mark.parametrize(("release", "strays"), [("2.7.2", False), ("3.9.1", True)])
    def test_a_stale_copy_attracts_its_task_for_one_probe(self, release: str, strays: bool) -> None:
        """Seen on real clusters: process metadata copied, empty disk, a stale copy of a lost task elsewhere."""
        snapshot = group(AFTER, release)
        consumer = next(iter(snapshot["clients"][A]["consumers"].values()))
        consumer["task_offset_sums"]["1_0"] = 1

        outcome = only(predict(snapshot, replace(C, C)))

        owners = [
            next(who for who, tasks in planned(one).items() if "1_0" in tasks.split("|")[0].split()) for one in outcome.rounds
        ]
        assert (owners[0] == A) is strays
        assert owners[-1] == C


class TestFleets:
    """The known effects, with Kafka's defaults: 400 tasks on 20 hosts."""

    def test_the_same_process_id_moves_nothing(self) -> None:
        snapshot, ids = fleet(20, 400, seed=1)

        assert moved(snapshot, {"replace_client": {"process_id": ids[7], "by": {"process_id": ids[7]}}}) == 0

    @pytest.mark.thorough
    def test_a_fresh_process_id_moves_a_third_or_more(self) -> None:
        """The rank of the new client is chance: the mean over the positions, of one small fleet with the same proportions."""
        snapshot, ids = fleet(10, 40, seed=5)
        shares = []
        for host in (0, 4, 9):
            answer = predict(snapshot, {"replace_client": {"process_id": ids[host], "by": {"process_id": None}}})
            assert len(answer.outcomes) == 10
            assert sum(outcome.probability for outcome in answer.outcomes) == pytest.approx(1)
            shares.append(sum(outcome.probability * outcome.summary.active_moved for outcome in answer.outcomes) / 40)

        assert 0.25 < sum(shares) / len(shares) < 0.6

    @pytest.mark.thorough
    def test_one_host_more_moves_nearly_everything(self) -> None:
        snapshot, ids = fleet(20, 400, seed=1)
        newcomer = {"add_client": {"process_id": str(_before(ids[0])), "threads": 1}}

        summary = only(predict(snapshot, newcomer, assume={"catch_up": "next rebalance"})).summary

        assert summary.active_moved >= 0.93 * 400

    def test_two_tasks_move_each_probing_interval(self) -> None:
        snapshot, ids = fleet(6, 60, seed=3)
        newcomer = {"add_client": {"process_id": str(_before(ids[0])), "threads": 1}}

        summary = only(predict(snapshot, newcomer)).summary

        assert summary.active_moved > 40
        assert summary.seconds_to_stable == (summary.active_moved + 1) // 2 * 600


def _before(process_id: str) -> ProcessId:
    return order.between(None, ProcessId.parse(process_id))


class TestEvents:
    def test_a_fresh_process_id_has_an_outcome_for_each_position_weighted_by_its_gap(self) -> None:
        answer = predict(group(AFTER), replace(C, None))

        assert [outcome.process_ids.index(next(iter(set(outcome.process_ids) - _known()))) for outcome in answer.outcomes] == [
            0,
            1,
            2,
        ]
        assert [round(outcome.probability, 3) for outcome in answer.outcomes] == [0.794, 0.148, 0.057]
        assert [outcome.summary.active_moved for outcome in answer.outcomes] == [2, 4, 6]

    def test_a_marker_lets_the_group_converge_before_the_next_event(self) -> None:
        outcome = only(predict(group(BEFORE), JOIN_C, {"then": "stable"}, {"remove_client": {"process_id": C}}))

        triggers = [one.trigger for one in outcome.rounds]
        assert triggers.count(Trigger.CHANGE) == 2
        assert outcome.rounds[triggers.index(Trigger.CHANGE, 1)].at_seconds == 120
        assert outcome.summary.active_moved == 0

    def test_a_marker_lets_one_rebalance_pass(self) -> None:
        outcome = only(predict(group(BEFORE), JOIN_C, {"then": "rebalance"}, {"set_config": {"max.warmup.replicas": 6}}))

        assert [one.trigger for one in outcome.rounds[:2]] == [Trigger.CHANGE, Trigger.CHANGE]
        assert outcome.rounds[1].at_seconds == 0
        assert outcome.summary.seconds_to_stable == 60

    def test_more_warm_ups_take_fewer_probes(self) -> None:
        slow = only(predict(group(BEFORE), JOIN_C)).summary
        fast = only(predict(group(BEFORE), {"set_config": {"max.warmup.replicas": 6}}, JOIN_C)).summary

        assert fast.active_moved == slow.active_moved
        assert (slow.seconds_to_stable, fast.seconds_to_stable) == (120, 60)

    def test_a_restart_that_keeps_everything_moves_nothing(self) -> None:
        outcome = only(predict(group(AFTER, "4.3.1"), {"restart_client": {"process_id": C}}))

        assert outcome.summary.active_moved == 0
        assert outcome.summary.restore_records == 0

    def test_a_restart_with_a_new_process_id_is_another_client(self) -> None:
        event = {"restart_client": {"process_id": C, "keeps_process_id": False, "new_process_id": LAST}}

        assert moved(group(AFTER), event) == 6

    def test_new_members_have_the_ids_of_the_contract(self) -> None:
        outcome = only(predict(group(BEFORE), JOIN_C))
        newcomer = next(client for client in outcome.clients if str(client.process_id) == C)

        assert [consumer.member_id for consumer in newcomer.consumers] == [
            f"streams-wordcount-{C}-StreamThread-{number}-consumer-00000000-0000-0000-0000-000000000000" for number in (1, 2)
        ]
        assert newcomer.consumers[0].client_id == f"streams-wordcount-{C}-StreamThread-1-consumer"

    def test_a_replacement_takes_over_what_it_is_not_given(self) -> None:
        snapshot = group(AFTER)
        snapshot["clients"][C] |= {"rack": "a", "client_tags": {"zone": "z"}}
        taken = only(predict(snapshot, {"replace_client": {"process_id": C, "by": {"process_id": LAST}}})).clients[-1]
        given = only(predict(snapshot, {"replace_client": {"process_id": C, "by": {"process_id": LAST, "rack": None}}})).clients[-1]

        assert (taken.host, taken.rack, taken.client_tags, len(taken.consumers)) == (f"app-{C[:4]}", "a", (("zone", "z"),), 2)
        assert given.rack is None

    def test_the_smallest_process_id_leads_where_the_leader_is_gone(self) -> None:
        snapshot = group(AFTER, leader=B)
        outcome = only(predict(snapshot, replace(B, LAST)))
        decision = outcome.rounds[0].decision

        assert isinstance(decision, Assignment)
        asked = [one.member_id for one in decision.consumers if one.next_rebalance == "probing"]
        assert all(C in member_id for member_id in asked)

    @pytest.mark.parametrize(
        ("event", "said"),
        [
            ({"remove_client": {"process_id": LAST}}, "not in the group"),
            (replace(LAST, C), "not in the group"),
            ({"restart_client": {"process_id": LAST}}, "not in the group"),
            (replace(A, B), "already"),
            ({"add_client": {"process_id": A, "threads": 1}}, "already"),
            ({"restart_client": {"process_id": A, "keeps_process_id": False, "new_process_id": B}}, "already"),
            (replace(A, LAST, state={"copied_from": LAST}), r"events\[0\]\.replace_client\.state\.copied_from: .*not in the group"),
            ({"restart_client": {"process_id": A, "member_ids": ["one"]}}, "one member ID a thread"),
            ({"set_config": {"max.warmup.replicas": 0}}, "max.warmup.replicas"),
        ],
    )
    def test_an_event_that_does_not_fit_the_group_is_refused(self, event: object, said: str) -> None:
        with pytest.raises(InvalidInput, match=said):
            predict(group(AFTER), event)


def _known() -> set[ProcessId]:
    return {ProcessId.parse(one) for one in (A, B, C)}


class TestWhatCannotBePredicted:
    def test_unknown_changelogs(self) -> None:
        snapshot = group(AFTER)
        snapshot["tasks"]["1_3"]["changelogs"] = None

        with pytest.raises(CannotPredict, match="1_3"):
            predict(snapshot)

    def test_unknown_end_offsets(self) -> None:
        snapshot = group(AFTER)
        snapshot["tasks"]["1_3"]["changelogs"] = [["changelog", 3, None]]

        with pytest.raises(CannotPredict, match="1_3"):
            predict(snapshot)

    def test_a_group_in_the_middle_of_a_rebalance(self) -> None:
        with pytest.raises(CannotPredict, match="was rebalancing"):
            predict(group(AFTER) | {"group_state": "PreparingRebalance"})

    def test_nobody_left(self) -> None:
        with pytest.raises(CannotPredict, match="No client is left"):
            predict(group({A: (("0_0",), ())}), {"remove_client": {"process_id": A}})

    def test_a_release_that_is_not_covered(self) -> None:
        with pytest.raises(Unsupported, match=r"9\.9\.9"):
            predict(group(AFTER, "9.9.9"))

    def test_too_many_ids_left_to_chance(self) -> None:
        events = [{"add_client": {"process_id": None, "threads": 1}}] * 5
        with pytest.raises(CannotPredict, match="random process IDs have"):
            predict(group(AFTER), *events)

    def test_without_a_release_the_forecast_stands_where_all_agree(self) -> None:
        answer = predict(group(AFTER, release=None))

        assert only(answer).summary.active_moved == 0
        assert any(one.what == "kafka_release" for one in answer.unknown)

    def test_without_a_release_it_says_which_would_decide_what(self) -> None:
        with pytest.raises(CannotPredict) as refusal:
            predict(group(BEFORE, release=None), JOIN_C)

        first = f"4 tasks moved in 6 rebalances, in rebalance 1 {A} runs 0_4 1_0 1_2 1_4 and stands by for"
        assert f"3.1.2, 3.2.3: {first} none" in str(refusal.value)
        assert f"4.3.1: {first} 1_1" in str(refusal.value)

    def test_without_a_release_a_difference_between_threads_is_said(self) -> None:
        answer = predict(group(BEFORE, None, {"acceptable.recovery.lag": 10_000}), JOIN_C)

        assert only(answer).summary.active_moved == 4
        assert ["temporary standbys: those shown are of 4.3.1" in one.reason for one in answer.unknown] == [True]

    def test_a_release_is_narrowed_down_by_the_members_metadata(self) -> None:
        snapshot = group(BEFORE, release=None)
        for client in snapshot["clients"].values():
            for consumer in client["consumers"].values():
                consumer["metadata_version"] = 8

        assert only(predict(snapshot, JOIN_C)).summary.active_moved == 4

    def test_what_the_snapshot_does_not_know_stays_unknown(self) -> None:
        answer = predict(group(AFTER) | {"unknown": [{"what": "standbys", "reason": "nobody can see them"}]})

        assert [(one.what, one.reason) for one in answer.unknown] == [("standbys", "nobody can see them")]


class TestWhatIsSaidBesides:
    def test_a_refused_setting_is_named_with_its_event(self) -> None:
        with pytest.raises(InvalidInput, match=r"^events\[1\]\.set_config: max\.warmup\.replicas"):
            predict(group(AFTER), {"remove_client": {"process_id": A}}, {"set_config": {"max.warmup.replicas": 0}})

    def test_static_members_may_return_without_a_rebalance(self) -> None:
        snapshot = group(AFTER)
        for number, consumer in enumerate(snapshot["clients"][A]["consumers"].values()):
            consumer["group_instance_id"] = f"a-{number}"

        assert [one.what for one in predict(snapshot, {"restart_client": {"process_id": A}}).unknown] == ["group_instance_id"]
        assert predict(snapshot, {"restart_client": {"process_id": B}}).unknown == ()

    def test_who_leads_is_said_to_be_unknown_where_it_matters(self) -> None:
        answer = predict(group(BEFORE, leader=None), JOIN_C)

        assert [one.what for one in answer.unknown] == ["leader_process_id"]

    def test_a_leader_that_fails_is_the_end(self) -> None:
        """2.7: a member reports a task that the topology has no more."""
        snapshot = group(AFTER)
        next(iter(snapshot["clients"][A]["consumers"].values()))["task_offset_sums"]["7_7"] = 5
        outcome = only(predict(snapshot))

        assert not outcome.stable
        assert (outcome.summary.seconds_to_stable, outcome.summary.active_moved) == (None, 0)
        assert "fails" in outcome.notes[0].text
        assert "error" in assignment_to_json(outcome.rounds[-1].decision)
