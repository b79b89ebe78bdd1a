"""The JSON of a Change to a consumer group. Whether it fits a group shows only there."""

from holdfast.rollout.consumer.change.change import CHANGE, ConsumerChange


def consumer_change_from_json(value: object) -> ConsumerChange:
    """Raise InvalidInput with every problem, or Unsupported for another major version."""
    return CHANGE.read(value)


def consumer_change_to_json(change: ConsumerChange) -> dict[str, object]:
    """The canonical form, in which what is as by default is left out."""
    return CHANGE.write(change)
