"""What becomes of a client that is lost."""

from enum import StrEnum


class Scenario(StrEnum):
    """A fresh ID falls somewhere in the order by chance: looked at are its likeliest position and that where most tasks move."""

    NOT_REPLACED = "not replaced"
    SAME_ID = "same ID"
    FRESH_LIKELIEST = "fresh ID, likeliest"
    FRESH_WORST = "fresh ID, worst"
