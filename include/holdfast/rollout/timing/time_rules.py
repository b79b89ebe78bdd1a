"""Policy rules about time: each reads the two figures of `timeline` and checks the upper bound."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from holdfast.rollout.contract.times import Condition, Times
from holdfast.rollout.contract.verdicts import Rule, Status
from holdfast.rollout.policy import hours
from holdfast.rollout.policy.judging import made
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.timing import time_words


def conditions(found: Iterable[Times]) -> Iterator[Condition]:
    """Those that are not known to be met."""
    for times in found:
        if times.condition is not None and not times.certain:
            yield times.condition


def seconds_needed(times: Times) -> int | None:
    """From the first act until all state is restored, at the most. Where that holds under a condition that is not known to be met:
    what it is otherwise. None: never, or not known."""
    if times.restored is None:
        return None
    if times.condition is None or times.certain:
        return times.restored.high
    late = times.condition.otherwise_restored
    return None if late is None else max(times.restored.high, late.high)


LONGEST_S = 10**9
"""Thirty years: what takes longer is not told apart, since no calendar holds it."""


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
    """As `seconds_needed`, but for a condition of which nobody knows: whether it is met is not to be decided by a plan's end."""
    open_question = times.condition is not None and times.condition.met is None
    return times.restored.high if open_question and times.restored is not None else seconds_needed(times) or 0


@dataclass(frozen=True, slots=True)
class _End:
    """When it is over if it is begun now, at the most (None: never); and if its condition is met, where it has one."""

    surely: datetime | None
    if_met: datetime | None
    condition: str

    def status(self, limit: datetime) -> Status:
        if self.surely is not None and self.surely <= limit:
            return Status.PASS
        return Status.UNKNOWN if self.if_met is not None and self.if_met <= limit else Status.FAIL

    def found(self) -> str:
        if self.surely is None and self.if_met is None:
            return "never"
        if self.if_met is None or self.surely == self.if_met:
            assert self.surely is not None, "either is known"
            return f"{hours.clock(self.surely)} at the most if begun now"
        late = "never" if self.surely is None else hours.clock(self.surely)
        return f"{hours.clock(self.if_met)} at the most if begun now and {self.condition}, else {late}"


def _end(found: Sequence[Times], now: datetime) -> _End:
    needed = [seconds_needed(one) for one in found]
    surely = None if None in needed else now + _span(max(one for one in needed if one is not None))
    under = [one for one in conditions(found) if one.met is None]
    best = [one.restored for one in found]
    if not under or None in best:
        return _End(surely, surely, "")
    if_met = now + _span(max(one.high for one in best if one is not None))
    return _End(surely, if_met, time_words.condition(under[0]))


def finish_before(found: Sequence[Times], policy: Policy, now: datetime, *, restores: bool) -> Rule | None:
    """The plan expires so early that it still holds if it is begun at the last moment: `latest_start`. `restores`: whether any
    client restores state, so that speed matters."""
    if policy.finish_before is None:
        return None
    limit, end = hours.deadline(policy.finish_before, now), _end(found, now)
    text = f"{end.found()} ({at_speed(policy)})" if restores else end.found()
    return made("finish-before", text, hours.clock(limit), end.status(limit), policy)


def windows(found: Sequence[Times], policy: Policy, now: datetime) -> Rule | None:
    if not policy.windows:
        return None
    limit, end = "; ".join(str(window) for window in policy.windows), _end(found, now)
    spans = hours.spans(policy.windows, now)
    if not spans or spans[0][0] > now:
        opens = f"; the next one opens at {hours.clock(spans[0][0])}: plan again then" if spans else ""
        return made("windows", f"no window is open{opens}", limit, Status.FAIL, policy)
    closes = spans[0][1]
    text = f"{end.found()}; the window closes at {hours.clock(closes)}"
    return made("windows", text, limit, end.status(closes), policy)


def at_speed(policy: Policy) -> str:
    """What the most is judged at."""
    return f"at the slowest: {policy.slowest_restore:,} records/s; the speed is {policy.restore_rate_says}"
