"""Documents of groups of any kind: each document names its kind."""

from holdfast.rollout.group.values import AnyChange, AnyPlan, AnySnapshot, AnyVerdict
from holdfast.rollout.json.strict import MOST_MEMORY
from holdfast.rollout.kinds import registry
from holdfast.rollout.kinds.registry import kind_of

__all__ = ["AnyChange", "AnyPlan", "AnySnapshot", "AnyVerdict"]


def snapshot_from_json(value: object) -> AnySnapshot:
    """Raise InvalidInput, or Unsupported for a format version or a protocol that is not modelled."""
    snapshot: AnySnapshot = registry.of_snapshot(value).snapshot_from_json(value)
    return snapshot


def snapshot_from_text(text: str | bytes, most_memory: int = MOST_MEMORY) -> AnySnapshot:
    """The same of its JSON as text. `most_memory`: see `strict.loads`."""
    snapshot: AnySnapshot = registry.snapshot_in(text, most_memory)[1]
    return snapshot


def snapshot_to_json(snapshot: AnySnapshot) -> dict[str, object]:
    return registry.kind_of(snapshot).snapshot_to_json(snapshot)


def change_from_json(value: object, snapshot: AnySnapshot) -> AnyChange:
    """A Change to this group. Raise InvalidInput, also for an event of another kind."""
    change: AnyChange = kind_of(snapshot).change_from_json(value)
    return change


def change_to_json(change: AnyChange) -> dict[str, object]:
    return kind_of(change).change_to_json(change)


def plan_from_json(value: object) -> AnyPlan:
    """Raise InvalidInput for what is no plan any more, Unsupported for another major version."""
    plan: AnyPlan = registry.of_plan(value).plan_from_json(value)
    return plan


def plan_to_json(plan: AnyPlan) -> dict[str, object]:
    return kind_of(plan).plan_to_json(plan)


def verdict_to_json(verdict: AnyVerdict) -> dict[str, object]:
    return kind_of(verdict).verdict_to_json(verdict)
