"""How long a task that is handed over has no owner, and how long a change takes."""

from typing import Any

import pytest
from tests.unit.rollout.broker_streams.streams_groups import forecast, snapshot

from holdfast.kafka.coordinator.streams.group import Task, tasks_of
from holdfast.rollout.broker_streams.forecast.contested_tasks import Contested
from holdfast.rollout.broker_streams.forecast.forecast import ground_of
from holdfast.rollout.broker_streams.forecast.outcomes import ComputedTarget
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT
from holdfast.rollout.broker_streams.target.target import MemberTasks, TargetAssignment
from holdfast.rollout.coordinated.targets import TargetTrigger

CONFIG = {"streams.heartbeat.interval.ms": 4000, "streams.session.timeout.ms": 50_000, "streams.assignment.interval.ms": 2000}
LIVE, LEFT, ENDED = [0, 2, 4], [0, 2, 6], [46, 50, 56]
NEW = {"member_ids": ["n0", "n1"]}


def unowned(*events: Any, release: str = "4.3.1") -> Any:
    answer: Any = forecast(*events, of=snapshot(config=CONFIG, broker_release=release))
    return answer["outcomes"][0]["unowned_seconds"]


def test_a_live_owner_hands_over_with_the_next_heartbeat_of_the_new_one() -> None:
    found = unowned({"add_client": {"process_id": "d"} | NEW})
    assert found
    assert all(one == LIVE for one in found.values())


@pytest.mark.parametrize(("release", "most"), [("4.3.1", 6), ("4.2.1", 4)])
def test_who_leaves_is_missed_until_the_next_target(release: str, most: int) -> None:
    found = unowned({"remove_client": {"process_id": "c"}}, release=release)
    assert found == {task: [0, 2, most] for task in ("0_4", "0_5", "1_4", "1_5")}


def test_who_ends_without_leaving_is_missed_until_its_session_is_over() -> None:
    crashed = {"0_4", "0_5", "1_4", "1_5"}
    assert unowned({"remove_client": {"process_id": "c", "leaves": False}}) == dict.fromkeys(sorted(crashed), ENDED)
    found = unowned({"restart_client": {"process_id": "c", "leaves": False} | NEW})
    assert {task for task, one in found.items() if one[0] >= 46} == crashed


def test_what_a_restart_takes_away_and_gives_back_counts_twice() -> None:
    found = unowned({"restart_client": {"process_id": "c"} | NEW})
    assert [0, 4, 10] in found.values()
    assert all(one in (LEFT, LIVE, [0, 4, 10]) for one in found.values())


def test_until_a_client_has_started_is_unknown() -> None:
    found = unowned({"replace_client": {"process_id": "c", "by": {"process_id": "d"} | NEW}})
    assert set(found) == {"0_4", "0_5", "1_4", "1_5"}
    assert set(found.values()) == {None}


def test_a_standby_on_the_same_client_is_given_up_first() -> None:
    """So the task waits for one more heartbeat of the member that had it."""
    group = snapshot(config=CONFIG)
    for member in ("a0", "b0"):
        group["members"][member]["target"]["standby"] = group["members"][member]["assignment"]["standby"] = ["1_4", "1_5"]
    found: Any = forecast({"remove_client": {"process_id": "c"}}, of=group)
    spans = found["outcomes"][0]["unowned_seconds"]
    assert {task: spans[task] for task in ("1_4", "1_5")} == {"1_4": [0, 6, 10], "1_5": [0, 6, 10]}
    assert found["outcomes"][0]["summary"]["seconds_to_stable"][2] == 10


CRASHED = {"restart_client": {"process_id": "c", "leaves": False} | NEW}


def test_a_task_of_which_the_ended_process_has_a_standby_waits_for_its_session() -> None:
    group = snapshot(config=CONFIG)
    copies = [f"{name}_{number}" for name in "01" for number in range(4)]
    group["members"]["c1"]["target"]["standby"] = group["members"]["c1"]["assignment"]["standby"] = copies
    found: Any = forecast(CRASHED, {"then": "target"}, {"remove_client": {"process_id": "b"}}, of=group)["outcomes"][0]
    second = found["targets"][1]["assignment"]["members"]
    taken = {task for name in ("n0", "n1") for task in second[name]["active"]} & set(copies)
    assert taken
    assert all(found["unowned_seconds"][task][1] > 30 for task in taken)


def test_what_a_member_that_ended_is_given_waits_too() -> None:
    config = {"streams.num.standby.replicas": 0}
    crash = {"remove_client": {"process_id": "c", "leaves": False}}
    events = ({"remove_client": {"process_id": "b"}}, crash, {"then": "target"}, {"add_client": {"process_id": "d"} | NEW})
    found: Any = forecast(*events, of=snapshot(config=CONFIG | config))["outcomes"][0]
    first = found["targets"][0]["assignment"]["members"]
    lost = {task for name in ("c0", "c1") for task in first[name]["active"]} & {"0_2", "0_3", "1_2", "1_3"}
    assert lost
    assert all(found["unowned_seconds"][task][2] >= 50 or found["unowned_seconds"][task][1] < 46 for task in lost)


def test_who_ends_before_it_is_told_keeps_what_it_was_to_give_up() -> None:
    events = (
        {"add_client": {"process_id": "d"} | NEW},
        {"then": "target"},
        {"remove_client": {"process_id": "c", "leaves": False}},
    )
    found: Any = forecast(*events, of=snapshot(config=CONFIG))["outcomes"][0]
    given = {task for name in ("n0", "n1") for task in found["targets"][0]["assignment"]["members"][name]["active"]}
    of_c = given & {"0_4", "0_5", "1_4", "1_5"}
    assert of_c
    assert all(found["unowned_seconds"][task][0] == 0 and found["unowned_seconds"][task][2] >= 50 for task in of_c)


def stable(*events: Any, **differs: Any) -> Any:
    answer: Any = forecast(*events, of=snapshot(**({"config": CONFIG} | differs)))
    found = answer["outcomes"][0]["summary"]
    return found["seconds_to_stable"], found["start_ups"]


LEAVES = {"remove_client": {"process_id": "c"}}
RESTART = {"restart_client": {"process_id": "c"} | NEW}


@pytest.mark.parametrize(
    ("events", "least", "most", "start_ups"),
    [
        ([], 0, 0, 0),
        ([{"set_config": {"streams.num.standby.replicas": 1}}], 0, 2 + 4, 0),
        ([LEAVES], 0, 2 + 2 * 4, 0),  # there may be a target after the first member left
        ([{"add_client": {"process_id": "d", "member_ids": ["n0"]}}], 0, 2 + 2 * 4, 1),  # the last target may be a moment ago
        ([RESTART], 2, (2 + 4) + 2 + 2 * 4, 1),
        ([RESTART, {"then": "stable"}, {"restart_client": {"process_id": "b", "member_ids": ["m0", "m1"]}}], 4, 32, 2),
        ([{"remove_client": {"process_id": "c", "leaves": False}}], 50 - 4, 50 + 2 + 2 * 4, 0),
        (
            [{"remove_client": {"process_id": "c", "leaves": False}}, {"then": "stable"}, {"remove_client": {"process_id": "b"}}],
            46,
            70,
            0,
        ),
    ],
)
def test_a_group_is_stable_some_heartbeats_after_its_last_target(
    events: list[Any], least: float, most: float, start_ups: int
) -> None:
    span, starts = stable(*events)
    assert (span[0], span[2], starts) == (least, most, start_ups)
    assert span[0] <= span[1] <= span[2]


def test_a_longer_heartbeat_interval_counts_while_the_group_is_not_stable() -> None:
    longer = {"set_config": {"streams.heartbeat.interval.ms": 12_000}}
    within, _ = stable(RESTART, {"then": "target"}, longer, {"then": "stable"})
    later, _ = stable(RESTART, {"then": "stable"}, longer)
    assert (within[2], later[2]) == (16 + 2 * (12 - 4), 16)


def test_a_last_target_that_is_known_to_be_old_delays_nothing() -> None:
    alone = {"add_client": {"process_id": "d", "member_ids": ["n0"]}}
    last = {"assignment_epoch": 12, "computed_at": "2026-11-22T05:00:00Z", "members": {}}
    old, recent = (
        stable(alone, recorded_targets=[last], captured_at=f"2026-11-22T05:00:{second}Z")[0][2] for second in ("10", "00.500")
    )
    assert (old, recent) == (2 * 4, 1.5 + 2 * 4)


@pytest.mark.parametrize(("alive", "waits"), [(True, {Task("1", 0)}), (False, set())])
def test_who_has_ended_is_given_no_standby(alive: bool, waits: set[Task]) -> None:
    """A target for it says so, but it asks for none: the task can go to another thread of its client before its session is over."""
    books = Contested(ground_of(SNAPSHOT.read(snapshot())))
    one, processes = tasks_of([Task("1", 0)]), (("c0", "c"), ("n0", "c"))

    def target(given: MemberTasks, *ended: str) -> ComputedTarget:
        assignment = TargetAssignment("sticky", (given,), ())
        return ComputedTarget(TargetTrigger.CHANGE, 13, assignment, processes, ended=frozenset(ended))

    books.waiting(target(MemberTasks("c0", (), one), *([] if alive else ["c0"])))
    assert books.waiting(target(MemberTasks("n0", one, ()), "c0")).for_sessions == waits
