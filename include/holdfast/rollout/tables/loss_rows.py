"""What losing any client of a group would do, as rows of `blast_radius`: counted first, then the worst of the others forecast.

In pieces that can be worked out anywhere: of some clients (`losses`), of some losses (`forecast`). `whole` is all of it at once.
"""

from collections.abc import Iterable, Sequence

from holdfast.errors import HoldfastError
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.scenarios import Scenario
from holdfast.rollout.json.strict import A_ROW, loads
from holdfast.rollout.kinds import any_kind
from holdfast.rollout.streams.host_loss import in_full
from holdfast.rollout.streams.host_loss.blast_radius import Basis, BlastRadius, Loss, Place, blast_radius
from holdfast.rollout.streams.host_loss.movements import NotByPlaces
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.tables import consumer_rows
from holdfast.rollout.tables.group_rows import Row


def losses(document: str, first: int = 0, last: int | None = None, budget_ms: int = in_full.BUDGET_MS) -> Row:
    """The `losses` of the clients number `first` to `last` (not itself) in process-ID order, and the `places` of fresh IDs.

    `work_us`: about what it would take to forecast one; null where it is known, or will not be. Of a plain group: of its consumers,
    in the order of the member list, without `places`.
    """
    try:
        snapshot = any_kind.snapshot_from_json(loads(document, A_ROW))
        if isinstance(snapshot, ConsumerSnapshot):
            return {"problem": None, "losses": consumer_rows.lost(snapshot, first, last), "places": []}
        only = tuple(sorted(client.process_id for client in snapshot.clients)[first:last])
        try:
            radii, may_be_forecast = blast_radius(snapshot, only), len(snapshot.clients) > 1
        except NotByPlaces:
            radii, may_be_forecast = in_full.by_forecasts(snapshot, only, budget_ms), False
    except HoldfastError as refusal:
        return {"problem": str(refusal), "losses": [], "places": []}
    about = _About(snapshot)
    return {
        "problem": None,
        "losses": [about.row(radius, loss, may_be_forecast=may_be_forecast) for radius in radii for loss in radius.losses],
        "places": [{"lost": str(radius.process_id)} | _at(place) for radius in radii for place in radius.places],
    }


def chosen(open_ones: Iterable[Row], budget_ms: int, piece_us: int) -> list[list[Row]]:
    """Of all rows of one group that have `work_us` those that are to be forecast, in pieces of about so much work each: the worst
    first, as far as the budget goes. A loss that is another one's too (the worst position is the likeliest) costs nothing more.

    Before all others the host whose replacement most likely moves most: that is what groups are compared by (`fleet`).
    """
    worst_first = _likeliest_before_others(sorted(open_ones, key=_worst_first))
    works = [0 if _is_the_same(worst_first, at) else _work(row) for at, row in enumerate(worst_first)]
    pieces: list[list[Row]] = []
    left = 0
    for row, work in zip(worst_first[: in_full.affordable(works, budget_ms)], works, strict=False):
        if work and left < work:
            pieces.append([])
            left = piece_us
        left -= work
        pieces[-1].append({"process_id": row["process_id"], "scenario": row["scenario"]})
    return pieces


def _worst_first(row: Row) -> tuple[object, ...]:
    moved, without_copy, place = (row[name] for name in ("moved", "without_copy", "place"))
    assert isinstance(moved, int), "what moves is known where the rest may be forecast"
    assert isinstance(without_copy, int), "so is the number of tasks without a copy"
    return -moved, -without_copy, row["process_id"], -1 if place is None else place, row["scenario"]


def _likeliest_before_others(worst_first: list[Row]) -> list[Row]:
    """With the worst of the likeliest positions of a fresh ID first, and what is the same loss under another name."""
    likeliest = next((row for row in worst_first if row["scenario"] == Scenario.FRESH_LIKELIEST), None)
    if likeliest is None:
        return worst_first
    return sorted(worst_first, key=lambda row: any(row[name] != likeliest[name] for name in ("process_id", "place")))


def _is_the_same(worst_first: Sequence[Row], at: int) -> bool:
    """Whether it is the loss before it under another name."""
    return (
        at > 0
        and worst_first[at]["place"] is not None
        and all(worst_first[at][name] == worst_first[at - 1][name] for name in ("process_id", "place"))
    )


def _work(row: Row) -> int:
    work = row["work_us"]
    assert isinstance(work, int), "only losses of which that is known are compared"
    return work


def forecast(document: str, which: Iterable[Row]) -> list[Row]:
    """These losses, forecast, as rows of `losses`. `which`: their `process_id` and `scenario`."""
    snapshot = snapshot_from_json(loads(document, A_ROW))
    wanted: dict[ProcessId, list[object]] = {}
    for one in which:
        wanted.setdefault(ProcessId.parse(str(one["process_id"])), []).append(one["scenario"])
    open_ones = [
        (radius, loss)
        for radius in blast_radius(snapshot, tuple(wanted))
        for loss in radius.losses
        if str(loss.scenario) in wanted[radius.process_id]
    ]
    found = in_full.forecasts(snapshot, (loss for _, loss in open_ones))
    about = _About(snapshot)
    return [about.row(radius, loss, may_be_forecast=False) for (radius, _), loss in zip(open_ones, found, strict=True)]


def whole(document: str, budget_ms: int = in_full.BUDGET_MS) -> Row:
    """`losses` of all clients, with those forecast that the budget goes to."""
    found = losses(document, budget_ms=budget_ms)
    listed = found["losses"]
    assert isinstance(listed, list), "losses are rows"
    pieces = chosen((row for row in listed if row.get("work_us") is not None), budget_ms, piece_us=0)
    known = {(row["process_id"], row["scenario"]): row for piece in pieces for row in forecast(document, piece)}
    return found | {"losses": [known.get((row.get("process_id"), row["scenario"])) or _left_open(row, budget_ms) for row in listed]}


def _left_open(row: Row, budget_ms: int) -> Row:
    if row.get("work_us") is None:
        return row
    return row | {"work_us": None, "reason": f"{row['reason']}; {in_full.beyond(budget_ms)}"}


class _About:
    """What rows say of the group beside the loss."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._host_of = {client.process_id: client.host for client in snapshot.clients}
        self._stateful = sum(task.stateful for task in snapshot.tasks)

    def row(self, radius: BlastRadius, loss: Loss, *, may_be_forecast: bool) -> Row:
        fresh = loss.place is not None
        open_one = may_be_forecast and loss.basis is Basis.NOT_FORECAST
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
            "work_us": in_full.work_us(self._snapshot, loss.moved) if open_one else None,
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
