"""What is learnt from a group's past in place of what a policy assumes; what an operator states holds, and is compared with it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import takewhile

from holdfast.rollout.backtest.learnt import Disagreement, Learnt, Quantity, Span, Stated
from holdfast.rollout.policy.learnt_times import LearntTimes
from holdfast.rollout.policy.policy import LONGEST_STEP_S, MOST, Policy
from holdfast.rollout.policy.rates import RateSource

_DEFAULT = Policy()


def with_learnt(policy: Policy, learnt: Learnt) -> Policy:
    """The policy with learnt ranges where it states none."""
    own = replace(policy, learnt=_times(policy, learnt))
    return _with_start_up(_with_restore(own, learnt.restore), learnt.start_up)


def _times(policy: Policy, learnt: Learnt) -> LearntTimes:
    """Who states how long a start, or the time between two steps, takes, states how long a restart does."""
    stated = _states_start_up(policy)
    apart = stated or policy.between_steps != _DEFAULT.between_steps
    return LearntTimes(
        restart=None if stated else learnt.restart.span,
        restarts_apart=None if apart else learnt.restarts_apart.span,
        in_a_row=() if apart else _spans(learnt.in_a_row),
        rolls=() if apart else _spans(learnt.rolls),
        took=learnt.took.span,
        took_probing=learnt.took_probing.span,
    )


def _spans(found: Iterable[Quantity]) -> tuple[Span, ...]:
    """Up to the first that is unknown."""
    return tuple(one.span for one in takewhile(lambda one: one.span is not None, found) if one.span is not None)


def _with_restore(policy: Policy, found: Quantity) -> Policy:
    if found.span is None or policy.restore_rate_source is not RateSource.ASSUMED:
        return policy
    return replace(
        policy,
        restore_records_per_second=_speed(found.span.usual),
        restore_slowest=_speed(found.span.low),
        restore_fastest=_speed(found.span.high),
        restore_observations=found.seen,
        restore_rate_source=RateSource.MEASURED,
    )


def _speed(found: float) -> int:
    return min(max(1, int(found)), MOST)


def _with_start_up(policy: Policy, found: Quantity) -> Policy:
    """A client that was back within its session started within it, which may say less than is assumed. How long one takes that is
    not stopped before is not seen: the least stays."""
    if found.span is None or _states_start_up(policy):
        return policy
    low, usual, high = (min(round(one), LONGEST_STEP_S) for one in (found.span.low, found.span.usual, max(1, found.span.high)))
    if not low and high >= policy.start_up_s_most:
        return policy
    usual = min(max(1, usual if low else policy.start_up_s), high)
    return replace(
        policy,
        start_up_s_least=min(policy.start_up_s_least, usual),
        start_up_s=usual,
        start_up_s_most=high,
        start_up_observations=found.seen,
    )


def _states_start_up(policy: Policy) -> bool:
    return policy.start_up != _DEFAULT.start_up or policy.start_up_observations is not None


def disagreements(policy: Policy, learnt: Learnt, assumed: float | None = None) -> tuple[Disagreement, ...]:
    """Where the range of what is stated, and the learnt one, have nothing in common. `assumed`: the records per second of a Change
    that states them."""
    return tuple(_disagreements(policy, learnt, assumed))


def _disagreements(policy: Policy, learnt: Learnt, assumed: float | None) -> Iterator[Disagreement]:
    if assumed is not None:
        yield from _apart(Stated.RESTORE, assumed, assumed, learnt.restore)
    elif policy.restore_rate_source is RateSource.POLICY:
        yield from _apart(Stated.RESTORE, policy.slowest_restore, policy.fastest_restore, learnt.restore)
    if _states_start_up(policy):
        yield from _apart(Stated.START_UP, policy.start_up.low, policy.start_up.high, learnt.start_up)


def _apart(what: Stated, low: float, high: float, found: Quantity) -> Iterator[Disagreement]:
    if found.span is not None and (high < found.span.low or low > found.span.high):
        yield Disagreement(what, low, high, found.span, found.seen)
