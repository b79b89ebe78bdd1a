"""The policy of a team, and what it says about one way of making a change: a list of rules, each passed, failed or not known.

A limit that is broken asks for a person's eyes (`review`); a rule named in `blocking` stops the plan (`blocked`).
"""

from dataclasses import dataclass
from enum import StrEnum

from holdfast.rollout.evaluation import Effort, Evaluation

RULES = (
    "forecast",
    "converges",
    "moved-without-need",
    "without-caught-up-copy",
    "time-to-stable",
    "rebalances",
    "restored-bytes",
    "copied-in-time",
    "evidence",
)
"""In the order in which a review lists them."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The limits of a team. Times in seconds; percentages of all stateful tasks of the group."""

    moved_percent_most: int = 25
    """Stateful tasks that leave clients which the change does not touch, beyond those that a new client must get."""
    without_caught_up_copy_s_most: int = 600
    """The longest that a task may stand still because nobody has its state."""
    time_to_stable_s_most: int = 3_600
    rebalances_most: int = 12
    restored_bytes_most: int | None = None
    restore_records_per_second: int = 10_000
    """How fast one client restores. An assumption until you have measured yours: every time derived from it says so."""
    bytes_per_record: int | None = None
    """The average size of a changelog record, for changelogs that nobody measured. None: their bytes are not known."""
    copy_state_over_s: int = 600
    """A restore longer than this is worth the handwork of copying the whole state directory."""
    valid_for_s: int = 3_600
    """How long after it was made a plan may be applied."""
    blocking: tuple[str, ...] = ("forecast", "converges")
    exclude: tuple[str, ...] = ()
    """Names of candidates that cannot be done here (say, no access to the hosts' disks)."""


class Status(StrEnum):
    PASS = "pass"  # noqa: S105 - not a password
    FAIL = "fail"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Rule:
    """What one rule found. `blocking`: a failure stops the plan."""

    name: str
    found: str
    limit: str
    status: Status
    blocking: bool


def judge(evaluation: Evaluation, policy: Policy) -> tuple[Rule, ...]:
    """All rules, in the order of `RULES`; where nothing can be predicted, only that."""
    if evaluation.refused is not None or not evaluation.costs:
        why = evaluation.refused or "the forecast has no outcome"
        return (_rule("forecast", why, "can be predicted", Status.FAIL, policy),)
    costs = evaluation.costs
    worst_moved = max(cost.needless for cost in costs)
    stateful = max(cost.stateful_tasks for cost in costs)
    share = 100 * worst_moved / stateful if stateful else 0.0
    stable = all(cost.stable for cost in costs)
    rebalances = max(cost.rebalances.high for cost in costs)
    unknown = len(evaluation.unknown)
    found = (
        _rule("forecast", "can be predicted", "can be predicted", Status.PASS, policy),
        _rule("converges", "yes" if stable else "no", "yes", Status.PASS if stable else Status.FAIL, policy),
        _rule(
            "moved-without-need",
            f"{worst_moved} of {stateful} stateful tasks ({share:.0f} %)",
            f"{policy.moved_percent_most} %",
            Status.PASS if share <= policy.moved_percent_most else Status.FAIL,
            policy,
        ),
        _cold_rule(evaluation, policy),
        _time_rule(evaluation, policy),
        _rule(
            "rebalances",
            str(rebalances),
            str(policy.rebalances_most),
            Status.PASS if rebalances <= policy.rebalances_most else Status.FAIL,
            policy,
        ),
        _bytes_rule(evaluation, policy),
        _copy_rule(evaluation, policy),
        _rule(
            "evidence",
            f"{unknown} not known" if unknown else "complete",
            "complete",
            Status.UNKNOWN if unknown else Status.PASS,
            policy,
        ),
    )
    return tuple(rule for rule in found if rule is not None)


def _cold_rule(evaluation: Evaluation, policy: Policy) -> Rule:
    speed = policy.restore_records_per_second
    longest = max(cost.cold_seconds_longest(speed) for cost in evaluation.costs)
    limit = policy.without_caught_up_copy_s_most
    found = f"{longest} s at {speed:,} records/s" if longest else f"under 1 s at {speed:,} records/s"
    if not any(cost.cold_tasks for cost in evaluation.costs):
        found = "no task"
    return _rule("without-caught-up-copy", found, f"{limit} s", Status.PASS if longest <= limit else Status.FAIL, policy)


def _time_rule(evaluation: Evaluation, policy: Policy) -> Rule:
    longest = max(cost.time_to_stable(policy.restore_records_per_second).high for cost in evaluation.costs)
    limit = policy.time_to_stable_s_most
    return _rule("time-to-stable", f"{longest} s", f"{limit} s", Status.PASS if longest <= limit else Status.FAIL, policy)


def _bytes_rule(evaluation: Evaluation, policy: Policy) -> Rule | None:
    """Only where a limit is set."""
    if policy.restored_bytes_most is None:
        return None
    limit = f"{policy.restored_bytes_most:,} bytes"
    amounts = [cost.restored_bytes(policy.bytes_per_record) for cost in evaluation.costs]
    known = [amount for amount in amounts if amount is not None]
    if len(known) < len(amounts):
        return _rule("restored-bytes", "not known: what changelogs weigh, or bytes per record", limit, Status.UNKNOWN, policy)
    status = Status.PASS if max(known) <= policy.restored_bytes_most else Status.FAIL
    return _rule("restored-bytes", f"{max(known):,} bytes", limit, status, policy)


def _copy_rule(evaluation: Evaluation, policy: Policy) -> Rule | None:
    """Only where a disk is copied: nobody but the operator knows how long that takes."""
    if evaluation.candidate.effort is not Effort.COPY_DISK:
        return None
    return _rule("copied-in-time", "not known: measure the copying", "the session time-out", Status.UNKNOWN, policy)


def _rule(name: str, found: str, limit: str, status: Status, policy: Policy) -> Rule:
    return Rule(name, found, limit, status, blocking=name in policy.blocking)
