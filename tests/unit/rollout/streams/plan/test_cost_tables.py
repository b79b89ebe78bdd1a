"""Cost by task, broker and disk: brokers that serve restores, disks that fill, tasks that are unavailable."""

from dataclasses import replace

import pytest
from tests.harness.article import AFTER, LAST, A, B, C, Document, altered, change, group
from tests.harness.plans import REPLACE_FIRST, measured, planned, read

from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.assessment import Rule, RuleStatus
from holdfast.rollout.policy.json import policy_from_json
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.cost.cost import costs_of
from holdfast.rollout.streams.cost.evaluation import ClientDisk, Cost, TaskStop
from holdfast.rollout.streams.cost.times_of_costs import worked_out
from holdfast.rollout.streams.forecast.amounts import Amount, BrokerReads
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.workflows.plan import markdown

GIB = 2**30


def baseline(document: Document, *events: object) -> Cost:
    snapshot = read(document)
    requested = change_from_json(change(*(events or (REPLACE_FIRST,))))
    (cost,) = costs_of(snapshot, requested, forecast(snapshot, requested))
    return cost


def led(document: Document) -> Document:
    """Broker 1 leads the changelogs with even numbers, broker 2 the others."""
    found = measured(document)
    for one in found["topics"]["changelog"]["partitions"]:
        one["leader"] = 1 + one["id"] % 2
    return found


def roomy(document: Document, *, free: int, only: tuple[str, ...] = (A, B, C)) -> Document:
    return document | {"state_directories": [{"url": f"/{one}", "process_id": one, "free_bytes": free} for one in only]}


def disk_rule(plan: Plan) -> Rule | None:
    return next((one for one in plan.rules if one.name == "disk"), None)


class TestBrokers:
    def test_the_leader_of_a_changelog_serves_it(self) -> None:
        """C's tasks 1_0 and 1_3 are restored (2 and 6 records), then the others' as they warm up."""
        cost = baseline(led(group(AFTER)))

        assert [one.broker for one in cost.reads] == [1, 2]
        assert sum(one.total.records for one in cost.reads) == cost.restored_records
        assert all(one.total.size == 1_500 * one.total.records for one in cost.reads)
        assert all(one.at_once.records <= one.total.records for one in cost.reads)

    def test_without_leaders_nobody_knows_who_serves_it(self) -> None:
        cost = baseline(group(AFTER))

        assert cost.reads == (BrokerReads(None, Amount(cost.restored_records), cost.reads[0].at_once),)

    def test_a_task_with_several_changelogs_is_read_from_each(self) -> None:
        document = altered(group(AFTER), ["tasks", "1_3", "changelogs"], [["small", 3, 1], ["large", 3, 5]])
        found = measured(document)
        found["topics"]["small"]["partitions"][0]["leader"] = 7
        found["topics"]["large"]["partitions"][0]["leader"] = 8
        cost = baseline(found, {"replace_client": {"process_id": C, "by": {"process_id": C}, "state": "empty"}})
        by_broker = {one.broker: one.total for one in cost.reads}

        assert by_broker == {7: Amount(1, 1_500), 8: Amount(5, 7_500), None: Amount(2, 3_000)}


class TestDisks:
    def test_what_was_ever_there_counts_until_it_is_over(self) -> None:
        disks = {one.process_id: one for one in baseline(measured(group(AFTER))).disks}

        assert disks[ProcessId.parse(LAST)].now == Amount(0, 0)
        assert disks[ProcessId.parse(A)].now == Amount(6, 9_000)
        for one in disks.values():
            assert one.end.records <= one.most.records
            assert one.now.records <= one.most.records
            assert one.most.size == 1_500 * one.most.records

    def test_copies_that_were_seen_on_a_disk_are_there_now(self) -> None:
        document = measured(group(AFTER))
        document["state_directories"] = [
            {"url": "/a", "process_id": A, "free_bytes": GIB, "tasks": {"1_2": {"non_empty": True}, "9_9": {"non_empty": True}}}
        ]
        (found,) = (one for one in baseline(document).disks if str(one.process_id) == A)

        assert found.now == Amount(14, 21_000)
        assert found.free == GIB

    def test_a_client_that_comes_up_on_another_disk_has_nothing_there(self) -> None:
        event = {"replace_client": {"process_id": C, "by": {"process_id": C}, "state": "empty"}}
        (found,) = (one for one in baseline(roomy(measured(group(AFTER)), free=GIB), event).disks if str(one.process_id) == C)

        assert (found.now, found.free) == (Amount(0, 0), None)

    def test_what_nobody_measured_is_reckoned_by_the_policy(self) -> None:
        disk = ClientDisk(ProcessId.parse(A), Amount(2), Amount(10), Amount(4))

        assert disk.grows_by(None) is None
        assert disk.grows_by(100) == 800


class TestTheRule:
    @pytest.mark.thorough
    @pytest.mark.parametrize(
        ("free", "limits", "status"),
        [
            (GIB, {}, RuleStatus.PASS),
            (100, {}, RuleStatus.FAIL),
            (GIB, {"disk_free_bytes_least": GIB}, RuleStatus.FAIL),
            (GIB, {"disk_free_bytes_least": GIB // 2}, RuleStatus.UNKNOWN),  # the new client's disk
        ],
    )
    def test_room_on_disks(self, free: int, limits: Document, status: RuleStatus) -> None:
        policy = policy_from_json(
            {"format_version": "1.0", "exclude": ["copy-process-metadata", "copy-state-directory", "seed-process-id"], **limits}
        )
        found = disk_rule(planned(roomy(measured(group(AFTER)), free=free), REPLACE_FIRST, policy=policy))

        assert found is not None
        assert found.status is status
        assert found.blocking == bool(limits)

    def test_disks_that_nobody_looked_at_are_no_matter_unless_somebody_asks(self) -> None:
        assert disk_rule(planned(measured(group(AFTER)), REPLACE_FIRST)) is None

    def test_clients_of_one_host_may_share_a_disk(self) -> None:
        """Either has room for what it gets, and there is not room for both."""
        document = roomy(measured(group(AFTER)), free=30_000)
        for client in document["clients"].values():
            client["host"] = "one-host"
        event = {"remove_client": {"process_id": C}}
        grown = [one.grows_by(None) or 0 for one in baseline(document, event).disks]
        assert max(grown) < sum(grown)
        document = roomy(document, free=sum(grown) - 1)
        found = disk_rule(planned(document, event))

        assert found is not None
        assert found.status is RuleStatus.UNKNOWN
        assert "share a disk" in found.found


class TestTasks:
    def test_a_task_waits_for_all_that_its_client_restores(self) -> None:
        cost = baseline(group(AFTER), {"replace_client": {"process_id": C, "by": {"process_id": C}, "state": "empty"}})

        stateless = (TaskStop(TaskId(0, 0), 10, 0, 0), TaskStop(TaskId(0, 3), 10, 0, 0))
        assert cost.stops == (*stateless, TaskStop(TaskId(1, 0), 10, 10, 8), TaskStop(TaskId(1, 3), 10, 10, 8))
        assert [one.stopped(2) for one in cost.stops] == [10, 10, 14, 14]

    def test_a_client_that_restarts_is_missed_until_its_session_is_over_and_a_static_one_is_not(self) -> None:
        """No client leaves when it is closed, so that the rebalance of the one that comes waits for the session of the old one."""
        restart = {"restart_client": {"process_id": C, "keeps_process_id": True, "keeps_state": True}}
        static = group(AFTER)
        for number, consumer in enumerate(static["clients"][C]["consumers"].values()):
            consumer["group_instance_id"] = f"c-{number}"
        in_time = {"restart_client": restart["restart_client"] | {"within_session": True}}

        stops = {str(one.task): (one.seconds, one.seconds_without_copy) for one in baseline(group(AFTER), restart).stops}

        assert stops == {"0_0": (10, 0), "0_3": (10, 0), "1_0": (10, 10), "1_3": (10, 10)}
        assert baseline(static, in_time).stops == ()

    def test_what_is_read_for_each_task(self) -> None:
        cost = baseline(measured(group(AFTER)))
        read = dict(cost.restored_tasks)

        assert sum(one.records for one in read.values()) == cost.restored_records
        assert read[TaskId(1, 3)].size == 1_500 * read[TaskId(1, 3)].records

    @pytest.mark.parametrize("standbys", [{}, {"1_0": 2, "1_3": 6}])
    def test_a_client_that_just_ends_leaves_its_tasks_until_its_session_times_out(self, standbys: Document) -> None:
        """10 s up to 2.8; and with a caught-up standby elsewhere there is a copy all the while."""
        document = group(AFTER)
        first = next(iter(document["clients"][A]["consumers"].values()))
        first["task_offset_sums"] |= standbys
        cost = baseline(document, {"remove_client": {"process_id": C, "leaves": False}})
        stops = {str(one.task): one for one in cost.stops}

        assert {task: one.seconds for task, one in stops.items()} == {"0_0": 10, "0_3": 10, "1_0": 10, "1_3": 10}
        assert {task: one.seconds_without_copy for task, one in stops.items()} == {
            "0_0": 0,
            "0_3": 0,
            "1_0": 0 if standbys else 10,
            "1_3": 0 if standbys else 10,
        }

    def test_nobody_has_a_copy_that_runs_while_all_is_stopped(self) -> None:
        cost = baseline(group(AFTER), {"stop_application": {"minutes": 2}})

        assert {one.seconds for one in cost.stops} == {120}
        assert {one.seconds_without_copy for one in cost.stops if one.task.subtopology} == {120}


def test_a_restore_that_an_immediate_follow_up_finds_under_way_holds_up_the_next_probing_rebalance() -> None:
    """8 records are begun at once, the follow-up comes at once, and a minute is not enough for them at a record in 20 s."""
    cost = baseline(group(AFTER))
    begun = [one.restoring_longest for one in cost.rounds]
    assert [one.trigger for one in cost.rounds][:3] == ["change", "immediate", "probing"]
    assert begun[0] > 0

    slowly = tuple(
        replace(one, restoring=tuple((client, 1_000 * records) for client, records in one.restoring)) for one in cost.rounds
    )
    slow = worked_out(replace(cost, rounds=slowly), Policy(restore_records_per_second=10))
    usual = worked_out(cost, Policy())

    assert slow.rebalancing_ends is not None
    assert usual.rebalancing_ends is not None
    assert slow.rebalancing_ends.usual >= 1_000 * begun[0] // 10
    assert slow.rebalancing_ends.usual - usual.rebalancing_ends.usual in range(60, 100_000, 60)


def test_the_review_says_it() -> None:
    document = roomy(led(group(AFTER)), free=GIB)
    plan = planned(document, {"remove_client": {"process_id": C, "leaves": False}}, policy=Policy(restore_records_per_second=1))
    text = markdown(plan)

    assert "(until sessions time out)" in text
    assert "<summary>Downtime and restore by task" in text
    assert "| 1_0 | " in text
    assert "<summary>Restore reads by broker" in text
    assert "<summary>State-store disk usage" in text
    assert "1.0 GiB" in text
