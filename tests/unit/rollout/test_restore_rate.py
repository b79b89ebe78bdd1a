"""How fast a client restores, and who says so."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.fakes.cluster import streams_member
from tests.harness.article import AFTER, A, B, change, group
from tests.harness.plans import REPLACE_FIRST, planned, read

from holdfast.rollout import codec, restore_rate
from holdfast.rollout.codec.policy import policy_from_json
from holdfast.rollout.plan_value import PlanVerdict
from holdfast.rollout.policy import Policy
from holdfast.rollout.rates import RateSource
from holdfast.rollout.restore_rate import Measured
from holdfast.rollout.rules import Status
from holdfast.rollout.snapshot import Generation, GenerationMember

START = datetime(2026, 11, 20, 12, tzinfo=UTC)
OWN = {"1_0": (("repartition", 0),)}
WARM = {"1_1": (("repartition", 1),), "1_2": (("repartition", 2),)}


def generation(number: int, seconds: int, sums: dict[str, int], *, handed: bool = True) -> Generation:
    """A runs 1_0 and restores copies of 1_1 and 1_2 beside it; B runs those."""
    members = (
        streams_member("wc", A, active=OWN, standby=WARM if handed else {}, joined={"1_0": -2} | sums),
        streams_member("wc", B, active=WARM, joined={"1_1": -2, "1_2": -2}),
    )
    return Generation(number, (START + timedelta(seconds=seconds)).isoformat(), None, "stream", members)


NOTHING = generation(1, 0, {})
HALF = generation(2, 60, {"1_1": 30_000, "1_2": 30_000})


@pytest.mark.parametrize(
    ("generations", "expected"),
    [
        ((), Measured((), 0)),
        ((NOTHING,), Measured((), 0)),
        ((NOTHING, HALF), Measured((), 1_000)),
        # It was still restoring after the first minute, so the first minute tells its speed.
        ((NOTHING, HALF, generation(3, 120, {"1_1": 60_000, "1_2": 55_000})), Measured((1_000,), 1_000)),
        # It had all there was: what it got later is what was written meanwhile.
        ((NOTHING, HALF, generation(3, 120, {"1_1": 30_100, "1_2": 30_050})), Measured((), 1_000)),
        # The second rebalance took its copies away, or made them run.
        ((NOTHING, generation(2, 60, {"1_1": 30_000}, handed=False), generation(3, 120, {"1_1": 60_000})), Measured((), 500)),
        ((NOTHING, HALF, generation(3, 120, {"1_1": -2, "1_2": -2})), Measured((), 1_000)),
        # A copy that was there before tells nothing, nor do rebalances between which one is missing or no time has passed.
        ((generation(1, 0, {"1_1": 7, "1_2": 7}), HALF), Measured((), 0)),
        ((NOTHING, generation(3, 60, {"1_1": 30_000})), Measured((), 0)),
        ((NOTHING, generation(2, 0, {"1_1": 30_000})), Measured((), 0)),
    ],
)
def test_what_rebalances_show(generations: tuple[Generation, ...], expected: Measured) -> None:
    assert restore_rate.measured(generations) == expected


def test_bytes_that_nobody_can_read_are_left_out() -> None:
    broken = GenerationMember("x", "x", "", None, b"\xff", b"")
    with_it = Generation(1, NOTHING.completed_at, None, "stream", (broken, *NOTHING.members))

    assert restore_rate.measured((with_it, HALF)).at_least == 1_000


SLOW = (NOTHING, HALF, generation(3, 120, {"1_1": 60_000, "1_2": 60_000}))
FAST = (NOTHING, generation(2, 1, {"1_1": 90_000}))


@pytest.mark.parametrize(
    ("generations", "limits", "assume", "speed", "source"),
    [
        ((), {}, {}, 10_000, RateSource.ASSUMED),
        ((NOTHING, HALF), {}, {}, 10_000, RateSource.ASSUMED),  # at least 1,000: the assumption may be true
        (SLOW, {}, {}, 1_000, RateSource.MEASURED),
        (FAST, {}, {}, 90_000, RateSource.MEASURED),  # at least that: the assumption cannot be true
        (SLOW, {"restore_records_per_second": 7}, {}, 7, RateSource.POLICY),
        (SLOW, {"restore_records_per_second": 7}, {"catch_up": {"records_per_second": 3}}, 3, RateSource.CHANGE),
        (SLOW, {}, {"catch_up": {"records_per_second": 0.5}}, 1, RateSource.CHANGE),
    ],
)
def test_the_best_word_counts(
    generations: tuple[Generation, ...], limits: dict[str, int], assume: dict[str, object], speed: int, source: RateSource
) -> None:
    snapshot = replace(read(group(AFTER)), generations=generations)
    policy = policy_from_json({"format_version": "1.0", **limits})
    meant = codec.change_from_json(change(REPLACE_FIRST, assume=assume) if assume else change(REPLACE_FIRST))
    found = restore_rate.effective(policy, snapshot, meant)

    assert (found.restore_records_per_second, found.restore_rate_source) == (speed, source)


def test_a_limit_that_holds_only_if_the_guess_is_right_asks_for_a_person() -> None:
    """8 records at 2 a second are 4 s; at a fifth of that 8 s."""
    guessed = planned(group(AFTER), REPLACE_FIRST, policy=Policy(restore_records_per_second=2, without_caught_up_copy_s_most=5))
    said = planned(
        group(AFTER),
        REPLACE_FIRST,
        policy=Policy(
            restore_records_per_second=2,
            without_caught_up_copy_s_most=5,
            restore_rate_source=RateSource.POLICY,
            copy_state_over_s=60,
        ),
    )
    status = {
        plan.policy.restore_rate_source: next(one.status for one in plan.rules if one.name == "without-caught-up-copy")
        for plan in (guessed, said)
    }

    assert status == {RateSource.ASSUMED: Status.UNKNOWN, RateSource.POLICY: Status.PASS}
    assert (guessed.verdict, said.verdict) == (PlanVerdict.REVIEW, PlanVerdict.SAFE)
