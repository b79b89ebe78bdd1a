"""What comes with a request may only tighten the team's policy: field by field, and by name."""

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harness.examples import examples

from holdfast.errors import InvalidInput
from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.group.values import AnyChange
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.policy import hours
from holdfast.rollout.policy.floor import STRICTER, refuse_faster, tightened
from holdfast.rollout.policy.hours import DAYS, TimeOfDay, Window
from holdfast.rollout.policy.json import policy_from_json, policy_to_json
from holdfast.rollout.policy.learnt_times import NOTHING_LEARNT
from holdfast.rollout.policy.policy import LONGEST_VALID_S, Policy, Review, Silence
from holdfast.rollout.policy.rates import RateSource
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.scene.assumptions import Assume, CatchUp

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def window(opens: str, closes: str, *days: str) -> Window:
    return Window(TimeOfDay(opens), TimeOfDay(closes), days)


# From the loosest to the strictest.
LADDERS: dict[str, tuple[Any, ...]] = {
    "moved_percent_most": (100, 25, 0),
    "without_caught_up_copy_s_most": (10**9, 600, 0),
    "time_to_stable_s_most": (10**9, 3_600, 1),
    "rebalances_most": (1_000, 12, 0),
    "restored_bytes_most": (None, 10**15, 0),
    "restore_records_per_second": (10**9, 2_000, 1),
    "restore_rate_source": (RateSource.POLICY, RateSource.MEASURED, RateSource.ASSUMED),
    "restore_slowest": (1_000, 500, 1),
    "start_up_s_least": (1, 2, 4),
    "start_up_s": (5, 6, 30),
    "start_up_s_most": (30, 31, 90),
    "between_steps_s_most": (0, 15, 600),
    "copy_bytes_per_second": (10**9, 1, None),
    "bytes_per_record": (1, 100, None),
    "copy_state_over_s": (10**6, 600, 0),
    "valid_for_s": (LONGEST_VALID_S, 3_600, 1),
    "moved_in_all_percent_most": (None, 100, 3),
    "without_caught_up_copy_tasks_most": (None, 40, 0),
    "restored_bytes_per_hour_most": (None, 10**12, 5),
    "disk_free_bytes_least": (None, 1, 10**12),
    "copies_on_one_client_percent_most": (None, 200, 100),
    "actions": (None, ("stop_client", "start_client"), ("stop_client",), ()),
    "acts": (("stop_client", "start_client"), ("stop_client",), ()),
    "lag_most": (None, 10**6, 0),
    "review": (Review.NEVER, Review.ON_A_WARNING, Review.ALWAYS),
    "four_eyes": (False, True),
    "allow": (("in-waves", "clear-state"), ("in-waves",), ()),
    "silenced": ((Silence("a", "why"), Silence("b", "why")), (Silence("a", "why"),), ()),
}
JOINED: dict[str, tuple[Any, Any, Any]] = {
    "blocking": (("moved", "forecast"), (), ("moved", "forecast")),
    "exclude": (("a",), ("b",), ("a", "b")),
    "untouchable_hosts": (("app-0",), ("app-1", "app-0"), ("app-0", "app-1")),
    "windows": ((window("22:00Z", "04:00Z"),), (window("00:00+02:00", "08:00Z"),), (window("22:00Z", "04:00Z"),)),
    "finish_before": ("06:00Z", "2 h", "2 h"),
    "restore_fastest": (None, None, None),
    "restore_observations": (None, None, None),
    "start_up_observations": (None, None, None),
    "learnt": (NOTHING_LEARNT, NOTHING_LEARNT, NOTHING_LEARNT),
}


def test_every_field_says_what_is_stricter() -> None:
    names = {field.name for field in fields(Policy)}

    assert STRICTER.keys() == names, "a new field of Policy: what of it is stricter?"
    assert LADDERS.keys() | JOINED.keys() == names


@pytest.mark.parametrize("name", LADDERS)
def test_the_stricter_value_counts_and_the_looser_one_is_refused_by_name(name: str) -> None:
    for loose, strict in pairwise(LADDERS[name]):
        team, asked = (replace(Policy(), **{name: value}) for value in (loose, strict))

        assert getattr(tightened(team, asked, {name}, NOON), name) == strict
        assert getattr(tightened(asked, asked, {name}, NOON), name) == strict
        with pytest.raises(InvalidInput, match=f"^{name}: .* the team's policy"):
            tightened(asked, team, {name}, NOON)
        assert getattr(tightened(asked, team, (), NOON), name) == strict, "what the request does not state"


@pytest.mark.parametrize("name", JOINED)
def test_what_is_joined(name: str) -> None:
    team, asked, both = JOINED[name]

    assert getattr(tightened(replace(Policy(), **{name: team}), replace(Policy(), **{name: asked}), {name}, NOON), name) == both


def test_all_that_is_looser_is_named() -> None:
    asked = policy_from_json(
        {"format_version": "1.0", "review": "never", "blocking": [], "valid_for_s": LONGEST_VALID_S, "rebalances_most": 10**6}
    )
    with pytest.raises(InvalidInput) as refusal:
        tightened(Policy(), asked, {"review", "blocking", "valid_for_s", "rebalances_most"}, NOON)

    assert [part.split(":")[0] for part in str(refusal.value).split("; ")] == ["rebalances_most", "valid_for_s", "review"]


def test_a_limit_that_a_request_states_blocks_and_takes_nothing_from_what_blocks() -> None:
    team = replace(Policy(), blocking=("forecast",))
    asked = policy_from_json({"format_version": "1.0", "rebalances_most": 3})

    assert tightened(team, asked, {"format_version", "rebalances_most"}, NOON).blocking == ("forecast", "rebalances")


@pytest.mark.parametrize("seconds", [LONGEST_VALID_S + 1, 10**9])
def test_no_policy_lets_a_plan_wait_for_longer_than_a_week(seconds: int) -> None:
    with pytest.raises(InvalidInput, match="valid_for_s"):
        policy_from_json({"format_version": "1.0", "valid_for_s": seconds})


def assumed_by(change: AnyChange) -> float | None:
    return kind_of(change).records_per_second(change)


@pytest.mark.parametrize(("speed", "source", "most"), [(10_000, RateSource.ASSUMED, 2_000), (500, RateSource.POLICY, 500)])
def test_a_change_cannot_assume_more_than_the_team_allows(speed: int, source: RateSource, most: int) -> None:
    team = replace(Policy(), restore_records_per_second=speed, restore_rate_source=source)

    refuse_faster(assumed_by(Change((), Assume(CatchUp.RATE, most))), team)
    refuse_faster(assumed_by(Change((), Assume())), team)
    refuse_faster(assumed_by(ConsumerChange(())), team)
    with pytest.raises(InvalidInput, match=r"assume\.catch_up: .* at most"):
        refuse_faster(assumed_by(Change((), Assume(CatchUp.RATE, most + 0.5))), team)


@pytest.mark.parametrize(("name", "least"), [("rebalances_most", 12), ("time_to_stable_s_most", 3_600)])
def test_a_limit_that_goes_by_the_size_of_the_group_is_at_least_that_of_a_small_one(name: str, least: int) -> None:
    stated = replace(Policy(), **{name: least})

    assert getattr(tightened(Policy(), stated, {name}, NOON), name) == least
    assert getattr(tightened(Policy(), Policy(), {name}, NOON), name) is None
    for team, asked in ((Policy(), replace(Policy(), **{name: least + 1})), (stated, Policy())):
        with pytest.raises(InvalidInput, match=f"^{name}: "):
            tightened(team, asked, {name}, NOON)


def test_how_fast_it_may_go_is_the_team_s_alone() -> None:
    faster = replace(Policy(), restore_fastest=10**9)
    with pytest.raises(InvalidInput, match=r"^restore_fastest: "):
        tightened(Policy(), faster, {"restore_fastest"}, NOON)
    surer = replace(Policy(), restore_slowest=10_000)
    with pytest.raises(InvalidInput, match=r"^restore_slowest: 10,000 comes of it, the team's policy has 2,000"):
        tightened(Policy(), surer, {"restore_slowest"}, NOON)
    longer = tightened(Policy(), replace(Policy(), start_up_s_least=60), {"start_up_s_least"}, NOON)
    assert (longer.start_up_s_least, longer.start_up_s, longer.start_up_s_most) == (60, 60, 60)


class TestWindows:
    def both(self, team: tuple[Window, ...], asked: tuple[Window, ...]) -> tuple[Window, ...]:
        return tightened(replace(Policy(), windows=team), replace(Policy(), windows=asked), {"windows"}, NOON).windows

    def test_none_is_any_time(self) -> None:
        night = (window("22:00Z", "04:00Z", "fri"),)

        assert self.both((), night) == self.both(night, ()) == night

    def test_without_an_hour_in_common_are_refused(self) -> None:
        with pytest.raises(InvalidInput, match=r"^windows: .* has no hour in common"):
            self.both((window("22:00Z", "04:00Z", "fri"),), (window("22:00Z", "04:00Z", "sat"),))

    def test_over_midnight_and_the_end_of_the_week(self) -> None:
        assert self.both((window("22:00Z", "04:00Z", "sun"),), (window("01:00Z", "03:00Z"),)) == (
            window("01:00Z", "03:00Z", "mon"),
        )

    def test_of_a_whole_day_are_written_so_that_they_are_read(self) -> None:
        whole = (window("00:00Z", "00:00+00:00", "mon"),)
        found = self.both(whole, whole)

        assert found == whole
        assert policy_from_json(policy_to_json(replace(Policy(), windows=found))).windows == whole

    times = st.builds(
        lambda hour, minute, zone: f"{hour:02}:{minute:02}{zone}",
        st.integers(0, 23),
        st.sampled_from([0, 30, 59]),
        st.sampled_from(["Z", "+02:00", "-09:30", "+14:00"]),
    )
    some = st.lists(
        st.builds(lambda a, b, days: window(a, b, *days), times, times, st.lists(st.sampled_from(DAYS), unique=True)),
        min_size=1, max_size=3,
    )  # fmt: skip

    @settings(max_examples=examples(60), deadline=None)
    @given(some, some, st.integers(0, 7 * 24 * 60 - 1))
    def test_are_open_when_both_are(self, team: list[Window], asked: list[Window], minute: int) -> None:
        now = NOON + timedelta(minutes=minute)

        def is_open(windows: tuple[Window, ...]) -> bool:
            return any(span[0] <= now for one in windows if (span := one.next_span(now)) is not None)

        try:
            found = self.both(tuple(team), tuple(asked))
        except InvalidInput:
            assert not (is_open(tuple(team)) and is_open(tuple(asked)))
            return
        assert is_open(found) == (is_open(tuple(team)) and is_open(tuple(asked)))
        assert hours.spans(found, now)
