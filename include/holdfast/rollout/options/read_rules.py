"""Policy rules about where readers go on, and how long partitions have none: for every kind of consumer group."""

from collections.abc import Sequence

from holdfast.rollout.contract.assessment import Rule, RuleStatus
from holdfast.rollout.contract.policy_measures import Measured
from holdfast.rollout.offsets.positions import OffsetWarning
from holdfast.rollout.options import read_words as words
from holdfast.rollout.policy.judging import made, within
from holdfast.rollout.policy.policy import Policy


def reads_on(warnings: Sequence[OffsetWarning], unknown: int, policy: Policy) -> Rule:
    """Whether no member skips data, or stops at a missing offset. `unknown`: of how many partitions that is open."""
    status = RuleStatus.FAIL if warnings else RuleStatus.UNKNOWN if unknown else RuleStatus.PASS
    known = sum(one.partitions for one in warnings)
    found = Measured(least=known, most=known + unknown)
    return made("reads-on", words.reads_on(found, warnings), status, policy, found)


def partition_downtime(longest: tuple[float, float] | None, policy: Policy) -> Rule:
    """`longest`: of one partition, usually and at most, in seconds; None: unknown."""
    limit = policy.without_caught_up_copy_s_most
    usual, most = (None, None) if longest is None else longest
    found = Measured(usual=usual, most=most, limit=limit)
    status = RuleStatus.UNKNOWN if usual is None else within(usual, limit)
    return made("partition-downtime", words.partition_downtime(found), status, policy, found)
