"""One act on one client's process: journal, act, look, journal. A crash in between leaves what the next run needs to know.

A command that takes longer than some seconds, or whose connection breaks, is left to go on: the journal says so, the turn ends, and
the next one looks what has become of it, as after a crash.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Never, assert_never

from holdfast.actor import Actor
from holdfast.errors import HostTrouble
from holdfast.rollout.execution.acts import (
    Act,
    Ask,
    Begin,
    Finished,
    NextMove,
    Perform,
    Waited,
    Watch,
    begun_at,
    may_run_s,
    next_move,
    went_on,
)
from holdfast.rollout.execution.next_actions import AnyStep
from holdfast.rollout.facts.differences import Difference
from holdfast.rollout.journal.acted import Acted, ClientProcess, Does, Halt, ProcessState
from holdfast.rollout.journal.journal import UNDO_OF, Journal, JournalEntry, JournalEvent, Sighting
from holdfast.rollout.text.format import printable
from holdfast.workflows.apply import Writing

SHOWS_WITHIN_S = 10.0
"""Within this time a command that has ended shows its effect. What takes longer is not waited for in the same turn."""
LOOK_AGAIN_S = 1.0
PATIENCE_S = 60.0
"""How much longer than its command an act is waited for."""
MAY_RUN = "A command of the run before may still be running. Nothing is done before it must have ended."


class Halted(Exception):
    """The run stops before its next act. `rebalances`: how many were completed, `differences`: what is not as in the forecast,
    `pause`: the mark of the pause, where that is why."""

    def __init__(
        self,
        why: Halt,
        text: str,
        rebalances: int | None = None,
        differences: tuple[Difference, ...] = (),
        pause: str | None = None,
    ) -> None:
        self.why = why
        self.text = text
        self.rebalances = rebalances
        self.differences = differences
        self.pause = pause
        super().__init__(text)


class Later(Exception):
    """All that can be done now is done: the rest is for the next turn."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """`elapsed` never jumps, and is what waits are measured by; `wall` is what people go by, and policies."""

    elapsed: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    wall: Callable[[], datetime] = lambda: datetime.now().astimezone()


@dataclass
class Acting:
    """What acts are done with. `may_begin`: whether an act of a step may be done now; False: later. It raises Halted where nothing
    may be done any more. Its last argument: a client is down that the act starts again. `listed`: the members that an act ends;
    `members`: those of the client of that name at the last look, None: not visible. `back`: the acts roll steps back. `waited`: for
    how long this run has waited in that step for a command of an earlier one, or one that it has left to go on. `leave`: raises
    Later, and the given Halted where the process has been waited for longer than the given seconds.
    """

    actor: Actor
    writing: Writing
    clocks: Clocks
    may_begin: Callable[[AnyStep, bool], bool]
    tell: Callable[[AnyStep, str], None]
    waited: Callable[[AnyStep], Waited]
    leave: Callable[[AnyStep, str, float, Halted], Never]
    listed: Callable[[AnyStep], Sighting | None] = lambda _: None
    back: bool = False
    members: Callable[[str], tuple[str, ...] | None] = lambda _: None

    @property
    def journal(self) -> Journal:
        """Of what is done now: forward, or back."""
        found = self.writing.journal
        return found.back() if self.back else found

    def lacks(self, step: AnyStep, acts: Sequence[Act]) -> str | None:
        """Why the acts of a step cannot be done, in a sentence. None: they can, or were."""
        return next((text for one in acts if (text := self.actor.lacks(self.called(step, one))) is not None), None)

    def called(self, step: AnyStep, act: Act) -> Act:
        return replace(act, called=f"{self.writing.journal.plan_id}.{step.id}{'.back' if self.back else ''}")

    def carry_out(self, step: AnyStep, act: Act, *, rolled: bool = False) -> bool:
        """Do it, or what is left of it; False: it may not be done now. Raise Halted where it did not happen, or cannot be seen,
        and Later where it must be waited for.
        `rolled`: it is one of several restarts of a step, each of which the group has to show."""
        act = self.called(step, act)
        given = self._given_before(step, act)
        allowed, begun = False, False
        while True:
            now = self._process(step, act, given)
            given = self._ended(step, self._numbered(step, act), now, given)
            act = self._numbered(step, act)
            entries, may_be_running = self.journal.acts(step.id), self._may_be_running(given)
            move = next_move(act, entries, now, may_be_running=may_be_running, performed=given.performed)
            if not begun and self._was_given_before(act, move, given):
                given = self._found_given(step, act, now, given)
                continue
            match move:
                case Finished():
                    self._finished(step, act, now)
                    return True
                case Watch():
                    self._watch(step, act, now, given)
                case Begin(does) | Perform(does) if not allowed:
                    if not self._allowed(step, does, entries):
                        return False
                    allowed = True
                case Begin(does):
                    text, seen = f"{_DOING[does]} {act.shown}", self._listed(step, act)
                    self._keep(step, JournalEvent.BEGUN, text, act, now, seen, rolled=rolled)
                    begun = True
                case Perform(does) if not (begun and act.number):
                    self._keep(step, JournalEvent.BEGUN, f"{_DOING[does]} {act.shown} again", act, now, rolled=rolled)
                    begun = True
                case Perform(does):
                    if not self._allowed(step, does, entries):  # again: its host has shown the process since
                        return False
                    given = self._perform(step, does, act, now, given)
                case Ask():
                    raise Halted(Halt.COMMAND if given.failed else Halt.PROCESS, _asked(move, act, given.failed))
                case _:
                    assert_never(move)

    def _allowed(self, step: AnyStep, does: Does, entries: Sequence[JournalEntry]) -> bool:
        return self.may_begin(step, does is Does.START and bool(entries))

    def _given_before(self, step: AnyStep, act: Act) -> "_Given":
        unseen_s = may_run_s(act, step.id, self.journal, self.actor.unseen_s, self.waited(step))
        return _Given(self.clocks.elapsed() + unseen_s, left=went_on(act, step.id, self.journal))

    def _numbered(self, step: AnyStep, act: Act) -> Act:
        """As its command is known to its host: by the entry of the whole journal that began it."""
        number, journal = begun_at(act, step.id, self.journal), self.writing.journal
        return replace(act, number=number and number + len(journal.entries) - len(self.journal.entries))

    def _was_given_before(self, act: Act, move: NextMove, given: "_Given") -> bool:
        """Whether its host shows that a run which was killed has given the command, which the journal does not say yet."""
        open_ = isinstance(move, Watch) or move == Perform(act.does)
        return open_ and given.left is None and not given.performed and self.actor.was_given(act) is True

    def _found_given(self, step: AnyStep, act: Act, now: ClientProcess, given: "_Given") -> "_Given":
        self._keep(step, JournalEvent.GOES_ON, f"{act.shown}: its host shows that the run before has given its command", act, now)
        return replace(given, left=went_on(act, step.id, self.journal))

    def _may_be_running(self, given: "_Given") -> bool:
        return self.clocks.elapsed() < given.ends_at

    def _ended(self, step: AnyStep, act: Act, now: ClientProcess, given: "_Given") -> "_Given":
        """A command that was left to go on, and must have ended, shows its effect from now on. One whose connection broke too early
        was never given."""
        if given.left is None or self._may_be_running(given) or now.state is ProcessState.CHANGING:
            return given
        if self.actor.was_given(act) is False:
            self._keep(step, JournalEvent.NOT_GIVEN, f"{act.shown}: its host has no record of the command", act, now)
            return _Given(self.clocks.elapsed())
        failed = self.actor.outcome(act) or f"Before that: {given.left.detail}."
        return self._shows_soon(failed)

    def _shows_soon(self, failed: str | None) -> "_Given":
        ends_at = self.clocks.elapsed() + SHOWS_WITHIN_S
        return _Given(ends_at, performed=True, stays_until=ends_at, failed=failed)

    def _watch(self, step: AnyStep, act: Act, now: ClientProcess, given: "_Given") -> None:
        if given.performed and self.clocks.elapsed() < given.stays_until:
            self.clocks.sleep(LOOK_AGAIN_S)
            return
        self._goes_on(step, act, now, given, "the command has ended, and its process is changing")
        why = f"The process of {act.shown} is changing."
        if self._may_be_running(given):
            why = MAY_RUN if given.left is None else f"The command for {act.shown} may still be running."
        too_long = f"The process of {act.shown} is being started or stopped for too long. {self.actor.outcome(act) or _HOST}"
        self._leave(step, act, why, Halted(Halt.PROCESS, too_long))

    def _process(self, step: AnyStep, act: Act, given: "_Given") -> ClientProcess:
        while True:
            self.writing.held.keep()
            try:
                with self.writing.held.kept():
                    return self.actor.process(act)
            except HostTrouble as trouble:
                unknown = Halted(Halt.PROCESS, f"The process of {act.shown} is unknown. {trouble}")
                if trouble.lasting:
                    raise unknown from None
                if not given.performed or self.clocks.elapsed() >= given.stays_until:
                    self._goes_on(step, act, given.seen, given, f"its process is unknown: {trouble}")
                    self._leave(step, act, f"The process of {act.shown} is not visible now.", unknown)
            self.clocks.sleep(LOOK_AGAIN_S)

    def _leave(self, step: AnyStep, act: Act, why: str, too_long: Halted) -> Never:
        """No worker waits for it."""
        begun = any(one.acted is not None and one.acted.client == act.kept_as for one in self.journal.acts(step.id))
        self.leave(step, why, PATIENCE_S + (self.actor.limit_s if begun else 0.0), too_long)

    def _perform(self, step: AnyStep, does: Does, act: Act, now: ClientProcess, given: "_Given") -> "_Given":
        self.writing.held.keep()
        self.tell(step, f"{_DOING[does]} {act.shown}")
        try:
            with self.writing.held.kept():
                return replace(self._shows_soon(self.actor.perform(does, act)), seen=now)
        except HostTrouble as trouble:
            if trouble.begun:
                gone_on = _Given(self.clocks.elapsed() + self.actor.unseen_s, performed=True, failed=str(trouble), seen=now)
                left = self._goes_on(step, act, now, gone_on, f"its command may still be running: {trouble}")
                return replace(gone_on, left=left)
            if trouble.lasting:
                return replace(self._shows_soon(str(trouble)), seen=now)
            self._not_given(step, act, now, given, str(trouble))
            return replace(given, stays_until=given.stays_until or self.clocks.elapsed() + SHOWS_WITHIN_S)

    def _not_given(self, step: AnyStep, act: Act, now: ClientProcess, given: "_Given", why: str) -> None:
        """Nothing of the command has reached its host: it is given again, soon or in another turn."""
        if given.stays_until and self.clocks.elapsed() >= given.stays_until:
            self._keep(step, JournalEvent.NOT_GIVEN, f"{act.shown}: {printable(why, 1_000)}", act, now)
            text = f"Nothing was done to {act.shown}. {printable(why, 500)}"
            self._leave(step, act, text, Halted(Halt.COMMAND, text))
        self.clocks.sleep(LOOK_AGAIN_S)

    def _goes_on(self, step: AnyStep, act: Act, now: ClientProcess | None, given: "_Given", why: str) -> JournalEntry | None:
        """Journal that this run has given the command and leaves it, unless that is in the journal. `now`: the process as it was
        seen last."""
        if given.performed and given.left is None and now is not None:
            self._keep(step, JournalEvent.GOES_ON, f"{act.shown}: {printable(why, 1_000)}", act, now)
        return went_on(act, step.id, self.journal)

    def _finished(self, step: AnyStep, act: Act, now: ClientProcess) -> None:
        acted = (one.acted for one in self.journal.acts(step.id) if one.event is JournalEvent.ACTED)
        if not any(one is not None and (one.does, one.client) == (act.does, act.kept_as) for one in acted):
            self._keep(step, JournalEvent.ACTED, f"{act.shown}: {now.state.value}", act, now)

    def _listed(self, step: AnyStep, act: Act) -> Sighting | None:
        return self.listed(step) if act.does is Does.RESTART and not self.back else None

    def _keep(
        self,
        step: AnyStep,
        event: JournalEvent,
        detail: str,
        act: Act,
        now: ClientProcess,
        seen: Sighting | None = None,
        *,
        rolled: bool = False,
    ) -> None:
        entry = self.writing.hands.entry(step, UNDO_OF[event] if self.back else event, detail)
        members = self.members(act.client) if rolled else None
        self.writing.add(replace(entry, acted=Acted(act.does, act.kept_as, now, members), seen=seen))


@dataclass(frozen=True, slots=True)
class _Given:
    """What is known of the command of an act, in times that never jump. `ends_at`: when it must have ended, unless its process
    shows that it goes on. `performed`: it was given in this turn, or must have ended; `failed`: why it failed. `stays_until`: how
    long this turn looks on. `left`: the journal's entry that it goes on. `seen`: the process when it was given.
    """

    ends_at: float
    performed: bool = False
    failed: str | None = None
    stays_until: float = 0.0
    left: JournalEntry | None = None
    seen: ClientProcess | None = None


_DOING = {Does.STOP: "stopping", Does.START: "starting", Does.RESTART: "restarting"}
_HOST = "Look at its host, then continue."


def _asked(ask: Ask, act: Act, failed: str | None) -> str:
    because = f" {printable(failed, 500)}" if failed else ""
    match ask:
        case Ask.NOT_RUNNING:
            return f"The process of {act.shown} does not run, and the group lists its members: are its commands those of another?"
        case Ask.NO_IDENTITY:
            return f"The status of {act.shown} has no identity of the process: whether it was restarted could not be seen."
        case Ask.CAME_BACK:
            return f"{act.shown} was stopped, and runs again as another process. Stop it permanently, then continue."
        case Ask.STILL_THE_SAME:
            return f"The command for {act.shown} has ended, and its process is as it was.{because} {_HOST}"
        case _:
            assert_never(ask)
