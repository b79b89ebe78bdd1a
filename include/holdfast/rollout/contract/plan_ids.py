"""The ID of a plan: a digest of the rest of its content."""

import hashlib
from collections.abc import Mapping

from holdfast.errors import InvalidInput
from holdfast.rollout.json import strict

PLAN_ID_DIGITS = 16


def plan_id_in(written: Mapping[str, object]) -> str:
    """The ID of a plan in a document: one from before a field existed, or with another default, keeps its ID."""
    content = {key: value for key, value in written.items() if key not in ("plan_id", "signature")}
    return hashlib.sha256(strict.dumps(content).encode("ascii")).hexdigest()[:PLAN_ID_DIGITS]


def refuse_edited(plan_id: str, written: Mapping[str, object]) -> None:
    """Raise InvalidInput where the ID is not the digest of the document."""
    digest = plan_id_in(written)
    if plan_id != digest:
        raise InvalidInput(
            f"{strict.shown(plan_id)} is not the digest of this plan's content ({digest}): the plan was edited after it was"
            " made, or another version of Holdfast made it. Create a new plan",
            "plan_id",
        )
