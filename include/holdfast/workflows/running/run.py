"""Carry out a whole approved plan: look, decide, act, watch, and again, until it is done, a person has to do something, or reality
leaves the forecast. Then nothing else is begun, and the journal says why.

All that is decided is decided from the plan, its journal and a new snapshot: a run that was killed at any moment is continued by
the next one. It goes in turns: a turn looks at the group, does all that can be done now, and ends where something must be waited
for. The command line sleeps between two turns; Airflow lets its worker go.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import assert_never

from holdfast.errors import HoldfastError, StalePlan, StepRefused
from holdfast.kafka.vocabulary import ProcessId
from holdfast.ports import GroupSettings
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.group_state import EMPTY, REBALANCING, STABLE
from holdfast.rollout.execution.acts import GroupSetting
from holdfast.rollout.execution.next_actions import AnyStep, Begin, Do, Done, Next, NothingLeft, Stop, WaitForOutside
from holdfast.rollout.execution.rolling_settings import Roll
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.journal.acted import Does, Halt
from holdfast.rollout.journal.journal import Approval, JournalEvent, Sighting
from holdfast.rollout.text.format import span
from holdfast.workflows import apply as applying
from holdfast.workflows import rollbacks
from holdfast.workflows.apply import Writing
from holdfast.workflows.running import guards, walking
from holdfast.workflows.running.acting import Halted
from holdfast.workflows.running.going_back import Back
from holdfast.workflows.running.progress import Tells
from holdfast.workflows.running.rounds import Rounds, RoundSeen
from holdfast.workflows.running.walking import LeftForNextTurn, Means, Ran, Walk

__all__ = ["LeftForNextTurn", "Means", "Ran", "run", "turn"]

ACCEPTED = (Halt.REBALANCES, Halt.DIVERGENCE)
"""Halts in spite of which a person may continue."""
_WHY = {Halt.REBALANCES: "extra rebalances", Halt.DIVERGENCE: "a divergence"}
Proposed = Do | NothingLeft | Begin | WaitForOutside | Stop


def run(plan: AnyPlan, approval: Approval, means: Means, *, accept: bool | Halt = False, back: bool = False) -> Ran:
    """Turn after turn, until the plan is done, or Holdfast may do no more. `accept`: a person accepts what the last run halted for,
    whichever of `ACCEPTED` it is (True), or that one only. `back`: what was done is rolled back, the last step first
    (`going_back`).

    Raise StepRefused for a plan that may not be applied, or not rolled back (`rollbacks`), StatePathTrouble while another run
    applies a plan for the group; nothing is done then. Lost where the lease was lost.
    """
    with _walking(plan, approval, means, None, back=back) as walk:
        ended = walk.turn(accept=accept)
        while ended is None:
            means.clocks.sleep(walking.LOOK_AGAIN_S)
            ended = walk.turn()
        return ended


def turn(
    plan: AnyPlan,
    approval: Approval,
    means: Means,
    left: LeftForNextTurn | None,
    *,
    accept: bool | Halt = False,
    back: bool = False,
) -> Ran | LeftForNextTurn:
    """One turn of a run whose turns are in processes of their own: its lease stays until the next one (`Hands.same_run`).

    `left`: what the turn before has left, some time later; None: this is the first one, or the one before was killed. Raise as
    `run`; ClusterTrouble where the first turn finds no cluster.
    """
    with _walking(plan, approval, means, left, back=back) as walk:
        ended = walk.turn(accept=accept)
        return walk.leave() if ended is None else ended


@contextmanager
def _walking(plan: AnyPlan, approval: Approval, means: Means, left: LeftForNextTurn | None, *, back: bool) -> Iterator[Walk]:
    hands = means.hands
    applying.refuse_secrets((), hands)
    fresh = means.look(walking.LOOK_S) if left is None else None
    applying.begin(plan, fresh, approval, hands, back=back)
    applying.keep_plan_and_approval(plan, approval, hands)
    with applying.under_lease(plan, hands, goes_on=left is not None) as writing:
        if back:
            rollbacks.refuse_built_upon(plan, writing.kept, writing.held.leases)
        walk = Back if back else _Forward
        yield walk(plan, approval, means, writing, fresh, left or LeftForNextTurn())


class _Forward(Walk):
    """Step after step."""

    def __init__(
        self, plan: AnyPlan, approval: Approval, means: Means, writing: Writing, fresh: AnySnapshot | None, left: LeftForNextTurn
    ) -> None:
        super().__init__(plan, approval, means, writing, fresh, left)
        self._rounds = Rounds(plan, writing, left.shown, means.clocks.elapsed)
        self._differed = False

    def leave(self) -> LeftForNextTurn:
        return replace(super().leave(), shown=self._rounds.shown)

    def _as_far_as_it_goes(self) -> WaitForOutside | None:
        """The step that a person has to do; None: all is done. Raise Halted, and Later."""
        drifted = False
        while True:
            self._refuse_paused()
            try:
                found = applying.next_of(self._plan, self._writing.journal, self._fresh, self._means.hands.now())
            except StalePlan as stale:
                if drifted:  # two looks, one after the other: it is no moment between two rebalances
                    raise Halted(Halt.DRIFT, " ".join(stale.drifted), self._completed()) from None
                drifted = True
                self._look_again()
                continue
            drifted = False
            self._count()
            if isinstance(found, Done):
                self._tell(Tells.FINISHED, "Every step is done.")
                return None
            if self._differs(found):
                self._look_again()
                continue
            waiting = self._done(found)
            if waiting is not None:
                return waiting

    def _differs(self, found: Proposed) -> bool:
        """Whether it has to be looked at once more: tasks are where no round of the forecast has them. Raise Halted in the second
        look in a row."""
        act_is_next = not (isinstance(found, WaitForOutside) and self._kind.waits(found.step)) and not self._is_pending(found)
        seen = self._round(found.step, needed=act_is_next or self._differed)
        if seen is None:
            self._differed = False
            return False
        if not seen.differs(act_is_next=act_is_next):
            self._differed = False
            return False
        if self._differed:
            raise Halted(Halt.DIVERGENCE, seen.text, self._completed(), seen.compared.differences)
        self._differed = True
        return True

    def _round(self, step: AnyStep, *, needed: bool) -> RoundSeen | None:
        seen = self._rounds.look(step, self._fresh, needed=needed)
        if seen is not None and seen.is_new:
            self._tell(Tells.ROUND, seen.text, seen.until)
        return seen

    def _is_pending(self, found: Proposed) -> bool:
        return isinstance(found, NothingLeft) and self._kind.pending_s(found.step, self._fresh) is not None

    def _done(self, found: Next) -> WaitForOutside | None:
        """Do what comes next. None: and go on; else it waits for a person."""
        if isinstance(found, WaitForOutside | Stop) and self._rounds.is_accepted_end(found.step, self._fresh):
            found = NothingLeft(found.step, "The group is stable, and is as follows from what was accepted.")
        match found:
            case NothingLeft(step, evidence):
                if self._processes_decide(step):
                    return self._waited(
                        step, WaitForOutside(step, f"Its process decides whether it is done. {evidence}", can_confirm=True)
                    )
                limit_s = self._kind.pending_s(step, self._fresh)
                if limit_s is not None:
                    self._wait(step, "The group is stable, and another rebalance is pending.", limit_s)
                entry = self._means.hands.entry(step, JournalEvent.DONE, evidence)
                self._writing.add(replace(entry, started=self._rounds.started(step)))
                applying.keep_checklist_so_far(self._plan, self._approval, self._writing)
                self._tell(Tells.DONE, evidence, step)
            case Begin(step, seen):
                self._tell(Tells.STEP, self._kind.step_text(step), step)
                self._writing.begin(step, seen)
            case Stop(step, reason):
                raise Halted(Halt.TIME if self._kind.waits(step) else Halt.REFUSED, reason)
            case Do(step, action):
                directory = self._directory(action.process_id)
                if directory is None or not guards.may(self._plan, ActionName.WRITE_PROCESS_METADATA):
                    return applying.by_hand(step, action, self._plan.basis.group_id)
                self._refuse_unguarded()
                try:
                    applying.write(step, action, directory, self._writing)
                except StepRefused as refusal:
                    raise Halted(Halt.REFUSED, str(refusal)) from None
                applying.keep_checklist_so_far(self._plan, self._approval, self._writing)
                self._tell(Tells.DONE, f"process ID {action.process_id} is in {directory}", step)
            case WaitForOutside(step):
                return self._waited(step, found)
            case Done():
                raise AssertionError("the loop ends before")
            case _:
                assert_never(found)
        return None

    def _directory(self, process_id: ProcessId) -> str | None:
        """Where it is to be written. None: that was not given."""
        try:
            with self._writing.held.kept():
                return self._means.hands.state_dirs.get(process_id)
        except HoldfastError as trouble:
            raise Halted(Halt.REFUSED, f"The directory of process ID {process_id} is unknown. {trouble}") from None

    def _waited(self, step: AnyStep, found: WaitForOutside) -> WaitForOutside | None:
        if self._kind.waits(step):
            self._wait(step, found.needed, None, found.limit_s)
        settings = self._kind.sets(self._plan, step)
        if settings and self._means.configs is not None and guards.may(self._plan, ActionName.SET_CONFIG):
            self._set(step, found, settings, self._means.configs)
            return None
        roll = self._kind.roll(self._plan, step)
        if roll is not None:
            return self._rolled(step, found, roll)
        acts = self._kind.acts(self._plan, step)
        if acts is None or not guards.may(self._plan, *acts.actions):
            return found
        lacking = self._acting.lacks(step, acts.acts)
        if lacking is not None:
            return WaitForOutside(step, f"{lacking} {found.needed}", found.can_confirm)
        journal = self._writing.journal
        if journal.has(step.id, JournalEvent.CONFIRMED):
            self._wait(step, found.needed, walking.SHOWS_WITHIN_S)
        if not all(self._acting.carry_out(step, act) for act in acts.acts):
            self._wait(step, f"The group is {self._fresh.group_state}.", walking.SHOWS_WITHIN_S)
        ends = all(act.does is Does.STOP for act in acts.acts)
        seen = self._ended(step) if ends else None
        entry = self._means.hands.entry(step, JournalEvent.CONFIRMED, self._kind.step_text(step))
        self._writing.add(replace(entry, seen=seen))
        if not ends:
            self._look_again()
        return None

    def _ended(self, step: AnyStep) -> Sighting | None:
        """The members of a client that was stopped, in a look after that: no process has them any more, whenever they joined."""
        self._look_again()
        if self._fresh.group_state in REBALANCING:
            self._wait(step, f"The group is {self._fresh.group_state}.", walking.SHOWS_WITHIN_S)
        return self._listed(step)

    def _set(self, step: AnyStep, found: WaitForOutside, settings: tuple[GroupSetting, ...], configs: GroupSettings) -> None:
        if self._writing.journal.has(step.id, JournalEvent.CONFIRMED):
            self._wait(step, found.needed, walking.SHOWS_WITHIN_S)
        if not self._setting(configs).carry_out(step, settings):
            self._wait(step, f"The group is {self._fresh.group_state}.", walking.SHOWS_WITHIN_S)
        self._writing.add(self._means.hands.entry(step, JournalEvent.CONFIRMED, self._kind.step_text(step)))
        self._look_again()

    def _rolled(self, step: AnyStep, found: WaitForOutside, roll: Roll) -> WaitForOutside | None:
        """Settings of clients. Those whose restarts are another step's are there with it, if a run did that."""
        journal = self._writing.journal
        if not guards.may(self._plan, *roll.actions) or (step.id != roll.first and not roll.is_done(journal)):
            return found
        if journal.has(step.id, JournalEvent.CONFIRMED):
            self._wait(step, found.needed, walking.SHOWS_WITHIN_S)
        if step.id == roll.first:
            lacking = self._lacking(roll)
            if lacking is not None:
                return WaitForOutside(step, f"{lacking} {found.needed}", found.can_confirm)
            self._carry_out_roll(step, roll)
        self._writing.add(self._means.hands.entry(step, JournalEvent.CONFIRMED, self._kind.step_text(step)))
        return None

    def _processes_decide(self, step: AnyStep) -> bool:
        """Whether Holdfast acts on the processes of the step, and has not: a client that lost its session comes back as other
        members, which the group shows as if it had been restarted. Where it was begun, they decide also where they cannot be seen
        any more: a person must look."""
        acts = self._kind.acts(self._plan, step)
        if acts is None or not acts.acts or self._writing.journal.has(step.id, JournalEvent.CONFIRMED):
            return False
        if not guards.may(self._plan, *acts.actions):
            return False
        begun = any(one.event is JournalEvent.BEGUN for one in self._writing.journal.acts(step.id))
        return begun or self._acting.lacks(step, acts.acts) is None

    def _may_begin(self, step: AnyStep, down: bool) -> bool:
        """`down`: a client is down, and is only started again."""
        self._refuse_paused()
        if down:
            return True
        if self._looked_long_ago():
            self._look()
            if not self._is_next_still(step):
                return False
        if not self._is_at_rest(step):
            return False
        if not self._only_starts_again(step):
            self._refuse_unguarded()
        return True

    def _is_next_still(self, step: AnyStep) -> bool:
        """Whether the last look leads to where the one before did: what else it leads to is decided, and reported, anew."""
        try:
            found = applying.next_of(self._plan, self._writing.journal, self._fresh, self._means.hands.now())
        except StalePlan:
            return False
        if not isinstance(found, WaitForOutside) or found.step.id != step.id:
            return False
        seen = self._round(step, needed=True)
        return seen is None or not seen.differs(act_is_next=True)

    def _only_starts_again(self, step: AnyStep) -> bool:
        """Whether the step starts clients that this plan has stopped: neither a window that closes nor their lag leaves them
        down."""
        acts = self._kind.acts(self._plan, step)
        acted = (one.acted for one in self._writing.journal.entries if one.event is JournalEvent.ACTED)
        stopped = {one.client for one in acted if one is not None and one.does is Does.STOP}
        return acts is not None and all(one.does is Does.START and one.kept_as in stopped for one in acts.acts)

    def _is_at_rest(self, step: AnyStep) -> bool:
        """A stable group, or one without members where the step ends no client; within a batch of acts, any group that is not
        rebalancing."""
        state = self._fresh.group_state
        acts, roll = self._kind.acts(self._plan, step), self._kind.roll(self._plan, step)
        ends = roll is not None and any(one.acts for one in roll.clients())
        if state == EMPTY and not ends and (acts is None or all(one.does is Does.START for one in acts.acts)):
            return True
        before = self._plan.steps[: [one.id for one in self._plan.steps].index(step.id)]
        first = not before or self._kind.waits(before[-1])
        first = first or (roll is not None and not roll.is_amid_batch(self._writing.journal))
        return state == STABLE if first else state not in REBALANCING

    def _refuse_unguarded(self) -> None:
        guards.refuse_closed(self._plan, self._means.clocks.wall())
        if self._plan.policy.lag_most is not None:
            with self._writing.held.kept():
                self._lag = self._means.lag()
        guards.refuse_lag(self._plan, self._lag)

    def _completed(self) -> int | None:
        """Rebalances by now: to go on accepts them with what this run halts for. None: unknown."""
        seen = guards.rebalances(self._plan, self._fresh)
        return None if seen is None else seen.found

    def _count(self) -> None:
        if self._fresh.group_state != STABLE:
            return
        seen = guards.rebalances(self._plan, self._fresh)
        if seen is not None and seen.found is not None and seen.found != (self._rebalances or 0):
            self._rebalances, self._forecast = seen.found, seen.expected
            self._tell(Tells.REBALANCE, f"{seen.found} completed; forecast in all: {span(*seen.expected)}")
        guards.refuse_more_rebalances(self._plan, self._writing.journal, seen)

    def _prepare(self, *, accept: bool | Halt) -> None:
        """Raise StepRefused where there is nothing to accept: the last run did not halt for that."""
        if accept is False:
            return
        accepted = ACCEPTED if accept is True else (accept,)
        last = self._writing.journal.last_halt()
        if last is None or last.halt is None or last.halt not in accepted:
            why = " or ".join(_WHY[one] for one in accepted)
            raise StepRefused(f"There is nothing to accept: the last run did not halt because of {why}.")
        step = applying.due(self._plan, self._writing.journal)
        if step is not None:
            entry = self._means.hands.entry(step, JournalEvent.ACCEPTED, "goes on in spite of it", self._means.hands.me.name)
            self._writing.add(replace(entry, halt=last.halt, rebalances=last.rebalances, differences=last.differences))
