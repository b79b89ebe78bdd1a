"""The assumptions of a forecast: how copies catch up, are closed, and stay on a disk."""

from enum import StrEnum
from typing import NamedTuple

from holdfast.errors import InvalidInput
from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.codec import Codec, either, number
from holdfast.rollout.json.record import gathered, member, record, record_of
from holdfast.rollout.json.shapes import Shape

FASTEST_RESTORE = 1e12


class CatchUp(StrEnum):
    """When a copy that was handed out has caught up."""

    PROBING_REBALANCE = "probing rebalance"
    NEXT_REBALANCE = "next rebalance"
    RATE = "records_per_second"


class ClosedCopies(StrEnum):
    """What a cleanly closed copy reports."""

    AS_RELEASED = "as released"
    END = "end"


class DormantCopies(StrEnum):
    """Whether a copy on a disk that is not run stays there."""

    KEPT = "kept"
    DROPPED = "dropped"


class _Rate(NamedTuple):
    """How copies catch up where `catch_up` is RATE."""

    records_per_second: float | None = None
    grows_per_second: float = 0


_RECORDS = number("a number of records, 0 or more", 0, FASTEST_RESTORE)
_RATE = record_of(
    _Rate,
    defaults=True,
    records_per_second=member(
        number("a number of records above 0", 0, FASTEST_RESTORE, above=True).shaped(shapes.number(0, FASTEST_RESTORE))
    ),
    grows_per_second=member(_RECORDS, default=0, omit=True),
)


def _catch_up(value: object) -> CatchUp:
    if value in (CatchUp.PROBING_REBALANCE.value, CatchUp.NEXT_REBALANCE.value):
        return CatchUp(value)
    if not isinstance(value, dict):
        raise strict.mismatch('"probing rebalance", "next rebalance" or {"records_per_second": N}', value)
    _RATE.read(value)
    return CatchUp.RATE


def _catch_up_shape() -> Shape:
    return shapes.either(shapes.one_of((CatchUp.PROBING_REBALANCE, CatchUp.NEXT_REBALANCE)), _RATE.shape())


def _catch_up_to_json(assume: "Assume") -> object:
    rate = _Rate(assume.records_per_second, assume.grows_per_second)
    return _RATE.write(rate) if assume.catch_up is CatchUp.RATE else str(assume.catch_up)


def _rate(assume: object) -> _Rate:
    """That of the JSON of `catch_up`, wrong or right: its own reader refuses it."""
    try:
        return _RATE.read(strict.mapping(assume).get("catch_up"))
    except InvalidInput:
        return _Rate()


@record(defaults=True)
class Assume:
    """What a forecast assumes.

    `records_per_second` is that of one restoring copy, where `catch_up` is RATE; `grows_per_second` is what its log gets meanwhile.
    """

    catch_up: CatchUp = member(Codec(_catch_up, str, _catch_up_shape), default=CatchUp.PROBING_REBALANCE, write=_catch_up_to_json)
    records_per_second: float | None = gathered(lambda assume: _rate(assume).records_per_second, default=None)
    grows_per_second: float = gathered(lambda assume: _rate(assume).grows_per_second, default=0.0)
    closed_copies: ClosedCopies = member(either(ClosedCopies), default=ClosedCopies.AS_RELEASED)
    dormant_copies: DormantCopies = member(either(DormantCopies), default=DormantCopies.KEPT)
