"""What a forecast leaves open: a kind, by which code goes, and the sentence for people."""

from dataclasses import dataclass
from enum import StrEnum

from holdfast.rollout.contract.unknown_inputs import Unknown


class NoteKind(StrEnum):
    """What it is about. `LEADER`: which member leads; `DECISION`: what the leader decides; `SAMPLE`: not every outcome was
    forecast; `LATENT`: the next rebalance moves something though none is pending; `RETURN`: how long a static member is away."""

    LEADER = "leader"
    DECISION = "decision"
    SAMPLE = "sample"
    LATENT = "latent"
    SETTINGS_WAIT = "settings wait"
    CLOSED_COPIES = "closed copies"
    COMMITS = "commits"
    TOPICS = "topics"
    RACKS = "racks"
    RETURN = "return"
    STATIC_STAYS = "static stays"
    UNSETTLED = "unsettled"


@dataclass(frozen=True, slots=True)
class Note:
    kind: NoteKind
    text: str

    def as_unknown(self) -> Unknown:
        """As the Forecast of the contract lists it."""
        return Unknown("leader_process_id" if self.kind is NoteKind.LEADER else "forecast", self.text)
