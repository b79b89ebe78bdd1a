"""How old the evidence of a plan is, and how long it may be applied, in words. No clock: a plan's own times."""

from datetime import datetime
from typing import Protocol

from holdfast.rollout.contract.created_from import CreatedFrom


class Dated(Protocol):
    """A plan of any kind of group; both in ISO 8601 with an offset."""

    @property
    def created_at(self) -> str: ...

    @property
    def expires_at(self) -> str: ...


def taken(made_from: CreatedFrom) -> str:
    return f"taken at {made_from.captured_at}" if made_from.captured_at else "taken at a time that it does not say"


def born_expired(plan: Dated) -> bool:
    """Made from a snapshot that was too old already: nobody may apply it."""
    return datetime.fromisoformat(plan.expires_at) <= datetime.fromisoformat(plan.created_at)


def holds_until(plan: Dated) -> str:
    if born_expired(plan):
        return (
            f"It cannot be applied: it was made at {plan.created_at}, and could be applied until {plan.expires_at}. Take a fresh"
            " snapshot and plan again."
        )
    return f"It may be applied until {plan.expires_at}, and only to that group as it was."
