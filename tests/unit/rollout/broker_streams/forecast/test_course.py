"""The targets that a change makes a coordinator compute: how many, of which epochs, with whom."""

from typing import Any

import pytest
from tests.unit.rollout.broker_streams.streams_groups import Case, course, forecast, snapshot, targets

from holdfast.errors import CannotPredict, InvalidInput

EVERYONE = frozenset({"a0", "a1", "b0", "b1", "c0", "c1"})
WITHOUT_C = EVERYONE - {"c0", "c1"}
NEW = {"n0", "n1"}
ADD = {"add_client": {"process_id": "d", "member_ids": ["n0", "n1"]}}
REMOVE = {"remove_client": {"process_id": "c"}}
RESTART = {"restart_client": {"process_id": "c", "member_ids": ["n0", "n1"]}}


def restart(**more: Any) -> dict[str, Any]:
    return {"restart_client": RESTART["restart_client"] | more}


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ((ADD,), [("change", 14, EVERYONE | NEW)]),
        ((REMOVE,), [("change", 14, WITHOUT_C)]),
        ((RESTART,), [("change", 14, WITHOUT_C), ("change", 16, WITHOUT_C | NEW)]),
        ((restart(within_interval=True),), [("change", 16, WITHOUT_C | NEW)]),
        ((restart(leaves=False),), [("change", 14, EVERYONE | NEW), ("session over", 16, WITHOUT_C | NEW)]),
        (({"remove_client": {"process_id": "c", "leaves": False}},), [("session over", 14, WITHOUT_C)]),
        (
            ({"replace_client": {"process_id": "c", "by": {"process_id": "d", "member_ids": ["n0", "n1"]}}},),
            [("change", 16, WITHOUT_C | NEW)],
        ),
        (({"set_config": {"streams.num.standby.replicas": 1}},), [("change", 13, EVERYONE)]),
        (({"set_config": {"streams.num.standby.replicas": "0", "streams.heartbeat.interval.ms": 9000}},), []),
        (({"set_config": {"streams.num.standby.replicas": 1}}, {"set_config": {"streams.num.standby.replicas": None}}), []),
        ((), []),
    ],
)
def test_what_an_event_makes_the_coordinator_compute(events: Any, expected: Any) -> None:
    assert course(*events) == expected


ALONE = {"first_thread_alone": True}
FIRST = frozenset({"n0"})


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (({"add_client": ADD["add_client"] | ALONE},), [(13, EVERYONE | FIRST), (14, EVERYONE | NEW)]),
        ((restart(**ALONE),), [(14, WITHOUT_C), (15, WITHOUT_C | FIRST), (16, WITHOUT_C | NEW)]),
        ((restart(**ALONE, leaves=False),), [(13, EVERYONE | FIRST), (14, EVERYONE | NEW), (16, WITHOUT_C | NEW)]),
        (
            ({"replace_client": {"process_id": "c", "by": {"process_id": "d", "member_ids": ["n0", "n1"]} | ALONE}},),
            [(15, WITHOUT_C | FIRST), (16, WITHOUT_C | NEW)],
        ),
        (
            ({"add_client": {"process_id": "d", "member_ids": ["n0"]} | ALONE}, REMOVE),
            [(13, EVERYONE | FIRST), (15, WITHOUT_C | FIRST)],
        ),
    ],
)
def test_a_first_thread_makes_a_target_alone_where_the_change_says_so(events: Any, expected: Any) -> None:
    assert [(epoch, members) for _, epoch, members in course(*events)] == expected


def test_without_an_assignment_interval_every_thread_makes_a_target() -> None:
    three = {"add_client": {"process_id": "d", "member_ids": ["n0", "n1", "n2"]} | ALONE}
    found = course(three, of=snapshot(broker_release="4.2.1"))
    assert [len(members) for _, _, members in found] == [7, 8, 9]


def test_the_initial_delay_of_an_empty_group_waits_for_all_threads() -> None:
    empty = snapshot(members={}, group_state="Empty")
    assert [(trigger, members) for trigger, _, members in course({"add_client": ADD["add_client"] | ALONE}, of=empty)] == [
        ("delay over", NEW)
    ]


def test_events_between_markers_come_before_one_target() -> None:
    assert course(REMOVE, ADD) == [("change", 16, WITHOUT_C | NEW)]
    assert course(REMOVE, {"then": "target"}, ADD) == [("change", 14, WITHOUT_C), ("change", 16, WITHOUT_C | NEW)]
    assert course({"then": "stable"}, REMOVE, {"then": "stable"}) == [("change", 14, WITHOUT_C)]


def test_a_heartbeat_that_joins_sees_changed_configs_and_one_that_leaves_does_not() -> None:
    config = {"set_config": {"streams.num.standby.replicas": 1}}
    assert [epoch for _, epoch, _ in course(config, ADD)] == [14]
    assert [epoch for _, epoch, _ in course(config, REMOVE)] == [15]
    assert [epoch for _, epoch, _ in course(ADD, config)] == [15]


def test_who_restarts_comes_back_after_the_target_of_all_that_leave() -> None:
    both = {"restart_client": {"process_id": "b", "member_ids": ["m0"]}}
    assert course(RESTART, both) == [("change", 16, EVERYONE - {"b0", "b1", "c0", "c1"}), ("change", 19, {"a0", "a1", "m0"} | NEW)]


def test_a_group_without_members_computes_nothing_until_its_initial_delay_is_over() -> None:
    all_leave = [{"remove_client": {"process_id": one}} for one in "abc"]
    assert course(*all_leave) == []
    assert course(*all_leave, {"then": "stable"}, ADD) == [("delay over", 20, NEW)]
    at_once = snapshot(config={"streams.initial.rebalance.delay.ms": 0})
    assert course(*all_leave, {"then": "stable"}, ADD, of=at_once) == [("change", 20, NEW)]
    first = snapshot(members={}, group_epoch=0, assignment_epoch=0)
    assert course(ADD, of=first) == [("delay over", 2, NEW)]
    assert course(ADD, of=first | {"broker_release": "4.2.1"}) == [("delay over", 3, NEW)]


def test_members_that_only_died_compute_nothing() -> None:
    crash = [{"remove_client": {"process_id": one, "leaves": False}} for one in "ab"]
    assert course(*crash, REMOVE) == []
    assert course(*crash, REMOVE, ADD) == [("change", 16, frozenset({"a0", "a1", "b0", "b1"}) | NEW), ("session over", 20, NEW)]


def test_a_marker_waits_for_the_target_that_is_to_come() -> None:
    crash = {"remove_client": {"process_id": "c", "leaves": False}}
    assert [one[0] for one in course(crash, {"then": "target"}, ADD)] == ["session over", "change"]
    again = {"restart_client": {"process_id": "b", "leaves": False, "member_ids": ["m0"]}}
    assert [one[0] for one in course(restart(leaves=False), {"then": "target"}, again)] == ["change"] * 2 + ["session over"] * 2
    assert [one[0] for one in course(restart(leaves=False), {"then": "stable"}, again)] == ["change", "session over"] * 2


def test_what_was_pending_in_the_snapshot_is_computed() -> None:
    assert course(of=snapshot(group_epoch=13)) == [("change", 13, EVERYONE)]
    assert course(ADD, of=snapshot(group_epoch=None)) == [("change", None, EVERYONE | NEW)]


def test_partitions_of_a_stateless_source_are_new_tasks() -> None:
    plain = {"epoch": 0, "subtopologies": {"0": {"source_topics": ["orders"]}}}
    (found,) = targets({"add_partitions": {"topic": "orders", "partitions": 8}}, of=snapshot(topology=plain))
    assert found["group_epoch"] == 13
    assert sorted(task for one in found["assignment"]["members"].values() for task in one["active"]) == [f"0_{n}" for n in range(8)]


@pytest.mark.parametrize(
    ("grown", "says"),
    [
        (["users"], "Existing topic 'counts' has different number of partitions: expected 8, found 6"),
        (["orders"], "Existing topic 'by-id' has different number of partitions: expected 8, found 6"),
        (["counts"], "Existing topic 'counts' has different number of partitions: expected 6, found 8"),
    ],
)
def test_a_source_that_outgrows_its_internal_topics_stops_the_group(grown: list[str], says: str) -> None:
    events = [{"add_partitions": {"topic": one, "partitions": 8}} for one in grown]
    with pytest.raises(CannotPredict, match=says):
        targets(*events)


def test_internal_topics_that_grow_with_their_source_are_fine() -> None:
    grow = [{"add_partitions": {"topic": one, "partitions": 8}} for one in ("orders", "by-id", "users", "counts")]
    (found,) = targets(*grow)
    assert len({task for one in found["assignment"]["members"].values() for task in one["active"]}) == 16
    fixed = snapshot()
    fixed["topics"]["by-id"] = {"partitions": [{"id": 0}]}  # the application gives it a number of its own
    assert len(targets(grow[0], of=fixed)) == 1


@pytest.mark.parametrize(
    ("event", "kind", "says"),
    [
        (
            {"remove_client": {"process_id": "x"}},
            InvalidInput,
            r"events\[0\].remove_client.process_id: the client 'x' is not in .*'a'",
        ),
        ({"add_client": {"process_id": "a", "member_ids": ["n"]}}, InvalidInput, "process_id: the process ID 'a' is in the group"),
        (
            {"add_client": {"process_id": "d", "member_ids": ["a0"]}},
            InvalidInput,
            "add_client.member_ids: the member ID 'a0' is in",
        ),
        (
            {"replace_client": {"process_id": "a", "by": {"process_id": "b", "member_ids": ["n"]}}},
            InvalidInput,
            "by.process_id: the process ID 'b'",
        ),
        ({"add_partitions": {"topic": "x", "partitions": 9}}, InvalidInput, "topic: the topic 'x' is none of the group's topology"),
        (
            {"add_partitions": {"topic": "orders", "partitions": 6}},
            InvalidInput,
            "partitions: 'orders' has 6 partitions; a topic can",
        ),
    ],
)
def test_an_event_that_does_not_fit_is_refused(event: Any, kind: Any, says: str) -> None:
    with pytest.raises(kind, match=says):
        targets(event)


def test_a_topology_that_is_not_ready_is_refused() -> None:
    with pytest.raises(CannotPredict, match="not ready"):
        targets(ADD, of=snapshot(group_state="NotReady"))


@pytest.mark.parametrize("release", ["4.2.0", "4.3.1", "4.4.0"])
@pytest.mark.parametrize("standbys", [0, 2])
def test_each_task_is_assigned_once_and_no_standby_is_beside_its_active(release: str, standbys: int) -> None:
    given = snapshot(broker_release=release, config={"streams.num.standby.replicas": standbys})
    for found in targets(RESTART, {"then": "stable"}, restart(process_id="b", member_ids=["m"], leaves=False), of=given):
        members = found["assignment"]["members"]
        active = [task for one in members.values() for task in one["active"]]
        assert sorted(active) == sorted(f"{part}_{number}" for part in "01" for number in range(6))
        for process in "abcd":
            own = [one for name, one in members.items() if name[0] == process]
            assert not {task for one in own for task in one["active"]} & {task for one in own for task in one["standby"]}


def test_a_config_that_no_heartbeat_has_found_yet_raises_the_epoch_too() -> None:
    """The record of the last target shows that it was computed with another number of standbys."""
    recorded = {"assignment_epoch": 12, "computed_at": "2026-11-23T12:00:00Z", "members": {}}

    def epochs(standbys: str, **differs: Any) -> list[int | None]:
        found = recorded | differs.pop("record", {}) | {"config": {"num.standby.replicas": standbys}}
        return [epoch for _, epoch, _ in course(REMOVE, of=snapshot(recorded_targets=[found], **differs))]

    assert epochs("0") == [14]
    assert epochs("1") == [15]
    assert epochs("1", record={"assignment_epoch": 11}) == [14]  # not the last target
    assert epochs("1", group_epoch=13) == [15]  # the epoch may have been raised for it: two leave
    assert epochs("1", unknown=[{"what": "config", "reason": "no right to read it"}]) == [14]
    assert [
        epoch for _, epoch, _ in course(ADD, of=snapshot(recorded_targets=[recorded | {"config": {"num.standby.replicas": "1"}}]))
    ] == [14]


APART = [["c1"], ["c0"]]
LESS = frozenset({"a0", "a1", "b0", "b1"})
BACK = LESS | {"n0", "n1"}


@pytest.mark.parametrize(
    ("verb", "fields", "expected"),
    [
        ("remove_client", {}, [("change", 13, LESS | {"c0"}), ("change", 14, LESS)]),
        ("remove_client", {"leaves": False}, [("session over", 13, LESS | {"c0"}), ("session over", 14, LESS)]),
        (
            "restart_client",
            {"member_ids": ["n0", "n1"]},
            [("change", 13, LESS | {"c0"}), ("change", 14, LESS), ("change", 16, BACK)],
        ),
        (
            "restart_client",
            {"member_ids": ["n0", "n1"], "leaves": False},
            [("change", 14, BACK | {"c0", "c1"}), ("session over", 15, BACK | {"c0"}), ("session over", 16, BACK)],
        ),
    ],
)
def test_threads_of_a_client_that_are_gone_one_after_the_other(verb: str, fields: Case, expected: Any) -> None:
    assert course({verb: {"process_id": "c", "apart": APART} | fields}) == expected


@pytest.mark.parametrize("apart", [[["c0"]], [["c0"], ["c0", "c1"]], [["c0"], ["b0"]]])
def test_each_of_its_threads_is_gone_once(apart: Any) -> None:
    with pytest.raises(InvalidInput, match="each member of the client is needed once; its members are then: 'c0', 'c1'"):
        forecast({"remove_client": {"process_id": "c", "apart": apart}})


def test_who_is_back_at_once_has_no_target_between_its_threads() -> None:
    with pytest.raises(InvalidInput, match="no target between its threads"):
        forecast({"restart_client": {"process_id": "c", "apart": APART, "within_interval": True}})


def test_static_threads_come_back_once_all_their_sessions_are_over() -> None:
    group = snapshot(broker_release="4.4.0")
    for name in ("c0", "c1"):
        group["members"][name]["instance_id"] = name
    found = course({"restart_client": {"process_id": "c", "apart": APART, "leaves": False, "member_ids": ["n0", "n1"]}}, of=group)
    assert found == [("session over", 13, LESS | {"c0"}), ("session over", 14, LESS), ("change", 16, BACK)]
