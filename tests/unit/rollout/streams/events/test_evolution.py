"""Do members report what the contract's five rules say?"""

from dataclasses import replace

import pytest
from tests.harness.article import BEFORE, A, B, change, group

from holdfast.errors import CannotPredict
from holdfast.kafka.streams.group import Assignment, ConsumerAssignment, Group, NextRebalance
from holdfast.kafka.vocabulary import LATEST_OFFSET, TaskId
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.events.batches import apply
from holdfast.rollout.streams.forecast import forecast
from holdfast.rollout.streams.scene.assumptions import Assume, CatchUp, ClosedCopies, DormantCopies
from holdfast.rollout.streams.scene.reports import Reports, TimeBetween, reported
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot import groups
from holdfast.rollout.streams.snapshot.json import snapshot_from_json

BY_DEFAULT = Assume()
END = {"1_0": 2, "1_1": 2, "1_2": 8, "1_3": 6, "1_4": 4, "1_5": 4}


def start(release: str = "3.9.1") -> Group:
    return groups.group_of(snapshot_from_json(group(BEFORE, release)))


def tasks(names: str) -> tuple[TaskId, ...]:
    return tuple(TaskId.parse(name) for name in names.split())


def handed(here: Group, shares: dict[str, str]) -> Assignment:
    """`shares`: first letters of a process ID and a thread → `active | standby | withheld`."""
    consumers = []
    for client in here.clients:
        for number, consumer in enumerate(client.consumers, start=1):
            active, standby, withheld = (shares.get(f"{str(client.process_id)[:4]}-{number}", "") + "||").split("|")[:3]
            consumers.append(
                ConsumerAssignment(consumer.member_id, tasks(active), tasks(standby), tasks(withheld), NextRebalance.NONE)
            )
    return Assignment(False, (), tuple(consumers))


def after(
    shares: dict[str, str], pause: TimeBetween, assume: Assume = BY_DEFAULT, release: str = "3.9.1", seconds: float = 60
) -> dict[str, dict[str, int]]:
    here = start(release)
    clients = Reports(here, assume).after(here.clients, handed(here, shares), pause, seconds)
    return {
        f"{str(client.process_id)[:4]}-{number}": {str(task): total for task, total in consumer.task_offset_sums}
        for client in clients
        for number, consumer in enumerate(client.consumers, start=1)
    }


class TestAStandbyThatIsClosed:
    """Rule 3: it keeps its last value. Seen in 2.8.2 and 3.9.1 with two threads: one less a changelog, which the range covers."""

    def test_keeps_what_it_reported(self) -> None:
        assert Reports(start("3.9.1"), BY_DEFAULT).closed(TaskId(1, 2), END["1_2"]) == END["1_2"]

    @pytest.mark.parametrize(("release", "closed"), [("3.9.1", 7), ("4.3.1", 8)])
    def test_reports_one_less_in_the_range(self, release: str, closed: int) -> None:
        rules = Reports(start(release), BY_DEFAULT, as_seen=True)
        assert rules.closed(TaskId(1, 2), END["1_2"]) == closed
        assert rules.closed(TaskId(1, 2), 5) == 5


class TestOpenedLate:
    """An immediate follow-up that comes before a thread has opened what it was handed."""

    def reports(self, pause: TimeBetween, *, as_seen: bool = True) -> dict[TaskId, int]:
        here = start()
        rules = Reports(here, BY_DEFAULT, as_seen=as_seen)
        new = next(one for one in here.clients if str(one.process_id).startswith("7156"))
        runs = [task for task, total in reported(new).items() if total == LATEST_OFFSET]
        other = f"{str(new.process_id)[:4]}-{2 if runs[0] in dict(new.consumers[0].task_offset_sums) else 1}"
        clients = rules.after(here.clients, handed(here, {other: str(runs[0])}), pause, 0)
        return reported(next(one for one in clients if one.process_id == new.process_id))

    def test_a_task_that_passed_to_another_thread_counts_as_closed(self) -> None:
        late, running = self.reports(TimeBetween.NONE), self.reports(TimeBetween.NONE, as_seen=False)
        (passed,) = [task for task, total in running.items() if total == LATEST_OFFSET]
        assert late[passed] == END[str(passed)] - 1

    def test_by_a_probing_rebalance_it_runs(self) -> None:
        assert self.reports(TimeBetween.PROBING) == self.reports(TimeBetween.PROBING, as_seen=False)


class TestExactlyOnce:
    """The marker of a changelog's last transaction has an offset, and no copy ever counts it."""

    @pytest.mark.parametrize(("release", "closed"), [("3.9.1", 6), ("4.3.1", 7)])
    def test_a_copy_that_lacks_nothing_is_one_behind(self, release: str, closed: int) -> None:
        here = start(release)
        rules = Reports(here, Assume(), transactional=True)
        clients = rules.after(here.clients, handed(here, {"7156-2": "| 1_2"}), TimeBetween.PROBING, 60)
        assert dict(clients[1].consumers[1].task_offset_sums)[TaskId(1, 2)] == END["1_2"] - 1
        assert rules.closed(TaskId(1, 2), -2) == closed
        assert [rules.to_restore(TaskId(1, 2), total) for total in (None, 7, 8, 9)] == [7, 0, 0, 7]

    @pytest.mark.parametrize(("lag", "stable"), [(0, False), (1, True)])
    def test_without_any_acceptable_lag_no_warm_up_ever_counts(self, lag: int, stable: bool) -> None:
        """Seen: such a group of 3.9.1 probed every minute for as long as it was watched."""
        settings = (("processing.guarantee", "exactly_once_v2"), ("acceptable.recovery.lag", lag))
        before = snapshot_from_json(group(BEFORE, "3.9.1")).with_config(settings)
        joins = {"add_client": {"process_id": "bbb83e43-b1af-4b2d-a60a-94a7091684d0", "threads": 2}}
        (outcome,) = forecast.forecast(before, change_from_json(change(joins))).outcomes
        assert outcome.stable is stable


class TestActiveTasks:
    def test_what_is_handed_over_runs_and_is_owned(self) -> None:
        here = start()
        clients = Reports(here, Assume()).after(here.clients, handed(here, {"7156-2": "0_0 1_5 | | 1_0"}), TimeBetween.NONE, 0)
        consumer = clients[1].consumers[1]

        assert [str(one) for one in consumer.owned] == ["input-0", "repartition-5"]
        assert dict(consumer.task_offset_sums)[TaskId(1, 5)] == -2
        assert TaskId(1, 0) not in dict(consumer.task_offset_sums)

    def test_a_stateless_task_is_owned_and_not_reported(self) -> None:
        assert "0_0" not in after({"7156-2": "0_0"}, TimeBetween.PROBING)["7156-2"]


class TestStandbys:
    @pytest.mark.parametrize(("pause", "total"), [(TimeBetween.NONE, 0), (TimeBetween.PROBING, 8), (TimeBetween.SETTLED, 8)])
    def test_a_new_one_has_caught_up_by_the_next_probe_and_not_sooner(self, pause: TimeBetween, total: int) -> None:
        assert after({"7156-1": "| 1_2"}, pause)["7156-1"]["1_2"] == total

    def test_it_may_be_assumed_to_catch_up_at_once(self) -> None:
        assert after({"7156-1": "| 1_2"}, TimeBetween.NONE, Assume(catch_up=CatchUp.NEXT_REBALANCE))["7156-1"]["1_2"] == 8

    @pytest.mark.parametrize(("seconds", "total"), [(0, 0), (2, 6), (60, 8)])
    def test_it_may_be_assumed_to_catch_up_at_a_rate(self, seconds: float, total: int) -> None:
        assume = Assume(CatchUp.RATE, records_per_second=3)

        assert after({"7156-1": "| 1_2"}, TimeBetween.PROBING, assume, seconds=seconds)["7156-1"]["1_2"] == total

    def test_what_ran_on_the_same_client_is_complete(self) -> None:
        assert after({"4b61-1": "| 1_2"}, TimeBetween.NONE)["4b61-1"]["1_2"] == 8


class TestDormantCopies:
    @pytest.mark.parametrize(("release", "total"), [("2.7.2", 7), ("4.1.1", 7), ("4.3.1", 8)])
    def test_one_that_was_active_was_closed_cleanly(self, release: str, total: int) -> None:
        """Up to 4.2 it reports one too few a changelog."""
        reports = after({}, TimeBetween.PROBING, release=release)

        assert reports["4b61-2"]["1_2"] == total
        assert "1_2" not in reports["4b61-1"]

    def test_its_sum_is_pinned_as_java_pins_it(self) -> None:
        snapshot = group(BEFORE, "3.9.1")
        snapshot["tasks"]["1_2"]["changelogs"] = [["changelog", 2, 2**63 - 1], ["other", 2, 2**63 - 1]]
        here = groups.group_of(snapshot_from_json(snapshot))
        clients = Reports(here, Assume()).after(here.clients, handed(here, {}), TimeBetween.PROBING, 60)

        assert reported(clients[0])[TaskId(1, 2)] == 2**63 - 1

    def test_it_may_be_assumed_complete(self) -> None:
        assume = Assume(closed_copies=ClosedCopies.END)

        assert after({}, TimeBetween.PROBING, assume, release="2.7.2")["4b61-2"]["1_2"] == 8

    def test_it_may_be_assumed_lost(self) -> None:
        assert after({}, TimeBetween.PROBING, Assume(dormant_copies=DormantCopies.DROPPED))["4b61-2"] == {}

    def test_a_copy_that_another_thread_runs_is_not_dormant(self) -> None:
        reports = after({"4b61-1": "1_2"}, TimeBetween.PROBING)

        assert "1_2" not in reports["4b61-2"]
        assert reports["4b61-1"]["1_2"] == -2


class TestEvents:
    def scene(self, *events: object, release: str = "4.3.1") -> Scene:
        snapshot = snapshot_from_json(group(BEFORE, release))
        here = groups.group_of(snapshot)
        (batch,) = change_from_json(change(*events)).numbered_batches()
        scene = Scene(snapshot.group_id, snapshot.clients, snapshot.config, snapshot.leader_process_id, snapshot.kafka_release)
        return apply(scene, batch, Reports(here, Assume()))

    def test_a_kept_disk_is_reported_by_the_first_member_in_string_order(self) -> None:
        by = {"process_id": A, "member_ids": ["member-9", "member-10"]}
        scene = self.scene({"replace_client": {"process_id": A, "by": by, "state": "kept"}})
        first, second = scene.clients[-1].consumers

        assert first.task_offset_sums == ()
        assert {str(task): total for task, total in second.task_offset_sums} == {"1_0": 2, "1_2": 8, "1_4": 4}
        assert first.owned == second.owned == ()

    def test_a_copy_is_taken_before_the_change(self) -> None:
        scene = self.scene(
            {"remove_client": {"process_id": B}},
            {"replace_client": {"process_id": A, "by": {"process_id": A}, "state": {"copied_from": B}}},
        )

        assert {str(task) for task in reported(scene.clients[0])} == {"1_1", "1_3", "1_5"}

    def test_a_restart_owns_nothing_and_keeps_its_members(self) -> None:
        before = start().clients[0]
        restarted = self.scene({"restart_client": {"process_id": A}}).clients[0]

        assert [one.member_id for one in restarted.consumers] == [one.member_id for one in before.consumers]
        assert all(one.owned == () for one in restarted.consumers)
        assert reported(restarted) == {task: END[str(task)] for task in reported(before)}

    def test_a_restart_may_lose_its_disk_and_change_its_threads(self) -> None:
        restarted = self.scene({"restart_client": {"process_id": A, "keeps_state": False, "threads": 3}}).clients[0]

        assert len(restarted.consumers) == 3
        assert reported(restarted) == {}

    def test_settings_are_put_over_the_old_ones(self) -> None:
        scene = self.scene({"set_config": {"max.warmup.replicas": 6}})

        assert dict(scene.config)["max.warmup.replicas"] == 6
        assert dict(scene.config)["probing.rebalance.interval.ms"] == 60000


def test_unknown_end_offsets_cannot_be_reckoned_with() -> None:
    here = start()
    task = here.tasks[6]
    assert task.changelogs
    unknown = replace(task, changelogs=(task.changelogs[0]._replace(end_offset=None),))

    with pytest.raises(CannotPredict, match="1_0"):
        Reports(replace(here, tasks=(*here.tasks[:6], unknown, *here.tasks[7:])), Assume())
