"""The Change's JSON. Closed: a field or an event that is not known is refused, for it would be an order that nobody carries out.

What stands behind a verb, its event reads and writes (`events`).
"""

from collections.abc import Callable, Mapping

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.batches_json import MOST_EVENTS, event_from_json
from holdfast.rollout.json import contracts, strict
from holdfast.rollout.json.strict import Fields
from holdfast.rollout.streams.change.change import Change, Item
from holdfast.rollout.streams.events import table
from holdfast.rollout.streams.events.fields import one_of
from holdfast.rollout.streams.scene.assume import Assume, CatchUp, ClosedCopies, DormantCopies

MOST_THREADS_AT_ALL = 200_000
"""A hundred clients of the largest kind, or all of a group of a thousand clients, twice."""
MOST_PARTITIONS_AT_ALL = 1_000_000
FASTEST_RESTORE = 1e12

_BY_DEFAULT: tuple[CatchUp, float | None, float] = (CatchUp.PROBING_REBALANCE, None, 0)


def change_from_json(value: object) -> Change:
    """Raise InvalidInput with every problem, or Unsupported for another major version. Whether it fits a group shows only there."""
    contracts.refuse_another(value, "Change")
    strict.refuse_secrets(value)
    fields = Fields(value)
    fields.need("format_version", strict.format_version)
    change = Change(
        events=fields.need("events", _events),
        assume=fields.optional("assume", assume_from_json, Assume()),
    )
    fields.finish(closed=True)
    return change


def change_to_json(change: Change) -> dict[str, object]:
    """The canonical form, in which what is as by default is left out."""
    written: dict[str, object] = {
        "format_version": strict.FORMAT_VERSION,
        "events": [_to_json(item) for item in change.events],
    }
    return written if change.assume == Assume() else written | {"assume": assume_to_json(change.assume)}


def _to_json(item: Item) -> dict[str, object]:
    return {"then": str(item.wait)} if isinstance(item, Then) else {item.VERB: item.to_json()}


def _events(value: object) -> tuple[Item, ...]:
    found = len(strict.sequence(value))
    if found > MOST_EVENTS:
        raise InvalidInput(f"{found:,} events were found; {MOST_EVENTS:,} are allowed")
    known = readers()
    items: tuple[Item, ...] = strict.each(value, lambda one: event_from_json(one, known, _unknown))
    stated = [item for item in items if not isinstance(item, Then)]
    threads, partitions = sum(one.threads_made() for one in stated), sum(one.partitions_made() for one in stated)
    if threads > MOST_THREADS_AT_ALL:
        raise InvalidInput(f"the events start {threads:,} threads; {MOST_THREADS_AT_ALL:,} are allowed in one change")
    if partitions > MOST_PARTITIONS_AT_ALL:
        raise InvalidInput(f"the events have {partitions:,} partitions; {MOST_PARTITIONS_AT_ALL:,} are allowed in one change")
    return items


def readers() -> Mapping[str, Callable[[object], Item]]:
    """By verb, in the order in which they are said to be known."""
    return {event.VERB: event.from_json for event in table.EVENTS} | {"then": _then}


def _unknown(verb: str, known: str) -> str:
    return f"the event {strict.shown(verb)} is unknown; known are: {known}"


def _then(value: object) -> Then:
    return Then(one_of(Wait, value))


def assume_to_json(assume: Assume) -> dict[str, object]:
    rate = assume.records_per_second
    growth = {"grows_per_second": assume.grows_per_second} if assume.grows_per_second else {}
    return {
        "catch_up": str(assume.catch_up) if assume.catch_up is not CatchUp.RATE else {str(CatchUp.RATE): rate} | growth,
        "closed_copies": str(assume.closed_copies),
        "dormant_copies": str(assume.dormant_copies),
    }


def assume_from_json(value: object) -> Assume:
    fields = Fields(value)
    catch_up, rate, growth = fields.optional("catch_up", _catch_up, _BY_DEFAULT)
    assume = Assume(
        catch_up=catch_up,
        records_per_second=rate,
        grows_per_second=growth,
        closed_copies=fields.optional("closed_copies", lambda found: one_of(ClosedCopies, found), ClosedCopies.AS_RELEASED),
        dormant_copies=fields.optional("dormant_copies", lambda found: one_of(DormantCopies, found), DormantCopies.KEPT),
    )
    fields.finish(closed=True)
    return assume


def _catch_up(value: object) -> tuple[CatchUp, float | None, float]:
    if value in (CatchUp.PROBING_REBALANCE.value, CatchUp.NEXT_REBALANCE.value):
        return CatchUp(strict.text(value)), None, 0
    if not isinstance(value, dict):
        raise strict.mismatch('"probing rebalance", "next rebalance" or {"records_per_second": N}', value)
    fields = Fields(value)
    rate = fields.need("records_per_second", _rate)
    growth = fields.optional("grows_per_second", _growth, 0.0)
    fields.finish(closed=True)
    return CatchUp.RATE, rate, growth


def _growth(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= FASTEST_RESTORE:
        raise strict.mismatch("a number of records, 0 or more", value)
    return value


def _rate(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= FASTEST_RESTORE:
        raise strict.mismatch("a number of records above 0", value)
    return value
