"""Which member took the place of another, by the records of a group whose broker assigns.

A static member that is back within its session has another member ID: one batch removes its old one and writes the new one, with
the same instance ID. One that left raised the epoch before it came back.
"""

from dataclasses import dataclass, field


@dataclass(slots=True)
class StaticReturns:
    """Takes what happens to members in the order of the log."""

    _instances: dict[str, str] = field(default_factory=dict)
    """Of the static members there are."""
    _places: dict[str, str] = field(default_factory=dict)
    """By instance ID the member that was removed, since the epoch was raised."""

    def removed(self, member_id: str) -> None:
        instance = self._instances.pop(member_id, None)
        if instance is not None:
            self._places[instance] = member_id

    def written(self, member_id: str, instance_id: str | None) -> str | None:
        """The member whose place this one takes."""
        if instance_id is None:
            return None
        self._instances[member_id] = instance_id
        return self._places.pop(instance_id, None)

    def epoch_raised(self) -> None:
        self._places.clear()
