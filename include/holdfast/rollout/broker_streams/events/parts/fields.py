"""Fields that several events have: their codecs."""

from typing import NamedTuple

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.requests import Disk
from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.codec import BOOLEAN, NAME, NAMES, Codec, items
from holdfast.rollout.json.record import member, record_of

LEAVES = BOOLEAN.described("False: it ends without leaving; the coordinator keeps its members until their sessions are over.")


LEAVES_GROUP = BOOLEAN.described(
    "Of static members. True: they leave the group when they are closed (CloseOptions LEAVE_GROUP); the coordinator removes them at"
    " once. False: they stay until their sessions are over."
)


APART = items(NAMES.shaped(shapes.items(shapes.name(), at_least=1))).described(
    "Its member IDs in groups, in the order in which they leave, or their sessions end: a target is computed between two groups."
    " Empty: all are gone before one target."
)


class _Copied(NamedTuple):
    copied_from: str


_COPIED = record_of(_Copied, copied_from=member(NAME))


class DiskState(NamedTuple):
    """What the new client finds on its disk. `copied_from`: whose disk was copied."""

    disk: Disk
    copied_from: str | None = None


def _state(value: object) -> DiskState:
    if value in (Disk.EMPTY.value, Disk.KEPT.value):
        return DiskState(Disk(value))
    if not isinstance(value, dict):
        raise strict.mismatch('"empty", "kept" or {"copied_from": "<process id>"}', value)
    return DiskState(Disk.COPIED, _COPIED.read(value).copied_from)


def _to_json(state: DiskState) -> object:
    return str(state.disk) if state.copied_from is None else _COPIED.write(_Copied(state.copied_from))


STATE: Codec[DiskState] = Codec(_state, _to_json, lambda: shapes.either(shapes.one_of((Disk.EMPTY, Disk.KEPT)), _COPIED.shape()))
EMPTY = DiskState(Disk.EMPTY)


def needs_to_leave(leaves: bool, within_interval: bool) -> None:
    if within_interval and not leaves:
        raise InvalidInput(
            "a client that does not leave stays in the group until its session is over: leave one of the two out",
            "within_interval",
        )


def fits_leaving(leaves: bool, leaves_group: bool) -> None:
    if leaves_group and not leaves:
        raise InvalidInput("a client that ends without leaving does not leave the group: leave one of the two out", "leaves_group")
