"""What is rolled back of a plan, and which other plan for its group keeps it from that.

A plan that was applied since has built upon what this one did, and going back would take that from under it. Which came first is
decided by the numbers of the group's lease, under which every entry of a journal is added, and not by clocks.
"""

from holdfast.errors import StepRefused
from holdfast.ports import Lake
from holdfast.rollout.execution import undo_words
from holdfast.rollout.execution.back_course import BuiltUpon
from holdfast.rollout.execution.undo import Undo, remaining, undos
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal.journal import Journal, JournalEvent
from holdfast.rollout.journal.seal import SigningKeys
from holdfast.rollout.kinds.registry import kind_of
from holdfast.workflows import journals
from holdfast.workflows import plan as plans
from holdfast.workflows.journals import Kept
from holdfast.workflows.leases import Leases

_DID = frozenset(
    {JournalEvent.BEGUN, JournalEvent.ACTED, JournalEvent.CONFIRMED, JournalEvent.DONE}
    | {JournalEvent.UNDOING, JournalEvent.UNDO_ACTED, JournalEvent.UNDO_CONFIRMED, JournalEvent.UNDONE}
)
"""Entries of what was done, or may have been."""


def steps_of(plan: AnyPlan, journal: Journal) -> tuple[Undo, ...]:
    """What is rolled back of a plan, the last step first, rolled back by now or not."""
    kind = kind_of(plan)
    return undos(plan.steps, journal, lambda step: kind.rollback(plan, step), lambda step: kind.acts(plan, step))


def refuse_built_upon(plan: AnyPlan, kept: Kept, leases: Leases) -> None:
    """Raise StepRefused where another plan was begun since; as `built_upon`. Under the group's lease that stays so."""
    found = built_upon(plan, kept, leases)
    if found is not None:
        raise StepRefused(undo_words.built_upon(plan.plan_id, found))


def built_upon(plan: AnyPlan, kept: Kept, leases: Leases) -> BuiltUpon | None:
    """The other plan for the group of which something was done since, and that is not rolled back. None: there is none, or nothing
    of this plan is left to roll back. `leases` is that of this plan.

    Raise HoldfastError where another plan cannot be read or trusted; one that was removed from the lake is none.
    """
    since = _first(plan, kept)
    if since is None:
        return None
    for plan_id in leases.applied_since(since):
        if plans.is_id(plan_id) and leases.lake.exists((plans.FOLDER, plan_id, "plan.json")):
            found = _did_since(leases.lake, plan_id, since, leases.keys)
            if found is not None:
                return found
    return None


def _first(plan: AnyPlan, kept: Kept) -> int | None:
    """The number of the lease under which the first step was begun of those that are to be rolled back. None: there is none."""
    left = {one.step.id for one in remaining(steps_of(plan, kept.journal), kept.journal) if one.left is None}
    numbered = zip(kept.journal.forward().entries, kept.leases, strict=False)
    return min((lease for one, lease in numbered if one.step in left and one.event in _DID), default=None)


def _did_since(lake: Lake, plan_id: str, since: int, keys: SigningKeys) -> BuiltUpon | None:
    other, kept = plans.load(lake, plan_id, keys), journals.read(lake, plan_id, keys)
    journals.refuse_broken(kept, keys)
    journal = kept.journal
    numbered = zip(journal.entries, kept.leases, strict=True)
    found = next((one for one, lease in numbered if lease > since and one.event in _DID), None)
    turned = journal.went_back() is not None
    if found is None or (turned and not remaining(steps_of(other, journal), journal)):
        return None
    return BuiltUpon(plan_id, found.step, found.at, turned)
