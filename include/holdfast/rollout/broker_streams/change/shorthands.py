"""The shorthand of a Change document: a rolling restart (`coordinated.rolling`)."""

from collections.abc import Iterator

from holdfast.errors import InvalidInput
from holdfast.rollout.broker_streams.events.restart_client import RestartClient
from holdfast.rollout.broker_streams.events.table import OF_MOVES
from holdfast.rollout.broker_streams.snapshot.processes import processes
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.batches_json import MOST_EVENTS
from holdfast.rollout.coordinated import rolling
from holdfast.rollout.coordinated.markers import WAITS
from holdfast.rollout.json.codec import NAMES, integer, nullable
from holdfast.rollout.json.record import codec_of, member, record

_OF_MOVES = tuple(event.VERB for event in OF_MOVES)
_NO_MOVE = (
    "{} is part of a move from the classic protocol, and the group has moved already. Use add_client for a client that starts;"
    " for a classic group ask for move_to_streams_protocol"
)


@record(defaults=True)
class RollingRestart:
    """`process_ids` None: all clients, in the order of the snapshot. `at_once`: how many restart together; `wait`: what the next of
    them wait for."""

    process_ids: tuple[str, ...] | None = member(nullable(NAMES), default=None)
    at_once: int = member(integer(1, MOST_EVENTS), default=1)
    wait: Wait = member(WAITS, default=Wait.STABLE)


def written_out(document: object, snapshot: StreamsGroupSnapshot | None) -> object:
    """The same document without the shorthand. `snapshot` None: it is checked, and stands for nothing.

    Raise InvalidInput with the path of what is wrong in it.
    """
    if snapshot is None or snapshot.classic is None:
        _refuse_moves(document)

    def restarts(asked: RollingRestart) -> Iterator[object]:
        there = () if snapshot is None else tuple(one.process_id for one in processes(snapshot) if one.process_id is not None)
        each = [{RestartClient.VERB: {"process_id": one}} for one in (there if asked.process_ids is None else asked.process_ids)]
        return rolling.some_at_a_time(each, asked.at_once, asked.wait)

    return rolling.written_out(document, codec_of(RollingRestart), restarts)


def _refuse_moves(document: object) -> None:
    events = document.get("events") if isinstance(document, dict) else None
    for index, item in enumerate(events if isinstance(events, list) else ()):
        verb = next(iter(item)) if isinstance(item, dict) and len(item) == 1 else None
        if verb in _OF_MOVES:
            raise InvalidInput(_NO_MOVE.format(verb), f"events[{index}]")
