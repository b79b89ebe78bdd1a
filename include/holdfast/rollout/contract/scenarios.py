"""What happens to a lost client: not replaced, or replaced under the same or a new process ID."""

from enum import StrEnum


class Scenario(StrEnum):
    """A new random ID has a random rank: looked at are its likeliest rank and that where most tasks move."""

    NOT_REPLACED = "not replaced"
    SAME_ID = "same ID"
    NEW_ID_LIKELIEST = "new random ID, likeliest"
    NEW_ID_WORST = "new random ID, worst"

    @classmethod
    def _missing_(cls, value: object) -> "Scenario | None":
        return next((one for one, former in FORMER.items() if former == value), None)

    @property
    def in_tables(self) -> tuple[str, ...]:
        """Its name in tables, and the one that former versions wrote."""
        return (self.value, FORMER[self]) if self in FORMER else (self.value,)


FORMER = {Scenario.NEW_ID_LIKELIEST: "fresh ID, likeliest", Scenario.NEW_ID_WORST: "fresh ID, worst"}
"""Names in tables of former versions."""

NO_CLIENT_LEFT = "no client is left in the group: its tasks run nowhere until one joins"
TOO_LARGE = "the group is too large for a forecast of every loss; `holdfast forecast` tells of any one"
