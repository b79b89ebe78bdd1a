"""What every run has, forward and back: it looks at the group, waits over turns, reports what happens, and halts."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Never

from holdfast.actor import Actor
from holdfast.errors import CannotPredict, ClusterTrouble
from holdfast.ports import GroupSettings
from holdfast.rollout.contract.group_state import REBALANCING, STABLE
from holdfast.rollout.execution import rolling_settings
from holdfast.rollout.execution.acts import Waited
from holdfast.rollout.execution.back_course import WentBack
from holdfast.rollout.execution.next_actions import AnyStep, WaitForOutside
from holdfast.rollout.execution.rolling_settings import Configuring, Roll
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.journal.acted import Halt
from holdfast.rollout.journal.back import ClientSeen
from holdfast.rollout.journal.journal import Approval, JournalEvent, Sighting
from holdfast.rollout.json import instants
from holdfast.rollout.json.codec import COUNT, TEXT, nullable
from holdfast.rollout.json.record import member, record
from holdfast.rollout.kinds.moving import move
from holdfast.rollout.kinds.registry import kind_of
from holdfast.workflows import apply as applying
from holdfast.workflows.apply import Applied, Hands, Writing
from holdfast.workflows.running import pausing
from holdfast.workflows.running.acting import Acting, Clocks, Halted, Later
from holdfast.workflows.running.client_configs import ClientConfigs
from holdfast.workflows.running.group_configs import Setting
from holdfast.workflows.running.progress import Progress, Tells
from holdfast.workflows.running.progress_file import Showing

LOOK_S = 20.0
"""The most that one look at the group may take."""
LOOK_AGAIN_S = 2.0
OLD_S = 0.1
"""An act goes by no look that began earlier, unless the look itself takes longer: a host may have taken long to show the state of a
process, and the group may have another client since."""
SHOWS_WITHIN_S = 600.0
"""Within this time a group shows what was done to its clients."""
CLUSTER_AWAY_S = 300.0
"""For this time a cluster that does not answer is asked again."""
_BEGUN_OR_DONE = (JournalEvent.BEGUN, JournalEvent.ACTED, JournalEvent.UNDOING, JournalEvent.UNDO_ACTED)
_COUNTED_ANEW = (JournalEvent.TAKEN_OVER, JournalEvent.FORCED, JournalEvent.GOES_ON, JournalEvent.UNDO_GOES_ON)


@dataclass(frozen=True, slots=True)
class Means:
    """What a run has: hands for the journal and the files, an actor for processes, a look at the group (given how many seconds it
    may take), and its lag in records (None: unknown)."""

    hands: Hands
    actor: Actor
    look: Callable[[float], AnySnapshot]
    lag: Callable[[], int | None]
    tell: Callable[[Progress], None]
    clocks: Clocks
    configs: GroupSettings | None = None
    """How the group's configs are set at its brokers; None: a person does it."""
    refuse_ended: Callable[[], None] = lambda: None
    """Raises where the run is not to go on, by what started it. It is called before each act."""
    asks: bool = False
    """Whether people are asked after a halt: then a rollback that is a person's halts the run."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How a run ended: all done, waiting for a person (`applied.waiting_for`), or halted. `went_back`: all is rolled back."""

    applied: Applied
    halted: Halted | None = None
    went_back: WentBack | None = None


@record
class LeftForNextTurn:
    """What a turn leaves to the next one, besides the journal: for how many seconds `step` has been waited for, and for how many
    the cluster has not answered (None: it has). `rebalances`: how many were shown; `shown`: a digest of the comparison that was
    shown last. `command`: for the commands of which step, after how many takeovers and commands that were left, it has been waited,
    and `command_s`: for how long.
    Wrong values change when it halts, no act: the journal's times bound `command_s` (`acts.Waited`).
    """

    step: str = member(TEXT, default="")
    waited_s: int = member(COUNT, default=0)
    away_s: int | None = member(nullable(COUNT), default=None)
    rebalances: int | None = member(nullable(COUNT), default=None)
    shown: int | None = member(nullable(COUNT), default=None)
    command: str = member(TEXT, default="")
    command_s: int = member(COUNT, default=0)

    def after(self, seconds: int, slept_s: int) -> "LeftForNextTurn":
        """So much later, by a clock that may have been set meanwhile; `slept_s` of it by one that never is."""
        away_s = None if self.away_s is None else self.away_s + seconds
        return replace(self, waited_s=self.waited_s + seconds, away_s=away_s, command_s=self.command_s + slept_s)


class Walk(ABC):
    """`fresh`: a look at the group just now; None: the turn begins with one. `_seen`: the clients at the last look, if known."""

    BACK: ClassVar[bool] = False

    def __init__(
        self, plan: AnyPlan, approval: Approval, means: Means, writing: Writing, fresh: AnySnapshot | None, left: LeftForNextTurn
    ) -> None:
        self._plan, self._approval, self._means, self._writing = plan, approval, means, writing
        self._looked = fresh is not None
        self._kind = kind_of(plan)
        self._fresh: AnySnapshot
        self._seen: tuple[ClientSeen, ...] | None = None
        if fresh is not None:
            self._fresh = move.seen_for(plan, fresh)
            self._seen = self._clients()
        now = self._looked_at = means.clocks.elapsed()
        self._waits_for, self._waits_since = left.step, now - left.waited_s
        self._away_since = None if left.away_s is None else now - left.away_s
        self._command, self._command_since = left.command, now - left.command_s
        self._told: tuple[str, str] | None = None
        self._rebalances = left.rebalances
        self._forecast: tuple[int, int] | None = None
        self._lag: int | None = None
        self._showing = Showing(plan, means.hands, means.clocks.elapsed)
        if fresh is not None:
            self._showing.looked(fresh)
        self._acting = Acting(
            means.actor,
            writing,
            means.clocks,
            self._may_begin,
            lambda step, text: self._tell(Tells.ACT, text, step),
            self._waited_for_command,
            self._leave_process,
            self._listed,
            self.BACK,
            self._members,
        )
        self._client_configs = ClientConfigs(self._acting)
        self._went_back: WentBack | None = None

    def turn(self, *, accept: bool | Halt = False) -> Ran | None:
        """None: something must be waited for."""
        halted, waiting = None, None
        try:
            if not self._looked:
                self._look()
            self._prepare(accept=accept)
            waiting = self._as_far_as_it_goes()
        except Later:
            self._looked = False
            return None
        except Halted as found:
            halted = found
            self._keep_halt(found)
            step = self._due()
            waiting = None if step is None else WaitForOutside(step, found.text, can_confirm=False)
        if waiting is not None and halted is None:
            self._showing.person(waiting.step.id, waiting.needed)
        applied = applying.keep_checklist(self._plan, self._approval, self._writing, waiting)
        return Ran(applied, halted, self._went_back)

    def leave(self) -> LeftForNextTurn:
        """To the next turn. Raise Lost where another run has the lease by now."""
        self._writing.held.keep()
        self._writing.stays = True
        now = self._means.clocks.elapsed()
        away_s = None if self._away_since is None else round(now - self._away_since)
        return LeftForNextTurn(
            self._waits_for,
            round(now - self._waits_since),
            away_s,
            self._rebalances,
            command=self._command,
            command_s=int(now - self._command_since),
        )

    @abstractmethod
    def _prepare(self, *, accept: bool | Halt) -> None:
        """What a turn begins with. `accept`: a person accepts what the last run halted for."""

    @abstractmethod
    def _as_far_as_it_goes(self) -> WaitForOutside | None:
        """The step that a person has to do; None: all is done. Raise Halted, and Later."""

    @abstractmethod
    def _may_begin(self, step: AnyStep, down: bool) -> bool:
        """As `Acting.may_begin`."""

    def _listed(self, step: AnyStep) -> Sighting | None:
        """As the last look had it."""
        return self._kind.listed(self._plan, step, self._fresh)

    def _setting(self, configs: GroupSettings | None) -> Setting:
        assert configs is not None, "asked for before"
        group_id, clocks = self._plan.basis.group_id, self._means.clocks
        return Setting(configs, group_id, self._writing, clocks, self._may_begin, self._acting.tell)

    def _lacking(self, roll: Roll) -> str | None:
        """Why the settings of clients cannot be written, or the clients not restarted. None: they can."""
        for one in roll.clients():
            settings = {each.key: each.after for each in one.settings}
            found = (self._means.actor.lacks_config(one.client, settings), *map(self._means.actor.lacks, one.acts))
            lacking = next((text for text in found if text is not None), None)
            if lacking is not None:
                return lacking
        return None

    def _carry_out_roll(self, step: AnyStep, roll: Roll) -> None:
        """Batch after batch. One that was begun is brought to its end; the next one begins once the group shows those before it,
        and what the plan waits for after the step is over. Raise Halted, and Later."""
        done: list[Configuring] = []
        for batch in roll.batches:
            left = [one for one in batch if not rolling_settings.has_happened(step.id, one, self._acting.journal)]
            if left and not any(rolling_settings.has_begun(step.id, one, self._acting.journal) for one in batch):
                self._await_batch(step, done)
            for one in left:
                acts = (self._acting.carry_out(step, act, rolled=True) for act in one.acts)
                if not (self._client_configs.carry_out(step, one) and all(acts)):
                    self._wait(step, f"The group is {self._fresh.group_state}.", SHOWS_WITHIN_S)
                self._waits_for = ""  # what comes next has all of its time
            if any(one.acts for one in left):
                self._look_again()
            done += batch
        self._await_batch(step, done, last=True)

    def _await_batch(self, step: AnyStep, done: list[Configuring], *, last: bool = False) -> None:
        """The group shows the restarts so far. `last`: the plan's own wait follows."""
        if not any(one.acts for one in done):
            return
        if self._fresh.group_state != STABLE:
            self._wait(step, f"The group is {self._fresh.group_state}.", SHOWS_WITHIN_S)
        missing = rolling_settings.not_shown(step.id, done, self._acting.journal, self._clients() or ())
        if missing is not None:
            self._wait(step, f"The group does not show the restart of {missing} yet.", SHOWS_WITHIN_S)
        after = self._plan.steps[[one.id for one in self._plan.steps].index(step.id) :]
        wait = None if last else next((one for one in after if self._kind.waits(one)), None)
        pending_s = None if wait is None else self._kind.pending_s(wait, self._fresh)
        if pending_s is not None:
            self._wait(step, "The group is stable, and another rebalance is pending.", pending_s)

    def _members(self, name: str) -> tuple[str, ...] | None:
        """Of one client, at the last look. None: it is not there, or no member is visible."""
        return next((one.members for one in self._clients() or () if one.name == name), None)

    def _due(self) -> AnyStep | None:
        """The step that comes next. None: there is none."""
        return applying.due(self._plan, self._writing.journal)

    def _clients(self) -> tuple[ClientSeen, ...] | None:
        """None: no member of a group in the middle of a rebalance is visible."""
        return None if self._fresh.group_state in REBALANCING else self._kind.clients(self._fresh)

    def _is_done(self, step: AnyStep) -> bool:
        return self._writing.journal.has(step.id, JournalEvent.DONE)

    def _refuse_paused(self) -> None:
        self._writing.held.keep()
        self._means.refuse_ended()
        found = pausing.found(self._means.hands.lake, self._plan.plan_id)
        if found is not None:
            text = f"{found.text} Remove the pause (holdfast pause --off) to continue."
            raise Halted(Halt.PAUSED, text, pause=found.mark)

    def _wait(self, step: AnyStep, why: str, limit_s: float | None, of_plan_s: int | None = None) -> Never:
        """Until the next turn. `limit_s` None: the plan's own limit of the step counts, which is `of_plan_s`."""
        self._leave(step, step.id, why, limit_s, Halted(Halt.TIME, f"{why} {limit_s or 0:g} s have passed."), of_plan_s)

    def _leave_process(self, step: AnyStep, why: str, limit_s: float, too_long: Halted) -> Never:
        """As `Acting.leave`. How long was waited for the group does not count, nor for another act or settings of the step."""
        known = {
            (one.event, one.acted and (one.acted.does, one.acted.client), one.configured and one.configured.client)
            for one in self._writing.journal.entries
            if one.step == step.id and one.event in _BEGUN_OR_DONE
        }
        self._leave(step, f"{step.id} process {len(known)}", why, limit_s, too_long)

    def _leave(
        self, step: AnyStep, named: str, why: str, limit_s: float | None, too_long: Halted, of_plan_s: int | None = None
    ) -> Never:
        now = self._means.clocks.elapsed()
        if self._waits_for != named:
            self._waits_for, self._waits_since = named, now
        if limit_s is not None and now - self._waits_since > limit_s:
            raise too_long
        self._showing.waits(step.id, why, now - self._waits_since, of_plan_s if limit_s is None else limit_s)
        self._tell(Tells.WAITING, why, step)
        raise Later

    def _waited_for_command(self, step: AnyStep) -> Waited:
        """From when this run first asks for it. Another run's takeover ends what was counted, and a command that it leaves."""
        now = self._means.clocks.elapsed()
        named = f"{step.id} {sum(one.event in _COUNTED_ANEW for one in self._writing.journal.entries)}"
        if self._command != named:
            self._command, self._command_since = named, now
        return Waited(now - self._command_since, self._means.hands.now())

    def _look_again(self) -> None:
        """Soon, in the same turn: after an act, and after what may have been a moment between two rebalances."""
        self._means.clocks.sleep(LOOK_AGAIN_S)
        self._look()

    def _looked_long_ago(self) -> bool:
        return self._means.clocks.elapsed() - self._looked_at > OLD_S

    def _look(self) -> None:
        self._refuse_paused()
        began = self._means.clocks.elapsed()
        try:
            with self._writing.held.kept():
                self._fresh = move.seen_for(self._plan, self._means.look(LOOK_S))
        except (ClusterTrouble, CannotPredict) as trouble:
            now = self._means.clocks.elapsed()
            if self._away_since is None:
                self._away_since = now
            if getattr(trouble, "lasting", False) or now - self._away_since > CLUSTER_AWAY_S:
                raise Halted(Halt.CLUSTER, f"The group could not be read. {trouble}") from None
            self._tell(Tells.WAITING, f"The group cannot be read now: {trouble}")
            raise Later from None
        self._away_since, self._looked, self._seen = None, True, self._clients()
        self._looked_at = began
        self._showing.looked(self._fresh)

    def _tell(self, event: Tells, text: str, step: AnyStep | None = None) -> None:
        """Every event once: what is waited for is not repeated while it stays."""
        number = "" if step is None else step.id
        if event is Tells.WAITING and self._told == (number, text):
            return
        self._told = (number, text)
        done = sum(self._is_done(one) for one in self._plan.steps)
        at = instants.to_second(self._means.hands.now())
        steps = len(self._plan.steps)
        found = Progress(at, event, number, text, done, steps, self._rebalances, self._forecast, self._lag)
        self._means.tell(found)
        self._showing.told(found)

    def _keep_halt(self, found: Halted) -> None:
        """Raise Lost where another run has the lease by now."""
        step = self._due()
        self._tell(Tells.HALTED, found.text, step)
        if step is None:
            return
        entry = self._means.hands.entry(step, JournalEvent.HALTED, found.text)
        entry = replace(entry, halt=found.why, rebalances=found.rebalances, differences=found.differences, pause=found.pause)
        self._writing.add(replace(entry, clients=self._seen))
