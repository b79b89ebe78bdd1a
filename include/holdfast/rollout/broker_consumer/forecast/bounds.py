"""What all possible random member IDs have in common, in figures."""

from holdfast.rollout.coordinated.chance import FIGURES, Spread
from holdfast.rollout.json.codec import BOOLEAN, COUNT, PROBABILITY
from holdfast.rollout.json.record import member, record


@record
class Bounds:
    """Over the possibilities that were forecast: all that there are, or draws that stand for them."""

    count: int = member(COUNT, "How many were forecast.")
    exhaustive: bool = member(BOOLEAN, "True: whatever the IDs, it is one of them. False: they are draws.")
    missed_at_most: float = member(
        PROBABILITY, "What holds in every one fails in at most this share of all starts, with 95 % confidence; 0: in none."
    )
    moved: Spread = member(FIGURES, "Least, usual, most.")
    collateral: Spread = member(FIGURES)
    moves: Spread = member(FIGURES)
    worst: float = member(PROBABILITY, "The probability of the most moves.")

    @property
    def open(self) -> bool:
        """Whether member IDs decide anything."""
        return self.count > 1 or not self.exhaustive
