"""The verdict of a plan, the status of a rule and the result of a verification, for every kind of group."""

from enum import StrEnum

from holdfast.rollout.contract.measured import Measured
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


class PlanVerdict(StrEnum):
    """The verdict of a plan. `REVIEW`: a rule failed or is unknown; `BLOCKED`: the plan must not be applied."""

    NOTHING_TO_DO = "nothing to do"
    SAFE = "safe"
    REVIEW = "review"
    BLOCKED = "blocked"


BASELINE_NAME = "plainly"
"""The name of the baseline: the requested change without mitigation."""


class Result(StrEnum):
    """The result of a verification. `NOT_YET`: a step is not visible yet. `ON_THE_WAY`: every step is visible, nothing contradicts
    the forecast, and the group is not stable yet. `NOT_COMPARED`: every step is visible, and the end differs from each course
    of the forecast that was compared; there are more than can be."""

    AS_FORECAST = "as forecast"
    NOT_YET = "not yet"
    ON_THE_WAY = "on the way"
    DIFFERENT = "different"
    NOT_COMPARED = "not compared"

    @property
    def final(self) -> bool:
        """Whether another look finds nothing else."""
        return self in (Result.AS_FORECAST, Result.DIFFERENT, Result.NOT_COMPARED)
