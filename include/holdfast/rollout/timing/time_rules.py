"""Policy rules about time: each reads the two figures of `timeline` and checks the upper bound."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from holdfast.rollout.contract.assessment import Rule, RuleStatus
from holdfast.rollout.contract.policy_measures import Measured
from holdfast.rollout.contract.times import Condition, Times
from holdfast.rollout.policy import hours
from holdfast.rollout.policy.judging import made
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.timing import limit_words


def conditions(found: Iterable[Times]) -> Iterator[Condition]:
    """Those that are unknown to be met."""
    for times in found:
        if times.condition is not None and not times.certain:
            yield times.condition


def seconds_needed(times: Times) -> int | None:
    """From the first action until all state is restored, at the most. Where that depends on a condition of unknown outcome:
    what it is otherwise. None: never, or unknown."""
    if times.restored is None:
        return None
    if times.condition is None or times.certain:
        return times.restored.high
    late = times.condition.otherwise_restored
    return None if late is None else max(times.restored.high, late.high)


LONGEST_S = 10**9
"""Thirty years: longer times are not distinguished, since no calendar holds them."""


def _span(seconds: int) -> timedelta:
    return timedelta(seconds=min(seconds, LONGEST_S))


def expires(found: Sequence[Times], policy: Policy, made: datetime, valid_from: datetime) -> datetime:
    """So early that what is begun before is over in time, by `finish_before` and `windows`; counted from the snapshot. `found`: of
    the recommended option; none: nothing is recommended."""
    at_the_end = valid_from.replace(microsecond=0) + timedelta(seconds=policy.valid_for_s)
    latest = latest_start(found, policy, made) if found else None
    return at_the_end if latest is None else min(at_the_end, max(made, latest.replace(microsecond=0)))


def latest_start(found: Sequence[Times], policy: Policy, now: datetime) -> datetime | None:
    """The last moment at which the change may be begun by `finish_before` and `windows`. None: the policy states neither."""
    needed = _span(max(map(_at_best, found), default=0))
    ends = [] if policy.finish_before is None else [hours.deadline(policy.finish_before, now)]
    ends += [end for start, end in hours.spans(policy.windows, now)[:1] if start <= now]
    return min(ends) - needed if ends else None


def _at_best(times: Times) -> int:
    """As `seconds_needed`, but without a condition of unknown outcome: whether it is met must not depend on a plan's end."""
    open_question = times.condition is not None and times.condition.met is None
    return times.restored.high if open_question and times.restored is not None else seconds_needed(times) or 0


def _if_begun(found: Sequence[Times], now: datetime) -> Measured:
    """When it is over if it is begun now, at the most (`ends` None: never); and if its condition is met, where that is unknown."""
    needed = [seconds_needed(one) for one in found]
    surely = None if None in needed else now + _span(max(one for one in needed if one is not None))
    under = [one for one in conditions(found) if one.met is None]
    best = [one.restored for one in found]
    if not under or None in best:
        return Measured(ends=_instant(surely))
    if_met = now + _span(max(one.high for one in best if one is not None))
    return Measured(ends=_instant(surely), ends_if_met=_instant(if_met), condition=under[0])


def _instant(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _by(found: Measured, limit: datetime) -> RuleStatus:
    surely, if_met = (None if one is None else datetime.fromisoformat(one) for one in (found.ends, found.ends_if_met))
    if surely is not None and surely <= limit:
        return RuleStatus.PASS
    return RuleStatus.UNKNOWN if if_met is not None and if_met <= limit else RuleStatus.FAIL


def of_condition(one: Condition) -> RuleStatus:
    """Of a rule that passes only if the condition is met."""
    return RuleStatus.FAIL if one.met is False else RuleStatus.UNKNOWN


def finish_before(found: Sequence[Times], policy: Policy, now: datetime, *, restores: bool) -> Rule | None:
    """The plan expires so early that it still holds if it is begun at the last moment: `latest_start`. `restores`: whether any
    client restores state, so that speed matters."""
    if policy.finish_before is None:
        return None
    limit, speed = hours.deadline(policy.finish_before, now), policy.slowest_restore if restores else None
    end = replace(_if_begun(found, now), until=_instant(limit), speed=speed)
    return made("finish-before", limit_words.finish_before(end, policy), _by(end, limit), policy, end)


def windows(found: Sequence[Times], policy: Policy, now: datetime) -> Rule | None:
    if not policy.windows:
        return None
    stated = Measured(allowed=tuple(map(str, policy.windows)))
    spans = hours.spans(policy.windows, now)
    if not spans or spans[0][0] > now:
        closed = replace(stated, opens=_instant(spans[0][0]) if spans else None)
        return made("windows", limit_words.windows(closed), RuleStatus.FAIL, policy, closed)
    closes = spans[0][1]
    end = replace(_if_begun(found, now), until=_instant(closes), allowed=stated.allowed)
    return made("windows", limit_words.windows(end), _by(end, closes), policy, end)
