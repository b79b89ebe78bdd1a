"""The next actions of a plan that is being applied, for every kind of group: one value each."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.journal.journal import Journal, Sighting


class AnyStep(Protocol):
    """A step of a plan for any kind of group. `id`: its number; `check_before`, `check_after`: what a person checks."""

    @property
    def id(self) -> str: ...

    @property
    def who(self) -> Who: ...

    @property
    def check_before(self) -> str: ...

    @property
    def check_after(self) -> str: ...

    @property
    def undo(self) -> str: ...

    @property
    def expect(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Do:
    """Holdfast can do this now."""

    step: AnyStep
    action: WriteProcessMetadata


@dataclass(frozen=True, slots=True)
class NothingLeft:
    """Nothing is left to do in this step: the snapshot, or the operator, says that it is done."""

    step: AnyStep
    evidence: str


@dataclass(frozen=True, slots=True)
class Begin:
    """The step is due, and nothing on a disk will show it: `seen`, who is there now, is kept before it is waited for."""

    step: AnyStep
    seen: Sighting


@dataclass(frozen=True, slots=True)
class WaitForOutside:
    """Something must happen first, outside Holdfast. `can_confirm`: an operator can report it as done. `limit_s`: how long the plan
    waits for it; None: as long as its operator likes."""

    step: AnyStep
    needed: str
    can_confirm: bool
    limit_s: int | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """Going on would do harm."""

    step: AnyStep
    reason: str


@dataclass(frozen=True, slots=True)
class Done:
    """Every step is done."""


Next = Do | NothingLeft | Begin | WaitForOutside | Stop | Done


def still_waiting(journal: Journal, step: AnyStep, now: datetime, limit_s: int | None, why: str) -> Next:
    since = journal.last_done_at()
    waited = (now - datetime.fromisoformat(since)).total_seconds() if since else 0
    if limit_s is not None and waited > limit_s:
        return Stop(step, f"{why} {limit_s} s have passed, the limit of step {step.id}. Look at the group, and plan again.")
    return WaitForOutside(step, why, can_confirm=False, limit_s=limit_s)
