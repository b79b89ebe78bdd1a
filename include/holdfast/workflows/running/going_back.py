"""Roll a plan back, step by step, the last one first: look, decide, act, watch, and again, as going forward does.

A person decides it, and often because the group is not as it should be. So neither the policy's windows, its deadline and its limit
of lag nor the number of rebalances keep Holdfast from it, and a group that does not come to rest delays it for a minute. What
still holds: the pause, the lease, the list of what Holdfast may do by itself, and that no client joins or leaves meanwhile that no
rollback explains.
"""

from contextlib import suppress
from dataclasses import replace

from holdfast.errors import HoldfastError, InvalidInput, StatePathTrouble, StepRefused
from holdfast.rollout.contract.group_state import REBALANCING, STABLE
from holdfast.rollout.execution import back_course, undo_words
from holdfast.rollout.execution.acts import may_run_s, may_write_s
from holdfast.rollout.execution.back_course import WentBack
from holdfast.rollout.execution.next_actions import AnyStep, WaitForOutside
from holdfast.rollout.execution.undo import PutBack, Undo, WhyLeft, remaining
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.journal.acted import Halt
from holdfast.rollout.journal.back import ClientSeen
from holdfast.rollout.journal.journal import Approval, Journal, JournalEvent
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.text.format import printable
from holdfast.workflows import apply as applying
from holdfast.workflows import journals, rollbacks
from holdfast.workflows.apply import Confirmation, Hands, Writing
from holdfast.workflows.rollbacks import steps_of
from holdfast.workflows.running import guards, walking
from holdfast.workflows.running.acting import MAY_RUN, Halted, Later
from holdfast.workflows.running.progress import Tells
from holdfast.workflows.running.walking import Walk

REST_S = 60.0
"""For so long a group in the middle of a rebalance is waited for before something is rolled back."""


def ended(plan: AnyPlan, fresh: AnySnapshot) -> WentBack:
    kind = kind_of(plan)
    compared = back_course.compared(kind.planned_for(plan), kind.clients(fresh), lasting=kind.lasting_names)
    return WentBack(compared, kind.staleness(plan, fresh))


class Back(Walk):
    """Rollback after rollback."""

    BACK = True

    def _prepare(self, *, accept: bool | Halt) -> None:
        if accept:
            raise StepRefused("Going back has nothing to accept: neither the number of rebalances nor a divergence stops it.")
        if self._journal.went_back() is not None:
            return
        if not steps_of(self._plan, self._journal):
            raise StepRefused(f"No step of plan {self._plan.plan_id} was begun: there is nothing to roll back.")
        step = self._due()
        seen = self._as_it_stands(step)
        me = self._means.hands.me.name
        unseen = "" if seen is not None else "; the group was rebalancing, so who joins and leaves is not checked"
        entry = self._means.hands.entry(step, JournalEvent.GOING_BACK, f"rolls back what was done{unseen}", me)
        self._writing.add(replace(entry, clients=seen))

    def _as_it_stands(self, step: AnyStep) -> tuple[ClientSeen, ...] | None:
        """The clients as going back begins. None: a group that does not come to rest. Raise Halted where they are others than the
        last run left: the user who goes back has to know. Given again it goes on, while the group has those that the halt was for.

        It is waited for in this turn: until it is journaled, no other turn knows that going back was decided.
        """
        clocks = self._means.clocks
        until = clocks.elapsed() + REST_S
        while True:
            seen = self._clients()
            why = "The group is rebalancing, so its clients are not visible." if seen is None else self._moved_on(seen)
            if why is None or clocks.elapsed() > until:
                break
            self._tell(Tells.WAITING, why, step)
            with suppress(Later):
                self._look_again()
        if self._away_since is not None:
            raise Halted(Halt.CLUSTER, "The group could not be read, so nothing was rolled back.")
        if why is not None and seen is not None:
            raise Halted(Halt.DRIFT, why)
        return seen

    def _moved_on(self, seen: tuple[ClientSeen, ...]) -> str | None:
        found, planned = steps_of(self._plan, self._journal), self._kind.planned_for(self._plan)
        moved = back_course.moved_on(found, self._journal, planned, seen, lasting=self._kind.lasting_names)
        return None if moved is None else undo_words.moved_on(moved)

    def _as_far_as_it_goes(self) -> WaitForOutside | None:
        looked_twice = False
        while True:
            self._refuse_paused()
            found = steps_of(self._plan, self._journal)
            left = remaining(found, self._journal)
            if left and self._journal.back().has(left[0].step.id, JournalEvent.CONFIRMED):
                self._close_confirmed(left[0])
                continue
            strayed = self._strayed(found)
            if strayed is not None:
                if looked_twice:
                    raise Halted(Halt.DRIFT, strayed)
                looked_twice = True
                self._look_again()
                continue
            looked_twice = False
            if not left:
                self._end(found)
                return None
            waiting = self._undo(left[0], [one for one in found if one not in left])
            if waiting is not None and self._means.asks:
                raise Halted(Halt.PERSON, waiting.needed)
            if waiting is not None:
                return waiting

    def _undo(self, undo: Undo, undone: list[Undo]) -> WaitForOutside | None:
        """One step. None: and go on; else it waits for a person."""
        if undo.left is not None:
            if undo.left is WhyLeft.WAIT:
                self._settle(undo.step, undone)
            self._close(undo, JournalEvent.LEFT, undo_words.left(undo))
            return None
        self._tell(Tells.STEP, f"roll back: {undo_words.describe(undo)}", undo.step)
        because = self._why_not(undo)
        if because is not None:
            return WaitForOutside(undo.step, undo_words.needed(undo, because), can_confirm=True)
        if undo.acts or undo.roll is not None:
            self._let_commands_end(undo)
        for act in undo.acts:
            if not self._acting.carry_out(undo.step, act):
                self._wait(undo.step, f"The group is {self._fresh.group_state}.", None)
        if undo.file is not None:
            self._put_back(undo.step, undo.file)
        if undo.configs and not self._setting(self._means.configs).put_back(undo.step, undo.configs):
            self._wait(undo.step, f"The group is {self._fresh.group_state}.", None)
        if undo.roll is not None:
            self._carry_out_roll(undo.step, undo.roll)
        if undo.manual is not None:
            return WaitForOutside(undo.step, undo_words.needed(undo), can_confirm=True)
        self._close(undo, JournalEvent.UNDONE, undo_words.describe(undo))
        if undo.acts or undo.configs:
            self._look_again()
        return None

    def _why_not(self, undo: Undo) -> str | None:
        """Why a person has to do what Holdfast could."""
        if not guards.may(self._plan, *undo.actions):
            return f"The plan's policy does not let Holdfast do this ({', '.join(sorted(set(undo.actions)))})."
        if undo.configs and self._means.configs is None:
            return "This run cannot set configs of the group."
        lacking = self._acting.lacks(undo.step, undo.acts) if undo.roll is None else self._lacking(undo.roll)
        if lacking is not None or undo.file is None:
            return lacking
        hands, file = self._means.hands, undo.file
        try:
            with self._writing.held.kept():
                given = hands.state_dirs.get(file.written)
        except HoldfastError as trouble:
            return f"The directory of process ID {file.written} is unknown. {trouble}"
        if given is None or given.rstrip("/") != file.directory.rstrip("/") or hands.host_of(given) != file.host:
            on = f" on {printable(file.host, 200)}" if file.host else ""
            return f"The directory of process ID {file.written} is not given here; it was {printable(file.directory, 500)}{on}."
        return None

    def _put_back(self, step: AnyStep, file: PutBack) -> None:
        """Raise Halted where the directory holds another process ID, or a client runs on it."""
        hands = self._means.hands
        if not self._journal.back().has(step.id, JournalEvent.BEGUN):
            entry = hands.entry(step, JournalEvent.UNDOING, f"putting back what {file.directory} held")
            self._writing.add(replace(entry, directory=file.directory, host=file.host))
        self._writing.held.keep()
        try:
            with self._writing.held.kept():
                found = hands.files.read(file.directory)
                if found == file.was:
                    return
                if file.was is None:
                    hands.files.remove(file.directory, file.written)
                else:
                    hands.files.write(file.directory, file.was, file.written)
        except StatePathTrouble as trouble:
            raise Halted(Halt.REFUSED, f"Step {step.id} was not rolled back. {trouble}") from None

    def _close_confirmed(self, undo: Undo) -> None:
        """A person has rolled it back: who is in the group now is what going on is checked by."""
        seen = self._clients()
        if seen is None:
            self._rest(undo.step, "The group is rebalancing, so its clients are not visible.")
        entry = self._means.hands.entry(undo.step, JournalEvent.UNDONE, "as a person confirmed")
        self._writing.add(replace(entry, clients=seen))
        self._tell(Tells.UNDONE, "as a person confirmed", undo.step)

    def _close(self, undo: Undo, event: JournalEvent, detail: str) -> None:
        self._writing.add(self._means.hands.entry(undo.step, event, detail))
        self._tell(Tells.UNDONE, detail, undo.step)

    # What it waits for.

    def _may_begin(self, step: AnyStep, down: bool) -> bool:
        """A stable group. To start a client that is down waits for nothing: until it runs its tasks are with others, or nowhere."""
        self._refuse_paused()
        undone = steps_of(self._plan, self._journal)
        if self._looked_long_ago():
            self._look()
            if self._strayed(undone) is not None:
                return False
        undo = next(one for one in undone if one.step.id == step.id)
        starts_only = not undo.goes and not undo.configs and (undo.roll is None or down)
        return starts_only or self._fresh.group_state == STABLE or self._rested(step)

    def _let_commands_end(self, undo: Undo) -> None:
        """A command of the run before may still act on a process that is looked at here."""
        if self._may_run_s(undo.step):
            self._wait(undo.step, MAY_RUN, None)

    def _may_run_s(self, step: AnyStep) -> float:
        back, actor = self._journal.back(), self._means.actor
        roll, found = self._kind.roll(self._plan, step), self._kind.acts(self._plan, step)
        clients = () if roll is None else tuple(roll.clients())
        if back.acts(step.id) or any(back.configured(step.id, one.client.kept_as) for one in clients):
            return 0.0
        commands = (*(() if found is None else found.acts), *(act for one in clients for act in one.acts))
        waited = self._waited_for_command(step)
        writes = (may_write_s(one.client, step.id, self._journal, actor.unseen_write_s, waited) for one in clients)
        acts = (may_run_s(act, step.id, self._journal, actor.unseen_s, waited) for act in commands)
        return max((*acts, *writes), default=0.0)

    def _settle(self, step: AnyStep, undone: list[Undo]) -> None:
        """The group shows what was rolled back so far, and is stable."""
        if not any(one.acts or one.configs or one.roll or one.manual for one in undone):
            return
        if self._fresh.group_state in REBALANCING:
            self._wait(step, f"The group is {self._fresh.group_state}.", walking.SHOWS_WITHIN_S)
        missing = back_course.unsettled(undone, self._journal, self._clients() or ())
        if missing is not None:
            self._wait(step, undo_words.open_(missing), walking.SHOWS_WITHIN_S)
        pending_s = self._kind.pending_s(step, self._fresh)
        if pending_s is not None:
            self._wait(step, "The group is stable, and another rebalance is pending.", pending_s)

    def _rest(self, step: AnyStep, why: str) -> None:
        """Wait for a group at rest, and no longer than `REST_S`: going back may be what ends its rebalances."""
        if not self._rested(step):
            self._wait(step, why, None)

    def _rested(self, step: AnyStep) -> bool:
        return self._waits_for == step.id and self._means.clocks.elapsed() - self._waits_since > REST_S

    # What there is.

    @property
    def _journal(self) -> Journal:
        return self._writing.journal

    def _strayed(self, found: tuple[Undo, ...]) -> str | None:
        now = self._clients()
        if now is None:
            return None
        strayed = back_course.strayed(found, self._journal, self._kind.planned_for(self._plan), now)
        return None if strayed is None else undo_words.stray(strayed)

    def _end(self, found: tuple[Undo, ...]) -> None:
        last = self._plan.steps[-1]
        if self._fresh.group_state in REBALANCING:
            self._wait(last, f"The group is {self._fresh.group_state}.", walking.SHOWS_WITHIN_S)
        self._settle(last, list(found))
        self._went_back = ended(self._plan, self._fresh)
        self._tell(Tells.WENT_BACK, undo_words.ended(self._went_back.clients))

    def _due(self) -> AnyStep:
        """The step that is rolled back next, for the journal and for people."""
        left = remaining(steps_of(self._plan, self._journal), self._journal)
        return left[0].step if left else self._plan.steps[0]

    def _is_done(self, step: AnyStep) -> bool:
        return self._journal.has(step.id, JournalEvent.DONE) and not self._journal.back().has(step.id, JournalEvent.DONE)


def confirm(
    plan: AnyPlan, approval: Approval, confirmations: tuple[Confirmation, ...], hands: Hands
) -> tuple[Journal, tuple[Undo, ...]]:
    """Add the words of people who have rolled steps back, and return the journal and what remains.

    Raise InvalidInput for a step that is not the next one to roll back, StepRefused where another plan for the group was begun
    since (`rollbacks`), and as `apply`. Without confirmations nothing is written.
    """
    applying.refuse_secrets(confirmations, hands)
    journal = applying.begin(plan, None, approval, hands, back=True)
    rollbacks.refuse_built_upon(plan, journals.read(hands.lake, plan.plan_id, hands.keys), hands.leases(plan))
    if confirmations:
        applying.keep_plan_and_approval(plan, approval, hands)
        with applying.under_lease(plan, hands) as writing:
            rollbacks.refuse_built_upon(plan, writing.kept, writing.held.leases)
            for word in confirmations:
                _confirm(plan, word, writing)
            journal = writing.journal
            applying.keep_checklist(plan, approval, writing, None)
    return journal, remaining(steps_of(plan, journal), journal)


def _confirm(plan: AnyPlan, word: Confirmation, writing: Writing) -> None:
    found = steps_of(plan, writing.journal)
    left, back = remaining(found, writing.journal), writing.journal.back()
    undo = next((one for one in found if one.step.id == word.step), None)
    if undo is None:
        raise InvalidInput(f"step {printable(word.step, 100)} of plan {plan.plan_id} was not begun: there is nothing to roll back")
    if undo not in left or back.has(word.step, JournalEvent.CONFIRMED):
        return
    due = next(one for one in left if one.left is None and not back.has(one.step.id, JournalEvent.CONFIRMED))
    if undo.left is not None or due.step.id != word.step:
        raise InvalidInput(f"step {due.step.id} is the next to roll back, not step {word.step}: the last one first")
    hands = writing.hands
    if writing.journal.went_back() is None:
        writing.add(hands.entry(undo.step, JournalEvent.GOING_BACK, "rolled back by people", word.by))
    writing.add(hands.entry(undo.step, JournalEvent.UNDO_CONFIRMED, word.detail, word.by))
