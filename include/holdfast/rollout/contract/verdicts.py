"""The verdict of a plan, the status of a rule and the result of a verification, for every kind of group."""

from enum import StrEnum

from holdfast.rollout.json.codec import BOOLEAN, NAME, TEXT, choice
from holdfast.rollout.json.record import member, record


class Status(StrEnum):
    PASS = "pass"  # noqa: S105 - not a password
    FAIL = "fail"
    UNKNOWN = "unknown"


@record
class Rule:
    """What one rule found. `blocking`: a failure stops the plan."""

    name: str = member(NAME)
    found: str = member(TEXT)
    limit: str = member(TEXT)
    status: Status = member(choice(Status))
    blocking: bool = member(BOOLEAN)


class PlanVerdict(StrEnum):
    """What a plan says of itself. `REVIEW`: a rule failed or something is not known; `BLOCKED`: it must not be applied."""

    NOTHING_TO_DO = "nothing to do"
    SAFE = "safe"
    REVIEW = "review"
    BLOCKED = "blocked"


PLAINLY = "plainly"
"""The name of the candidate that does what the operator asked for and nothing else."""


class Result(StrEnum):
    """`NOT_YET`: a step is not shown to have happened. `ON_THE_WAY`: every step is, nothing contradicts the forecast, and it is not
    over yet."""

    AS_FORECAST = "as forecast"
    NOT_YET = "not yet"
    ON_THE_WAY = "on the way"
    DIFFERENT = "different"

    @property
    def decided(self) -> bool:
        return self in (Result.AS_FORECAST, Result.DIFFERENT)
