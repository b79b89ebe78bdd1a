"""Static members (4.4): who stops stays in the group, and who comes back under its instance ID takes its place."""

from typing import Any

import pytest
from tests.unit.rollout.broker_streams.streams_groups import Case, course, forecast, snapshot

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.rollout.broker_streams.change.change import CHANGE
from holdfast.rollout.broker_streams.options import usual_assumptions
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT

NEW = {"n0", "n1"}
OTHERS = frozenset({"a0", "a1", "b0", "b1"})
ADD: Case = {"add_client": {"process_id": "d", "member_ids": ["m0", "m1"]}}
STABLE: Case = {"then": "stable"}


def group(**differs: Any) -> Case:
    """The client c is static: c0 with the instance ID c-2, c1 with c-10, which comes first."""
    found = snapshot(broker_release="4.4.0") | differs
    for member, instance in (("c0", "c-2"), ("c1", "c-10")):
        found["members"][member]["instance_id"] = instance
    return found


def restart(*member_ids: str, **more: Any) -> Case:
    return {"restart_client": {"process_id": "c", "member_ids": list(member_ids or ("n0", "n1"))} | more}


ELSEWHERE = {"keeps_process_id": False, "new_process_id": "e"}
LEAVES: Case = {"remove_client": {"process_id": "c", "leaves_group": True}}
CRASH: Case = {"remove_client": {"process_id": "c", "leaves": False}}
REPLACE: Case = {"replace_client": {"process_id": "c", "by": {"process_id": "d", "member_ids": ["n0", "n1"]}}}


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ((restart(),), []),
        ((restart(within_interval=True),), []),
        ((restart(), STABLE, restart("x0", "x1")), []),
        ((restart(**ELSEWHERE),), [("change", 14, OTHERS | NEW)]),
        ((restart("n0"),), [("session over", 13, OTHERS | {"n0"})]),  # the second thread does not come back
        ((restart("n0", "n1", "n2"),), [("change", 13, OTHERS | NEW | {"n2"})]),
        ((restart(within_session=False),), [("session over", 14, OTHERS), ("change", 16, OTHERS | NEW)]),
        ((restart(leaves=False),), [("session over", 14, OTHERS), ("change", 16, OTHERS | NEW)]),
        (
            (restart(leaves=False), STABLE, restart("x0", "x1")),
            [("session over", 14, OTHERS), ("change", 16, OTHERS | NEW)],
        ),
        (({"remove_client": {"process_id": "c"}},), [("session over", 14, OTHERS)]),
        ((CRASH,), [("session over", 14, OTHERS)]),
        ((LEAVES,), [("change", 14, OTHERS)]),
        ((restart(leaves_group=True),), [("change", 14, OTHERS), ("change", 16, OTHERS | NEW)]),
        ((restart(leaves_group=True, within_interval=True),), [("change", 16, OTHERS | NEW)]),
        (  # they are static again
            (restart(leaves_group=True), STABLE, restart("x0", "x1")),
            [("change", 14, OTHERS), ("change", 16, OTHERS | NEW)],
        ),
        (({"replace_client": REPLACE["replace_client"] | {"leaves_group": True}},), [("change", 16, OTHERS | NEW)]),
        ((REPLACE,), [("change", 14, OTHERS | NEW | {"c0", "c1"}), ("session over", 16, OTHERS | NEW)]),
        ((ADD, restart()), [("change", 14, OTHERS | {"c0", "c1", "m0", "m1"})]),
        (({"set_config": {"streams.num.standby.replicas": 1}}, restart()), [("change", 13, OTHERS | {"c0", "c1"})]),
    ],
)
def test_what_its_events_make_the_coordinator_compute(events: Any, expected: Any) -> None:
    assert course(*events, of=group()) == expected


def test_who_comes_back_has_the_tasks_of_its_instance_id() -> None:
    """`n0` is the first in the order of the instance IDs: it takes the place of c1."""
    target = forecast(restart("n0", "n1"), STABLE, ADD, of=group())
    outcome: Any = target
    members = outcome["outcomes"][0]["targets"][0]["assignment"]["members"]
    kept = {name: set(members[name]["active"]) for name in NEW}
    assert kept["n0"] <= {"0_5", "1_5"}
    assert kept["n1"] <= {"0_4", "1_4"}
    assert all(kept.values())


def test_who_became_static_keeps_the_order_of_its_threads() -> None:
    """`z` joined before `y`: the thread that comes back first takes the place of `z`."""
    once = restart("z", "y", becomes_static=True)
    before: Any = forecast(once, of=snapshot(broker_release="4.4.0"))
    had = before["outcomes"][0]["targets"][-1]["assignment"]["members"]
    after: Any = forecast(once, STABLE, restart("x0", "x1"), STABLE, ADD, of=snapshot(broker_release="4.4.0"))
    has = after["outcomes"][0]["targets"][-1]["assignment"]["members"]
    assert set(has["x0"]["active"]) <= set(had["z"]["active"])
    assert set(has["x1"]["active"]) <= set(had["y"]["active"])


def test_its_tasks_wait_for_it_to_start() -> None:
    answer: Any = forecast(restart(), of=group())
    outcome = answer["outcomes"][0]
    assert outcome["unowned_seconds"] == dict.fromkeys(("0_4", "0_5", "1_4", "1_5"))
    assert (outcome["summary"]["moves"], outcome["summary"]["targets"], outcome["summary"]["start_ups"]) == (0, 0, 1)


def test_a_target_while_it_is_stopped_waits_for_what_it_keeps() -> None:
    """The new client gets tasks of c only once c is back and gives them up; the next target sticks to that."""
    found = course(ADD, restart(), STABLE, {"remove_client": {"process_id": "d"}}, of=group())
    assert [(epoch, len(members)) for _, epoch, members in found] == [(14, 8), (16, 6)]
    answer: Any = forecast(ADD, restart(), STABLE, restart("x0", "x1", **ELSEWHERE), of=group())
    assert answer["outcomes"][0]["summary"]["targets"] == 2


def test_who_becomes_static_leaves_and_joins_once_more() -> None:
    dynamic = snapshot(broker_release="4.4.0")
    once = restart(becomes_static=True)
    assert [epoch for _, epoch, _ in course(once, STABLE, restart("x0", "x1"), of=dynamic)] == [14, 16]
    with pytest.raises(InvalidInput, match="before Kafka"):
        course(once, of=snapshot())


def test_what_cannot_be_is_refused() -> None:
    mixed = snapshot(broker_release="4.4.0")
    mixed["members"]["c0"]["instance_id"] = "i"
    with pytest.raises(CannotPredict, match="only some of the client's members are static"):
        course(restart(), of=mixed)
    with pytest.raises(CannotPredict, match="its coordinator is older"):
        course(restart(), of=group(broker_release="4.3.1"))
    with pytest.raises(InvalidInput, match="'a0' is in the group already"):
        course(restart("a0", "n1"), of=group())
    with pytest.raises(InvalidInput, match="'a' is in the group already"):
        course(restart(keeps_process_id=False, new_process_id="a"), of=group())
    with pytest.raises(InvalidInput, match="is back within its session"):
        course(restart(within_interval=True, within_session=False), of=group())
    assert course(ADD, of=mixed)


@pytest.mark.parametrize(
    ("event", "problem"),
    [
        (restart(leaves_group=True, leaves=False), "does not leave the group"),
        ({"remove_client": {"process_id": "c", "leaves_group": True, "leaves": False}}, "does not leave the group"),
        (restart(leaves_group=True, within_session=False), "no session to wait for"),
        ({"remove_client": {"process_id": "a", "leaves_group": True}}, "its members are dynamic"),
    ],
)
def test_who_leaves_the_group_has_to_be_able_to(event: Case, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        forecast(event, of=group())


def test_how_it_leaves_is_said() -> None:
    name: Any = str
    for event in (LEAVES, restart(leaves_group=True), {"replace_client": REPLACE["replace_client"] | {"leaves_group": True}}):
        (item,) = CHANGE.read({"format_version": "1.0", "events": [event]}).statements()
        assert "leaving the group (CloseOptions LEAVE_GROUP)" in item.sentence(name)
        assert item.leaves_as_static()


def test_a_plan_takes_it_as_a_client_that_leaves() -> None:
    """Its first thread is alone in a target when it is back, and no session is waited for."""
    read = SNAPSHOT.read(group())
    for event, alone in ((restart(), None), (restart(leaves_group=True), True)):
        change = usual_assumptions.as_usual(read, CHANGE.read({"format_version": "1.0", "events": [event]}))
        (comes, _) = change.statements()[0].comes() or (None, None)
        assert comes is not None
        assert comes.first_thread_alone is alone
