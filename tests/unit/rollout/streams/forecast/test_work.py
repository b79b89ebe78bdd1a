"""What a small order may cost: a forecast counts its work, takes fewer positions where all would be too many, and else refuses."""

import contextlib
import json
from typing import Any

import pytest
from tests.harness.article import AFTER, A, change, fleet, group
from tests.harness.plans import NOON, read

from holdfast.errors import CannotPredict, InvalidInput, TooMuchWork
from holdfast.rollout.facts.notes import NoteKind
from holdfast.rollout.facts.refusals import Refuses
from holdfast.rollout.json.strict import loads
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.forecast import work
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.forecast.work import Work
from holdfast.rollout.streams.kind import kind
from holdfast.rollout.streams.options import proposals
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.workflows import plan as plans

RANDOM: dict[str, Any] = {"add_client": {"process_id": None, "threads": 1}}
SLOW = {"catch_up": {"records_per_second": 0.0001}}
"""A restore of thousands of probing rebalances."""


def deep(end: int = 10**9) -> dict[str, Any]:
    """The group with long changelogs, and a client that has to restore them."""
    document = group(AFTER)
    for task in document["tasks"].values():
        for log in task["changelogs"]:
            log[2] = end
    return document


def test_what_groups_usually_ask_for_is_a_small_part_of_what_they_may() -> None:
    for document, events in ((group(AFTER), [RANDOM]), (fleet(12, 72, 3)[0], [{"rolling_restart": {}}])):
        snapshot = read(document)
        took = work.allowed(snapshot)
        forecast(snapshot, change_from_json(change(*events)), work=took)

        assert 0 < took.taken < took.most / 10


def test_the_same_is_counted_every_time() -> None:
    counts = []
    for _ in range(2):
        took = Work(10**6)
        forecast(read(group(AFTER)), change_from_json(change(RANDOM)), work=took)
        counts.append(took.taken)

    assert counts[0] == counts[1]


@pytest.mark.thorough
def test_where_every_position_is_too_much_some_stand_for_all() -> None:
    snapshot, requested = read(group(AFTER)), change_from_json(change(RANDOM, RANDOM))
    took = Work(10**9)
    every = forecast(snapshot, requested, work=took).outcomes
    some = forecast(snapshot, requested, work=Work(took.taken // 2)).outcomes

    assert 2 <= len(some) < len(every)
    assert sum(one.probability for one in some) == pytest.approx(1)
    assert all(one.notes[0].kind is NoteKind.SAMPLE and "--work" in one.notes[0].text for one in some)
    assert not any("--work" in note.text for one in every for note in one.notes)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("events", "more", "most_at_once"),
    [
        (
            [{"restart_client": {"process_id": A, "keeps_state": False}}, *[{"then": "stable"}, {"rolling_restart": {}}] * 900],
            {},
            1_000,
        ),
        ([{"add_client": {"process_id": None, "threads": 2_000}}, *[{"then": "stable"}, {"rolling_restart": {}}] * 20], {}, 10_000),
        ([{"restart_client": {"process_id": A, "keeps_state": False, "threads": 2}}], {"assume": SLOW}, 1_000),
        ([RANDOM, *[{"then": "rebalance"}, {"restart_client": {"process_id": A}}] * 4_000], {}, 100_000),
    ],
)
def test_a_small_order_of_endless_work_is_refused_or_answered(
    events: list[object], more: dict[str, object], most_at_once: int
) -> None:
    snapshot, took = read(deep()), Work(40_000)
    with contextlib.suppress(TooMuchWork, InvalidInput):
        forecast(snapshot, change_from_json(change(*events, **more)), work=took)

    assert took.taken <= took.most + most_at_once


def test_an_option_that_is_too_much_says_so_and_the_plan_is_made_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot, requested = read(group(AFTER)), change_from_json(change(RANDOM))
    (first, *_) = proposals.propose(snapshot, requested)
    refused = proposals.evaluate(snapshot, first, Work(50))

    assert refused.refused is not None
    assert refused.refused.kind is Refuses.WORK
    assert "--work" in refused.refused.reason
    monkeypatch.setattr(kind, "OPTIONS", 0)
    made = plans.make(snapshot, requested, Policy(), NOON)
    assert "units of work" in made.headline


def test_more_work_is_allowed_on_request() -> None:
    snapshot = read(group(AFTER))

    assert work.allowed(snapshot, 10).most == 10 * work.allowed(snapshot).most


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("event", "times", "says"),
    [
        ({"add_client": {"process_id": None, "threads": 10_000}}, 21, "210,000 threads"),
        ({"add_partitions": {"topic": "input", "partitions": 100_000}}, 11, "1,100,000 partitions"),
        ({"then": "stable"}, 10_001, "10,001 events"),
    ],
)
def test_the_measures_of_a_change_are_bounded_when_it_is_read(event: object, times: int, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        change_from_json(change(*[event] * times))


def test_restarts_of_everybody_over_and_over_are_not_written_out() -> None:
    with pytest.raises((InvalidInput, CannotPredict), match=r"50,000 restarts"):
        forecast(read(fleet(100, 100, 1)[0]), change_from_json(change(*[{"rolling_restart": {}}] * 600)))


@pytest.mark.thorough
@pytest.mark.parametrize("piece", ["{},", "1,", "[],", '"",', '{"a":1},'])
def test_what_would_take_too_much_memory_is_refused_before_it_is_read(piece: str) -> None:
    text = f"[{piece * (4 * 2**20 // len(piece))}1]"

    assert len(loads(text)) > 1  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="reading the values of the document would take"):
        loads(text, 32 * 2**20)


def test_a_document_wrong_all_over_is_refused_with_the_first_of_its_problems() -> None:
    document = group(AFTER)
    document["tasks"] = {f"0_{number}": 1 for number in range(5_000)}
    with pytest.raises(InvalidInput, match="1,000 problems"):
        snapshot_from_json(json.loads(json.dumps(document)))
