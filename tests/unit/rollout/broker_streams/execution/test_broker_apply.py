"""The checklist of a plan for a streams group: each step is noted when the group shows it, and drift stops the plan."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.unit.rollout.broker_streams.execution.acted_out import KIND, after, plan_for
from tests.unit.rollout.broker_streams.execution.test_broker_verify import CHANGES, GROW, GROW_BOTH, REMOVE, ROLL, STABLE, restart

from holdfast.errors import StalePlan
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot, Topic
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.execution.next_actions import Begin, Done, Next, NothingLeft, Stop, WaitForOutside
from holdfast.rollout.journal.journal import Journal, JournalEntry, JournalEvent

NOW = datetime(2026, 11, 23, 5, 1, tzinfo=UTC)


def entry(step: str, event: JournalEvent, **more: Any) -> JournalEntry:
    return JournalEntry(NOW.isoformat().replace("+00:00", "Z"), step, event, "ann", more.pop("detail", "seen"), **more)


class Run:
    """A plan that is being applied."""

    def __init__(self, plan: BrokerPlan) -> None:
        self.plan, self.journal = plan, Journal(plan.plan_id)

    def until_it_waits(self, fresh: StreamsGroupSnapshot, now: datetime = NOW) -> Next:
        for _ in range(100):
            found = KIND.next_action(self.plan, self.journal, fresh, now)
            if isinstance(found, Begin):
                self.journal = self.journal.with_entry(entry(found.step.id, JournalEvent.BEGUN, seen=found.seen))
            elif isinstance(found, NothingLeft):
                self.journal = self.journal.with_entry(entry(found.step.id, JournalEvent.DONE, detail=found.evidence))
            else:
                return found
        raise AssertionError("it does not end")

    def confirm(self, step: str) -> None:
        self.journal = self.journal.with_entry(entry(step, JournalEvent.CONFIRMED, detail="done it"))

    @property
    def done(self) -> list[str]:
        return [one.step for one in self.journal.entries if one.event is JournalEvent.DONE]


@pytest.mark.thorough
@pytest.mark.parametrize("only", ["baseline", None], ids=["baseline", "recommended"])
@pytest.mark.parametrize("events", CHANGES.values(), ids=CHANGES)
def test_a_plan_is_walked_to_its_end(events: tuple[Any, ...], only: str | None) -> None:
    """After each target the operator looks; what a snapshot does not show any more is confirmed at the end."""
    plan = plan_for(*events, only=only)
    run = Run(plan)
    for targets in range(plan.recommended_option.summary.targets):  # type: ignore[union-attr]
        found = run.until_it_waits(after(plan, targets))
        assert isinstance(found, WaitForOutside)
        assert targets or found.step.id == "1"
    while not isinstance(found := run.until_it_waits(after(plan)), Done):
        assert isinstance(found, WaitForOutside), found
        assert found.can_confirm, found.needed
        run.confirm(found.step.id)
        assert len(run.journal.entries) < 60
    assert run.done == [one.id for one in plan.steps]


@pytest.mark.thorough
def test_every_step_is_noted_when_the_group_shows_it() -> None:
    plan = plan_for(*ROLL, only="baseline")
    run = Run(plan)
    waited_for = []
    for targets in range(10):
        found = run.until_it_waits(after(plan, targets))
        waited_for.append("end" if isinstance(found, Done) else found.step.id)
    assert waited_for == [*"111333555", "end"]  # each leaves, is back with one thread, and with both


@pytest.mark.thorough
def test_a_restart_of_a_client_that_the_plan_restarted_before() -> None:
    plan = plan_for(restart("c"), {"then": "stable"}, restart("c"), only="baseline")
    run = Run(plan)
    needed = []
    for targets, step in enumerate("111333"):
        found = run.until_it_waits(after(plan, targets))
        assert isinstance(found, WaitForOutside)
        assert found.step.id == step
        needed.append(found.needed)
    assert run.journal.began_with("3") is not None
    assert "has not come back" in needed[4]
    assert "back with 1 thread of 2" in needed[5]
    assert isinstance(run.until_it_waits(after(plan)), Done)


@pytest.mark.thorough
def test_a_client_that_the_plan_adds_and_restarts_has_the_threads_of_its_start() -> None:
    added = {"add_client": {"process_id": "d", "threads": 3}}
    plan = plan_for(added, {"then": "stable"}, restart("d"), only="baseline")
    run = Run(plan)
    seen = [run.until_it_waits(after(plan, targets)) for targets in range(5)]
    assert [one.step.id for one in seen if isinstance(one, WaitForOutside)] == [*"11333"]
    assert "back with 1 thread of 3" in getattr(seen[-1], "needed", "")
    assert isinstance(run.until_it_waits(after(plan)), Done)


@pytest.mark.parametrize("recorded", [True, False], ids=["recorded", "not recorded"])
def test_a_client_that_a_later_step_stops_comes_back_before_that(recorded: bool) -> None:
    """That it is gone may be its restart, or that later step: which of them is due is known."""
    run = Run(plan_for(restart("c", member_ids=["x0", "x1"]), STABLE, REMOVE, only="baseline"))
    run.until_it_waits(after(run.plan, 0))
    run.confirm("1")
    found = run.until_it_waits(after(run.plan, 1, recorded=recorded))
    assert isinstance(found, WaitForOutside)
    assert (found.step.id, found.can_confirm) == ("1", False)
    assert run.done == []


def test_clients_under_random_ids_have_started_with_all_their_threads() -> None:
    """Which is which does not show: the first is noted once one has three threads."""
    plan = plan_for({"add_client": {"threads": 3}}, {"add_client": {"threads": 1}}, only="baseline")
    run = Run(plan)
    found = run.until_it_waits(after(plan, 1))
    assert isinstance(found, WaitForOutside)
    assert (found.step.id, run.done) == ("1", [])
    assert "1 stream thread of 3" in found.needed
    assert isinstance(run.until_it_waits(after(plan)), Done)


def test_a_word_alone_is_not_enough_where_the_group_shows_otherwise() -> None:
    plan = plan_for(REMOVE, only="baseline")
    run = Run(plan)
    run.confirm("1")
    found = run.until_it_waits(plan.basis)
    assert isinstance(found, WaitForOutside)
    assert not found.can_confirm
    assert "The group still lists 2 members of c" in found.needed


def test_what_no_snapshot_shows_is_confirmed() -> None:
    plan = plan_for(REMOVE)
    run = Run(plan)
    unread = replace(plan.basis, config=(), unknown=(Unknown("config", "not authorized"),))
    found = run.until_it_waits(unread)
    assert isinstance(found, WaitForOutside)
    assert (found.step.id, found.can_confirm) == ("1", True)
    run.confirm("1")
    run.until_it_waits(unread)
    assert run.done == ["1", "2"]


@pytest.mark.thorough
def test_steps_within_one_interval_are_noted_together() -> None:
    plan = plan_for(*ROLL)
    assert plan.chosen == "within-interval-from-the-first"
    run = Run(plan)
    config = tuple((dict(plan.basis.config) | {"streams.assignment.interval.ms": 15000, "streams.num.standby.replicas": 1}).items())
    found = run.until_it_waits(after(plan, 4, config=config))
    assert isinstance(found, WaitForOutside)
    assert (found.step.id, run.done) == ("9", [str(one) for one in range(1, 9)])
    assert isinstance(run.until_it_waits(after(plan)), Done)


def test_a_wait_has_a_limit() -> None:
    plan = plan_for(REMOVE, only="baseline")
    run = Run(plan)
    unsettled = after(plan, group_state="Reconciling")
    found = run.until_it_waits(unsettled)
    assert isinstance(found, WaitForOutside)
    assert found.step.id == "2"
    assert isinstance(run.until_it_waits(unsettled, NOW + timedelta(hours=1)), Stop)


def test_an_end_that_is_not_the_forecast_s_is_waited_for() -> None:
    plan = plan_for(REMOVE, only="baseline")
    fresh = after(plan)
    run = Run(plan)
    one, other, *others = fresh.members
    swapped = (replace(one, assignment=other.assignment), replace(other, assignment=one.assignment), *others)
    found = run.until_it_waits(replace(fresh, members=swapped))
    if one.process_id != other.process_id:
        assert isinstance(found, WaitForOutside)
        assert "not in the forecast end state yet: Task" in found.needed


DRIFTS: dict[str, tuple[dict[str, Any], str]] = {
    "another group": ({"group_id": "x"}, "another group"),
    "another release": ({"broker_release": "4.4.0"}, "release was 4.3.1, it is now 4.4.0"),
    "a config": ({"config": (("streams.num.standby.replicas", 2),)}, "streams.num.standby.replicas was 0, it is now 2"),
    "partitions": ({"topics": (Topic("orders", 7),)}, "orders had 6 partitions, it now has 7"),
    "the topology": ({"topology": None}, "topology is another one"),
    "no members": ({"members": ()}, "host-a is not in the group any more"),
}


@pytest.mark.parametrize(("differs", "said"), DRIFTS.values(), ids=DRIFTS)
def test_a_drift_stops_the_plan(differs: dict[str, Any], said: str) -> None:
    plan = plan_for(restart("c"), only="baseline")
    fresh = replace(plan.basis, **differs)
    found = KIND.staleness(plan, fresh)
    assert found.stale
    assert said in " ".join(one.found for one in found.drifts)
    with pytest.raises(StalePlan):
        Run(plan).until_it_waits(fresh)


def test_members_that_restarted_or_joined_are_drift() -> None:
    plan = plan_for(restart("c"), only="baseline")
    elsewhere = after(plan_for(restart("a"), only="baseline"))
    assert "host-a has other members: it has restarted since." in [one.found for one in KIND.staleness(plan, elsewhere).drifts]
    with pytest.raises(StalePlan):
        Run(plan).until_it_waits(elsewhere)
    first = plan.basis.members[0]
    joined = replace(plan.basis, members=(*plan.basis.members, replace(first, member_id="x", process_id="x")))
    assert any("1 client joined" in one.found for one in KIND.staleness(plan, joined).drifts)
    added = plan_for({"add_client": {"threads": 1}}, only="baseline")
    two = replace(joined, members=(*joined.members, replace(first, member_id="y", process_id="y")))
    with pytest.raises(StalePlan, match="1 were planned"):
        Run(added).until_it_waits(two)


def test_other_tasks_are_drift_until_the_plan_begins() -> None:
    plan = plan_for(REMOVE, only="baseline")
    first, *others = plan.basis.members
    moved = replace(plan.basis, members=(replace(first, target=others[0].target), *others))
    assert any("has other tasks" in one.found for one in KIND.staleness(plan, moved).drifts)


def test_what_changes_nothing_is_no_drift_that_matters() -> None:
    plan = plan_for(restart("c"), only="baseline")
    members = tuple(replace(one, host="10.0.0.9") for one in plan.basis.members)
    fresh = replace(plan.basis, broker_release="4.3.0", members=members, config=(), unknown=(Unknown("config", "not read"),))
    found = KIND.staleness(plan, fresh)
    assert not found.stale
    assert {str(one.kind) for one in found.drifts} == {"fact", "host"}
    assert not KIND.staleness(plan, replace(plan.basis, broker_release=None)).drifts
    assert KIND.staleness(plan, replace(plan.basis, broker_release="4.1.0")).stale


def test_what_its_own_steps_change_is_no_drift() -> None:
    plan = plan_for(GROW, GROW_BOTH, only="baseline")
    half = replace(
        plan.basis, topics=tuple(Topic(one.name, 8 if one.name == "orders" else one.partitions) for one in plan.basis.topics)
    )
    run = Run(plan)
    assert isinstance(run.until_it_waits(half), WaitForOutside)
    assert run.done == ["1"]


def test_a_wait_for_a_group_that_the_plan_leaves_without_members() -> None:
    stops: list[Any] = [{"remove_client": {"process_id": one}} for one in "abc"]
    back: Any = {"add_client": {"process_id": "a", "member_ids": ["x0"]}}
    empty = replace(plan_for(REMOVE).basis, members=(), group_state="Empty")
    ends, goes_on = Run(plan_for(*stops, only="baseline")), Run(plan_for(*stops, STABLE, back, only="baseline"))

    assert isinstance(ends.until_it_waits(empty), Done)
    found = goes_on.until_it_waits(empty)
    assert isinstance(found, WaitForOutside)
    assert found.step.id == "5", "the wait is over; the client is to start"
    stays = Run(plan_for(*stops[1:], only="baseline"))
    assert not isinstance(stays.until_it_waits(plan_for(REMOVE).basis), Done)
