"""The parts of a Forecast: outcomes, each with its rebalances and totals. The values; `forecast` computes them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from holdfast.kafka.streams.group import Assignment, Client, LeaderFailure
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.backtest.forecast_past import ForecastPast
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.contract.times import TimedBatch
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.facts.notes import Note, NoteKind
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.forecast.amounts import BrokerReads


@dataclass(frozen=True, slots=True)
class Round:
    """One rebalance. `at_seconds`: from the change. `restoring`: records that each client starts to restore in it;
    `restoring_bytes`: bytes for the same clients (None: unknown); `restoring_tasks`: records by task, in the same order, without
    complete copies.

    `without_caught_up_copy`: stateful tasks assigned to a client that must restore them first; `waiting_records`: the records that
    each of them lacks, in the same order.
    """

    trigger: Trigger
    at_seconds: float
    decision: Assignment | LeaderFailure
    restoring: tuple[tuple[ProcessId, int], ...] = ()
    without_caught_up_copy: tuple[TaskId, ...] = ()
    restoring_bytes: tuple[tuple[ProcessId, int | None], ...] = ()
    restoring_tasks: tuple[tuple[ProcessId, tuple[tuple[TaskId, int], ...]], ...] = ()
    waiting_records: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class UnavailableTasks:
    """Tasks that are unavailable while their state is restored.

    `tasks`: their number; `task_seconds`, `longest_seconds`: over all rounds except the last, whose end is unknown; `records`: what
    they must restore before they run.
    """

    tasks: int
    task_seconds: float
    longest_seconds: float
    records: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """`seconds` for which a task is unavailable before any restore: until its client's session times out, or while the application
    is stopped. `seconds_without_copy`: the part of it in which no running client has a caught-up copy."""

    task: TaskId
    seconds: float
    seconds_without_copy: float


@dataclass(frozen=True, slots=True)
class Summary:
    """Totals of an outcome. Kafka leaves some timing open, hence the bounds; None: the group does not become stable.

    `…_at_least`: immediate follow-ups find warm-ups caught up, or copies assigned just before not open yet; rolled-out settings
    take effect with another restart.

    `rebalances_at_most`: each warm-up is found caught up by a separate follow-up rebalance; or a follow-up misses copies that moved
    to other threads just before, which costs another warm-up (a probing rebalance and a follow-up). Kafka sets no upper bound:
    combinations of these can take more.
    """

    stateful_tasks: int
    active_moved: int
    rebalances: int
    rebalances_at_least: int
    rebalances_at_most: int
    seconds_to_stable: float | None
    seconds_to_stable_at_least: float | None
    restore_records: int
    restore_records_by_client: tuple[tuple[ProcessId, int], ...]
    without_caught_up_copy: UnavailableTasks
    restore_bytes: int | None
    """None: unknown."""
    stopped: tuple[Stopped, ...] = ()
    """Tasks, stateless ones included, that are unavailable before anything is restored."""
    reads: tuple[BrokerReads, ...] = ()
    """The brokers that serve `restore_records`."""

    @property
    def stopped_task_seconds(self) -> float:
        return sum(one.seconds for one in self.stopped)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One possible result of a change, with its probability. `process_ids`: all clients at the end, in process-ID order."""

    probability: float
    process_ids: tuple[ProcessId, ...]
    stable: bool
    rounds: tuple[Round, ...]
    summary: Summary
    clients: tuple[Client, ...]
    """The members' reports at the end."""
    notes: tuple[Note, ...] = ()
    drawn: tuple[ProcessId, ...] = ()
    """The process IDs used for the new random ones, in the order of the change's events."""
    unsettled: str | None = None
    """Why the group does not become stable; None: it does."""
    latent: int = 0
    """Stateful tasks that the next rebalance would move, although no rebalance is pending."""
    acts: tuple[TimedBatch, ...] = ()
    """The batches of the change in time, each with the number of `rounds` that it causes."""
    probes_more: int = 0
    """Probing rebalances in `rebalances_at_most` beyond those in `rounds`."""

    @property
    def probing(self) -> int:
        return sum(one.trigger is Trigger.PROBING for one in self.rounds)


@dataclass(frozen=True, slots=True)
class Length:
    """How long a course is. `follow_ups`: its immediate rebalances; `ends_s`: when its last rebalance comes, from the change.

    `open_copies`, `unstarted`: what may make it longer (`open_copies.OpenCopies`). `trouble`: why the group does not become stable
    (None: it does).
    """

    rebalances: int
    follow_ups: int
    probing: int
    ends_s: float
    open_copies: int
    unstarted: int
    trouble: str | None


@dataclass(frozen=True, slots=True)
class Range:
    """Between what bounds a course and its quicker ones lie. `seconds_at_least`, `unsettled`: as in Summary and Outcome.

    `probing`: that of the course; `probing_at_most`: with those in `rebalances_at_most`.
    """

    rebalances_at_least: int
    rebalances_at_most: int
    seconds_at_least: float | None
    unsettled: str | None
    probing: int
    probing_at_most: int


def range_of(length: Length, quick: Sequence[Length]) -> Range:
    """`quick`: what may come instead of the course."""
    every = (length, *quick)
    more = max(length.open_copies, 2 * length.unstarted) if quick else 0
    return Range(
        rebalances_at_least=min(one.rebalances for one in every),
        rebalances_at_most=max(length.rebalances + more, *(one.rebalances for one in every)),
        seconds_at_least=None if length.trouble else min(one.ends_s for one in every if not one.trouble),
        unsettled=length.trouble,
        probing=length.probing,
        probing_at_most=length.probing + (length.unstarted if quick else 0),
    )


@dataclass(frozen=True, slots=True)
class Course:
    """All rounds, the members' reports after them, and how long it is."""

    rounds: tuple[Round, ...]
    clients: tuple[Client, ...]
    length: Length
    waiting_records: int
    stopped: tuple[Stopped, ...]
    notes: tuple[Note, ...]
    latent: int
    acts: tuple[TimedBatch, ...] = ()


@dataclass(frozen=True, slots=True)
class Forecast:
    """The outcomes of a change with their probabilities. `change`: with its shorthands expanded. `unknown`: the assumptions."""

    change: Change
    outcomes: tuple[Outcome, ...]
    unknown: tuple[Unknown, ...] = ()
    past: ForecastPast | None = None


NOT_LOOKED_AT = (
    "The settings that are rolled out may count from earlier restarts on: {} of these courses would take more work than is allowed."
)


def also(outcome: Outcome, found: Range, others: Sequence[Range], not_looked_at: int = 0) -> Outcome:
    """The same outcome, whose range is `found`, with ranges that include `others`: which of them happens cannot be known."""
    if not others and not not_looked_at:
        return outcome
    ranges = (found, *others)
    seconds = [one.seconds_at_least for one in ranges if one.seconds_at_least is not None]
    notes = [Note(NoteKind.UNSETTLED, one.unsettled) for one in others if one.unsettled]
    if not_looked_at:
        notes.append(Note(NoteKind.SAMPLE, NOT_LOOKED_AT.format(not_looked_at)))
    return replace(
        outcome,
        summary=replace(
            outcome.summary,
            rebalances_at_least=min(one.rebalances_at_least for one in ranges),
            rebalances_at_most=max(one.rebalances_at_most for one in ranges),
            seconds_to_stable_at_least=None if outcome.unsettled else min(seconds, default=None),
        ),
        notes=tuple(dict.fromkeys((*outcome.notes, *notes))),
        probes_more=max(one.probing_at_most for one in ranges) - outcome.probing,
    )
