"""Courses of one forecast that share segments, decisions and restarts give what each gives alone; so do a plan's options."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.harness.article import change, fleet
from tests.harness.examples import examples

from holdfast.errors import HoldfastError
from holdfast.kafka.streams import leader
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.cost.evaluation import Option
from holdfast.rollout.streams.forecast import forecast as forecast_module
from holdfast.rollout.streams.forecast.compiled import walks
from holdfast.rollout.streams.forecast.compiled.known_walks import Known
from holdfast.rollout.streams.forecast.compiled.restarts import Rest
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.forecast.segments import Decisions, Segments, Shared
from holdfast.rollout.streams.forecast.stage import Ground
from holdfast.rollout.streams.forecast.work import allowed
from holdfast.rollout.streams.options import proposals
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.streams.snapshot.passing_settings import ASSIGNOR, ASSIGNORS
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

NEW = "5bd1e995-5bd1-4e99-9bd1-5bd1e9955bd1"
STABLE = {"then": "stable"}


@some.composite
def groups_and_changes(draw: some.DrawFn) -> tuple[Snapshot, Change]:
    """A settled group, and a change with settings that are rolled out: courses in which they count earlier."""
    chance = random.Random(draw(some.integers(0, 2**32)))
    document, ids = fleet(
        chance.randint(2, 4), chance.randint(2, 9), chance.randint(0, 99), chance.choice(("2.8.2", "3.9.1", "4.3.1"))
    )
    document["leader_process_id"] = chance.choice([None, *ids])
    document["config"] = {"acceptable.recovery.lag": chance.choice((0, 10_000)), "num.standby.replicas": chance.choice((0, 0, 1))}

    def roll() -> dict[str, Any]:
        name = "StickyTaskAssignor" if document["kafka_release"] == "2.8.2" else "LegacyStickyTaskAssignor"
        sticky = {ASSIGNOR: f"{ASSIGNORS}.{name}"}
        numbers = {"max.warmup.replicas": 4}, {"probing.rebalance.interval.ms": 60_000}, {"num.standby.replicas": 1}
        rolled = chance.choice((*numbers, sticky))
        return {"rolling_restart": {"set_config": rolled, "wait": chance.choice(("stable", "stable", "rebalance"))}}

    event = chance.choice(
        (
            {"add_client": {"process_id": NEW, "threads": chance.choice((1, 2))}},
            {"remove_client": {"process_id": ids[-1]}},
            {"restart_client": {"process_id": ids[0], "keeps_state": False, "late": chance.random() < 0.3}},
        )
    )
    events = chance.choice(((event, STABLE, roll()), (roll(), STABLE, event), (roll(), STABLE, event, {"then": "rebalance"})))
    return snapshot_from_json(document), change_from_json(change(*events))


def told(snapshot: Snapshot, requested: Change) -> tuple[object, int]:
    """The forecast, or why there is none; and the work that it counted."""
    work = allowed(snapshot)
    try:
        return forecast(snapshot, requested, work=work), work.taken
    except HoldfastError as refusal:
        return str(refusal), work.taken


@settings(max_examples=examples(40), deadline=None)
@given(groups_and_changes())
def test_a_forecast_is_the_same_where_nothing_is_shared(given_: tuple[Snapshot, Change]) -> None:
    snapshot, requested = given_
    shared = told(snapshot, requested)

    with nothing_known():
        alone = told(snapshot, requested)

    assert shared == alone


@contextmanager
def nothing_known() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Segments, "find", lambda *_: None)
        patch.setattr(Decisions, "find", lambda *_: None)
        patch.setattr(Rest, "find", lambda *_, **__: None)
        patch.setattr(Known, "find", lambda *_: None)
        yield


def priced(snapshot: Snapshot, option: Option, shared: Shared) -> object:
    """What an option costs, or why that is unknown."""
    try:
        return proposals.evaluate(snapshot, option, shared=shared)
    except HoldfastError as refusal:
        return type(refusal), str(refusal)


@pytest.mark.thorough
@settings(max_examples=examples(10), deadline=None)
@given(some.integers(0, 2**32), some.sampled_from(("2.8.2", "3.9.1", "4.3.1")), some.booleans())
def test_the_options_of_a_plan_cost_the_same_where_they_share_nothing(seed: int, release: str, walked: bool) -> None:
    """A client with a new random process ID, at the ranks that stand for all; every option that the group has."""
    chance = random.Random(seed)
    document, ids = fleet(chance.randint(3, 6), chance.randint(4, 12), seed % 100, release)
    document["config"] = {"acceptable.recovery.lag": chance.choice((0, 10_000)), "num.standby.replicas": chance.choice((0, 0, 1))}
    snapshot = snapshot_from_json(document)
    new = {"process_id": None, "threads": chance.choice((1, 2)), "host": "new"}
    event = chance.choice(
        (
            {"add_client": {"process_id": None, "threads": 1}},
            {"replace_client": {"process_id": chance.choice(ids), "by": new, "state": chance.choice(("empty", "kept"))}},
        )
    )
    options = proposals.propose(snapshot, change_from_json(change(event)))
    shared = Shared()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forecast_module, "Ground", partial(Ground, walks_due=walks.after(0) if walked else walks.never))
        together = [priced(snapshot, option, shared) for option in options]
    with nothing_known():
        alone = [priced(snapshot, option, Shared()) for option in options]

    assert together == alone


@pytest.mark.thorough
def test_settings_that_count_earlier_cost_little_more_than_a_forecast_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve courses: where three settings begin to count, each as shown, quicker, and as observed."""
    document, _ = fleet(12, 72, 3)
    snapshot = snapshot_from_json(document)
    joins = {"add_client": {"process_id": NEW, "threads": 1}}
    rolls = [{"rolling_restart": {"set_config": {"probing.rebalance.interval.ms": ms}}} for ms in (60_000, 600_000)]
    decisions = []
    decide = leader.assign
    monkeypatch.setattr(leader, "assign", lambda group, memory: decisions.append(group) or decide(group, memory))
    counts, rounds = [], []
    for events in ((joins,), (rolls[0], STABLE, joins, STABLE, rolls[1])):
        decisions.clear()
        (outcome,) = forecast(snapshot, change_from_json(change(*events))).outcomes
        counts.append(len(decisions))
        rounds.append(len(outcome.rounds))

    assert rounds[1] > rounds[0] + 20
    assert counts[1] < counts[0] + 4 * (rounds[1] - rounds[0])
