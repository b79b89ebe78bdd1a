"""What losing any client of a Kafka Streams group would do, as rows."""

from collections.abc import Iterable

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.scenarios import Scenario
from holdfast.rollout.streams.host_loss import forecast_losses
from holdfast.rollout.streams.host_loss.blast_radius import BlastRadius, FigureBasis, Loss, Place, blast_radius
from holdfast.rollout.streams.host_loss.movements import NotByPlaces
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

Row = dict[str, object]
AT_ONCE_US = 2_000_000
"""So much work of forecasts is done where losses are counted, if every loss is to be forecast; more may be divided."""


def losses(snapshot: Snapshot, first: int, last: int | None, budget_ms: int | None) -> Row:
    """The `losses` of the clients number `first` to `last` (not itself) in process-ID order, and the `places` of new random IDs.

    `alike_again`: an equal group has equal rows in another night, whatever the budget. Where there is none (None), losses that
    cannot be counted are forecast here, unless that takes too long.
    """
    only = tuple(sorted(client.process_id for client in snapshot.clients)[first:last])
    try:
        radii, may_be_forecast, alike_again = blast_radius(snapshot, only), True, True
    except NotByPlaces:
        radii, may_be_forecast, alike_again = forecast_losses.by_forecasts(snapshot, only, budget_ms), False, False
    about = _About(snapshot)
    known = _forecast_at_once(snapshot, radii, about) if may_be_forecast and budget_ms is None else {}
    return {
        "losses": [
            about.row(radius, known.get((loss.process_id, loss.scenario), loss), may_be_forecast=may_be_forecast and not known)
            for radius in radii
            for loss in radius.losses
        ],
        "places": [{"lost": str(radius.process_id)} | _at(place) for radius in radii for place in radius.places],
        "alike_again": alike_again,
    }


def _forecast_at_once(snapshot: Snapshot, radii: Iterable[BlastRadius], about: "_About") -> dict[tuple[ProcessId, Scenario], Loss]:
    """All losses that cannot be counted, forecast; none where that is too much work."""
    open_ones = [loss for radius in radii for loss in radius.losses if about.may_be_forecast(loss)]
    if sum(forecast_losses.work_us(snapshot, loss.moved) for loss in open_ones) > AT_ONCE_US:
        return {}
    return {(one.process_id, one.scenario): one for one in forecast_losses.forecasts(snapshot, open_ones)}


def forecast(snapshot: Snapshot, rows: Iterable[Row]) -> list[Row]:
    """These losses, forecast, as rows of `losses`. `rows`: their `process_id` and `scenario`."""
    wanted: dict[ProcessId, list[object]] = {}
    for one in rows:
        wanted.setdefault(ProcessId.parse(str(one["process_id"])), []).append(one["scenario"])
    open_ones = [
        (radius, loss)
        for radius in blast_radius(snapshot, tuple(wanted))
        for loss in radius.losses
        if str(loss.scenario) in wanted[radius.process_id]
    ]
    found = forecast_losses.forecasts(snapshot, (loss for _, loss in open_ones))
    about = _About(snapshot)
    return [about.row(radius, loss, may_be_forecast=False) for (radius, _), loss in zip(open_ones, found, strict=True)]


class _About:
    """What rows say of the group in addition to the loss."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._host_of = {client.process_id: client.host for client in snapshot.clients}
        self._stateful = sum(task.stateful for task in snapshot.tasks)
        self._only_one = len(snapshot.clients) == 1

    def may_be_forecast(self, loss: Loss) -> bool:
        """Whether it was not counted, and something follows from it: without a client nothing does."""
        none_left = self._only_one and loss.scenario is Scenario.NOT_REPLACED
        return loss.basis is FigureBasis.NOT_FORECAST and not none_left

    def row(self, radius: BlastRadius, loss: Loss, *, may_be_forecast: bool) -> Row:
        fresh = loss.place is not None
        open_one = may_be_forecast and self.may_be_forecast(loss)
        return {
            "process_id": str(loss.process_id),
            "host": self._host_of[loss.process_id],
            "scenario": str(loss.scenario),
            "place": None if loss.place is None else loss.place.place,
            "probability": None if loss.place is None else loss.place.probability,
            "stateful_tasks": self._stateful,
            "moved": loss.moved,
            "expected_moved": radius.expected_moved if fresh else None if loss.moved is None else float(loss.moved),
            "covered": radius.covered if fresh else None,
            "without_copy": loss.without_copy,
            "warm_ups": loss.warm_ups,
            "rebalances": loss.rebalances,
            "rebalances_exact": loss.rebalances_exact,
            "hours": _hours(None if loss.times is None else loss.times.ends),
            "hours_most": _hours(None if loss.times is None else loss.times.ends_most),
            "hours_exact": loss.times is not None and loss.times.exact,
            "restored_hours": _hours(None if loss.times is None else loss.times.restored),
            "restored_hours_most": _hours(None if loss.times is None else loss.times.restored_most),
            "restore_bytes": loss.restore_bytes,
            "basis": str(loss.basis),
            "reason": loss.reason,
            "work_us": forecast_losses.work_us(self._snapshot, loss.moved) if open_one else None,
        }


def _hours(seconds: int | None) -> float | None:
    return None if seconds is None else seconds / 3600


def _at(place: Place) -> Row:
    return {
        "place": place.place,
        "probability": place.probability,
        "moved": place.moved,
        "process_id": str(place.process_id),
    }
