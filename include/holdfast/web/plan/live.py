"""The run of a plan on its page, while it runs and after it. The time is an argument.

Which steps are done and why a run halted is the journal's; a pause is its own file. What a run shows of itself (`progress.json`)
is for people only: it adds what is waited for, the counts, and the group at the last look.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from holdfast.ports import Lake
from holdfast.rollout.contract.times import Estimate, Times
from holdfast.rollout.execution.next_actions import AnyStep
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal.journal import Journal, JournalEntry, JournalEvent
from holdfast.rollout.journal.run_progress import Happened, ReportSeen, RunProgress, RunState
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.text.format import capital, duration, many
from holdfast.rollout.timing import time_left
from holdfast.web.kinds.registry import pages_of
from holdfast.web.parts.plan_view import ago, compact
from holdfast.web.plan import live_bars, live_state
from holdfast.web.plan.live_bars import Bars
from holdfast.web.plan.live_state import NEXT, Ended, Now
from holdfast.web.plan.live_state import at as at_
from holdfast.web.plan.plan_page import Memory, PlanPage
from holdfast.web.plans import PlanState
from holdfast.workflows import rollbacks
from holdfast.workflows.running import guards, pausing, progress_file

MOST_STEPS = 9
FULL = 1000
_PLANNED = Memory()


class StepState(StrEnum):
    DONE = "done"
    NOW = "now"
    TO_DO = "to do"
    ROLLED_BACK = "rolled back"


@dataclass(frozen=True, slots=True)
class StepLine:
    """`took`: for how long it is, or was, in progress; empty where that is unknown."""

    id: str
    title: str
    state: StepState
    took: str


@dataclass(frozen=True, slots=True)
class ShownWait:
    """`share`: of the limit that has passed, in thousandths; None: no limit."""

    needed: str
    elapsed: str
    limit: str
    share: int | None


@dataclass(frozen=True, slots=True)
class Fact:
    """`bad`: it leaves what was forecast, or allowed."""

    label: str
    value: str
    detail: str
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Back:
    """The plan is rolled back: by whose decision, how many of the steps that were begun, and the next one; empty: all are."""

    since: JournalEntry
    done: int
    of: int
    undone: frozenset[str]
    next: str


@dataclass(frozen=True, slots=True)
class Live:
    """`halt`: the journal's entry of the last halt, until a step is done after it; `halt_number`: its number there. `paused`: by
    whom and why, `paused_at`: when. `left`: a person's word that ends the run after a halt. `airflow_run`: the ID of its run in
    Airflow; `ended`: how that ended, although the plan's run goes on or asks by what it shows. `built_upon`: why the plan is not
    rolled back; empty: it may be. `token`: for who may pause it."""

    now: Now
    number: int
    steps: int
    lines: tuple[StepLine, ...]
    before: int
    after: int
    by: str
    since: str
    heard: str
    airflow_run: str | None
    wait: ShownWait | None
    facts: tuple[Fact, ...]
    bars: Bars | None
    events: tuple[Happened, ...]
    halt: JournalEntry | None
    halt_number: int
    left: JournalEntry | None
    back: Back | None
    paused: str | None
    text: str
    paused_at: str = ""
    ended: Ended | None = None
    built_upon: str = ""
    token: str = ""

    @property
    def said(self) -> str:
        """For who listens: where the run is."""
        step = f", step {self.number} of {self.steps}" if self.now in (Now.RUNNING, Now.PERSON) else ""
        return f"Run: {self.now.word}{step}."

    @property
    def next(self) -> str:
        """What happens next, where the run decides it and not the plan alone; else empty."""
        if self.now in NEXT:
            return NEXT[self.now]
        return "A person rolls back the next step; see below." if self.back is not None else ""

    @property
    def may_pause(self) -> bool:
        return self.now not in (Now.FINISHED, Now.BACK)


def of(
    lake: Lake,
    page: PlanPage,
    now: datetime,
    token: str = "",
    ended_in_airflow: Callable[[str], Ended | None] = lambda _: None,
    built_upon: str = "",
) -> Live | None:
    """None: there is no run of the plan, and none can be. `token`: of who may pause it. `ended_in_airflow`: how the run in Airflow
    with an ID ended; None: it has not. `built_upon`: as `Live` has it."""
    plan = page.view.plan
    found, paused = progress_file.read(lake, plan.plan_id), pausing.found(lake, plan.plan_id)
    can_run = page.state in (PlanState.APPROVED, PlanState.RUNNING) and bool(plan.policy.acts) and bool(plan.steps)
    if found is None and paused is None and not can_run:
        return None
    times = _Times.of(page.entries)
    journal = Journal(plan.plan_id, page.entries)
    halt, back = journal.last_halt(), _back(plan, journal)
    ids = [one.id for one in plan.steps]
    at = next((index for index, one in enumerate(ids) if one not in times.done), len(ids))
    if back is not None:
        at = ids.index(back.next) if back.next in ids else 0
    end = None if back is not None and back.next else Now.BACK if back is not None else Now.FINISHED if 0 < len(ids) == at else None
    state = end or live_state.state(found, halt, now, page.entries, paused=paused is not None)
    left_by = next((one for one in reversed(page.entries[-1:]) if one.event is JournalEvent.ENDED), None)
    ended = _ended(found, halt, state, ended_in_airflow) if left_by is None else None
    if ended is not None and state in (Now.RUNNING, Now.SILENT):
        state = Now.ENDED
    if back is not None and state in (Now.READY, Now.PERSON):
        state = Now.GOING_BACK
    first = min(max(0, at - 3), max(0, len(plan.steps) - MOST_STEPS))
    until = now if state in (Now.RUNNING, Now.SILENT) or found is None else datetime.fromisoformat(found.at)
    shown = plan.steps[first : first + MOST_STEPS]
    return Live(
        now=state,
        number=min(at + 1, len(plan.steps)),
        steps=len(plan.steps),
        lines=tuple(_line(plan, one, first + index, at, times, until, back) for index, one in enumerate(shown)),
        before=first,
        after=len(plan.steps) - first - len(shown),
        by="" if found is None else f"{found.by} on {found.host}" if found.host else found.by,
        since="" if found is None else ago(now, datetime.fromisoformat(found.since)),
        heard="" if found is None else ago(now, datetime.fromisoformat(found.at)),
        airflow_run=None if found is None else found.run,
        wait=_wait(found, now) if state is Now.RUNNING else None,
        facts=(*_facts(page, found, times, state, until, back), *_restoring(page, found, now)),
        bars=live_bars.bars(page, found, now, rolled_back=back is not None),
        events=() if found is None else tuple(reversed(found.events)),
        halt=halt,
        halt_number=next((number for number, one in enumerate(page.entries, start=1) if one is halt), 0),
        left=left_by,
        back=back,
        paused=None if paused is None else paused.text,
        paused_at="" if paused is None else paused.at,
        ended=ended,
        built_upon=built_upon,
        text=found.text if found is not None and found.state is RunState.PERSON and state in (Now.PERSON, Now.GOING_BACK) else "",
        token=token,
    )


@dataclass(frozen=True, slots=True)
class _Times:
    """When each step began, and was done, by the journal."""

    begun: Mapping[str, str]
    done: Mapping[str, str]
    touched: frozenset[str]

    @classmethod
    def of(cls, entries: Sequence[JournalEntry]) -> "_Times":
        begun: dict[str, str] = {}
        done: dict[str, str] = {}
        for one in entries:
            if one.event is JournalEvent.BEGUN:
                begun.setdefault(one.step, one.at)
            elif one.event is JournalEvent.DONE:
                done.setdefault(one.step, one.at)
        return cls(begun, done, frozenset(one.step for one in entries))


def _back(plan: AnyPlan, journal: Journal) -> Back | None:
    since = journal.went_back()
    if since is None:
        return None
    steps = [one.step.id for one in rollbacks.steps_of(plan, journal)]
    undone = frozenset(one.step for one in journal.back().entries if one.event is JournalEvent.DONE)
    return Back(
        since, sum(one in undone for one in steps), len(steps), undone, next((one for one in steps if one not in undone), "")
    )


def _ended(found: RunProgress | None, halt: JournalEntry | None, state: Now, ended: Callable[[str], Ended | None]) -> Ended | None:
    """Only where the run goes on, or asks a person, by what it shows: it ends by itself in all other states. One that Airflow does
    not have and that still gives signs may be in another Airflow with the same lake."""
    expected = state in (Now.RUNNING, Now.SILENT) or (halt is not None and state in (Now.HALTED, Now.PAUSED, Now.PERSON))
    how = ended(found.run) if expected and found is not None and found.run is not None else None
    return None if how is Ended.DELETED and state is Now.RUNNING else how


# The steps.


def _line(plan: AnyPlan, step: AnyStep, index: int, at: int, times: _Times, now: datetime, back: Back | None) -> StepLine:
    state = StepState.DONE if index < at else StepState.NOW if index == at else StepState.TO_DO
    if back is not None and step.id != back.next:
        done = StepState.DONE if step.id in times.done else StepState.TO_DO
        state = StepState.ROLLED_BACK if step.id in back.undone else done
    seconds = _seconds(plan, index, times, now)
    return StepLine(step.id, kind_of(plan).step_text(step), state, "" if seconds is None else duration(seconds))


def _seconds(plan: AnyPlan, index: int, times: _Times, now: datetime) -> int | None:
    """From what was first done in it, or the end of the step before where nothing was, to its end."""
    step = plan.steps[index].id
    begun, done = times.begun.get(step), times.done.get(step)
    if begun is None and index and step in times.touched:
        begun = times.done.get(plan.steps[index - 1].id)
    if begun is None:
        return None
    return max(0, int(((now if done is None else at_(done)) - at_(begun)).total_seconds()))


def _wait(found: RunProgress | None, now: datetime) -> ShownWait | None:
    one = None if found is None else found.waiting
    if one is None:
        return None
    seconds = max(0, int((now - at_(one.since)).total_seconds()))
    limit = one.limit_s
    share = None if limit is None else min(FULL, seconds * FULL // max(1, limit))
    return ShownWait(one.needed, duration(seconds), "" if limit is None else duration(limit), share)


# The figures.


def _facts(
    page: PlanPage, found: RunProgress | None, times: _Times, state: Now, ended: datetime, back: Back | None
) -> tuple[Fact, ...]:
    plan = page.view.plan
    return (
        _time_left(plan, times, state, ended) if back is None else Fact("Time left", "unknown", "rollbacks have no forecast time"),
        _rebalances(page, found),
        _acts(page),
        _lag(plan, found),
    )


def _time_left(plan: AnyPlan, at: _Times, state: Now, ended: datetime) -> Fact:
    if state is Now.FINISHED:
        return Fact("Time left", "none", "every step is done")
    times = pages_of(plan).times(plan)
    batches = _batches(plan)
    done = [all(one in at.done for one in each) for each in batches]
    present = next((each for each, is_done in zip(batches, done, strict=True) if not is_done), ())
    begun = min((at.begun[one] for one in present if one in at.begun), key=at_, default=None)
    since = None if begun is None else max(0, int((ended - at_(begun)).total_seconds()))
    found = time_left.WhyUnknown.NO_END if times is None else time_left.left(times, done, since, by_step=pages_of(plan).by_step)
    if isinstance(found, time_left.WhyUnknown):
        return Fact("Time left", "unknown", _why_unknown(found, times))
    if not found.high:
        return Fact("Time left", "unknown", "it takes longer than the forecast's most", bad=state is Now.RUNNING)
    return Fact("Time left", _range(found), f"usually {duration(found.usual)}, by the forecast of the steps that are not done")


def _why_unknown(why: time_left.WhyUnknown, times: Times | None) -> str:
    match why:
        case time_left.WhyUnknown.NO_END:
            return "the forecast has no end, or no time"
        case time_left.WhyUnknown.CONDITION:
            return "the forecast time depends on a condition, which the plan names"
        case time_left.WhyUnknown.NOT_BY_STEP:
            total = "" if times is None or times.restored is None else f", {_range(times.restored)} in all"
            return f"the forecast has one time for all steps{total}, and some are done"


def _range(found: Estimate) -> str:
    return duration(found.high) if found.low == found.high else f"{duration(found.low)} to {duration(found.high)}"


def _batches(plan: AnyPlan) -> tuple[tuple[str, ...], ...]:
    """Steps that take effect together, with the waits after them."""
    kind = kind_of(plan)
    found: list[list[str]] = []
    waited = True
    for step in plan.steps:
        waits = kind.waits(step)
        if not found or (waited and not waits):
            found.append([])
        found[-1].append(step.id)
        waited = waits
    return tuple(map(tuple, found))


def _rebalances(page: PlanPage, found: RunProgress | None) -> Fact:
    label = f"{capital(page.view.labels.round)}s completed"
    if found is None or found.rebalances is None:
        return Fact(label, "unknown", "the group does not show it yet")
    if found.rebalances_forecast is None:
        return Fact(label, f"{found.rebalances:,}", "since the plan's snapshot")
    low, high = found.rebalances_forecast
    forecast = f"{high:,}" if low == high else f"{low:,} to {high:,}"
    return Fact(label, f"{found.rebalances:,}", f"forecast in all: {forecast}", bad=found.rebalances > high)


def _acts(page: PlanPage) -> Fact:
    """What Holdfast did to processes, of what it may do by the plan's policy."""
    plan = page.view.plan
    planned = _PLANNED.get(plan.plan_id, lambda: _planned(plan))
    done = {(one.step, one.acted.client, one.acted.does) for one in page.entries if one.event is JournalEvent.ACTED and one.acted}
    if not planned and not done:
        return Fact("Acts done", "none", "every step is a person's: by itself, or by the policy (acts)")
    clients = len({client for _, client, _ in done})
    detail = f"{many(clients, kind_of(plan).words.member)} stopped, started or restarted"
    return Fact("Acts done", f"{len(done):,} of {max(planned, len(done)):,}", detail)


def _planned(plan: AnyPlan) -> int:
    kind = kind_of(plan)
    acts = (kind.acts(plan, step) for step in plan.steps)
    rolls = {one.first: one for step in plan.steps if (one := kind.roll(plan, step)) is not None and guards.may(plan, *one.actions)}
    restarts = sum(len(one.acts) for roll in rolls.values() for one in roll.clients())
    return restarts + sum(len(one.acts) for one in acts if one is not None and guards.may(plan, *one.actions))


def _lag(plan: AnyPlan, found: RunProgress | None) -> Fact:
    most = plan.policy.lag_most
    if most is None:
        return Fact("Lag", "not watched", "the policy has no limit (lag_most)")
    lag = None if found is None else found.lag
    value = "unknown" if lag is None else f"{compact(lag)} records"
    return Fact("Lag", value, f"limit {most:,} records, looked at before each act", bad=lag is not None and lag > most)


def _restoring(page: PlanPage, found: RunProgress | None, now: datetime) -> tuple[Fact, ...]:
    """The forecast of the whole plan, and what members reported when they last joined: no group shows what happens in between."""
    plan = page.view.plan
    if not kind_of(plan).stateful:
        return ()
    records = pages_of(plan).restores(plan)
    value = "unknown" if records is None else f"{compact(records)} records" if records else "nothing"
    seen = None if found is None or found.seen is None else found.seen.copies
    if seen is None:
        return (Fact("To restore", value, "forecast of the whole plan; no group shows how much of it is restored"),)
    return (Fact("To restore", value, "forecast of the whole plan"), _reported(seen, now))


def _reported(seen: ReportSeen, now: datetime) -> Fact:
    found, label = seen.report, "Reported by members"
    if seen.at is None:
        return Fact(label, "unknown", "they say how far copies are when they join; no one has since the run began")
    missing = found.copies - found.reported
    more = f"; nothing yet of {many(missing, 'task')} given to them then" if missing else ""
    when = f"as they joined, seen {ago(now, at_(seen.at))}{more}; the next figure comes with the next rebalance"
    return Fact(
        label,
        f"{compact(found.behind)} {'record' if found.behind == 1 else 'records'} behind"
        if found.behind or missing
        else "all restored",
        when,
    )
