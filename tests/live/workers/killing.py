"""What is killed at which random moment of a round."""

import random
import time

from tests.live.workers.many import VICTIMS, Many

BETWEEN_S, ROLLOUT_S = 60.0, 20.0
"""The longest time from one kill to the next; and while a change is planned and carried out, which takes one minute of the ten."""


class Killer:
    """Kills at most `most` times."""

    def __init__(self, this: Many, chance: random.Random, most: int) -> None:
        self._this, self._chance, self._most = this, chance, most
        self.killed: list[str] = []
        self.in_rollout = 0
        self._next(ROLLOUT_S)

    def _next(self, within_s: float) -> None:
        self._at = time.monotonic() + self._chance.uniform(1, within_s)

    def look(self, *, rolled_out: bool) -> None:
        """Kill one victim, if it is time."""
        if len(self.killed) >= self._most or time.monotonic() < self._at:
            return
        victim = self._chance.choice(VICTIMS)
        if not self._this.kill(victim):
            return  # another one at the next look
        self.killed.append(victim)
        self.in_rollout += not rolled_out
        self._next(BETWEEN_S if rolled_out else ROLLOUT_S)
