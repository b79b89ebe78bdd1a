"""The progress of a plan on its page: its decision, its steps, and whether it still matches the group."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeVar

from holdfast.errors import HoldfastError
from holdfast.ports import Lake
from holdfast.rollout.execution import undo_words
from holdfast.rollout.execution.drift import Drift
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.journal.journal import Approval, Journal, JournalEntry
from holdfast.rollout.journal.lease import LeaseOwner
from holdfast.rollout.journal.seal import SigningKeys
from holdfast.rollout.kinds.approval import fingerprint, needs_another_approver
from holdfast.rollout.kinds.plan_summary import summary
from holdfast.rollout.kinds.score_json import Score
from holdfast.web.kinds.registry import pages_of
from holdfast.web.parts.plan_view import PlanView, ages, ago
from holdfast.web.plans import PlanState, state_of
from holdfast.workflows import freshness, journals, rollbacks, snapshots
from holdfast.workflows import plan as plans
from holdfast.workflows.leases import Leases
from holdfast.workflows.running import guards

T = TypeVar("T")
REMEMBERED = 64
MOST_DRIFTS = 40


class Refused(HoldfastError):
    """A decision that cannot be given. `drifted`: how the group is another one than the plan was made for."""

    def __init__(self, message: str, drifted: tuple[str, ...] = (), status: int = 409) -> None:
        super().__init__(message)
        self.drifted = drifted
        self.status = status


@dataclass(frozen=True, slots=True)
class Freshness:
    """The newest snapshot of the group in the lake against what the plan was made from. `problem`: why there is nothing to say.

    Not `checked`: there is no newer snapshot than the plan's own, and that one says nothing about what happened since.
    """

    snapshot: str
    taken: str
    age: str
    stale: bool
    drifts: tuple[Drift, ...]
    problem: str = ""
    checked: bool = True


@dataclass(frozen=True, slots=True)
class PlanPage:
    """All of the page but Airflow's own request."""

    view: PlanView
    state: PlanState
    approval: Approval | None
    entries: tuple[JournalEntry, ...]
    done: tuple[str, ...]
    score: Score | None
    freshness: Freshness
    run_id: str | None
    in_a_run: frozenset[str] = frozenset()
    """The steps that a run of the whole plan does or waits for."""
    requested_by: str = ""
    """Who requested it; empty where that is unknown."""
    broken: tuple[plans.Broken, ...] = ()
    """What of its decision, journal and verdict cannot be read: nothing may be approved or applied until it is fixed."""

    @property
    def version(self) -> str:
        """Changes whenever what can be decided or was done does."""
        approved = "" if self.approval is None else self.approval.says
        score = "" if self.score is None else f"{self.score.result} {self.score.tasks_as_forecast}"
        broken = " ".join(one.name for one in self.broken)
        return f"{self.state.name} {broken} {approved} {len(self.entries)} {score} {self.freshness.snapshot} {self.view.expired}"


class Memory:
    """The latest few of what costs time to make and never changes."""

    def __init__(self) -> None:
        self._known: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                found: T = self._known[key]
                return found
        made = make()
        with self._lock:
            self._known[key] = made
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return made


@dataclass
class PlanPages:
    """The pages of a lake's plans."""

    lake: Lake
    _memory: Memory = field(default_factory=Memory)

    def page(self, plan_id: str, now: datetime, *, whole: bool = True) -> PlanPage:
        """Not `whole`: what does not change while one reads is as it was when it was last asked for, but for its age.

        Raise InvalidInput or StatePathTrouble where there is no such plan.
        """
        plan = self._plan(plan_id)
        broken = plans.broken(self.lake, plan_id)
        names = {one.name for one in broken}
        approval = None if "approval.json" in names else plans.approval_of(self.lake, plan_id)
        score = None if "verdict.json" in names else plans.score_of(self.lake, plan_id)
        journal = Journal(plan_id) if "journal" in names else plans.journal_of(self.lake, plan_id)
        state = state_of(
            summary(plan), approval, begun=bool(journal.entries), score=score, now=now, rolled_back=journal.is_rolled_back()
        )
        return PlanPage(
            view=self._view(plan, now) if whole else self._view_again(plan, now),
            state=PlanState.BROKEN if broken else state,
            approval=approval,
            entries=journal.entries,
            done=tuple(entry.step for entry in journal.entries if entry.event.value == "done"),
            score=score,
            freshness=self._freshness(plan, now),
            run_id=run_of(self.lake, plan_id),
            in_a_run=self._memory.get(("in a run", plan_id), lambda: guards.done_in_a_run(plan)),
            broken=broken,
        )

    def _view(self, plan: AnyPlan, now: datetime) -> PlanView:
        return pages_of(plan).plan(plan, now)

    def _view_again(self, plan: AnyPlan, now: datetime) -> PlanView:
        age, taken, valid, expired = ages(plan, now)
        known = self._memory.get(("view", plan.plan_id), lambda: self._view(plan, now))
        return replace(known, age=age, taken=taken, valid=valid, expired=expired)

    def fingerprint(self, plan_id: str) -> str:
        """Of the plan that the page shows."""
        return self._memory.get(("fingerprint", plan_id), lambda: fingerprint(self._plan(plan_id)))

    def refuse_broken(self, plan_id: str) -> None:
        """Raise Refused while its decision, journal or verdict is broken."""
        try:
            plans.refuse_broken(self.lake, plan_id)
        except HoldfastError as refusal:
            raise Refused(str(refusal)) from None

    def refuse_stale(self, plan_id: str, now: datetime) -> None:
        """Raise Refused for a plan whose time is over, or whose group is another one by its newest snapshot."""
        plan = self._plan(plan_id)
        if freshness.is_over(plan, now):
            raise Refused(f"This plan expired at {plan.expires_at}. Create a new plan, from a new snapshot.")
        found = self._freshness(plan, now)
        if found.stale:
            drifted = tuple(one.found for one in found.drifts if one.matters)
            raise Refused("Drift detected: the group no longer matches the plan. Create a new plan.", drifted)

    def refuse_own(self, plan_id: str, *who: str | None) -> None:
        """Raise Refused where the plan's policy requires another approver than the requester."""
        plan = self._plan(plan_id)
        if needs_another_approver(plan, plan.requested_by, *who):
            raise Refused("You requested this plan, and its policy requires another approver. You can reject it.", status=403)

    def built_upon(self, page: PlanPage, now: datetime, keys: SigningKeys) -> str:
        """Which other plan for the group keeps this one from being rolled back, in words. Empty: none, or it is unknown."""
        plan = page.view.plan
        if not page.entries:
            return ""
        group = (plan.basis.cluster, plan.basis.group_id)
        leases = Leases(self.lake, plan.plan_id, group, keys, LeaseOwner("page"), lambda _: False, lambda: now)
        try:
            key = ("built upon", plan.plan_id, len(page.entries), leases.latest()[0])
            found = self._memory.get(key, lambda: rollbacks.built_upon(plan, journals.read(self.lake, plan.plan_id, keys), leases))
        except HoldfastError:
            return ""
        return "" if found is None else undo_words.built_upon(plan.plan_id, found)

    def _plan(self, plan_id: str) -> AnyPlan:
        return self._memory.get(("plan", plan_id), lambda: plans.load(self.lake, plan_id))

    def _freshness(self, plan: AnyPlan, now: datetime) -> Freshness:
        try:
            newest = snapshots.latest(self.lake, plan.basis.cluster, plan.basis.group_id)
            if newest is None:
                return Freshness("", "", "", False, (), "The lake holds no snapshot of this group.")
            taken, stale, drifts = self._memory.get(
                (plan.plan_id, newest), lambda: _compare(plan, snapshots.load(self.lake, newest))
            )
        except HoldfastError as problem:
            return Freshness("", "", "", False, (), str(problem))
        age = ago(now, datetime.fromisoformat(taken)) if taken else "at an unknown time"
        return Freshness(newest, taken, age, stale, drifts, checked=stale or _is_newer(taken, plan))

    def stale(self, plan_id: str, now: datetime) -> bool:
        """Whether the newest snapshot shows another group than the plan was made for. What cannot be read shows nothing."""
        try:
            return self._freshness(self._plan(plan_id), now).stale
        except HoldfastError:
            return False


def _is_newer(taken: str, plan: AnyPlan) -> bool:
    """Than the plan's own snapshot; where that does not say when it was taken, than the plan."""
    own = plan.created_from.captured_at or plan.created_at
    return bool(taken) and datetime.fromisoformat(taken) > datetime.fromisoformat(own)


def _compare(plan: AnyPlan, fresh: AnySnapshot) -> tuple[str, bool, tuple[Drift, ...]]:
    """Raise InvalidInput for a group that is of another kind now."""
    found = freshness.held_against(plan, fresh)
    return fresh.captured_at or "", found.stale, found.drifts[:MOST_DRIFTS]


def run_of(lake: Lake, plan_id: str) -> str | None:
    """The run that made a plan. None too where `run.json` cannot be read: the plan is whole without it."""
    try:
        return plans.run_of(lake, plan_id)
    except HoldfastError:
        return None
