"""What a run shows of itself while it runs: `plans/<plan id>/progress.json`, written over and over, for the plan's page.

It is information only: what is decided is decided by the plan, the journal and the group. So it is not signed, no run is halted by
it, and a lake that does not take it costs a line in the log. Which steps are done, when, and why a run halted, is the journal's.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from holdfast import secrecy
from holdfast.errors import HoldfastError
from holdfast.ports import Lake, LakePath
from holdfast.rollout.contract.client_figures import Held
from holdfast.rollout.contract.group_state import REBALANCING
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.journal.run_progress import (
    LONGEST_TEXT,
    MOST_CLIENTS,
    MOST_EVENTS,
    GroupSeen,
    Happened,
    ReportSeen,
    RunProgress,
    RunState,
    RunWait,
)
from holdfast.rollout.json import instants
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.kinds.registry import kind_of
from holdfast.workflows import plan as plans
from holdfast.workflows.apply import Hands
from holdfast.workflows.running.progress import Progress, Tells

FILE = "progress.json"
LARGEST = 256 * 1024
LOOKS_EVERY_S = 5.0
"""A look at the group is written so often at most; events are at once."""
_ENDS = {Tells.HALTED: RunState.HALTED, Tells.FINISHED: RunState.FINISHED, Tells.WENT_BACK: RunState.FINISHED}

log = logging.getLogger(__name__)


def read(lake: Lake, plan_id: str) -> RunProgress | None:
    """None: there is none, or it is none of this plan, too large, or cannot be read."""
    try:
        if not lake.exists(_place(plan_id)):
            return None
        found = codec_of(RunProgress).read(loads(lake.read(_place(plan_id), LARGEST)))
    except HoldfastError as trouble:
        log.info("The progress of plan %s cannot be read: %s", plan_id, trouble)
        return None
    return found if found.plan_id == plan_id else None


class Showing:
    """Of one run; of a turn, where a run goes in turns: it continues what the turn before has shown."""

    def __init__(self, plan: AnyPlan, hands: Hands, elapsed: Callable[[], float]) -> None:
        self._plan, self._lake, self._now, self._elapsed = plan, hands.lake, hands.now, elapsed
        self._written_at: float | None = None
        me, now = hands.me, instants.to_second(hands.now())
        before = read(self._lake, plan.plan_id) if me.run is not None else None
        if before is not None and before.run == me.run:
            self._shown = replace(before, state=RunState.RUNNING)
        else:
            run = None if me.run is None else _short(me.run)
            self._shown = RunProgress(plan.plan_id, _short(me.name), _short(me.host), now, now, RunState.RUNNING, run)

    def told(self, one: Progress) -> None:
        """An event of the run."""
        step, text = _short(one.step), _short(one.text)
        events = self._shown.events
        if not events or (events[-1].event, events[-1].step, events[-1].text) != (one.event.value, step, text):
            events = (*events, Happened(one.at, one.event.value, step, text))[-MOST_EVENTS:]
        self._shown = replace(
            self._shown,
            state=_ENDS.get(one.event, RunState.RUNNING),
            step=step or self._shown.step,
            text=text,
            waiting=self._shown.waiting if one.event in (Tells.WAITING, Tells.REBALANCE) else None,
            rebalances=one.rebalances if one.rebalances is not None else self._shown.rebalances,
            rebalances_forecast=one.forecast or self._shown.rebalances_forecast,
            lag=one.lag if one.lag is not None else self._shown.lag,
            lag_at=one.at if one.lag is not None and one.lag != self._shown.lag else self._shown.lag_at,
            events=events,
        )
        self._write()

    def looked(self, fresh: AnySnapshot) -> None:
        """At the group."""
        now = instants.to_second(self._now())
        held = _held(fresh)
        seen = GroupSeen(now, None if fresh.group_state is None else _short(fresh.group_state), held[:MOST_CLIENTS])
        before = None if self._shown.seen is None else self._shown.seen.copies
        seen = replace(seen, more=max(0, len(held) - MOST_CLIENTS), copies=self._reported(fresh, before, now))
        self._shown = replace(self._shown, seen=seen)
        if self._written_at is None or self._elapsed() - self._written_at >= LOOKS_EVERY_S:
            self._write()

    def _reported(self, fresh: AnySnapshot, before: ReportSeen | None, now: str) -> ReportSeen | None:
        """Changelogs grow while members report nothing new: a report is compared with the ends of the look that showed it first.
        No member of a group in the middle of a rebalance is visible."""
        if fresh.group_state in REBALANCING:
            return before
        try:
            found = kind_of(fresh).copies_reported(fresh)
        except HoldfastError:
            return before
        if found is None or (before is not None and before.report.digest == found.digest):
            return before
        return ReportSeen(None if self._shown.seen is None else now, found)

    def waits(self, step: str, needed: str, waited_s: float, limit_s: float | None) -> None:
        """From now on, and since `waited_s` ago; the next event or look writes it."""
        since = instants.to_second(self._now() - timedelta(seconds=waited_s))
        known = self._shown.waiting
        if known is not None and known.step == step:
            since = min(known.since, since, key=datetime.fromisoformat)
        self._shown = replace(
            self._shown, waiting=RunWait(_short(step), _short(needed), since, None if limit_s is None else int(limit_s))
        )

    def person(self, step: str, needed: str) -> None:
        """The run ends here: the next step is a person's."""
        self._shown = replace(self._shown, state=RunState.PERSON, step=_short(step), text=_short(needed), waiting=None)
        self._write()

    def _write(self) -> None:
        self._shown = replace(self._shown, at=instants.to_second(self._now()))
        self._written_at = self._elapsed()
        try:
            self._lake.write(_place(self._plan.plan_id), dumps(codec_of(RunProgress).write(self._shown)).encode())
        except (HoldfastError, OSError) as trouble:
            log.warning("The progress of plan %s was not written, and the run goes on: %s", self._plan.plan_id, trouble)


def _held(fresh: AnySnapshot) -> tuple[Held, ...]:
    try:
        found = kind_of(fresh).held(fresh)
    except HoldfastError:
        return ()
    return tuple(replace(one, id=_short(one.id), name=_short(one.name)) for one in found)


def _short(text: str) -> str:
    """What hosts and people wrote, without secrets."""
    found = secrecy.redact(text)
    return found if len(found) <= LONGEST_TEXT else f"{found[: LONGEST_TEXT - 1]}…"


def _place(plan_id: str) -> LakePath:
    return (plans.FOLDER, plan_id, FILE)
