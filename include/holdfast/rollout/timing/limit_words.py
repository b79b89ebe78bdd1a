"""What the rules about time found, and their limits, in words: (found, limit) of each."""

from datetime import datetime

from holdfast.rollout.contract.policy_measures import Measured
from holdfast.rollout.policy import hours
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.timing import time_words


def finish_before(one: Measured, policy: Policy) -> tuple[str, str]:
    found = _end(one)
    return found if one.speed is None else f"{found} ({at_speed(policy)})", _clock(one.until)


def windows(one: Measured) -> tuple[str, str]:
    limit = "; ".join(one.allowed)
    if one.until is None:
        opens = "" if one.opens is None else f"; the next one opens at {_clock(one.opens)}: plan again then"
        return f"no window is open{opens}", limit
    return f"{_end(one)}; the window closes at {_clock(one.until)}", limit


def at_speed(policy: Policy) -> str:
    """What the most is judged at."""
    return f"at the slowest: {policy.slowest_restore:,} records/s; the speed is {policy.restore_rate_says}"


def _end(one: Measured) -> str:
    if one.ends is None and one.ends_if_met is None:
        return "never"
    if one.ends_if_met is None or one.ends_if_met == one.ends or one.condition is None:
        return f"{_clock(one.ends)} at the most if begun now"
    late = "never" if one.ends is None else _clock(one.ends)
    return f"{_clock(one.ends_if_met)} at the most if begun now and {time_words.condition(one.condition)}, else {late}"


def _clock(instant: str | None) -> str:
    assert instant is not None, "a moment that a rule found is known"
    return hours.clock(datetime.fromisoformat(instant))
