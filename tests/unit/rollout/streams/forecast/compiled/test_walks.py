"""Walks on arrays equal the rebalances that are worked out one by one: every decision of a forecast, and all that it notes of them.

Random groups and changes of every line of releases. Here the functions run as they are written, because that is what coverage sees
and what needs no compiler; `test_compiled` has the same with compiled ones.
"""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.conformance.streams import snapshots
from tests.conformance.streams.forecasts import random_forecast
from tests.harness.examples import examples

from holdfast.errors import HoldfastError
from holdfast.kafka.release import LINES
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.forecast.compiled import walks
from holdfast.rollout.streams.forecast.compiled.walks import Due
from holdfast.rollout.streams.forecast.course import carried_out, length_of
from holdfast.rollout.streams.forecast.stage import Ground
from holdfast.rollout.streams.forecast.work import allowed
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

RELEASES = [line.releases[-1] for line in LINES]


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
@given(seed=some.integers(0, 2**32), after=some.sampled_from((0, 0, 1, 3)), as_seen=some.booleans())
def test_a_walk_is_what_is_worked_out_one_by_one(release: str, seed: int, after: int, as_seen: bool) -> None:
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

    walked = told(snapshot, wanted, walks.after(after), as_seen=as_seen)

    assert told(snapshot, wanted, walks.never, as_seen=as_seen) == walked
