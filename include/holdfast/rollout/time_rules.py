"""What a policy says about time: every rule reads the two figures of `timeline`, and judges at the slowest."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from holdfast.rollout import hours, time_words, timeline
from holdfast.rollout.evaluation import Cost, Evaluation
from holdfast.rollout.policy import Policy
from holdfast.rollout.rule import Circumstances, Rule, Status, made
from holdfast.rollout.times import Condition


def conditions(evaluation: Evaluation, policy: Policy) -> Iterator[Condition]:
    """Those that are not known to be met."""
    for cost in evaluation.costs:
        times = timeline.times_of(cost, policy)
        if times.condition is not None and not times.certain:
            yield times.condition


def seconds_needed(cost: Cost, policy: Policy) -> int | None:
    """From the first act until all state is restored, at the most. Where that holds under a condition that is not known to be met:
    what it is otherwise. None: never, or not known."""
    times = timeline.times_of(cost, policy)
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


def latest_start(evaluation: Evaluation, policy: Policy, now: datetime) -> datetime | None:
    """The last moment at which the change may be begun by `finish_before` and `windows`. None: the policy states neither."""
    needed = _span(max((_at_best(cost, policy) for cost in evaluation.costs), default=0))
    ends = [] if policy.finish_before is None else [hours.deadline(policy.finish_before, now)]
    ends += [end for start, end in hours.spans(policy.windows, now)[:1] if start <= now]
    return min(ends) - needed if ends else None


def _at_best(cost: Cost, policy: Policy) -> int:
    """As `seconds_needed`, but for a condition of which nobody knows: whether it is met is not to be decided by a plan's end."""
    times = timeline.times_of(cost, policy)
    open_question = times.condition is not None and times.condition.met is None
    return times.restored.high if open_question and times.restored is not None else seconds_needed(cost, policy) or 0


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


def _end(evaluation: Evaluation, policy: Policy, at: Circumstances) -> _End:
    needed = [seconds_needed(cost, policy) for cost in evaluation.costs]
    surely = None if None in needed else at.now + _span(max(one for one in needed if one is not None))
    under = [one for one in conditions(evaluation, policy) if one.met is None]
    best = [timeline.times_of(cost, policy).restored for cost in evaluation.costs]
    if not under or None in best:
        return _End(surely, surely, "")
    if_met = at.now + _span(max(one.high for one in best if one is not None))
    return _End(surely, if_met, time_words.condition(under[0]))


def finish_before(evaluation: Evaluation, policy: Policy, at: Circumstances) -> Rule | None:
    """The plan expires so early that it still holds if it is begun at the last moment: `latest_start`."""
    if policy.finish_before is None:
        return None
    limit, end = hours.deadline(policy.finish_before, at.now), _end(evaluation, policy, at)
    found = f"{end.found()} ({_at_speed(policy)})" if _restores(evaluation) else end.found()
    return made("finish-before", found, hours.clock(limit), end.status(limit), policy)


def _restores(evaluation: Evaluation) -> bool:
    return any(cost.restores for cost in evaluation.costs)


def windows(evaluation: Evaluation, policy: Policy, at: Circumstances) -> Rule | None:
    if not policy.windows:
        return None
    limit, end = "; ".join(str(window) for window in policy.windows), _end(evaluation, policy, at)
    spans = hours.spans(policy.windows, at.now)
    if not spans or spans[0][0] > at.now:
        opens = f"; the next one opens at {hours.clock(spans[0][0])}: plan again then" if spans else ""
        return made("windows", f"no window is open{opens}", limit, Status.FAIL, policy)
    closes = spans[0][1]
    found = f"{end.found()}; the window closes at {hours.clock(closes)}"
    return made("windows", found, limit, end.status(closes), policy)


def time_to_stable(evaluation: Evaluation, policy: Policy, at: Circumstances) -> Rule:
    """Within the limit at the most: passed. Beyond it even usually: failed."""
    limit = at.seconds_most if policy.time_to_stable_s_most is None else policy.time_to_stable_s_most
    ends = [timeline.times_of(cost, policy).rebalancing_ends for cost in evaluation.costs]
    known = [one for one in ends if one is not None]
    if len(known) < len(ends) or not known:
        return made("time-to-stable", "never", f"{limit} s", Status.FAIL, policy)
    longest = max(known, key=lambda one: one.high)
    usual, most = max(one.usual for one in known), longest.high
    status = Status.FAIL if usual > limit else Status.UNKNOWN if most > limit else Status.PASS
    found = f"{most} s" if usual == most else f"{usual} s usually, {most} s at most"
    if status is Status.UNKNOWN:
        found = f"{found} ({_at_speed(policy)})"
    for one in conditions(evaluation, policy):
        late = one.otherwise_rebalancing_ends
        if status is Status.PASS and (late is None or late.high > limit):
            status = Status.FAIL if one.met is False else Status.UNKNOWN
            found = f"{found} if {time_words.condition(one)}, else {time_words.estimate(late)}"
    return made("time-to-stable", found, f"{limit} s", status, policy)


def _at_speed(policy: Policy) -> str:
    """What the most is judged at."""
    return f"at the slowest: {policy.slowest_restore:,} records/s; the speed is {policy.restore_rate_says}"
