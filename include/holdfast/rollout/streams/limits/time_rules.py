"""How long an option of a Kafka Streams group takes, and what a policy says about when its rebalancing ends."""

from holdfast.rollout.contract.times import Times
from holdfast.rollout.contract.verdicts import Rule, Status
from holdfast.rollout.policy.judging import made
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.cost import times_of_costs
from holdfast.rollout.streams.cost.evaluation import Evaluation
from holdfast.rollout.streams.limits.circumstances import Circumstances
from holdfast.rollout.timing import time_words
from holdfast.rollout.timing.time_rules import at_speed, conditions


def times_of(evaluation: Evaluation, policy: Policy) -> tuple[Times, ...]:
    """Of every outcome: what the rules of time go by."""
    return tuple(times_of_costs.times_of(cost, policy) for cost in evaluation.costs)


def time_to_stable(evaluation: Evaluation, policy: Policy, at: Circumstances) -> Rule:
    """Within the limit at the most: passed. Beyond it even usually: failed."""
    limit = at.seconds_most if policy.time_to_stable_s_most is None else policy.time_to_stable_s_most
    ends = [times_of_costs.times_of(cost, policy).rebalancing_ends for cost in evaluation.costs]
    known = [one for one in ends if one is not None]
    if len(known) < len(ends) or not known:
        return made("time-to-stable", "never", f"{limit} s", Status.FAIL, policy)
    longest = max(known, key=lambda one: one.high)
    usual, most = max(one.usual for one in known), longest.high
    status = Status.FAIL if usual > limit else Status.UNKNOWN if most > limit else Status.PASS
    found = f"{most} s" if usual == most else f"{usual} s usually, {most} s at most"
    if status is Status.UNKNOWN:
        found = f"{found} ({at_speed(policy)})"
    for one in conditions(times_of(evaluation, policy)):
        late = one.otherwise_rebalancing_ends
        if status is Status.PASS and (late is None or late.high > limit):
            status = Status.FAIL if one.met is False else Status.UNKNOWN
            found = f"{found} if {time_words.condition(one)}, else {time_words.estimate(late)}"
    return made("time-to-stable", found, f"{limit} s", status, policy)
