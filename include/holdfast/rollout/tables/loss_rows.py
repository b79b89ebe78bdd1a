"""The loss of any member of a group as rows of `blast_radius`: counted, then the worst of the others forecast.

In pieces that can be worked out anywhere: of some members (`losses`), of some losses (`forecast`). `whole` is all of it at once.
Rows with a fingerprint hold for every later snapshot of the group that has the same one (`fingerprint`).
"""

import math
from collections.abc import Iterable, Sequence

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.rollout.contract import loss_budget
from holdfast.rollout.contract.scenarios import Scenario
from holdfast.rollout.json.fingerprints import fingerprint as of_document
from holdfast.rollout.json.strict import A_ROW, loads
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.tables.group_rows import Row


def fingerprint(document: str, code: str) -> str:
    """`sha256:` and 64 hexadecimal digits of all that the losses of a group follow from: its snapshot but for the time at which it
    was taken, and what works them out (`code`, the digest of the sources). Raise InvalidInput for what is no JSON object."""
    members = loads(document, A_ROW)
    if not isinstance(members, dict):
        raise InvalidInput("a snapshot is a JSON object")
    return of_document([code, {name: value for name, value in members.items() if name != "captured_at"}])


def losses(
    document: str, first: int = 0, last: int | None = None, budget_ms: int | None = loss_budget.BUDGET_MS, code: str | None = None
) -> Row:
    """The `losses` of the members number `first` to `last` (not itself), and the `places` of new random process IDs.

    `work_us`: about what it would take to forecast one; null where it is known, or will not be. With `code` each has the
    `fingerprint` of the group, if an equal group always has equal rows.
    """
    try:
        snapshot = any_document.snapshot_from_text(document, A_ROW)
        found = kind_of(snapshot).losses(snapshot, first, last, budget_ms)
        if found.pop("alike_again", False) and code is not None:
            mark, rows = fingerprint(document, code), found["losses"]
            assert isinstance(rows, list), "losses are rows"
            found["losses"] = [row | {"fingerprint": mark} for row in rows]
        return {"problem": None} | found
    except HoldfastError as refusal:
        return {"problem": str(refusal), "losses": [], "places": []}


def chosen(open_ones: Iterable[Row], budget_ms: int | None, piece_us: float) -> list[list[Row]]:
    """Of all rows of one group that have `work_us` those that are to be forecast, in pieces of about so much work each: the worst
    first, within the budget (None: all). A loss that is another one's too (the worst position is the likeliest) costs nothing more.

    Before all others the host whose replacement most likely moves most: that is what groups are compared by (`fleet`).
    """
    worst_first = _likeliest_before_others(sorted(open_ones, key=_worst_first))
    works = [0 if _is_the_same(worst_first, at) else _work(row) for at, row in enumerate(worst_first)]
    pieces: list[list[Row]] = []
    left = 0.0
    for row, work in zip(worst_first[: loss_budget.affordable(works, budget_ms)], works, strict=False):
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
    """With the worst of the likeliest positions of a new random ID first, and what is the same loss under another name."""
    likeliest = next((row for row in worst_first if row["scenario"] == Scenario.NEW_ID_LIKELIEST), None)
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


def forecast(document: str, rows: Iterable[Row]) -> list[Row]:
    """These losses, forecast, as rows of `losses`. `rows`: their `process_id` and `scenario`."""
    snapshot = any_document.snapshot_from_text(document, A_ROW)
    return kind_of(snapshot).forecast_losses(snapshot, rows)


def whole(document: str, budget_ms: int | None = loss_budget.BUDGET_MS) -> Row:
    """`losses` of all clients, with those forecast that the budget goes to."""
    found = losses(document, budget_ms=budget_ms)
    listed = found["losses"]
    assert isinstance(listed, list), "losses are rows"
    pieces = chosen((row for row in listed if row.get("work_us") is not None), budget_ms, piece_us=math.inf)
    known = {(row["process_id"], row["scenario"]): row for piece in pieces for row in forecast(document, piece)}
    return found | {"losses": [known.get((row.get("process_id"), row["scenario"])) or left_open(row) for row in listed]}


def left_open(row: Row) -> Row:
    """The row of a loss that the budget does not go to. It keeps its `work_us`: another night's budget may."""
    return row if row.get("work_us") is None else row | {"reason": f"{row['reason']}; {loss_budget.BEYOND}"}
