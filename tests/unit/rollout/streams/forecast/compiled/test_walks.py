"""Walks on arrays equal the rebalances that are worked out one by one: every decision of a forecast, and all that it notes of them.

Random groups and changes of every line of releases. Here the functions run as they are written, because that is what coverage sees
and what needs no compiler; `test_compiled` has the same with compiled ones.
"""

import json
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some
from tests.conformance.streams import snapshots
from tests.conformance.streams.forecasts import random_forecast
from tests.harness.examples import examples

from holdfast.errors import HoldfastError
from holdfast.kafka.release import LINES
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.streams.change import shorthands
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.events.restart_client import RestartClient
from holdfast.rollout.streams.events.rolling_restart import RollingRestart
from holdfast.rollout.streams.forecast.compiled import walks
from holdfast.rollout.streams.forecast.compiled.restarts import Rest
from holdfast.rollout.streams.forecast.compiled.walks import Due
from holdfast.rollout.streams.forecast.course import carried_out, length_of
from holdfast.rollout.streams.forecast.stage import Ground
from holdfast.rollout.streams.forecast.work import allowed
from holdfast.rollout.streams.scene.assumptions import CatchUp, DormantCopies
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.streams.snapshot.passing_settings import ASSIGNOR, ASSIGNORS
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

RELEASES = [line.releases[-1] for line in LINES]
SETTINGS = [
    ("max.warmup.replicas", 5),
    ("probing.rebalance.interval.ms", 60_000),
    ("num.standby.replicas", 1),
    ("acceptable.recovery.lag", 0),
    (ASSIGNOR, f"{ASSIGNORS}.StickyTaskAssignor"),
]


def told(snapshot: Snapshot, change: Change, due: Due, *, as_seen: bool) -> Any:
    """The course and its length in other circumstances, or why there is none; and the work that was counted."""
    ground = Ground(snapshot, allowed(snapshot), most_rounds=300, walks_due=due)
    try:
        shown = carried_out(ground, change, as_seen=as_seen)
        length = length_of(Ground(snapshot, ground.work, most_rounds=300, walks_due=due), change, change.assume, as_seen=as_seen)
    except HoldfastError as refusal:
        return type(refusal), str(refusal)
    return shown, length, ground.work.taken


@pytest.mark.parametrize("release", RELEASES)
@settings(max_examples=examples(10), deadline=None)
@given(
    seed=some.integers(0, 2**32),
    after=some.sampled_from((0, 0, 1, 3)),
    as_seen=some.booleans(),
    dormant=some.sampled_from(DormantCopies),
)
@example(seed=5267, after=1, as_seen=False, dormant=DormantCopies.DROPPED)  # a report disappears: its task has changed
def test_a_walk_is_what_is_worked_out_one_by_one(
    release: str, seed: int, after: int, as_seen: bool, dormant: DormantCopies
) -> None:
    found = random_forecast(seed, release)
    if found is None:
        return
    case, change = found
    if '"process_id": null' in json.dumps(change) or "null" in json.dumps(change["events"]):
        return  # a course leaves nothing to chance
    try:
        snapshot = snapshot_from_json(json.loads(json.dumps(snapshots.snapshot_of(case, release))))
        wanted = change_from_json(change)
    except HoldfastError:
        return
    wanted = replace(wanted, assume=replace(wanted.assume, dormant_copies=dormant))

    walked = told(snapshot, wanted, walks.after(after), as_seen=as_seen)

    assert told(snapshot, wanted, walks.never, as_seen=as_seen) == walked


def courses(snapshot: Snapshot, roll: RollingRestart, due: Due) -> list[Any]:
    """Of a group that is rolled, changes, and is rolled back, as in a plan: what is known of one course counts for the next."""
    ground = Ground(snapshot, allowed(snapshot, 10), most_rounds=300, walks_due=due)
    first = min(client.process_id for client in snapshot.clients)
    stable = Then(Wait.STABLE)
    events = (roll, stable, RestartClient(first, keeps_state=False), stable, replace(roll, settings=()))
    found: list[Any] = []
    for counted_from in (None, 1):
        change = shorthands.written_out(snapshot, Change(events), counted_from=counted_from)
        soon = replace(change.assume, catch_up=CatchUp.NEXT_REBALANCE)
        for course in (
            lambda change=change: carried_out(ground, change),
            lambda change=change, soon=soon: length_of(ground, change, soon),
            lambda change=change: length_of(ground, change, change.assume, as_seen=True),
        ):
            try:
                found.append((course(), ground.work.taken))
            except HoldfastError as refusal:
                found.append((type(refusal), str(refusal)))
    return found


@pytest.mark.thorough
@settings(max_examples=examples(12), deadline=None)
@given(
    seed=some.integers(0, 2**32),
    release=some.sampled_from(RELEASES),
    at_once=some.integers(1, 2),
    setting=some.sampled_from(SETTINGS),
)
@example(seed=0, release="2.6.3", at_once=1, setting=("num.standby.replicas", 1))  # who restarts is not caught up any more
def test_restarts_in_turn_are_what_they_are_one_by_one(seed: int, release: str, at_once: int, setting: tuple[str, int]) -> None:
    found = random_forecast(seed, release)
    if found is None:
        return
    try:
        snapshot = snapshot_from_json(json.loads(json.dumps(snapshots.snapshot_of(found[0], release))))
    except HoldfastError:
        return
    roll = RollingRestart(at_once=at_once, settings=(setting,))

    walked, known = courses(snapshot, roll, walks.after(0)), courses(snapshot, roll, walks.never)

    with patch.object(Rest, "find", lambda *_, **__: None):
        assert walked == known == courses(snapshot, roll, walks.never)
