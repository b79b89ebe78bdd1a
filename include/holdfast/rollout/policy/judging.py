"""Rules as a policy judges them, whichever kind of group they are about."""

from holdfast.rollout.contract.assessment import Rule, RuleStatus
from holdfast.rollout.contract.policy_measures import Measured
from holdfast.rollout.policy.policy import Policy


def made(name: str, says: tuple[str, str], status: RuleStatus, policy: Policy, measured: Measured) -> Rule:
    """`says`: what was found and the limit, in words. Whether it blocks is the policy's to say."""
    return Rule(name, *says, status, name in policy.blocking, measured)


def within(found: float, limit: float) -> RuleStatus:
    return RuleStatus.PASS if found <= limit else RuleStatus.FAIL


def between(low: float, high: float, limit: float) -> RuleStatus:
    """Passed only if it is within at the most, failed only if it is not even at the least."""
    return RuleStatus.PASS if high <= limit else RuleStatus.FAIL if low > limit else RuleStatus.UNKNOWN
