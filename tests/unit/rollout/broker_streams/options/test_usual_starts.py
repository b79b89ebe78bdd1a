"""How the threads of clients join in a plan whose change does not say it: usually the first alone, once the interval is over."""

from typing import Any

import pytest
from tests.unit.rollout.broker_streams.plans import ROLL, STABLE, option, planned, restart
from tests.unit.rollout.broker_streams.streams_groups import Case, forecast, snapshot

from holdfast.rollout.broker_streams.change.change import CHANGE
from holdfast.rollout.broker_streams.options import usual_assumptions
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.facts.condition_words import assumptions
from holdfast.rollout.facts.conditions import Assumed, Assumption
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.registry import kind_of

INTERVAL, DELAY, STANDBYS = "streams.assignment.interval.ms", "streams.initial.rebalance.delay.ms", "streams.num.standby.replicas"
TARGET: Case = {"then": "target"}
REMOVE: Case = {"remove_client": {"process_id": "a"}}
CRASH: Case = {"remove_client": {"process_id": "a", "leaves": False}}
REPLACE: Case = {"replace_client": {"process_id": "a", "by": {}}}
GROW: Case = {"add_partitions": {"topic": "orders", "partitions": 7}}
ALONE, BACK, TOGETHER = Assumed.FIRST_THREAD_ALONE, Assumed.BACK_IN_INTERVAL, Assumed.THREADS_TOGETHER
REPORTED = Assumed.DIRECTORIES_REPORTED


def add(threads: int = 2, **more: Any) -> Case:
    return {"add_client": {"threads": threads} | more}


def config(**values: Any) -> Case:
    keys = {"interval": INTERVAL, "delay": DELAY, "standbys": STANDBYS}
    return {"set_config": {keys[name]: value for name, value in values.items()}}


def found(*events: Case, **differs: Any) -> tuple[list[bool | None], set[Assumed]]:
    """What each client that starts says in a plan, and what is assumed."""
    basis = SNAPSHOT.read(snapshot(**differs))
    change = CHANGE.read({"format_version": "1.0", "events": list(events)})
    starts = [one.first_thread_alone for one in usual_assumptions.as_usual(basis, change).starts()]
    return starts, {one.kind for one in usual_assumptions.assumed(basis, change)}


@pytest.mark.parametrize(
    ("events", "alone", "assumed"),
    [
        ((add(),), [True], {ALONE}),
        ((add(1),), [None], set()),  # its only thread is alone anyway
        ((add(), add()), [True, None], {ALONE}),  # the second client waits for the interval after the first one's target
        ((add(), STABLE, add()), [True, True], {ALONE}),
        ((add(), TARGET, add()), [True, None], {ALONE}),
        ((REMOVE, add()), [None], set()),
        ((CRASH, add()), [True], {ALONE}),  # its members stay until their session is over
        ((config(standbys=1), add()), [None], set()),
        ((config(delay=1), add()), [True], {ALONE}),  # it does not decide
        ((GROW, add()), [None], set()),
        ((restart("a"),), [True], {ALONE}),
        ((restart("a", leaves=False),), [True], {ALONE}),
        ((restart("a", within_interval=True),), [None], set()),
        ((restart("a", threads=1, member_ids=None),), [None], set()),
        ((restart("a"), restart("b")), [True, None], {ALONE}),
        ((restart("a"), TARGET, restart("b")), [True, True], {ALONE}),  # it takes longer than the interval to start
        ((REPLACE,), [None], set()),
        ((restart("a"), restart("b"), restart("c")), [None] * 3, set()),  # all join within the initial delay
        ((config(delay=0), restart("a"), restart("b"), restart("c")), [True, None, None], {ALONE}),
        ((add(process_id="z"), STABLE, {"restart_client": {"process_id": "z"}}), [True, True], {ALONE}),
        ((add(1, process_id="z"), STABLE, {"restart_client": {"process_id": "z"}}), [None, None], set()),
        ((add(first_thread_alone=False), STABLE, restart("a", first_thread_alone=True)), [False, True], set()),
        ((config(interval=15_000), restart("a")), [None], {BACK}),
        ((config(interval=4_999), restart("a")), [True], {ALONE}),
        ((config(interval=15_000), add()), [True], {ALONE}),
        ((config(interval=0), add()), [None], {TOGETHER}),
        ((), [], set()),
    ],
)
def test_who_is_alone(events: Any, alone: object, assumed: object) -> None:
    assert found(*events) == (alone, assumed)


def test_the_first_start_of_a_group_is_within_the_initial_delay() -> None:
    empty: Case = {"members": {}, "group_state": "Empty"}
    assert found(add(), add(), **empty) == ([None, None], set())
    assert found(add(), add(), **empty, config={DELAY: 0}) == ([True, None], {ALONE})


def test_from_4_4_on_nothing_waits_in_an_emptied_group_without_an_initial_delay() -> None:
    """Up to 4.3 all wait for the assignment interval since the last target."""
    stops = [{"remove_client": {"process_id": name}} for name in "abc"]
    assert found(config(delay=0), *stops, add(), add(), broker_release="4.3.1") == ([None, None], set())
    assert found(config(delay=0), *stops, add(), add(), broker_release="4.4.0") == ([True, None], {ALONE, REPORTED})


@pytest.mark.parametrize(
    ("release", "alone", "assumed"),
    [
        ("4.2.1", None, {TOGETHER}),
        ("4.3.0", True, {ALONE}),
        ("4.4.0", True, {ALONE, REPORTED}),
        ("4.1.0", None, set()),
        (None, None, set()),
    ],
)
def test_it_depends_on_the_release(release: str | None, alone: object, assumed: object) -> None:
    assert found(restart("a"), broker_release=release) == ([alone], assumed)
    without_threads = {"4.2.1": {TOGETHER}, "4.4.0": {REPORTED}}
    assert found(REPLACE, broker_release=release) == ([None], without_threads.get(str(release), set()))


def test_a_plan_goes_by_it_and_says_so_in_words() -> None:
    plan = planned(*ROLL)
    base = option(plan, BASELINE_NAME)
    assert base.summary is not None
    assert base.summary.targets == 9  # a forecast has six
    assert [one.first_thread_alone for one in base.change.starts()] == [True] * 3
    again: Any = forecast(*any_document.change_to_json(base.change)["events"])
    assert again["outcomes"][0]["summary"]["moves"] == base.summary.moves
    assert [one.first_thread_alone for one in option(plan, "other-order").change.starts()] == [True] * 3
    assert [one.first_thread_alone for one in option(plan, "within-interval").change.starts()] == [None] * 3


@pytest.mark.thorough
def test_what_was_asked_for_and_what_is_done_do_not_show_it() -> None:
    plan = planned(add(process_id="z"))
    assert plan.chosen == BASELINE_NAME
    assert plan.assumptions == (Assumption(ALONE),)
    assert plan.preconditions == assumptions(plan.assumptions)
    assert "other threads follow one assignment interval later" in plan.preconditions[0]
    assert [one.first_thread_alone for one in plan.change.starts()] == [None]
    document: Any = any_document.plan_to_json(plan)
    assert "first_thread_alone" not in str((document["change"], document["steps"]))
    assert "thread" not in kind_of(plan).title(plan)
    assert plan.steps[1].expect.startswith("2 targets (group epoch 14 then)")
    said = planned(add(process_id="z", first_thread_alone=False))
    assert said.assumptions == ()
    assert [one.first_thread_alone for one in said.change.starts()] == [False]
    assert said.steps[1].expect.startswith("1 target (group epoch 14 then)")
