"""The shorthand of a Change document: a rolling restart, written out as the restarts that it stands for."""

from collections.abc import Iterator
from enum import StrEnum

from holdfast.errors import InvalidInput
from holdfast.rollout.broker_streams.events.table import OF_MOVES
from holdfast.rollout.broker_streams.snapshot.processes import processes
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.batches_json import MOST_EVENTS, THEN
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import NAMES, either, integer, nullable
from holdfast.rollout.json.record import codec_of, member, record

VERB = "rolling_restart"
_OF_MOVES = tuple(event.VERB for event in OF_MOVES)
_NO_MOVE = (
    "{} is part of a move from the classic protocol, and the group has moved already. Use add_client for a client that starts;"
    " for a classic group ask for move_to_streams_protocol"
)


class _WaitFor(StrEnum):
    TARGET = "target"
    STABLE = "stable"


@record(defaults=True)
class RollingRestart:
    """`process_ids` None: all clients, in the order of the snapshot. `at_once`: how many restart together; `wait`: what the next of
    them wait for."""

    process_ids: tuple[str, ...] | None = member(nullable(NAMES), default=None)
    at_once: int = member(integer(1, MOST_EVENTS), default=1)
    wait: _WaitFor = member(either(_WaitFor), default=_WaitFor.STABLE)


def written_out(document: object, snapshot: StreamsGroupSnapshot | None) -> object:
    """The same document without the shorthand. `snapshot` None: it is checked, and stands for nothing.

    Raise InvalidInput with the path of what is wrong in it.
    """
    events = document.get("events") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(events, list):
        return document  # its reader says what is wrong
    found: list[object] = []
    for index, item in enumerate(events):
        verb = next(iter(item)) if isinstance(item, dict) and len(item) == 1 else None
        if verb in _OF_MOVES and (snapshot is None or snapshot.classic is None):
            raise InvalidInput(_NO_MOVE.format(verb), f"events[{index}]")
        if isinstance(item, dict) and verb == VERB:
            found += _restarts(_read(item[VERB], index), snapshot)
        else:
            found.append(item)
    return document | {"events": found}


def _read(content: object, index: int) -> RollingRestart:
    try:
        return codec_of(RollingRestart).read(content)
    except InvalidInput as problem:
        strict.refuse(strict.under(f"events[{index}].{VERB}", problem))
        raise


def _restarts(rolling: RollingRestart, snapshot: StreamsGroupSnapshot | None) -> Iterator[object]:
    there = () if snapshot is None else tuple(one.process_id for one in processes(snapshot) if one.process_id is not None)
    for number, process_id in enumerate(there if rolling.process_ids is None else rolling.process_ids):
        if number and number % rolling.at_once == 0:
            yield {THEN: str(rolling.wait)}
        yield {"restart_client": {"process_id": process_id}}
