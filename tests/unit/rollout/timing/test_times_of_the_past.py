"""What a group's past says of restarts and follow-up rebalances takes the place of what is assumed of them, and of nothing else."""

from dataclasses import replace

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.backtest.learnt import Span
from holdfast.rollout.contract.rebalances import Round
from holdfast.rollout.contract.times import Estimate, PhaseKind, TimedBatch, Times
from holdfast.rollout.policy.learnt_times import LearntTimes
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.timing.timeline import TimedCourse, combined

SESSION_S, INTERVAL_S = 10, 600
RESTART = TimedBatch(1, starts=1, restarts=1, noticed_s=SESSION_S)
FRESH = TimedBatch(1, starts=1)
PROBED = TimedBatch(3, starts=1)
CHANGE = Round("change", 0, 0, 0, 0, 0)
KNOWN = LearntTimes(Span(8, 11, 15), Span(12.5, 14, 17.2), took_probing=Span(0.5, 1, 1.25))
LEARNT = Policy(learnt=KNOWN)


def times(policy: Policy, *acts: tuple[TimedBatch, tuple[Round, ...]], more: int = 0) -> Times:
    return combined(TimedCourse(acts, spared_s=INTERVAL_S, more=more, probes_more=more, probing_s=INTERVAL_S), policy)


def ends(policy: Policy, *acts: tuple[TimedBatch, tuple[Round, ...]], more: int = 0) -> Estimate:
    found = times(policy, *acts, more=more).rebalancing_ends
    assert found is not None
    return found


def probed(restoring: int = 0) -> tuple[Round, ...]:
    """A rebalance of the change, an immediate follow-up, and one that waits for a probing interval."""
    return (
        replace(CHANGE, restoring=((ProcessId(0, 1), restoring),), restoring_longest=restoring),
        replace(CHANGE, trigger="immediate"),
        replace(CHANGE, trigger="probing", at_seconds=INTERVAL_S),
    )


def test_a_restart_takes_what_restarts_took() -> None:
    assert ends(Policy(), (RESTART, (CHANGE,))) == Estimate(7, 12, 38)
    assert ends(LEARNT, (RESTART, (CHANGE,))) == Estimate(8, 13, 23)


def test_a_client_that_was_not_stopped_before_takes_what_is_assumed() -> None:
    assert ends(LEARNT, (FRESH, (CHANGE,))) == ends(Policy(), (FRESH, (CHANGE,))) == Estimate(1, 7, 38)
    crash = replace(FRESH, noticed_s=SESSION_S)
    assert ends(LEARNT, (crash, (CHANGE,))) == Estimate(7, 12, 38)


def test_the_next_restarts_of_a_roll_end_as_far_apart_as_before() -> None:
    found = times(LEARNT, *[(RESTART, (CHANGE,))] * 3)

    assert found.rebalancing_ends == Estimate(8 + 25, 13 + 2 * 14, 23 + 35)  # 2 * 12.5 s and 2 * 17.2 s, in whole seconds
    assert [one.usual for one in found.rebalances] == [13, 27, 41]
    assert [one.kind for one in found.phases].count(PhaseKind.NEXT_RESTART) == 2
    assert ends(LEARNT, (FRESH, (CHANGE,)), (RESTART, (CHANGE,))) == Estimate(1 + 0 + 8, 7 + 5 + 13, 38 + 15 + 23)


def test_a_roll_takes_what_such_rolls_and_parts_of_them_took() -> None:
    """Slow restarts are seldom all in one roll, nor fast ones."""
    parts = replace(KNOWN, in_a_row=(Span(26, 28, 32),))
    assert ends(Policy(learnt=parts), *[(RESTART, (CHANGE,))] * 3) == Estimate(8 + 26, 13 + 28, 8 + 15 + 32)
    assert ends(Policy(learnt=parts), *[(RESTART, (CHANGE,))] * 4) == Estimate(8 + 38, 13 + 42, 8 + 15 + 50)
    known = Policy(learnt=replace(parts, rolls=(Span(22, 26, 31),)))
    assert ends(known, *[(RESTART, (CHANGE,))] * 2) == Estimate(22, 2 + 26, 8 + 31)
    assert ends(known, *[(RESTART, (CHANGE,))] * 4) == Estimate(22 + 26, 2 + 26 + 28, 8 + 31 + 32)
    twice = (FRESH, (CHANGE,)), *[(RESTART, (CHANGE,))] * 2, (FRESH, (CHANGE,)), *[(RESTART, (CHANGE,))] * 2
    once = ends(known, *[(RESTART, (CHANGE,))] * 2)
    assert ends(known, *twice).low == 2 * (1 + once.low)


def test_follow_up_rebalances_take_as_many_times_as_long_as_before() -> None:
    """Of the usual 604 s; rebalances that may come in addition, or be spared, are in what such courses took."""
    assert ends(Policy(), (PROBED, probed()), more=1) == Estimate(1, 5 + 2 + 604, 30 + 8 + 616 + 8 + 600)
    assert ends(LEARNT, (PROBED, probed()), more=1) == Estimate(1 + 302, 7 + 604, 38 + 755)


def test_those_of_which_too_few_were_seen_do_not() -> None:
    unseen = replace(LEARNT, learnt=replace(KNOWN, took_probing=None, took=Span(1, 1, 1)))
    assert ends(unseen, (PROBED, probed()), more=1) == ends(Policy(), (PROBED, probed()), more=1)


def test_where_restores_are_waited_for_they_decide() -> None:
    """The slowest takes longer than a probing interval."""
    long = probed(restoring=10_000 * 700)
    assert times(LEARNT, (PROBED, long)).rebalancing_ends == times(Policy(), (PROBED, long)).rebalancing_ends
    assert times(LEARNT, (PROBED, long)).more_probing
