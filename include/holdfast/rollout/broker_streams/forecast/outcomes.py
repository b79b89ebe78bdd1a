"""The parts of a Forecast of a streams group whose broker assigns: the values. `forecast` computes them."""

from dataclasses import dataclass
from typing import NamedTuple

from holdfast.kafka.coordinator.streams.group import Task
from holdfast.rollout.backtest.forecast_past import ForecastPast
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.forecast.restores import Restores
from holdfast.rollout.broker_streams.target.target import TargetAssignment
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.coordinated.chance import FIGURES, Spread
from holdfast.rollout.coordinated.spans import SPAN, Seconds
from holdfast.rollout.coordinated.targets import NO_OCCASION, Occasion, TargetTrigger
from holdfast.rollout.json.codec import COUNT, PROBABILITY, nullable
from holdfast.rollout.json.record import member, record


@dataclass(frozen=True, slots=True)
class ComputedTarget:
    """One target. `group_epoch` None: that of the group was unknown. `processes`: of its members, by ID.

    `after_undetermined`: tasks whose place depends on undetermined tasks of earlier targets. `likely`: where IDs are drawn, the
    processes of each undetermined task with their shares of the draws.
    """

    trigger: TargetTrigger
    group_epoch: int | None
    assignment: TargetAssignment
    processes: tuple[tuple[str, str], ...]
    after_undetermined: tuple[Task, ...] = ()
    likely: tuple[tuple[Task, tuple[tuple[str, float], ...]], ...] = ()
    ended: frozenset[str] = frozenset()
    """The members that ended without leaving, and whose sessions are not over yet."""
    batch: int = 0
    """The number of the batch of events that it follows from, from 0."""
    occasion: Occasion = NO_OCCASION


@record
class BrokerSummary:
    stateful_tasks: int = member(COUNT)
    active_moved: int = member(COUNT, "Stateful tasks whose active owner at the end is in another process than before.")
    moves: int = member(COUNT, "Stateful tasks that a target gives to another process than the one before, over all targets.")
    cold_moves: int = member(COUNT, "Those of the moves that go to a process whose disk has never had the task.")
    targets: int = member(COUNT)
    seconds_to_stable: Seconds | None = member(
        nullable(SPAN),
        "From the first event until every member has what the last target gives it: at least, usually, at most. Without start_ups.",
        default=None,
    )
    start_ups: int = member(
        COUNT, "How many times, one after the other, the change waits for clients to start, for as long as they take.", default=0
    )
    restored_records: int | None = member(
        nullable(COUNT), "Of all copies that clients restore, by offset, at most. Left out: unknown.", default=None, omit=True
    )
    restored_bytes: int | None = member(nullable(COUNT), "Of the same. Left out: unknown.", default=None, omit=True)


class HandOvers(NamedTuple):
    """The stateful tasks that a target hands over, and how many of them go to a disk that has never had them."""

    moves: int
    cold: int


@record
class Draws:
    """How many draws of random IDs stand for all, and what their figures are."""

    count: int = member(COUNT)
    confidence: float = member(PROBABILITY)
    missed_at_most: float = member(
        PROBABILITY, "What holds in every draw fails in at most this share of all starts, with that confidence."
    )
    active_moved: Spread = member(FIGURES, "Least, usual, most.")
    moves: Spread = member(FIGURES)
    cold_moves: Spread = member(FIGURES)
    restored_records: Spread | None = member(nullable(FIGURES), default=None, omit=True)


def moved_range(summary: BrokerSummary, draws: Draws | None) -> tuple[int, int]:
    """The least and the most stateful tasks that migrate: over all draws, where IDs are new random ones."""
    return (summary.active_moved,) * 2 if draws is None else (draws.active_moved.least, draws.active_moved.most)


def hand_over_range(summary: BrokerSummary, draws: Draws | None) -> tuple[int, int]:
    """Likewise of hand-overs."""
    return (summary.moves,) * 2 if draws is None else (draws.moves.least, draws.moves.most)


def cold_range(summary: BrokerSummary, draws: Draws | None) -> tuple[int, int]:
    """Likewise of those that are restored in full."""
    return (summary.cold_moves,) * 2 if draws is None else (draws.cold_moves.least, draws.cold_moves.most)


@dataclass(frozen=True, slots=True)
class BrokerOutcome:
    """What comes about. `process_ids`: of the clients at the end. `draws` None: every ID is given."""

    process_ids: tuple[str, ...]
    targets: tuple[ComputedTarget, ...]
    summary: BrokerSummary
    draws: Draws | None = None
    unowned: tuple[tuple[Task, Seconds | None], ...] = ()
    """For each task that is handed over, how long it has no owner."""
    hand_overs: tuple[HandOvers, ...] = ()
    """Of each target."""
    restores: Restores | None = None
    """None: unknown."""
    restores_most: Restores | None = None
    """Where IDs are drawn: those of the draw in which one client restores most."""


@dataclass(frozen=True, slots=True)
class BrokerForecast:
    """`example`: the change with the IDs of the outcome, where it leaves some to chance."""

    change: BrokerChange
    outcome: BrokerOutcome
    unknown: tuple[Unknown, ...] = ()
    example: BrokerChange | None = None
    past: ForecastPast | None = None

    @property
    def carried_out(self) -> BrokerChange:
        """With every ID given."""
        return self.example or self.change
