"""What the loss of any one host would do: it is not replaced, or replaced at once by a client with an empty disk.

Each way is a Change (`change_of`), and every figure is what the forecast of that Change says; the tests hold one against the other.
But a forecast each would take days for a whole fleet. So tasks moved and tasks without a copy are read off the target, and what
follows is counted where counting is exact (`movements`). Elsewhere it is forecast, or said not to be: never guessed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout import groups, order
from holdfast.rollout.change import Change, NewClient, RemoveClient, ReplaceClient
from holdfast.rollout.decided_losses import DecidedLosses, by_rack
from holdfast.rollout.forecast import forecast
from holdfast.rollout.movements import Fate, Movements
from holdfast.rollout.snapshot import Snapshot

MOST_WORK = 8_000
"""Tasks that move, times stateful tasks, times copies of each: up to that a loss is forecast where it cannot be counted (about a
second's work, and mostly far less)."""


class Scenario(StrEnum):
    """A fresh ID falls somewhere in the order by chance: looked at are its likeliest position and that where most tasks move."""

    NOT_REPLACED = "not replaced"
    SAME_ID = "same ID"
    FRESH_LIKELIEST = "fresh ID, likeliest"
    FRESH_WORST = "fresh ID, worst"


class Basis(StrEnum):
    """Where rebalances, seconds and bytes come from. NOT_FORECAST: they are not known, for a reason; `holdfast forecast` tells."""

    COUNTED = "counted"
    FORECAST = "forecast"
    NOT_FORECAST = "not forecast"


@dataclass(frozen=True, slots=True)
class Place:
    """A position that a fresh ID can take: so many others come before it. `process_id` stands for all IDs that fall there."""

    place: int
    probability: float
    moved: int
    process_id: ProcessId


@dataclass(frozen=True, slots=True)
class Loss:
    """One way of losing a client, until the group is stable.

    `moved`: stateful tasks that end up with another client. `without_copy`: those that stand still until their state is restored.
    `rebalances` are the least there are unless `rebalances_exact`. `warm_ups`: copies that are restored while their tasks run
    elsewhere. `restore_bytes` is None also where a changelog was not measured.
    """

    process_id: ProcessId
    scenario: Scenario
    place: Place | None
    moved: int
    without_copy: int
    basis: Basis
    rebalances: int | None = None
    rebalances_exact: bool = False
    warm_ups: int | None = None
    seconds: float | None = None
    restore_bytes: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class BlastRadius:
    """Every way of losing one client. `places`: every position that a fresh ID can take, their probabilities add up to 1.

    Where tasks are placed by rack it may be the likeliest ones only: to look at all of them would take too long in a large group.
    """

    process_id: ProcessId
    losses: tuple[Loss, ...]
    places: tuple[Place, ...]

    @property
    def worst_moved(self) -> int:
        return max(loss.moved for loss in self.losses)

    @property
    def expected_moved(self) -> float:
        """By a fresh ID, on average over the positions that were looked at."""
        return sum(one.probability * one.moved for one in self.places) / sum(one.probability for one in self.places)


def change_of(loss: Loss) -> Change:
    """The Change whose forecast this is."""
    match loss.scenario:
        case Scenario.NOT_REPLACED:
            return Change((RemoveClient(loss.process_id, leaves=False),))
        case Scenario.SAME_ID:
            return Change((ReplaceClient(loss.process_id, NewClient(loss.process_id, None)),))
        case Scenario.FRESH_LIKELIEST | Scenario.FRESH_WORST:
            assert loss.place is not None, "a fresh ID falls somewhere"
            return Change((ReplaceClient(loss.process_id, NewClient(loss.place.process_id, None)),))
        case _:
            assert_never(loss.scenario)


def blast_radius(snapshot: Snapshot, only: tuple[ProcessId, ...] | None = None) -> tuple[BlastRadius, ...]:
    """Of every client, in process-ID order, or of `only` these.

    Raise CannotPredict or Unsupported where it cannot be told by counting. Without a release: as the newest that fits.
    """
    snapshot = _of_a_release(snapshot)
    if by_rack(snapshot):
        decided = DecidedLosses(snapshot)
        return tuple(_decided(decided, one) for one in (decided.order if only is None else only))
    books = Movements(snapshot)
    return tuple(_of_client(books, one) for one in (books.order if only is None else only))


def in_full(snapshot: Snapshot, loss: Loss) -> Loss:
    """The same loss of this group, forecast, if it is not counted and not too much work. Raise what `forecast` raises."""
    snapshot = _of_a_release(snapshot)
    standbys = dict(snapshot.config).get("num.standby.replicas", 0)
    copies = 1 + (standbys if isinstance(standbys, int) else 0)
    work = loss.moved * copies * sum(task.stateful for task in snapshot.tasks)
    if loss.basis is not Basis.NOT_FORECAST or work > MOST_WORK or len(snapshot.clients) == 1:
        return loss
    outcome = forecast(snapshot, change_of(loss)).outcomes[0]
    if not outcome.stable:
        return replace(loss, reason=outcome.notes[-1])
    summary = outcome.summary
    return replace(
        loss,
        moved=summary.active_moved,
        without_copy=summary.without_caught_up_copy.tasks,
        basis=Basis.FORECAST,
        rebalances=summary.rebalances,
        rebalances_exact=True,
        seconds=summary.seconds_to_stable,
        restore_bytes=summary.restore_bytes,
        reason=None,
    )


def _of_a_release(snapshot: Snapshot) -> Snapshot:
    return snapshot if snapshot.kafka_release is not None else groups.with_release(snapshot, groups.fitting_releases(snapshot)[-1])


def _of_client(books: Movements, process_id: ProcessId) -> BlastRadius:
    places = tuple(_places(books, process_id))
    likeliest = max(places, key=lambda one: (one.probability, -one.place))
    worst = max(places, key=lambda one: (one.moved, one.probability, -one.place))
    losses = [
        _not_replaced(books, process_id, lambda: _loss(process_id, Scenario.NOT_REPLACED, None, books.fate(process_id))),
        _loss(process_id, Scenario.SAME_ID, None, books.fate(process_id, process_id)),
        _loss(process_id, Scenario.FRESH_LIKELIEST, likeliest, fate := books.fate(process_id, likeliest.process_id)),
        _loss(
            process_id,
            Scenario.FRESH_WORST,
            worst,
            fate if worst == likeliest else books.fate(process_id, worst.process_id),
        ),
    ]
    return BlastRadius(process_id, tuple(losses), places)


def _decided(books: DecidedLosses, process_id: ProcessId) -> BlastRadius:
    """Of the positions that a fresh ID can take the likeliest ones are looked at, as many as that does not take too long."""

    def loss(scenario: Scenario, place: Place | None) -> Loss:
        unknown = Loss(process_id, scenario, place, 0, 0, Basis.NOT_FORECAST)
        fate = books.fate(change_of(unknown))
        known = place if place is None else replace(place, moved=fate.moved)
        return replace(unknown, place=known, moved=fate.moved, without_copy=fate.without_copy, reason=fate.reason)

    gaps = enumerate(order.gaps(one for one in books.order if one != process_id))
    open_ones = [(place, lower, upper, share) for place, (lower, upper, share) in gaps if share * order.SPACE > 1]
    widest = sorted(open_ones, key=lambda one: (-one[3], one[0]))[: books.places()]
    fresh = [
        loss(Scenario.FRESH_LIKELIEST, Place(place, float(share), 0, order.between(lower, upper)))
        for place, lower, upper, share in widest
    ]
    places = tuple(sorted((one.place for one in fresh if one.place is not None), key=lambda place: place.place))
    worst = max(fresh, key=lambda one: (one.moved, one.place.probability if one.place else 0.0))
    losses = (
        _not_replaced(books, process_id, lambda: loss(Scenario.NOT_REPLACED, None)),
        loss(Scenario.SAME_ID, None),
        fresh[0],
        replace(worst, scenario=Scenario.FRESH_WORST),
    )
    return BlastRadius(process_id, losses, places)


def _not_replaced(books: Movements | DecidedLosses, process_id: ProcessId, among_others: Callable[[], Loss]) -> Loss:
    if len(books.order) > 1:
        return among_others()
    tasks = books.owned_by(process_id)
    reason = "no client is left in the group: its tasks run nowhere until one joins"
    return Loss(process_id, Scenario.NOT_REPLACED, None, tasks, tasks, Basis.NOT_FORECAST, reason=reason)


def _places(books: Movements, process_id: ProcessId) -> Iterator[Place]:
    moved = books.moved_by_place(process_id)
    others = (one for one in books.order if one != process_id)
    for place, (lower, upper, share) in enumerate(order.gaps(others)):
        if share * order.SPACE > 1:
            yield Place(place, float(share), moved[place], order.between(lower, upper))


def _loss(process_id: ProcessId, scenario: Scenario, place: Place | None, fate: Fate) -> Loss:
    if fate.count is None:
        return Loss(process_id, scenario, place, fate.moved, fate.without_copy, Basis.NOT_FORECAST, reason=fate.reason)
    count = fate.count
    return Loss(
        process_id=process_id,
        scenario=scenario,
        place=place,
        moved=fate.moved,
        without_copy=fate.without_copy,
        basis=Basis.COUNTED,
        rebalances=count.rebalances,
        rebalances_exact=count.rebalances_exact,
        warm_ups=count.warm_ups,
        seconds=count.seconds,
        restore_bytes=count.restore_bytes,
    )
