"""Was the forecast what happened, where members are static, threads are added, a client ends without leaving, and clients swap
IDs?"""

import pytest
from tests.live import compare
from tests.live.experiment import Record
from tests.live.static_group import SESSION_S

from holdfast.rollout.streams.guard import guard

pytestmark = pytest.mark.live

SILENT = ("returns as it was", "returns under a fresh ID")
LOUD = ("gets a thread", "just ends", "come back under one another's IDs")


@pytest.mark.parametrize("name", SILENT)
def test_a_static_member_that_returns_in_time_causes_no_rebalance(static_record: Record, name: str) -> None:
    step = static_record.step(name)
    (outcome,) = step.forecast.outcomes
    assert (outcome.rounds, step.generations) == ((), ())


def test_what_waits_for_the_next_rebalance_is_seen_before_it(static_record: Record) -> None:
    """The group looks stable, and Holdfast predicts a reshuffle: of as many tasks as then move, whatever triggers it."""
    quiet, waiting = (static_record.step(name).after for name in SILENT)
    assert guard.look(quiet).reshuffle is None
    assert guard.look(waiting).reshuffle is not None


@pytest.mark.parametrize("name", LOUD)
def test_every_rebalance_is_decided_as_we_decide(static_record: Record, name: str) -> None:
    step = static_record.step(name)
    rows = compare.leaders_disagreements(step.generations, step.before, step.before.tasks)
    assert not rows, compare.table(name, ("generation", "member", "what", "ours", "leader's"), rows)


@pytest.mark.parametrize("name", LOUD)
def test_the_stable_end_is_the_one_forecast(static_record: Record, name: str) -> None:
    step = static_record.step(name)
    rows = compare.end_differences(step)
    assert not rows, compare.table(name, ("task", "what", "forecast", "happened"), rows)


@pytest.mark.parametrize("name", LOUD)
def test_it_took_as_many_rebalances_as_forecast(static_record: Record, name: str) -> None:
    step = static_record.step(name)
    summary = step.forecast.outcomes[0].summary
    assert summary.rebalances_at_least <= len(step.rebalances) <= summary.rebalances_at_most


def test_a_client_that_just_ends_is_missed_after_its_session_timeout(static_record: Record) -> None:
    (outcome,) = static_record.step("just ends").forecast.outcomes
    assert outcome.rounds[0].at_seconds == SESSION_S, "which the broker knows of each member"
