"""The ID of a plan, a digest of the rest of its content; and plans as documents, for every kind of group."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from holdfast.errors import InvalidInput
from holdfast.rollout.json import former_names, strict
from holdfast.rollout.json.record_codec import Record

PLAN_ID_DIGITS = 16


class Identified(Protocol):
    @property
    def plan_id(self) -> str: ...

    @property
    def former(self) -> bool: ...


P = TypeVar("P", bound=Identified)


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


@dataclass(frozen=True, slots=True)
class PlanDocument(Generic[P]):
    """The plans of one kind of group as documents."""

    codec: Record[P]

    def read(self, document: object) -> P:
        """Raise InvalidInput for what is no plan, or was edited; Unsupported for another major version."""
        plan = self.codec.read(former_names.present_plan(document))
        refuse_edited(plan.plan_id, strict.mapping(document))
        return plan

    def write(self, plan: P) -> dict[str, object]:
        """What an older version did not write is left out where it has no value: a plan of that version keeps its digest."""
        return former_names.written_plan(self.codec.write(plan), former=plan.former)

    def with_id(self, plan: P) -> P:
        """The plan under the first hexadecimal digits of the digest of everything but its ID."""
        changed: Any = plan
        return replace(changed, plan_id=plan_id_in(self.write(plan)))  # type: ignore[no-any-return]
