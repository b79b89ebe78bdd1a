"""The next actions of an approved plan, for every kind of group: a pure function of the plan, its journal and a new snapshot.

The workflow around it writes the journal, acts, and asks again. Asking again after a crash is how a plan is resumed: a step that
was begun is decided anew, and what Holdfast does itself can be done twice without harm.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Generic, TypeVar

from holdfast.errors import StalePlan
from holdfast.rollout.contract.group_state import REBALANCING, STABLE
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.execution.expiry import refuse_expired
from holdfast.rollout.execution.next_actions import (
    AnyStep,
    Begin,
    Done,
    Next,
    NothingLeft,
    WaitForOutside,
    still_waiting,
)
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.journal.journal import Journal, JournalEvent, Sighting
from holdfast.rollout.text.format import printable

P = TypeVar("P", bound=AnyPlan)
S = TypeVar("S", bound=AnySnapshot)
T = TypeVar("T", bound=AnyStep)


class Applying(ABC, Generic[P, T, S]):
    """What a kind of group says of the steps of its plans. `counted`: what is where the forecast has it in the end."""

    counted: str

    @abstractmethod
    def steps(self, plan: P) -> Sequence[T]: ...

    @abstractmethod
    def waits(self, step: T) -> bool:
        """Whether a step only waits."""

    @abstractmethod
    def limit_s(self, step: T) -> int | None:
        """How long a step may take; None: as long as its operator likes."""

    @abstractmethod
    def stale(self, plan: P, journal: Journal, step: T, fresh: S) -> tuple[str, ...]:
        """How the group differs from the one that the plan, and what was done of it, would have it be."""

    @abstractmethod
    def sighting(self, plan: P, journal: Journal, step: T, fresh: S) -> Sighting | None:
        """Who is there before a step that nothing on a disk will show. None: it is none of those."""

    def rests(self, plan: P, step: T, fresh: S) -> bool:  # noqa: ARG002 - for those who leave groups without members
        """Whether the group is in the state in which a wait ends."""
        return fresh.group_state in (None, STABLE)

    @abstractmethod
    def decide(self, plan: P, journal: Journal, step: T, fresh: S, word: str | None) -> Next:
        """Of a step that acts. `word`: that an operator says that it is done."""

    @abstractmethod
    def unseen(self, plan: P, journal: Journal, step: T, fresh: S) -> str | None:
        """What the stable group does not show of a step before a wait. None: it shows it, or nothing can."""

    def ends(self, step: T) -> bool:  # noqa: ARG002 - most do
        """Whether a last wait is for the end of the forecast."""
        return True

    @abstractmethod
    def differences(self, plan: P, fresh: S) -> tuple[str, ...] | None:
        """How the end differs from the forecast; None: it does not."""


def next_action(how: Applying[P, T, S], plan: P, journal: Journal, fresh: S, now: datetime) -> Next:
    """Raise StalePlan where the group is not what the plan, and what was done of it, would have it be."""
    open_steps = tuple(step for step in how.steps(plan) if not journal.has(step.id, JournalEvent.DONE))
    if not open_steps:
        return Done()
    step = open_steps[0]
    refuse_expired(plan.plan_id, plan.expires_at, journal, now)
    if fresh.group_state in REBALANCING:
        why = f"The group is {fresh.group_state}: its assignment is not visible until it is stable."
        return still_waiting(journal, step, now, how.limit_s(step), why)
    drifted = how.stale(plan, journal, step, fresh)
    if drifted:
        raise StalePlan(plan.plan_id, drifted)
    if journal.began_with(step.id) is None:
        seen = how.sighting(plan, journal, step, fresh)
        if seen is not None:
            return Begin(step, seen)
    if how.waits(step):
        return _waited(how, plan, journal, step, fresh, now)
    return how.decide(plan, journal, step, fresh, word_of(journal, step))


def _waited(how: Applying[P, T, S], plan: P, journal: Journal, step: T, fresh: S, now: datetime) -> Next:
    """Stable again, after what was done before it: a stable group that shows none of that has not noticed it yet."""
    limit_s = how.limit_s(step)
    if not how.rests(plan, step, fresh):
        why = f"The group is {printable(fresh.group_state or 'in an unknown state')}, not {STABLE}."
        return still_waiting(journal, step, now, limit_s, why)
    steps = how.steps(plan)
    for one in since_the_last_wait(steps, step, how.waits):
        missing = how.unseen(plan, journal, one, fresh)
        if missing is not None:
            why = f"The group is stable, and does not show step {one.id} yet: {missing}"
            return still_waiting(journal, step, now, limit_s, why)
    if step.id != steps[-1].id or not how.ends(step):
        return NothingLeft(step, "The group is stable.")
    differences = how.differences(plan, fresh)
    if differences is None:
        return NothingLeft(step, f"The group is stable, and every {how.counted} is where the forecast has it.")
    first = " ".join(differences[:3])
    return still_waiting(journal, step, now, limit_s, f"The group is not in the forecast end state yet: {first}")


def shown(how: Applying[P, T, S], plan: P, journal: Journal, wait: T, fresh: S) -> bool:
    """Whether a stable group shows all that was done before a wait, and that a group can show."""
    if fresh.group_state != STABLE:
        return False
    return all(how.unseen(plan, journal, one, fresh) is None for one in since_the_last_wait(how.steps(plan), wait, how.waits))


def since_the_last_wait(steps: Sequence[T], until: T, waits: Callable[[T], bool]) -> list[T]:
    """The steps before this one that take effect together with it."""
    found: list[T] = []
    for step in steps[: steps.index(until)]:
        found = [] if waits(step) else [*found, step]
    return found


def word_of(journal: Journal, step: AnyStep) -> str | None:
    """An operator's report that a step is done, or Holdfast's own, without a full stop. None: there is none."""
    confirmed = next((one for one in journal.entries if one.step == step.id and one.event is JournalEvent.CONFIRMED), None)
    if confirmed is None:
        return None
    detail = confirmed.detail.rstrip(".")
    return f"{detail}: done" if confirmed.by == Who.HOLDFAST else f"{confirmed.by} says so: {detail}"


def please(step: AnyStep, because: str) -> str:
    """What an operator is asked for."""
    return f"Step {step.id} is manual, and {because}. Before: {step.check_before or 'nothing.'} Check: {step.check_after}"


def not_shown_yet(step: AnyStep, word: str | None, missing: str) -> WaitForOutside:
    """The group does not show a step, although it may have been reported as done. `missing`: without its full stop."""
    if word is None:
        return WaitForOutside(step, please(step, missing), can_confirm=True)
    needed = f"{word}. The group does not show it yet: {missing}. Take another snapshot in a while."
    return WaitForOutside(step, needed, can_confirm=False)
