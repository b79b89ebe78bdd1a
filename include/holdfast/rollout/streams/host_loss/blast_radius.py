"""The effect of losing any host: it is not replaced, or replaced immediately by a client with an empty disk.

Each case is a Change (`change_of`), and every figure equals that of the forecast of that Change; the tests compare both.
But a forecast each would take days for a whole fleet. So tasks moved and tasks without a copy are read off the target, and what
follows is counted where counting is exact (`movements`). Elsewhere it is forecast within a budget (`in_full`), or declared not
to be: never guessed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.scenarios import NO_CLIENT_LEFT, Scenario
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events.parts.new_client import NewClient
from holdfast.rollout.streams.events.remove_client import RemoveClient
from holdfast.rollout.streams.events.replace_client import ReplaceClient
from holdfast.rollout.streams.host_loss.decided_losses import DecidedLosses, by_rack
from holdfast.rollout.streams.host_loss.loss_times import LossTimes
from holdfast.rollout.streams.host_loss.movements import Fate, Movements
from holdfast.rollout.streams.process_ids import order
from holdfast.rollout.streams.snapshot import groups
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


class FigureBasis(StrEnum):
    """Where rebalances, seconds and bytes come from. NOT_FORECAST: they are unknown, for a reason; `holdfast forecast` gives
    them."""

    COUNTED = "counted"
    FORECAST = "forecast"
    NOT_FORECAST = "not forecast"


@dataclass(frozen=True, slots=True)
class Place:
    """A position that a new random ID can take: this many others come before it. `process_id` stands for all IDs that fall
    there."""

    place: int
    probability: float
    moved: int
    process_id: ProcessId


@dataclass(frozen=True, slots=True)
class Loss:
    """One case of losing a client, until the group is stable.

    `moved`: stateful tasks that end up with another client. `without_copy`: those that are unavailable until their state is
    restored. Both are None where that takes a forecast, and there is none. `rebalances` are the least there are unless
    `rebalances_exact`. `warm_ups`: copies that are restored while their tasks run elsewhere. `restore_bytes` is None also where a
    changelog was not measured.
    """

    process_id: ProcessId
    scenario: Scenario
    place: Place | None
    moved: int | None
    without_copy: int | None
    basis: FigureBasis
    rebalances: int | None = None
    rebalances_exact: bool = False
    warm_ups: int | None = None
    times: LossTimes | None = None
    restore_bytes: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class BlastRadius:
    """Every case of losing one client. `places`: every position that a new random ID can take, their probabilities add up to 1.

    Where tasks are placed by rack, or every position takes a forecast, it may be the likeliest ones only: to look at all of them
    would take too long in a large group.
    """

    process_id: ProcessId
    losses: tuple[Loss, ...]
    places: tuple[Place, ...]

    @property
    def expected_moved(self) -> float | None:
        """By a new random ID, on average over the positions that were looked at; None: none was."""
        return sum(one.probability * one.moved for one in self.places) / self.covered if self.places else None

    @property
    def covered(self) -> float:
        """How likely it is that a new random ID takes one of the positions that were looked at."""
        return sum(one.probability for one in self.places)


def change_of(loss: Loss) -> Change:
    """The Change whose forecast this is."""
    match loss.scenario:
        case Scenario.NOT_REPLACED:
            return Change((RemoveClient(loss.process_id, leaves=False),))
        case Scenario.SAME_ID:
            return Change((ReplaceClient(loss.process_id, NewClient(loss.process_id, None)),))
        case Scenario.NEW_ID_LIKELIEST | Scenario.NEW_ID_WORST:
            assert loss.place is not None, "a new random ID has a rank"
            return Change((ReplaceClient(loss.process_id, NewClient(loss.place.process_id, None)),))
        case _:
            assert_never(loss.scenario)


def blast_radius(snapshot: Snapshot, only: tuple[ProcessId, ...] | None = None) -> tuple[BlastRadius, ...]:
    """Of every client, in process-ID order, or of `only` these.

    Raise NotByPlaces where it takes forecasts, CannotPredict or Unsupported where it cannot be predicted at all.
    Without a release: as the newest that fits.
    """
    snapshot = of_a_release(snapshot)
    if by_rack(snapshot):
        decided = DecidedLosses(snapshot)
        return tuple(_decided(decided, one) for one in (decided.order if only is None else only))
    books = Movements(snapshot)
    return tuple(_of_client(books, one) for one in (books.order if only is None else only))


def of_a_release(snapshot: Snapshot) -> Snapshot:
    """The same group; without a given release, the newest that fits."""
    return snapshot if snapshot.kafka_release is not None else groups.with_release(snapshot, groups.fitting_releases(snapshot)[-1])


def _of_client(books: Movements, process_id: ProcessId) -> BlastRadius:
    places = tuple(_places(books, process_id))
    likeliest = max(places, key=lambda one: (one.probability, -one.place))
    worst = max(places, key=lambda one: (one.moved, one.probability, -one.place))
    losses = [
        _not_replaced(books, process_id, lambda: _loss(process_id, Scenario.NOT_REPLACED, None, books.fate(process_id))),
        _loss(process_id, Scenario.SAME_ID, None, books.fate(process_id, process_id)),
        _loss(process_id, Scenario.NEW_ID_LIKELIEST, likeliest, fate := books.fate(process_id, likeliest.process_id)),
        _loss(
            process_id,
            Scenario.NEW_ID_WORST,
            worst,
            fate if worst == likeliest else books.fate(process_id, worst.process_id),
        ),
    ]
    return BlastRadius(process_id, tuple(losses), places)


def _decided(books: DecidedLosses, process_id: ProcessId) -> BlastRadius:
    """Of the positions that a new random ID can take the likeliest ones are looked at, as many as that does not take too long."""

    def loss(scenario: Scenario, place: Place | None) -> Loss:
        unknown = Loss(process_id, scenario, place, 0, 0, FigureBasis.NOT_FORECAST)
        fate = books.fate(change_of(unknown))
        known = place if place is None else replace(place, moved=fate.moved)
        return replace(unknown, place=known, moved=fate.moved, without_copy=fate.without_copy, reason=fate.reason)

    widest = likeliest_places(books.order, process_id, books.places())
    fresh = [loss(Scenario.NEW_ID_LIKELIEST, place) for place in widest]
    places = tuple(sorted((one.place for one in fresh if one.place is not None), key=lambda place: place.place))
    worst = max(fresh, key=lambda one: (one.moved or 0, one.place.probability if one.place else 0.0))
    losses = (
        _not_replaced(books, process_id, lambda: loss(Scenario.NOT_REPLACED, None)),
        loss(Scenario.SAME_ID, None),
        fresh[0],
        replace(worst, scenario=Scenario.NEW_ID_WORST),
    )
    return BlastRadius(process_id, losses, places)


def _not_replaced(books: Movements | DecidedLosses, process_id: ProcessId, among_others: Callable[[], Loss]) -> Loss:
    return among_others() if len(books.order) > 1 else no_client_left(process_id, books.owned_by(process_id))


def no_client_left(process_id: ProcessId, tasks: int) -> Loss:
    """The only client is lost, which runs `tasks` stateful tasks."""
    return Loss(process_id, Scenario.NOT_REPLACED, None, tasks, tasks, FigureBasis.NOT_FORECAST, reason=NO_CLIENT_LEFT)


def likeliest_places(in_order: Sequence[ProcessId], lost: ProcessId, most: int) -> list[Place]:
    """This many positions that a new random ID can take instead of a lost client's, the likeliest first; without what moves."""
    gaps = enumerate(order.gaps(one for one in in_order if one != lost))
    open_ones = [(place, lower, upper, share) for place, (lower, upper, share) in gaps if share * order.SPACE > 1]
    widest = sorted(open_ones, key=lambda one: (-one[3], one[0]))[:most]
    return [Place(place, float(share), 0, order.between(lower, upper)) for place, lower, upper, share in widest]


def _places(books: Movements, process_id: ProcessId) -> Iterator[Place]:
    moved = books.moved_by_place(process_id)
    others = (one for one in books.order if one != process_id)
    for place, (lower, upper, share) in enumerate(order.gaps(others)):
        if share * order.SPACE > 1:
            yield Place(place, float(share), moved[place], order.between(lower, upper))


def _loss(process_id: ProcessId, scenario: Scenario, place: Place | None, fate: Fate) -> Loss:
    if fate.count is None:
        return Loss(process_id, scenario, place, fate.moved, fate.without_copy, FigureBasis.NOT_FORECAST, reason=fate.reason)
    count = fate.count
    return Loss(
        process_id=process_id,
        scenario=scenario,
        place=place,
        moved=fate.moved,
        without_copy=fate.without_copy,
        basis=FigureBasis.COUNTED,
        rebalances=count.rebalances,
        rebalances_exact=count.rebalances_exact,
        warm_ups=count.warm_ups,
        times=count.times,
        restore_bytes=count.restore_bytes,
    )
