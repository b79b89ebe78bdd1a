"""What happens to a lost client: not replaced, or replaced under the same or a new process ID."""

from enum import StrEnum


class Scenario(StrEnum):
    """A new random ID has a random rank: looked at are its likeliest rank and that where most tasks move. The values are those of
    tables; `SAYS` is what people read."""

    NOT_REPLACED = "not replaced"
    SAME_ID = "same ID"
    FRESH_LIKELIEST = "fresh ID, likeliest"
    FRESH_WORST = "fresh ID, worst"


SAYS = {
    Scenario.NOT_REPLACED: "not replaced",
    Scenario.SAME_ID: "same ID",
    Scenario.FRESH_LIKELIEST: "new random ID, likeliest",
    Scenario.FRESH_WORST: "new random ID, worst",
}

NO_CLIENT_LEFT = "no client is left in the group: its tasks run nowhere until one joins"
TOO_LARGE = "the group is too large for a forecast of every loss; `holdfast forecast` tells of any one"
