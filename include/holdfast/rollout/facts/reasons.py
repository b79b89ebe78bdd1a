"""Why an option is not recommended, and why a plan must not be applied: as values, for every kind of group."""

from enum import StrEnum

from holdfast.rollout.json.codec import NAME, NAMES, choice, items, nullable, number
from holdfast.rollout.json.record import codec_of, member, record


class NotRecommended(StrEnum):
    """Why an option is not recommended. `CRITERION`: it is worse by one; `EQUAL`: by none, and it comes later in the list."""

    EXCLUDED = "excluded"
    NOT_ALLOWED = "not_allowed"
    DRAWBACK = "drawback"
    NOT_PREDICTED = "not_predicted"
    NONE_RECOMMENDED = "none_recommended"
    CRITERION = "criterion"
    EQUAL = "equal"


@record
class Reason:
    """`criterion`: the name of the one that decided; `figure` and `recommended`: what it is of this option and of the recommended
    one (None: unknown, or without end). `limits`: those that this one exceeds and the recommended one meets, by name."""

    kind: NotRecommended = member(choice(NotRecommended))
    criterion: str | None = member(nullable(NAME), default=None, omit=True)
    figure: float | None = member(nullable(number("a figure", 0, 2**63)), default=None, omit=True)
    recommended: float | None = member(nullable(number("a figure", 0, 2**63)), default=None, omit=True)
    limits: tuple[str, ...] = member(NAMES, default=(), omit=True)


class Block(StrEnum):
    """Why a plan must not be applied. `UNSETTLED`: the group does not become stable; `NO_REVIEW`: a check asks for a review, and
    the policy never has one."""

    NOT_PREDICTED = "not_predicted"
    ALL_EXCLUDED = "all_excluded"
    LIMIT = "limit"
    UNSETTLED = "unsettled"
    NO_REVIEW = "no_review"


@record
class Blocked:
    """`check`: the policy check that it is about, by name."""

    kind: Block = member(choice(Block))
    check: str | None = member(nullable(NAME), default=None, omit=True)


REASON = codec_of(Reason)
BLOCKED = items(codec_of(Blocked))
EXCEEDS = "Exceeds limits that the best option meets"
"""Of an option that lost by its limits. The best option need not be recommended: it may exceed a limit that blocks."""
EXCEEDING = ("limits-that-block", "limits")
"""The criteria that count exceeded limits."""
