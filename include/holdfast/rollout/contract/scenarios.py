"""What happens to a lost client: not replaced, or replaced under the same or a new process ID."""

from holdfast.rollout.json.former_names import FORMER, Renamed


class Scenario(Renamed):
    """A new random ID has a random rank: looked at are its likeliest rank and that where most tasks move."""

    NOT_REPLACED = "not replaced"
    SAME_ID = "same ID"
    NEW_ID_LIKELIEST = "new random ID, likeliest"
    NEW_ID_WORST = "new random ID, worst"

    @property
    def in_tables(self) -> tuple[str, ...]:
        """Its name in tables, and the one that former versions wrote."""
        former = FORMER.get(self.value)
        return (self.value,) if former is None else (self.value, former)


NO_CLIENT_LEFT = "no client is left in the group: its tasks run nowhere until one joins"
TOO_LARGE = "the group is too large for a forecast of every loss; `holdfast forecast` tells of any one"
