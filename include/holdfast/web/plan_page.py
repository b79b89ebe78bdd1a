"""What became of a plan, beside what it says: decided by whom, walked how far, and whether it still fits the group."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.ports import Lake
from holdfast.rollout.approval import needs_somebody_else
from holdfast.rollout.basis import Drift
from holdfast.rollout.codec.any_kind import AnyPlan, AnySnapshot
from holdfast.rollout.codec.score import Score
from holdfast.rollout.consumer.plan import ConsumerPlan
from holdfast.rollout.consumer_snapshot import ConsumerSnapshot
from holdfast.rollout.journal import Approval, Entry
from holdfast.rollout.plan_summary import summary
from holdfast.rollout.plan_value import Plan
from holdfast.rollout.snapshot import Snapshot
from holdfast.rollout.staleness import is_stale
from holdfast.web.plain_view import plain_view
from holdfast.web.plan_parts import PlanView, ago
from holdfast.web.plan_view import view
from holdfast.web.plans import State, state_of
from holdfast.workflows import consumer_groups, snapshots
from holdfast.workflows import plan as plans

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
    """The newest snapshot of the group in the lake against what the plan rests on. `problem`: why there is nothing to say."""

    snapshot: str
    taken: str
    age: str
    stale: bool
    drifts: tuple[Drift, ...]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class PlanPage:
    """All of the page but Airflow's own request."""

    view: PlanView
    state: State
    approval: Approval | None
    entries: tuple[Entry, ...]
    done: tuple[str, ...]
    score: Score | None
    freshness: Freshness
    run_id: str | None


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

    def page(self, plan_id: str, now: datetime) -> PlanPage:
        """Raise InvalidInput or StatePathTrouble where there is no such plan."""
        plan = self._plan(plan_id)
        approval, score = plans.approval_of(self.lake, plan_id), plans.score_of(self.lake, plan_id)
        journal = plans.journal_of(self.lake, plan_id)
        return PlanPage(
            view=plain_view(plan, now) if isinstance(plan, ConsumerPlan) else view(plan, now),
            state=state_of(summary(plan), approval, begun=bool(journal.entries), score=score, now=now),
            approval=approval,
            entries=journal.entries,
            done=tuple(entry.step for entry in journal.entries if entry.event.value == "done"),
            score=score,
            freshness=self._freshness(plan, now),
            run_id=plans.run_of(self.lake, plan_id),
        )

    def refuse_stale(self, plan_id: str, now: datetime) -> None:
        """Raise Refused for a plan whose time is over, or whose group is another one by its newest snapshot."""
        plan = self._plan(plan_id)
        if datetime.fromisoformat(plan.expires_at) < now:
            raise Refused(f"This plan could be approved until {plan.expires_at}. Make a new one: it takes a fresh snapshot.")
        found = self._freshness(plan, now)
        if found.stale:
            drifted = tuple(one.found for one in found.drifts if one.matters)
            raise Refused("The group is not the one that this plan was made for any more. Make a new plan.", drifted)

    def refuse_own(self, plan_id: str, asked_by: str | None, *who: str | None) -> None:
        """Raise Refused where the plan's policy wants somebody else to approve it than who asked for it."""
        if needs_somebody_else(self._plan(plan_id), asked_by, *who):
            raise Refused(
                "You asked for this plan, and its policy wants somebody else to approve it. You may reject it.", status=403
            )

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
        return Freshness(newest, taken, age, stale, drifts)


def _compare(plan: AnyPlan, fresh: AnySnapshot) -> tuple[str, bool, tuple[Drift, ...]]:
    """Raise InvalidInput for a group that is of another kind now."""
    if isinstance(plan, ConsumerPlan) and isinstance(fresh, ConsumerSnapshot):
        found = consumer_groups.drifts(plan, fresh)
    elif isinstance(plan, Plan) and isinstance(fresh, Snapshot):
        found = is_stale(plan, fresh)
    else:
        raise InvalidInput("The group is of another kind in its newest snapshot: make a new plan.")
    return fresh.captured_at or "", found.stale, found.drifts[:MOST_DRIFTS]
