"""What members have after a target while others send no heartbeats: from 4.4 on the next target sticks to it."""

from tests.unit.rollout.broker_streams.streams_groups import course, snapshot

from holdfast.kafka.coordinator.streams.group import MemberTarget, Task, tasks_of
from holdfast.rollout.broker_streams.forecast.silent_members import held

PROCESSES = {"a": "P", "b": "P", "c": "Q"}


def has(member: str, active: str = "", standby: str = "") -> MemberTarget:
    return MemberTarget(member, *(tasks_of(map(Task.parse, tasks.split())) for tasks in (active, standby)))


def after(target: list[MemberTarget], before: list[MemberTarget], *silent: str) -> list[MemberTarget]:
    return list(held(target, {one.member_id: one for one in before}, PROCESSES, frozenset(silent)))


def test_without_silent_members_it_is_the_target() -> None:
    target = [has("a", "0_0"), has("b", "0_1"), has("c")]
    assert after(target, [has("a", "0_1")]) == target


def test_a_silent_member_keeps_what_it_has_and_others_wait_for_it() -> None:
    target = [has("a", "0_0 0_1"), has("c", "0_2")]
    assert after(target, [has("a", "0_0"), has("c", "0_1 0_2")], "c") == [has("a", "0_0"), has("c", "0_1 0_2")]
    assert after(target, [has("a", "0_2")], "c") == [has("a", "0_0 0_1"), has("c")]  # a new member that never heard of its tasks


def test_who_had_a_copy_keeps_it_until_the_task_is_free() -> None:
    target = [has("a", "0_1"), has("c", "", "0_1")]
    assert after(target, [has("a", "", "0_1"), has("c", "0_1")], "c") == [has("a", "", "0_1"), has("c", "0_1")]


def test_a_copy_of_a_silent_thread_is_in_the_way_in_its_process_only() -> None:
    before = [has("a"), has("b", "0_3", "0_1"), has("c")]
    assert after([has("a", "0_1"), has("b"), has("c", "0_2")], before, "b") == [has("a"), has("b", "0_3", "0_1"), has("c", "0_2")]
    assert after([has("a"), has("b"), has("c", "0_1")], before, "b")[2] == has("c", "0_1")
    standbys = [has("a", "", "0_1 0_3"), has("b"), has("c", "", "0_3")]
    assert after(standbys, before, "b") == [has("a"), has("b", "0_3", "0_1"), has("c", "", "0_3")]


def test_a_forecast_for_4_4_goes_by_it() -> None:
    """The crashed client's tasks are still its own when its session is over: those who were to have them never had them."""
    events = {"restart_client": {"process_id": "c", "member_ids": ["n0", "n1"], "leaves": False}}, {"then": "stable"}
    found = course(*events, of=snapshot(broker_release="4.4.0"))
    assert [(trigger, epoch) for trigger, epoch, _ in found] == [("change", 14), ("session over", 16)]
