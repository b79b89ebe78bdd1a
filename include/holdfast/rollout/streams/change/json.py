"""The Change's JSON. Whether a Change fits a group shows only there."""

from holdfast.rollout.streams.change.change import CHANGE, Change


def change_from_json(value: object) -> Change:
    """Raise InvalidInput with every problem, or Unsupported for another major version."""
    return CHANGE.read(value)


def change_to_json(change: Change) -> dict[str, object]:
    """The canonical form, in which what is as by default is left out."""
    return CHANGE.write(change)
