"""The parts of a Forecast: outcomes, each with its rebalances and totals. The values; `forecast` computes them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from holdfast.kafka.streams.group import Assignment, Client, LeaderFailure
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.contract.times import Act
from holdfast.rollout.contract.unknown import Unknown
from holdfast.rollout.facts.notes import Note, NoteKind
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.forecast.amounts import BrokerReads


@dataclass(frozen=True, slots=True)
class Round:
    """One rebalance. `restoring` is what each client begins to restore in it, in records; `without_caught_up_copy` are the stateful
    tasks that are handed to a client which has yet to restore them. `restoring_bytes` has the same clients; None: not known.

    `restoring_tasks`: the same task by task, in the same order, without those that lack nothing. `waiting_records`: what each of
    `without_caught_up_copy` lacks, in the same order.
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
class Waiting:
    """Tasks that run nowhere while their state is restored.

    `tasks`: how many; `task_seconds`, `longest_seconds`: over the rounds but the last one, whose end nobody knows; `records`: what
    they have to restore before they run.
    """

    tasks: int
    task_seconds: float
    longest_seconds: float
    records: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """How long a task runs nowhere because its client has ended and the group has yet to notice, or the application is stopped; and
    for how much of that no client that runs has a copy of it that is caught up."""

    task: TaskId
    seconds: float
    seconds_without_copy: float


@dataclass(frozen=True, slots=True)
class Summary:
    """`…_at_least`: if immediate follow-ups find warm-ups caught up, or what was handed out before not open yet, which Kafka leaves
    open; and if the settings of a roll-out count from another restart on. None: the group does not settle.

    `rebalances_at_most`: if each of them is found caught up by a follow-up of its own, which costs a rebalance each; or if a
    follow-up does not find copies at all that were handed to other threads just before it, which costs warm-ups anew: a probing
    rebalance and a follow-up. Kafka itself sets no bound: both together, or more misfortune, can take more.
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
    without_caught_up_copy: Waiting
    restore_bytes: int | None
    """None: not known."""
    stopped: tuple[Stopped, ...] = ()
    """Tasks, stateless ones included, that are unavailable before anything is restored."""
    reads: tuple[BrokerReads, ...] = ()
    """Which brokers serve `restore_records`."""

    @property
    def stopped_task_seconds(self) -> float:
        return sum(one.seconds for one in self.stopped)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One way in which it can turn out. `process_ids`: all clients at the end, in order."""

    probability: float
    process_ids: tuple[ProcessId, ...]
    stable: bool
    rounds: tuple[Round, ...]
    summary: Summary
    clients: tuple[Client, ...]
    """What the members report once it is over."""
    notes: tuple[Note, ...] = ()
    drawn: tuple[ProcessId, ...] = ()
    """The process IDs in the place of those that the change leaves to chance, in the order of its events."""
    unsettled: str | None = None
    """Why it does not settle; None: it does."""
    latent: int = 0
    """Stateful tasks that the next rebalance sets out to move, though none is pending."""
    acts: tuple[Act, ...] = ()
    """The batches of the change as they take time, each with how many of `rounds` follow from it."""
    probes_more: int = 0
    """Probing rebalances among those of `rebalances_at_most` that the rounds do not have."""

    @property
    def probing(self) -> int:
        return sum(one.trigger is Trigger.PROBING for one in self.rounds)


@dataclass(frozen=True, slots=True)
class Course:
    """All rounds, what members report after them, and why they do not end in peace (None: they do); the rest as in `Restoring`."""

    rounds: tuple[Round, ...]
    clients: tuple[Client, ...]
    waiting_records: int
    open_copies: int
    unstarted: int
    stopped: tuple[Stopped, ...]
    notes: tuple[Note, ...]
    latent: int
    acts: tuple[Act, ...] = ()
    trouble: str | None = None

    @property
    def ends_s(self) -> float:
        return self.rounds[-1].at_seconds if self.rounds else 0


@dataclass(frozen=True, slots=True)
class Forecast:
    """`change`: what was forecast, its shorthands written out."""

    change: Change
    outcomes: tuple[Outcome, ...]
    unknown: tuple[Unknown, ...] = ()


NOT_LOOKED_AT = (
    "The settings that are rolled out may count from earlier restarts on: {} of these courses would take more work than is allowed."
)


def also(outcome: Outcome, others: Sequence[Outcome], not_looked_at: int = 0) -> Outcome:
    """The same outcome, its ranges with what may come instead: nobody knows which of them it will be."""
    if not others and not not_looked_at:
        return outcome
    all_of_them = (outcome, *others)
    summaries = [one.summary for one in all_of_them]
    seconds = [one.seconds_to_stable_at_least for one in summaries if one.seconds_to_stable_at_least is not None]
    notes = [Note(NoteKind.UNSETTLED, one.unsettled) for one in others if one.unsettled]
    if not_looked_at:
        notes.append(Note(NoteKind.SAMPLE, NOT_LOOKED_AT.format(not_looked_at)))
    return replace(
        outcome,
        summary=replace(
            outcome.summary,
            rebalances_at_least=min(one.rebalances_at_least for one in summaries),
            rebalances_at_most=max(one.rebalances_at_most for one in summaries),
            seconds_to_stable_at_least=None if outcome.unsettled else min(seconds, default=None),
        ),
        notes=tuple(dict.fromkeys((*outcome.notes, *notes))),
        probes_more=max(one.probing + one.probes_more for one in all_of_them) - outcome.probing,
    )
