"""The policy rule about starts that have to be over before a coordinator computes the next target."""

from holdfast.rollout.contract.assessment import Rule
from holdfast.rollout.contract.policy_measures import Measured
from holdfast.rollout.facts.refusals import Refusal, Refuses
from holdfast.rollout.policy.judging import between, made
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.text.format import duration


def in_interval(interval_ms: int | None, member: str, policy: Policy) -> Rule | None:
    """Whether a `member` that has to be there before the next target starts in time. None: none has to be. 0: the release has no
    interval."""
    if interval_ms is None:
        return None
    start = policy.start_up
    found = Measured(least=start.low, usual=start.usual, most=start.high, limit=interval_ms)
    status = between(start.usual * 1000, start.high * 1000, interval_ms)
    limit = f"{interval_ms / 1000:g} s, the assignment interval" if interval_ms else "the next heartbeat: there is no interval"
    usual, most = duration(start.usual), duration(start.high)
    words = f"a {member} starts within {usual} usually, {most} at most", limit
    return made("back-in-interval", words, status, policy, found)


def too_short(interval_ms: int | None, policy: Policy) -> Refusal | None:
    """Why an option does not apply whose clients usually start too slowly. None: it does, or no client has to be back."""
    usual = policy.start_up.usual
    if interval_ms is None or usual * 1000 <= interval_ms:
        return None
    reason = f"it takes {duration(usual)} to start, and the interval is {interval_ms / 1000:g} s"
    return Refusal(Refuses.INTERVAL_TOO_SHORT, reason)
