"""What clients of a streams group restore: by disks and changelogs, in a forecast, a plan, and the tables."""

from itertools import product
from typing import Any

import pytest
from tests.unit.rollout.broker_streams.cost.measured_groups import BYTES, RECORDS, UUIDS, disk, measured
from tests.unit.rollout.broker_streams.plans import QUICK, STABLE, option, planned
from tests.unit.rollout.broker_streams.streams_groups import Case, forecast

from holdfast.rollout.broker_streams.kind.kind import BrokerStreamsKind
from holdfast.rollout.broker_streams.plan.json import PLAN, broker_plan_from_json
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.contract.assessment import BASELINE_NAME, RuleStatus
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.contract.times import PhaseKind
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.review import sections
from holdfast.rollout.tables import loss_rows

A, B, C = UUIDS.values()
STANDBY = {"set_config": {"streams.num.standby.replicas": 1}}
GONE = {"remove_client": {"process_id": C}}


def restart(process_id: str = C, **fields: Any) -> Case:
    return {"restart_client": {"process_id": process_id, "member_ids": ["n0", "n1"]} | fields}


def summary(*events: Any, of: Case | None = None) -> Case:
    answer: Any = forecast(*events, of=of or measured())
    found: Case = answer["outcomes"][0]["summary"]
    return found


def restored(*events: Any, of: Case | None = None) -> tuple[int | None, int | None, int]:
    """Records, bytes, and hand-overs to a disk that has never had the task."""
    found = summary(*events, of=of)
    return found.get("restored_records"), found.get("restored_bytes"), found["cold_moves"]


class TestAForecast:
    def test_of_a_client_that_leaves_has_its_tasks_restored_whole(self) -> None:
        assert restored(GONE) == (2 * RECORDS, 2 * BYTES, 2)

    def test_counts_standby_copies_that_come_to_be(self) -> None:
        assert restored(STANDBY) == (6 * RECORDS, 6 * BYTES, 0)

    def test_restores_nothing_where_nothing_moves(self) -> None:
        assert restored(restart(within_interval=True)) == (0, 0, 0)

    def test_of_a_disk_that_is_lost_restores_all_that_it_had(self) -> None:
        assert restored(restart(within_interval=True, keeps_state=False)) == (2 * RECORDS, 2 * BYTES, 0)

    def test_of_a_client_that_comes_back_with_its_disk_restores_only_what_moved(self) -> None:
        found = summary(restart())
        assert found["restored_records"] == found["cold_moves"] * RECORDS > 0

    @pytest.mark.parametrize(("offset", "lacks", "cold"), [(1_399, 100, 0), (1_499, 0, 0), (12, 1_000, 0), (-4, 1_000, 2)])
    def test_restores_what_a_dormant_copy_lacks(self, offset: int, lacks: int, cold: int) -> None:
        """Offset 12 is before what the log still has; -4 says nothing."""
        both = [disk(client, t1_4=offset, t1_5=offset) for client in "ab"]
        size = 2 * -(-BYTES * lacks // RECORDS)
        assert restored(GONE, of=measured(state_directories=both)) == (2 * lacks, size, cold)

    def test_restores_all_of_a_copy_without_a_checkpoint(self) -> None:
        both = [disk(client, t1_4=None, t1_5=None) for client in "ab"]
        assert restored(GONE, of=measured(state_directories=both)) == (2 * RECORDS, 2 * BYTES, 2)

    def test_says_nothing_where_a_changelog_is_not_measured(self) -> None:
        bare = measured()
        del bare["topics"]["counts"]["partitions"][4]["end_offset"]
        assert restored(GONE, of=bare) == (None, None, 2)
        assert restored({"remove_client": {"process_id": A}}, of=bare)[0] is not None  # 1_4 stays where it is

    def test_knows_records_without_bytes(self) -> None:
        bare = measured()
        del bare["topics"]["counts"]["partitions"][4]["log_bytes"]
        assert restored(GONE, of=bare) == (2 * RECORDS, None, 2)

    def test_of_partitions_that_are_new_restores_nothing_for_them(self) -> None:
        grown = [{"add_partitions": {"topic": topic, "partitions": 7}} for topic in ("users", "counts")]
        found = summary(*grown)
        assert (found["stateful_tasks"], found["restored_records"]) == (6, found["cold_moves"] * RECORDS)

    @pytest.mark.thorough
    def test_with_new_random_ids_says_how_much_it_may_be(self) -> None:
        answer: Any = forecast({"restart_client": {"process_id": C}}, of=measured())
        least, usual, most = answer["outcomes"][0]["draws"]["restored_records"]
        assert least <= usual <= most == 4 * RECORDS or most >= 2 * RECORDS

    @pytest.mark.parametrize("release", ["4.2.1", "4.3.1", "4.4.0"])
    @pytest.mark.parametrize("standbys", [0, 1])
    def test_is_what_its_own_targets_say(self, release: str, standbys: int) -> None:
        """Counted anew from the assignments: what the disk of a client lacks is restored where it had no copy."""
        group = measured(broker_release=release, state_directories=[disk("a", t1_2=999, t1_5=1_099)])
        events = [{"set_config": {"streams.num.standby.replicas": standbys}}, STABLE, restart(B), STABLE, GONE]
        answer: Any = forecast(*events, of=group)
        process = {name: one["process_id"] for name, one in group["members"].items()} | dict.fromkeys(("n0", "n1"), B)
        disks = {(A, "1_2"): 500, (A, "1_5"): 400}
        had = {(process[name], task): 0 for name, one in group["members"].items() for task in one["target"]["active"]}
        runs, records = set(had), 0
        for target in answer["outcomes"][0]["targets"]:
            members = target["assignment"]["members"]
            now = {
                (process[name], task)
                for name, role in product(members, ("active", "standby"))
                for task in members[name][role]
                if task.startswith("1_")
            }
            records += sum(had.get(one, disks.get(one, RECORDS)) for one in now - runs)
            runs, had = now, had | dict.fromkeys(now, 0)
        assert answer["outcomes"][0]["summary"]["restored_records"] == records > 0

    def test_is_said_in_words(self) -> None:
        kind = BrokerStreamsKind()

        def text(*events: Any) -> str:
            change = kind.change_from_json({"format_version": "1.0", "events": list(events)})
            group = kind.snapshot_from_json(measured())
            return str(list(kind.forecast_blocks(group, kind.forecast(group, change, 1), Detail.FULL)))

        assert "Clients restore 2,000 records at most (97.7 KiB), standby copies included." in text(GONE)
        assert "Nothing is restored." in text(restart(within_interval=True))


SLOW = Policy(start_up_s_least=1, start_up_s=2, start_up_s_most=4, restore_records_per_second=10, without_caught_up_copy_s_most=60)


def plan(*events: Any, policy: Policy = SLOW, **differs: Any) -> BrokerPlan:
    return planned(*events, of=measured(**differs), policy=policy)


def rule(of: BrokerPlan, name: str, one: str = BASELINE_NAME) -> tuple[RuleStatus, str]:
    found = next(each for each in option(of, one).rules if each.name == name)
    return found.status, found.found


class TestAPlan:
    def test_says_how_long_tasks_wait_for_their_state(self) -> None:
        made = plan(GONE)
        baseline = option(made, BASELINE_NAME)
        assert baseline.restored is not None
        assert (baseline.restored.records, baseline.restored.size) == (2 * RECORDS, 2 * BYTES)
        assert baseline.restored.longest == (100 / SLOW.restore_rate_source.off_by, 100, 100 * SLOW.restore_rate_source.off_by)
        assert [one.records for one in baseline.restored.clients] == [RECORDS, RECORDS]
        assert rule(made, "without-caught-up-copy")[0] is RuleStatus.FAIL
        assert baseline.times is not None
        assert baseline.times.rebalancing_ends is not None
        assert baseline.times.restored is not None
        late = baseline.times.restored.usual - baseline.times.rebalancing_ends.usual
        assert 90 <= late <= 100  # a client begins when it has its tasks
        assert baseline.times.phases[-1].kind is PhaseKind.RESTORE

    def test_passes_where_disks_have_almost_all(self) -> None:
        made = plan(GONE, state_directories=[disk(client, t1_4=1_489, t1_5=1_489) for client in "ab"])
        assert rule(made, "without-caught-up-copy") == (RuleStatus.PASS, "1 s at 10 records/s")

    def test_waits_for_standbys_that_are_created_first(self) -> None:
        """Each of the three clients restores two copies of 1,000 records at 10 a second, before anything is stopped."""
        first, baseline = (option(plan(GONE), name).times for name in ("standbys-first", BASELINE_NAME))
        assert first is not None
        assert baseline is not None
        assert next(one.seconds.usual for one in first.phases if one.kind is PhaseKind.RESTORE) == 200
        assert first.rebalancing_ends.usual > 200 + baseline.rebalancing_ends.usual  # type: ignore[union-attr]

    def test_decides_for_what_restores_less_where_hand_overs_are_equal(self) -> None:
        roomy = Policy(restore_records_per_second=100_000)
        made = plan(GONE, policy=roomy, state_directories=[disk(client, t1_4=1_489, t1_5=1_489) for client in "ab"])
        assert made.chosen == BASELINE_NAME
        first = option(made, "standbys-first")
        assert first.summary is not None
        assert (first.summary.cold_moves, option(made, BASELINE_NAME).summary.cold_moves) == (0, 0)  # type: ignore[union-attr]

    def test_survives_its_json_and_is_read_by_people(self) -> None:
        made = plan(GONE, policy=Policy(restore_records_per_second=50, exclude=("standbys-first",)))
        assert made.chosen == BASELINE_NAME
        assert broker_plan_from_json(loads(dumps(PLAN.write(made)))) == made
        kind = BrokerStreamsKind()
        text = str(sections.blocks(kind.reviewed(made)))
        assert "2,000 records (97.7 KiB)" in text
        assert "Restore by client" in text
        assert "Restoring comes on top: 20 s usually, " in text
        assert "all state restored after" in text
        assert kind.figures(made)["targets"].restored_text == " (2,000 records, 97.7 KiB, to restore)"

    def test_of_a_group_that_is_not_measured_says_so(self) -> None:
        bare = measured()
        bare["topics"]["counts"]["partitions"] = [{"id": number} for number in range(6)]
        made = planned(GONE, of=bare, policy=QUICK)
        assert option(made, BASELINE_NAME).restored is None
        assert rule(made, "without-caught-up-copy")[0] is RuleStatus.UNKNOWN
        assert "restored" not in next(one for one in PLAN.write(made)["candidates"])  # type: ignore[attr-defined]

    @pytest.mark.parametrize(("limit", "expected"), [(2 * BYTES, RuleStatus.PASS), (2 * BYTES - 1, RuleStatus.FAIL)])
    def test_is_held_against_limits_of_bytes(self, limit: int, expected: RuleStatus) -> None:
        made = plan(GONE, policy=Policy(restored_bytes_most=limit, restored_bytes_per_hour_most=limit))
        assert rule(made, "restored-bytes")[0] is expected
        assert rule(made, "restored-bytes-per-hour")[0] is expected

    @pytest.mark.parametrize(("free", "expected"), [(10 * BYTES, RuleStatus.PASS), (BYTES - 1, RuleStatus.FAIL)])
    def test_is_held_against_what_disks_have_free(self, free: int, expected: RuleStatus) -> None:
        made = plan(GONE, state_directories=[disk(client, free_bytes=free) for client in "ab"])
        assert rule(made, "disk")[0] is expected

    def test_does_not_forget_bytes_that_only_the_policy_knows(self) -> None:
        bare = measured()
        for one in bare["topics"]["counts"]["partitions"]:
            del one["log_bytes"]
        made = planned(GONE, of=bare, policy=Policy(bytes_per_record=7))
        assert option(made, BASELINE_NAME).restored.size == 2 * RECORDS * 7  # type: ignore[union-attr]


def test_the_loss_of_a_host_says_what_is_restored() -> None:
    found = loss_rows.losses(dumps(measured()))
    (row, *_) = found["losses"]  # type: ignore[misc]
    assert row["restore_bytes"] == 2 * BYTES
    assert row["hours"] <= row["restored_hours"] <= row["restored_hours_most"]
