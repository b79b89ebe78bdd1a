"""The progress of a run: one value an event."""

from dataclasses import dataclass
from enum import StrEnum


class Tells(StrEnum):
    """What happened. `WENT_BACK`: all is rolled back that could be."""

    STEP = "step"
    ACT = "act"
    DONE = "done"
    WAITING = "waiting"
    REBALANCE = "rebalance"
    ROUND = "round"
    HALTED = "halted"
    FINISHED = "finished"
    UNDONE = "rolled back"
    WENT_BACK = "went back"


@dataclass(frozen=True, slots=True)
class Progress:
    """`at`: ISO 8601, UTC. `step`: its number, empty where it is about none."""

    at: str
    event: Tells
    step: str
    text: str
    done: int
    steps: int
    rebalances: int | None = None
    """Completed since the plan's snapshot; None: unknown."""
    forecast: tuple[int, int] | None = None
    """As many as the plan has: the least and the most."""
    lag: int | None = None

    def to_json(self) -> dict[str, object]:
        found: dict[str, object] = {"at": self.at, "event": self.event.value, "step": self.step, "text": self.text}
        found |= {"done": self.done, "steps": self.steps}
        if self.rebalances is not None:
            found["rebalances"] = self.rebalances
        if self.forecast is not None:
            found["rebalances_forecast"] = list(self.forecast)
        return found if self.lag is None else found | {"lag": self.lag}

    def line(self) -> str:
        where = f"step {self.step} of {self.steps}" if self.step else f"{self.done} of {self.steps} steps done"
        return f"{self.at}  {where}  {self.event.value}: {self.text}"
