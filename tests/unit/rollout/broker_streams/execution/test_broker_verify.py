"""The forecast of a plan for a streams group against what happened: targets, tasks, and what shows that each step did."""

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.rollout.broker_streams.execution.acted_out import KIND, after, plan_for
from tests.unit.rollout.broker_streams.streams_groups import snapshot

from holdfast.errors import InvalidInput
from holdfast.rollout.broker_streams.execution import starts
from holdfast.rollout.broker_streams.execution.verdict import VERDICT, BrokerVerdict
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.broker_streams.snapshot.snapshot import Owned, StreamsGroupSnapshot
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.tables import plan_rows

STABLE: Any = {"then": "stable"}
REMOVE: Any = {"remove_client": {"process_id": "c"}}
CRASH: Any = {"remove_client": {"process_id": "c", "leaves": False}}
ADD: Any = {"add_client": {"threads": 2}}
REPLACE: Any = {"replace_client": {"process_id": "c", "by": {}}}
STANDBYS: Any = {"set_config": {"streams.num.standby.replicas": 1}}
GROW: Any = {"add_partitions": {"topic": "orders", "partitions": 8}}
GROW_BOTH: Any = {"add_partitions": {"topic": "by-id", "partitions": 8}}


def restart(process_id: str, **more: Any) -> Any:
    return {"restart_client": {"process_id": process_id} | more}


ROLL = (restart("a"), STABLE, restart("b"), STABLE, restart("c"))
CHANGES: dict[str, tuple[Any, ...]] = {
    "a restart": (restart("c"),),
    "a restart under another process ID": (restart("c", keeps_process_id=False),),
    "a roll-out": ROLL,
    "one client twice": (restart("c"), STABLE, restart("c")),
    "all at once": (restart("a"), restart("b"), restart("c")),
    "a client less": (REMOVE,),
    "a crash": (CRASH,),
    "two clients more": (ADD, STABLE, ADD),
    "a replacement": (REPLACE,),
    "standbys": (STANDBYS,),
    "partitions": (GROW, GROW_BOTH),
}


def verified(plan: BrokerPlan, fresh: StreamsGroupSnapshot) -> BrokerVerdict:
    found = KIND.verify(plan, fresh)
    assert VERDICT.read(VERDICT.write(found)) == found
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("only", ["baseline", None], ids=["baseline", "recommended"])
@pytest.mark.parametrize("events", CHANGES.values(), ids=CHANGES)
def test_what_happened_as_forecast_with_other_ids(events: tuple[Any, ...], only: str | None) -> None:
    plan = plan_for(*events, only=only)
    found = verified(plan, after(plan))

    assert found.result is Result.AS_FORECAST, found.differences
    assert found.differences == ()
    assert found.score.as_forecast == found.score.compared >= 12
    assert [(one.group_epoch, one.agrees, one.tasks == found.score.compared) for one in found.targets] == [
        (one.found, True, True) for one in found.targets
    ]
    assert found.rebalances.expected == (len(found.targets),) * 2 == (found.rebalances.found,) * 2
    assert not [one for one in found.steps if str(one.evidence.shown) in ("not yet", "contradicted")]


@pytest.mark.parametrize("only", ["baseline", pytest.param(None, marks=pytest.mark.thorough)], ids=["baseline", "recommended"])
@pytest.mark.parametrize("events", CHANGES.values(), ids=CHANGES)
def test_the_snapshot_of_the_plan_itself_is_never_as_forecast(events: tuple[Any, ...], only: str | None) -> None:
    plan = plan_for(*events, only=only)
    found = verified(plan, plan.basis)
    assert found.result is Result.NOT_YET
    assert found.differences


@pytest.mark.parametrize(
    ("name", "alone", "targets"),
    [
        ("a restart", False, (3, 2)),
        ("a roll-out", False, (9, 6)),
        ("two clients more", False, (4, 2)),
        ("a replacement", True, (1, 2)),
    ],
)
def test_threads_that_join_otherwise_than_planned(name: str, alone: bool, targets: tuple[int, int]) -> None:
    """Whether each client's first thread made a target of its own: more or fewer targets, each of them as it must be."""
    plan = plan_for(*CHANGES[name], only="baseline")
    found = verified(plan, after(plan, first_thread_alone=alone))
    assert found.result is Result.AS_FORECAST, found.differences
    assert all(one.agrees for one in found.targets)
    assert (found.rebalances.expected[1], found.rebalances.found) == targets


def test_a_restart_that_was_back_before_the_coordinator_noticed() -> None:
    """Two targets less than forecast, and nothing moves: that is how fast it was."""
    plan = plan_for(restart("c"), only="baseline")
    fast = plan_for(restart("c", within_interval=True), only="baseline")
    found = verified(plan, after(fast))
    assert (found.result, [one.agrees for one in found.targets]) == (Result.AS_FORECAST, [True])
    assert (found.rebalances.expected, found.rebalances.found) == ((3, 3), 1)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("event", "targets"),
    [(REMOVE, (1, 2)), (CRASH, (1, 2)), (restart("c"), (3, 4)), (restart("c", leaves=False), (3, 4))],
    ids=["leaves", "session over", "restart", "crash and back"],
)
def test_threads_that_were_gone_one_after_the_other(event: Any, targets: tuple[int, int]) -> None:
    """With a target in between, which the records show."""
    ((verb, fields),) = event.items()
    plan = plan_for(event, STABLE, restart("b"), only="baseline")
    more = plan.recommended_option.summary.targets - targets[0]  # type: ignore[union-attr]
    apart = plan_for({verb: fields | {"apart": [["c1"], ["c0"]]}}, STABLE, restart("b"), only="baseline")
    found = verified(plan, after(apart))
    assert found.result is Result.AS_FORECAST, found.differences
    assert all(one.agrees for one in found.targets)
    assert (found.rebalances.expected[1] - more, (found.rebalances.found or 0) - more) == targets


def test_threads_that_were_gone_one_after_the_other_in_a_later_stop() -> None:
    """Of a client that this plan has restarted before."""
    first = restart("c", member_ids=["x0", "x1"])
    plan = plan_for(restart("c"), STABLE, restart("c"), only="baseline")
    apart = plan_for(first, STABLE, restart("c", apart=[["x0"], ["x1"]]), only="baseline")
    found = verified(plan, after(apart))
    assert found.result is Result.AS_FORECAST, found.differences
    assert all(one.agrees for one in found.targets)


def test_without_records_the_end_is_compared_alone() -> None:
    """The planned course is assumed; records show which it was."""
    plan = plan_for(restart("c"), only="baseline")
    fresh = after(plan, recorded=False)
    found = verified(plan, fresh)
    assert (found.result, found.targets, found.rebalances.found) == (Result.AS_FORECAST, (), None)
    assert plan.recommended_option is not None
    planned = plan.recommended_option.change
    together = after(plan, first_thread_alone=False)
    courses = [starts.named(plan.basis, planned, one)[0].starts()[0].first_thread_alone for one in (fresh, together)]
    assert courses == [True, False]


def test_half_of_it_is_not_all_of_it() -> None:
    plan = plan_for(*ROLL, only="baseline")
    found = verified(plan, after(plan, 3))
    assert found.result is Result.NOT_YET
    assert [str(one.evidence.shown) for one in found.steps][::2] == ["happened", "not yet", "not yet"]
    assert "missing: b, c" in found.differences[0]


def test_a_group_that_is_not_stable_is_on_the_way() -> None:
    plan = plan_for(REMOVE, only="baseline")
    assert verified(plan, after(plan, group_state="Reconciling")).result is Result.IN_PROGRESS


def test_another_client_than_forecast() -> None:
    plan = plan_for(REMOVE, only="baseline")
    fresh = after(plan)
    stranger = replace(fresh.members[0], member_id="x", process_id="x")
    found = verified(plan, replace(fresh, members=(*fresh.members, stranger)))
    assert found.result is Result.DIFFERENT
    assert "x" in found.differences[0]


def swapped(fresh: StreamsGroupSnapshot) -> StreamsGroupSnapshot:
    """Two members of different clients have the tasks of one another."""
    first, *others = fresh.members
    other = next(one for one in others if one.process_id != first.process_id)
    changed = {first.member_id: other.assignment or Owned(()), other.member_id: first.assignment or Owned(())}
    members = tuple(
        replace(one, assignment=changed[one.member_id], target=changed[one.member_id]) if one.member_id in changed else one
        for one in fresh.members
    )
    return replace(fresh, members=members)


def test_other_owners_and_copies_than_forecast() -> None:
    plan = plan_for(STANDBYS, only="baseline")
    found = verified(plan, swapped(after(plan)))
    assert found.result is Result.DIFFERENT
    assert any(one.startswith("Task ") for one in found.differences)
    assert any(one.startswith("Standby copies of task ") for one in found.differences)
    labels = dict(KIND.verdict_figures(found))
    assert labels.keys() == {"Tasks", "Standby copies", "Targets"}
    assert {role for _, role, _, _ in KIND.verdict_rows(found)} == {"active", "standby"}


def test_a_target_on_the_way_that_was_another_one() -> None:
    plan = plan_for(restart("c"), only="baseline")
    fresh = after(plan)
    own, first, *others = fresh.recorded_targets
    one, other = first.members[:2]
    members = (replace(one, active=other.active), replace(other, active=one.active), *first.members[2:])
    found = verified(plan, replace(fresh, recorded_targets=(own, replace(first, members=members), *others)))
    assert (found.result, [one.agrees for one in found.targets]) == (Result.DIFFERENT, [False, True, True])
    assert "In the target with epoch" in found.differences[0]


def test_a_target_that_no_record_has_is_named_and_no_difference() -> None:
    plan = plan_for(restart("c"), only="baseline")
    fresh = after(plan)
    found = verified(plan, replace(fresh, recorded_targets=fresh.recorded_targets[2:]))
    assert (found.result, [one.found is None for one in found.targets]) == (Result.AS_FORECAST, [True, False, False])
    assert dict(KIND.verdict_figures(found))["Targets"] == "2 of 3 as forecast"


def test_a_setting_that_is_set_back_shows_until_then() -> None:
    plan = plan_for(REMOVE)
    assert plan.chosen == "standbys-first"
    steps = {one.step: one.evidence for one in verified(plan, after(plan)).steps}
    assert (str(steps["1"].shown), "later step" in steps["1"].text) == ("cannot show", True)
    begun = verified(plan, replace(plan.basis, config=(("streams.num.standby.replicas", 1),)))
    assert str(begun.steps[0].evidence.shown) == "happened"
    unread = verified(plan, after(plan, unknown=(Unknown("config", "not authorized"),)))
    assert "could not be read" in unread.steps[0].evidence.text


def test_more_partitions_than_planned_contradict_it() -> None:
    plan = plan_for(GROW, GROW_BOTH, only="baseline")
    fresh = after(plan)
    grown = tuple(replace(one, partitions=9) if one.name == "orders" else one for one in fresh.topics)
    found = verified(plan, replace(fresh, topics=grown))
    assert found.result is Result.DIFFERENT
    assert str(found.steps[0].evidence.shown) == "contradicted"


def test_too_few_threads_have_not_started_yet() -> None:
    plan = plan_for({"add_client": {"process_id": "d", "threads": 2}}, only="baseline")
    fresh = after(plan)
    (one, _) = (one for one in fresh.members if one.process_id == "d")
    less = replace(fresh, members=(*(one for one in fresh.members if one.process_id != "d"), one), recorded_targets=())
    assert "1 stream thread of 2" in verified(plan, less).steps[0].evidence.text
    gone = verified(plan, replace(fresh, members=plan.basis.members, recorded_targets=()))
    assert "d has not started" in gone.steps[0].evidence.text


def test_what_is_not_comparable_is_refused() -> None:
    plan = plan_for(REMOVE)
    with pytest.raises(InvalidInput, match="is of group"):
        KIND.verify(plan, replace(plan.basis, group_id="another"))
    blocked = plan_for(GROW)
    with pytest.raises(InvalidInput, match="does nothing"):
        KIND.verify(blocked, blocked.basis)


def test_its_row() -> None:
    plan = plan_for(REMOVE, of=snapshot())
    row: Any = plan_rows.plan_rows("plans/x/verdict.json", dumps(KIND.verdict_to_json(verified(plan, after(plan)))).encode())
    assert row["problem"] is None
    (verdict,) = row["verdicts"]
    assert (verdict["result"], verdict["tasks"], verdict["tasks_as_forecast"]) == ("as forecast", 12, 12)


STOPPED_AGAIN: dict[str, tuple[Any, ...]] = {
    "restarted, then removed": (restart("c", member_ids=["x0", "x1"]), STABLE, REMOVE),
    "new, then back with fewer threads": (
        {"add_client": {"process_id": "d", "member_ids": ["x0", "x1"]}},
        STABLE,
        restart("d", member_ids=["y0"]),
    ),
    "new, crashed, and back": (
        restart("c", keeps_process_id=False, new_process_id="d", member_ids=["x0", "x1"]),
        STABLE,
        restart("d", leaves=False, member_ids=["y0", "y1"]),
    ),
}


@pytest.mark.parametrize("recorded", [True, False], ids=["recorded", "not recorded"])
@pytest.mark.parametrize("events", STOPPED_AGAIN.values(), ids=STOPPED_AGAIN)
def test_a_client_that_a_later_step_stops(events: tuple[Any, ...], recorded: bool) -> None:
    """That its first start is not to be seen in the group any more does not mean that it did not happen: records show it."""
    plan = plan_for(*events, only="baseline")
    found = verified(plan, after(plan, recorded=recorded))
    assert found.result is Result.AS_FORECAST, found.differences
    shown = [str(one.evidence.shown) for one in found.steps]
    assert {"not yet", "contradicted"}.isdisjoint(shown)
    assert ("cannot show" in shown) is not recorded
    half = verified(plan, after(plan, 2, recorded=recorded))
    assert half.result is not Result.AS_FORECAST or not recorded


def test_a_plan_that_leaves_no_client_ends_with_the_empty_group() -> None:
    stops: list[Any] = [{"remove_client": {"process_id": one}} for one in "abc"]
    empty = replace(plan_for(REMOVE).basis, members=(), group_state="Empty")
    for plan in (plan_for(*stops), plan_for(stops[0], STABLE, *stops[1:])):
        found = verified(plan, empty)
        assert (found.result, found.differences, found.tasks) == (Result.AS_FORECAST, (), ())
        assert verified(plan, replace(empty, group_state="Stable")).result is not Result.AS_FORECAST
    back = {"add_client": {"process_id": "a", "member_ids": ["x0"]}}
    assert verified(plan_for(*stops, STABLE, back, only="baseline"), empty).result is Result.IN_PROGRESS
    assert verified(plan_for(*stops[1:], only="baseline"), empty).result is Result.IN_PROGRESS


def test_a_topic_that_a_later_step_grows_more() -> None:
    more: Any = [{"add_partitions": {"topic": topic, "partitions": 10}} for topic in ("orders", "by-id")]
    plan = plan_for(GROW, GROW_BOTH, STABLE, *more, only="baseline")
    assert verified(plan, after(plan)).result is Result.AS_FORECAST


JOINS_IN_ANY_ORDER: list[Any] = [
    restart("c", leaves=False, member_ids=["m0", "m1", "m2"]),
    STABLE,
    restart("a", leaves=False, keeps_process_id=False, new_process_id="e", member_ids=["m3", "m4", "m5"]),
    STABLE,
    {"set_config": {"streams.num.standby.replicas": 1}},
    STABLE,
    GROW,
    GROW_BOTH,
]


@pytest.mark.thorough
def test_without_records_every_order_of_joins_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which thread of a client joined first shows in recorded targets only, and may decide who gets what."""
    plan = plan_for(*JOINS_IN_ANY_ORDER, only="baseline")
    fresh = after(plan, recorded=False)
    assert verified(plan, fresh).result is Result.AS_FORECAST
    taken, *others = fresh.members
    elsewhere = replace(fresh, members=(replace(taken, assignment=others[-1].assignment), *others))
    assert (found := verified(plan, elsewhere)).result is Result.DIFFERENT
    assert found.unknown == ()

    monkeypatch.setattr(starts, "MOST_ORDERS", 1)
    monkeypatch.setattr(starts, "LEAST_ORDERS", 1)
    assert [one.what for one in verified(plan, fresh).unknown] == ["targets"], "the first order is not the one that came about"
    assert [one.what for one in verified(plan, elsewhere).unknown] == ["targets"]
    assert verified(plan, elsewhere).result is Result.NOT_COMPARED
