"""How fast a client restores, and who says so."""

import copy
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.fakes.cluster import streams_member
from tests.harness.article import AFTER, A, B, Document, change, group
from tests.harness.plans import REPLACE_FIRST, planned, read

from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.contract.assessment import Assessment, RuleStatus
from holdfast.rollout.policy.json import policy_from_json
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.policy.rates import RateSource
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.plan import restore_rate
from holdfast.rollout.streams.plan.restore_rate import HistoryRules, Measured
from holdfast.rollout.streams.snapshot.snapshot import Generation, GenerationMember

START = datetime(2026, 11, 20, 12, tzinfo=UTC)
OWN = {"1_0": (("repartition", 0),)}
WARM = {"1_1": (("repartition", 1),), "1_2": (("repartition", 2),)}


def with_settings(settings: dict[str, object]) -> Document:
    document = copy.deepcopy(group(AFTER))
    document["config"] |= settings
    return document


def generation(number: int, seconds: float, sums: dict[str, int], *, copies: str = "1_1 1_2") -> Generation:
    """A runs 1_0 and restores copies of other tasks in addition to it; B runs those."""
    handed = {task: WARM[task] for task in copies.split()}
    members = (
        streams_member("wc", A, active=OWN, standby=handed, joined={"1_0": -2} | sums),
        streams_member("wc", B, active=WARM, joined={"1_1": -2, "1_2": -2}),
    )
    return Generation(number, (START + timedelta(seconds=seconds)).isoformat(), None, "stream", members)


KNOWN = HistoryRules({TaskId.parse(task): None for task in ("1_0", "1_1", "1_2")}, warm_ups_tell=True, reported_within_s=0)
BEGUN = generation(1, 0, {"1_1": 1_000}, copies="1_1")
HALF = generation(2, 60, {"1_1": 31_000}, copies="1_1")
MORE = generation(3, 120, {"1_1": 61_000}, copies="1_1")


@pytest.mark.parametrize(
    ("generations", "expected"),
    [
        ((), Measured((), 0)),
        ((BEGUN,), Measured((), 0)),
        # It may have begun late, or have been complete long before: no slower than that, and no more is known.
        ((BEGUN, HALF), Measured((), 500)),
        # It was being restored from the second rebalance to the third, and not complete at either.
        ((BEGUN, HALF, MORE), Measured(((500, 500),), 500)),
        # The third rebalance took it away, or made it run: it was complete, since when is unknown.
        ((BEGUN, HALF, generation(3, 120, {"1_1": 61_000}, copies="")), Measured((), 500)),
        ((BEGUN, HALF, generation(3, 120, {"1_1": -2}, copies="1_1")), Measured((), 500)),
        # It did not grow before the second: it may have been waiting for its turn after it too.
        ((BEGUN, generation(2, 60, {"1_1": 1_000}, copies="1_1"), MORE), Measured((), 1_000)),
        # Two copies on one client: what each gained does not show the client's speed, and neither does their sum.
        (
            (
                generation(1, 0, {"1_1": 1_000, "1_2": 1_000}),
                generation(2, 60, {"1_1": 31_000, "1_2": 1_000}),
                generation(3, 120, {"1_1": 31_100, "1_2": 31_000}),
            ),
            Measured((), 500),
        ),
        # Its earlier offset is unknown: the disk may have held nearly all of it. Rebalances that do not follow one another show
        # nothing.
        ((generation(1, 0, {}, copies="1_1"), HALF), Measured((), 0)),
        ((BEGUN, generation(3, 60, {"1_1": 31_000}, copies="1_1")), Measured((), 0)),
        ((BEGUN, generation(2, 0, {"1_1": 31_000}, copies="1_1")), Measured((), 0)),
    ],
)
def test_what_rebalances_show(generations: tuple[Generation, ...], expected: Measured) -> None:
    assert restore_rate.measured(generations, KNOWN) == expected


def test_where_copies_may_be_complete_nothing_is_measured() -> None:
    """With standbys, or a lag that a complete copy has at any moment, what a copy gets is what its log grows by."""
    assert restore_rate.measured((BEGUN, HALF, MORE), replace(KNOWN, warm_ups_tell=False)).speeds == ()
    for settings in ({"num.standby.replicas": 1}, {"acceptable.recovery.lag": 0}):
        assert not restore_rate.rules_of(read(with_settings(settings))).warm_ups_tell


def test_what_contradicts_a_speed_leaves_it_unknown() -> None:
    fast = generation(4, 121, {"1_1": 961_000}, copies="1_1")

    assert restore_rate.measured((BEGUN, HALF, MORE), KNOWN).band == (250, 500, 1_000)
    assert (
        restore_rate.measured((BEGUN, HALF, MORE, replace(fast, members=fast.members)), replace(KNOWN, reported_within_s=1)).band
        is None
    )


def test_bytes_that_nobody_can_read_are_left_out() -> None:
    broken = GenerationMember("x", "x", "", None, b"\xff", b"")
    with_it = Generation(1, BEGUN.completed_at, None, "stream", (broken, *BEGUN.members))

    assert restore_rate.measured((with_it, HALF), KNOWN).at_least == 500


SLOW = (BEGUN, HALF, MORE)
FAST = (BEGUN, generation(2, 5, {"1_1": 1_351_000}, copies="1_1"))


@pytest.mark.parametrize(
    ("generations", "limits", "assume", "speed", "source"),
    [
        ((), {}, {}, 10_000, RateSource.ASSUMED),
        ((BEGUN, HALF), {}, {}, 10_000, RateSource.ASSUMED),  # at least 400: the assumption may be true
        (SLOW, {}, {}, 514, RateSource.MEASURED),
        (FAST, {}, {}, 90_000, RateSource.AT_LEAST),  # at least that: the assumption cannot be true
        (SLOW, {"restore_records_per_second": 7}, {}, 7, RateSource.POLICY),
        (SLOW, {"restore_records_per_second": 7}, {"catch_up": {"records_per_second": 3}}, 3, RateSource.CHANGE),
        (SLOW, {}, {"catch_up": {"records_per_second": 0.5}}, 1, RateSource.CHANGE),
    ],
)
def test_the_best_word_counts(
    generations: tuple[Generation, ...], limits: dict[str, int], assume: dict[str, object], speed: int, source: RateSource
) -> None:
    settings = {"acceptable.recovery.lag": 10_000, "session.timeout.ms": 10_000}
    snapshot = replace(read(with_settings(settings)), generations=generations)
    policy = policy_from_json({"format_version": "1.0", **limits})
    requested = change_from_json(change(REPLACE_FIRST, assume=assume) if assume else change(REPLACE_FIRST))
    found = restore_rate.effective(policy, snapshot, requested)

    assert (found.restore_records_per_second, found.restore_rate_source) == (speed, source)


@pytest.mark.thorough
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

    assert status == {RateSource.ASSUMED: RuleStatus.UNKNOWN, RateSource.POLICY: RuleStatus.PASS}
    assert (guessed.assessment, said.assessment) == (Assessment.REVIEW, Assessment.SAFE)


@pytest.mark.parametrize("seed", range(150))
def test_the_true_speed_is_within_what_is_said(seed: int) -> None:
    """Simulated histories: a client restores one or two copies at a speed that is known here, while their logs grow."""
    chance = random.Random(seed)
    speed, grows = chance.choice((40, 700, 9_000, 250_000)), chance.choice((0, 3, 200))
    found = restore_rate.measured(_history(chance, speed, grows), replace(KNOWN, reported_within_s=8))

    assert found.at_least <= speed + grows
    if found.band is not None:
        assert found.band[0] <= speed <= found.band[2], (found, speed, grows)


@pytest.mark.thorough
def test_simulated_histories_tell_a_speed_at_all() -> None:
    found = [
        restore_rate.measured(_history(random.Random(seed), 700, 3), replace(KNOWN, reported_within_s=8)).band for seed in range(60)
    ]

    assert any(found)


def _history(chance: random.Random, speed: int, grows: int) -> tuple[Generation, ...]:
    """A rebalance a minute, each reported up to 8 s before it is complete. A copy that is within 10,000 records becomes active."""
    lag, ends = 10_000, {task: chance.choice((0, 50_000, 10**6, 10**7)) for task in WARM}
    have = dict.fromkeys(ends, 0.0)
    begins = {task: chance.choice((0, 0, 30, 130)) for task in ends}
    copies = {task for task in ends if chance.random() < 0.7}
    starts_known, at, found = chance.random() < 0.5, 0.0, []
    for number in range(1, 7):
        reported = 60 * (number - 1) - chance.uniform(0, 8) if number > 1 else 0.0
        while at < reported:
            busy = [one for one in copies if begins[one] <= at and have[one] < ends[one] + grows * at]
            for one in busy:
                have[one] = min(ends[one] + grows * at, have[one] + speed * 0.5 / len(busy))
            at += 0.5
        done = {one for one in copies if ends[one] + grows * at - have[one] <= lag}
        copies -= done
        sums = {one: int(have[one]) for one in (*copies, *done) if have[one] or starts_known}
        found.append(generation(number, 60.0 * (number - 1), sums, copies=" ".join(sorted(copies))))
    return tuple(found)
