"""The JSON of what a plan was made from, the same for either kind of group."""

from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.json import strict
from holdfast.rollout.json.strict import Fields


def created_from_to_json(one: CreatedFrom) -> dict[str, object]:
    """A plan from before the snapshot's time was kept has no such field: its ID is a digest of what it says."""
    said: dict[str, object] = {"snapshot": one.snapshot, "change": one.change, "policy": one.policy}
    return said if one.captured_at is None else said | {"captured_at": one.captured_at}


def created_from_from_json(value: object) -> CreatedFrom:
    fields = Fields(value)
    found = CreatedFrom(
        snapshot=fields.need("snapshot", strict.name),
        change=fields.need("change", strict.name),
        policy=fields.need("policy", strict.name),
        captured_at=fields.optional("captured_at", strict.instant, None),
    )
    fields.finish(closed=True)
    return found
