"""What the shared rules found, and their limits, in words: (found, limit) of each."""

from holdfast.rollout.contract.assessment import RuleStatus
from holdfast.rollout.contract.policy_measures import Measured
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.text.format import duration, listed, many, printable
from holdfast.rollout.timing import time_words
from holdfast.rollout.timing.limit_words import at_speed

Words = tuple[str, str]


def forecast(one: Measured) -> Words:
    return "can be predicted" if one.reason is None else one.reason, "can be predicted"


def converges(one: Measured, status: RuleStatus) -> Words:
    no = f"no: {one.reason}" if one.reason else "no"
    return "yes" if status is RuleStatus.PASS else no, "yes"


def percent(one: Measured) -> float:
    return 100 * (one.most or 0) / one.of if one.of else 0.0


def share(one: Measured, thing: str) -> Words:
    """`thing`: what is counted."""
    limit = f"{one.limit} %"
    if one.most is None:
        return "unknown", limit
    return f"{one.most:,} of {many(one.of or 0, thing)} ({percent(one):.0f} %)", limit


def time_to_stable(one: Measured, policy: Policy) -> Words:
    limit = duration(_whole(one.limit))
    if one.most is None:
        return "never", limit
    most, usual = duration(_whole(one.most)), duration(_whole(one.usual))
    found = most if one.usual == one.most else f"{usual} usually, {most} at most"
    if one.speed is not None:
        found = f"{found} ({at_speed(policy)})"
    if one.condition is not None:
        late = time_words.estimate(one.condition.otherwise_rebalancing_ends)
        found = f"{found} if {time_words.condition(one.condition)}, else {late}"
    return found, limit


def rebalances(one: Measured) -> Words:
    """`1 from the change itself, up to 13 extra (usually 9)`: the sum is all of them."""
    more, asked, usually = _whole(one.most), one.of or 0, "" if one.usual is None else f" (usually {one.usual})"
    if more:
        found = f"{asked:,} from the change itself, up to {more:,} extra{usually}"
    else:
        found = f"none extra: {asked:,} at most, all from the change itself" if asked else "none"
    return found, f"{one.limit} extra"


def actions(one: Measured, status: RuleStatus) -> Words:
    names = ", ".join(one.names)
    return f"it asks for {names}" if status is RuleStatus.FAIL else names or "nothing", ", ".join(one.allowed) or "none"


def hosts(one: Measured, status: RuleStatus) -> Words:
    found = {
        RuleStatus.FAIL: f"steps on {_hosts(one.names)}",
        RuleStatus.UNKNOWN: "a step on an unknown host",
        RuleStatus.PASS: "no step there",
    }
    return found[status], f"no step on {_hosts(one.allowed)}"


def _hosts(names: tuple[str, ...]) -> str:
    return listed([printable(host) for host in names])


def _whole(figure: float | None) -> int:
    return int(figure or 0)


def evidence(one: Measured) -> Words:
    return f"{one.most} unknown" if one.most else "complete", "complete"
