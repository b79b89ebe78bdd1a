"""How long tasks wait for a standby copy that is promoted before its client has caught up."""

from typing import Any

import pytest
from tests.unit.rollout.broker_streams.cost.measured_groups import RECORDS, UUIDS, disk, measured
from tests.unit.rollout.broker_streams.plans import STABLE, option, planned
from tests.unit.rollout.broker_streams.streams_groups import Case

from holdfast.rollout.broker_streams.change.change import CHANGE
from holdfast.rollout.broker_streams.cost.waiting import Pace, RestoreWait, waits
from holdfast.rollout.broker_streams.forecast.forecast import forecast
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerOutcome
from holdfast.rollout.broker_streams.forecast.restores import ClientRestore, Promoted, Restores, TargetRestores
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.coordinated.spans import Seconds
from holdfast.rollout.policy.policy import Policy

A, B, C = UUIDS.values()
STANDBY = {"set_config": {"streams.num.standby.replicas": 1}}
GONE = {"remove_client": {"process_id": C}}
COPIES = {"a0": "1_4", "a1": "1_5", "b0": "1_0", "b1": "1_1", "c0": "1_2", "c1": "1_3"}


def with_standbys(**differs: Any) -> Case:
    document = measured(config={"streams.num.standby.replicas": 1}, **differs)
    for name, copy in COPIES.items():
        one = document["members"][name]
        one["assignment"] = one["target"] = one["target"] | {"standby": [copy]}
    return document


def outcome(*events: Case, of: Case) -> BrokerOutcome:
    return forecast(SNAPSHOT.read(of), CHANGE.read({"format_version": "1.0", "events": list(events)})).outcome


def course(*, active: int = 0, batch: int = 1) -> Restores:
    """Two standby copies of 1,000 records each, and active ones; 50 s later one of the standby copies is to run."""
    first = ClientRestore("b", 2 + bool(active), 2_000 + active, None, int(bool(active)), active)
    then = ClientRestore("b", 0, 0, 0, 0, 0, (Promoted(0, 1, 1_000),))
    return tuple(
        TargetRestores(number, Seconds(0, at, 999), (one,), batch * number) for number, at, one in ((0, 10, first), (1, 60, then))
    )


class TestACopyThatIsPromoted:
    @pytest.mark.parametrize(("place", "seconds"), [(0, 50), (1, 75), (2, 100)])
    def test_lacks_its_share_of_what_the_client_has_not_restored(self, place: int, seconds: int) -> None:
        """500 of 2,000 records are restored by then: all of them this copy's, its share of them, none."""
        assert [*waits(course(), Pace(place, 10, 0))] == [RestoreWait(seconds, 1)]

    def test_is_restored_after_what_the_client_runs(self) -> None:
        first, then = waits(course(active=300), Pace(1, 10, 0))
        assert (first, then) == (RestoreWait(30, 1), RestoreWait(90, 1))

    def test_has_the_pauses_between_steps_in_addition(self) -> None:
        assert [*waits(course(), Pace(1, 10, 100))] == [RestoreWait(25, 1)]
        assert [*waits(course(batch=0), Pace(1, 10, 100))] == [RestoreWait(75, 1)]

    def test_is_waited_for_no_longer_once_it_has_caught_up(self) -> None:
        assert [*waits(course(), Pace(1, 1_000, 0))] == []
        assert [*waits(course(), Pace(1, 10, 0, caught_up=True))] == []

    def test_is_restored_before_the_others_from_then_on(self) -> None:
        more = ClientRestore("b", 0, 0, 0, 0, 0, (Promoted(0, 1, 1_000),))
        late = (*course(), TargetRestores(2, Seconds(0, 145, 999), (more,), 0))
        assert [*waits(late, Pace(1, 10, 0))] == [RestoreWait(75, 1), RestoreWait(65, 1)]  # 750 first, then 100 of the other copy


class TestAForecast:
    def test_knows_standby_copies_that_it_promotes_before_they_are_restored(self) -> None:
        found = outcome(STANDBY, STABLE, GONE, of=measured())
        assert found.restores is not None
        first, then = found.restores
        assert sum(one.copies for one in first.clients) == 6
        promoted = [(one.process_id, each) for one in then.clients for each in one.promoted]
        runs = {process for process, _ in promoted}
        assert runs < {A, B} or runs == {A, B}
        assert sum(each.copies for _, each in promoted) == 2
        assert all(each.since == 0 and each.records == each.copies * RECORDS for _, each in promoted)
        assert (first.batch, then.batch) == (0, 1)

    @pytest.mark.parametrize(("offset", "lacks"), [(1_399, 100), (1_499, 0), (12, 1_000)])
    def test_restores_what_a_standby_copy_of_the_snapshot_lacks(self, offset: int, lacks: int) -> None:
        """By the checkpoint in the client's state directory."""
        warm = outcome(GONE, of=with_standbys()).summary
        late = outcome(GONE, of=with_standbys(state_directories=[disk("a", t1_4=offset, t1_5=offset)])).summary
        assert warm.restored_records is not None
        assert late.restored_records == warm.restored_records + 2 * lacks
        assert late.cold_moves == warm.cold_moves

    @pytest.mark.parametrize(("offset", "lacks"), [(1_400, 100), (1_500, 0), (100, 1_000), (-1, 0)])
    def test_restores_what_a_member_reports_to_lack(self, offset: int, lacks: int) -> None:
        """From 4.4 on; a negative offset says nothing."""

        def found(**offsets: int) -> int | None:
            document = with_standbys(broker_release="4.4.0")
            document["members"]["a0"]["task_offsets"] = offsets
            return outcome(GONE, of=document).summary.restored_records

        warm = found()
        assert warm is not None
        assert found(**{"1_4": offset}) == warm + lacks

    def test_believes_the_better_of_two_offsets(self) -> None:
        document = with_standbys(broker_release="4.4.0", state_directories=[disk("a", t1_4=1_399)])
        warm = outcome(GONE, of=with_standbys(broker_release="4.4.0")).summary.restored_records
        assert warm is not None
        for reported, lacks in ((1_450, 50), (600, 100)):
            document["members"]["a0"]["task_offsets"] = {"1_4": reported}
            assert outcome(GONE, of=document).summary.restored_records == warm + lacks

    def test_of_a_copy_that_stays_a_standby_restores_nothing_anew(self) -> None:
        late = with_standbys(state_directories=[disk("a", t1_4=600, t1_5=600)])
        assert outcome(STANDBY, of=late).summary.restored_records == 0

    def test_remembers_it_until_it_is_promoted(self) -> None:
        late = with_standbys(state_directories=[disk("a", t1_4=600, t1_5=600)])
        join = {"add_client": {"process_id": "d", "member_ids": ["d0"]}}
        either = [outcome(join, STABLE, GONE, of=each).summary.restored_records for each in (with_standbys(), late)]
        assert either[0] is not None
        assert either[1] is not None
        assert either[1] > either[0]


def test_a_plan_prices_it() -> None:
    """Standby copies are created, and a client removed at once: its tasks wait for the rest of the copies."""
    policy = Policy(restore_records_per_second=10, between_steps_s_most=0)
    found = option(planned(STANDBY, STABLE, GONE, of=measured(), policy=policy), BASELINE_NAME).restored
    assert found is not None
    assert found.longest.usual > 60
    assert found.longest.least <= found.longest.usual <= found.longest.most
    quick = Policy(restore_records_per_second=1_000_000, between_steps_s_most=0)
    again = option(planned(STANDBY, STABLE, GONE, of=measured(), policy=quick), BASELINE_NAME).restored
    assert again is not None
    assert again.longest.usual == 0
