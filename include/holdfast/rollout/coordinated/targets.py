"""What a target comes of, and what decides when it is computed."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from holdfast.rollout.json.kafka import ConfigValue

Settings = tuple[tuple[str, ConfigValue], ...]


class TargetTrigger(StrEnum):
    """What a target comes of: members, configs or topics that changed; the same in a group that was empty, once its initial delay
    is over; the end of the sessions of members that ended without leaving."""

    CHANGE = "change"
    DELAY_OVER = "delay over"
    SESSION_OVER = "session over"


@dataclass(frozen=True, slots=True)
class Occasion:
    """What decides when a target is computed. `died`: the number of the batch of events in which the members ended whose sessions
    are over, and `fenced` how many they are.

    `running`: the members that send heartbeats. `joins`: of them those that join before this target, and `by_joining` whether one
    does so last; `bumps`: how often the epoch is raised before it. `config`: of the group, then. `forgotten`: the group was empty,
    and no assignment interval runs.
    """

    died: int = 0
    fenced: int = 0
    running: int = 1
    joins: int = 0
    by_joining: bool = False
    bumps: int = 1
    config: Settings = ()
    forgotten: bool = False


NO_OCCASION = Occasion()


class Timed(Protocol):
    """A target, as it takes time. `ended`: the members that ended without leaving, and whose sessions are not over yet. `batch`:
    the number of the batch of events that it follows from, from 0."""

    @property
    def trigger(self) -> TargetTrigger: ...
    @property
    def occasion(self) -> Occasion: ...
    @property
    def batch(self) -> int: ...
    @property
    def ended(self) -> frozenset[str]: ...


def pending(epoch: int | None, assignment_epoch: int | None) -> bool:
    """Whether a group's epoch has been raised and no target was computed since."""
    return epoch is not None and assignment_epoch is not None and epoch > assignment_epoch


class Return(NamedTuple):
    """A static member that took the place of another, after that number of targets."""

    targets: int
    member_id: str
    old: str
