"""The age of a plan's evidence, and how long the plan may be applied, in words. No clock: the plan's own times."""

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
    return f"taken at {made_from.captured_at}" if made_from.captured_at else "which does not state when it was taken"


def born_expired(plan: Dated) -> bool:
    """Made from a snapshot that was already too old: it may not be applied."""
    return datetime.fromisoformat(plan.expires_at) <= datetime.fromisoformat(plan.created_at)


def holds_until(plan: Dated) -> str:
    if born_expired(plan):
        return (
            f"Expired: created at {plan.created_at}, and valid only until {plan.expires_at}. Take a fresh snapshot and plan again."
        )
    return f"Valid until {plan.expires_at}, as long as the group does not change."
