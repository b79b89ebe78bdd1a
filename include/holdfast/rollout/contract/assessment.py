"""How a plan is assessed by its policy: each check, and what follows for the plan. For every kind of group."""

from enum import StrEnum

from holdfast.rollout.contract.policy_measures import Measured
from holdfast.rollout.json.codec import BOOLEAN, NAME, TEXT, choice
from holdfast.rollout.json.record import codec_of, member, record


class RuleStatus(StrEnum):
    PASS = "pass"  # noqa: S105 - not a password
    FAIL = "fail"
    UNKNOWN = "unknown"


@record
class Rule:
    """A policy check: the value found, the limit, and its status. `blocking`: a failure blocks the plan. `measured`: `found` and
    `limit` as values; None: another version wrote it."""

    name: str = member(NAME)
    found: str = member(TEXT)
    limit: str = member(TEXT)
    status: RuleStatus = member(choice(RuleStatus))
    blocking: bool = member(BOOLEAN)
    measured: Measured | None = member(codec_of(Measured), "`found` and `limit` as values.", default=None, omit=True)


class Assessment(StrEnum):
    """What follows from the policy checks of a plan. In JSON the field is called `verdict`; in code and text a Verdict is only what
    `verify` gives. `REVIEW`: a rule failed or is unknown; `BLOCKED`: the plan must not be applied."""

    NOTHING_TO_DO = "nothing to do"
    SAFE = "safe"
    REVIEW = "review"
    BLOCKED = "blocked"


BASELINE_NAME = "baseline"
"""The name of the baseline: the requested change without mitigation."""
