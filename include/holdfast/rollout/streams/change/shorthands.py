"""Shorthands of a Change written out as the events that they stand for, once it is known who is in the group then."""

from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.streams.change.change import Change, Item
from holdfast.rollout.streams.events.batches import Present, come_and_go
from holdfast.rollout.streams.events.event import Event
from holdfast.rollout.streams.events.rolling_restart import RollingRestart
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

MOST_WRITTEN_OUT = 50_000
"""Events that a change may have once its shorthands are written out."""
EACH_BATCH, OF_MORE = 6, 3
"""In a roll-out of settings, restarts from which they may count: up to this many are forecast each; of more, this many represent
for all. Each is a forecast of its own, and the range goes from the first to the last of them."""


def written_out(snapshot: Snapshot, change: Change, *, roll_outs: bool = True, counted_from: int | None = None) -> Change:
    """The same change without shorthands; one that has none is returned unchanged.

    A rolling restart of all clients stays while the group has a client with a new random process ID: its ID differs from
    outcome to outcome. Without `roll_outs` those stay too that roll out a setting or a release. `counted_from`: rebalances go by
    the settings of a roll-out after that number of its batches; None: from the last.

    Raise InvalidInput for a shorthand that does not fit the group.
    """
    if not any(isinstance(item, RollingRestart) for item in change.events):
        return change
    present = Present(client.process_id for client in snapshot.clients)
    items: list[Item] = []
    for index, item in enumerate(change.events):
        written: tuple[Item, ...] = (item,)
        if isinstance(item, RollingRestart):
            try:
                written = _written(item, present, roll_outs=roll_outs, counted_from=counted_from)
            except InvalidInput as problem:
                raise InvalidInput(problem.problem, f"events[{index}].rolling_restart.{problem.where}") from None
        for one in written:
            if isinstance(one, Event):
                come_and_go(one, present)
        items += written
        if len(items) > MOST_WRITTEN_OUT:
            raise InvalidInput(
                f"more than {MOST_WRITTEN_OUT:,} restarts would follow; restart fewer clients, or more of them at once",
                f"events[{index}]",
            )
        if isinstance(item, RollingRestart) and index + 1 < len(change.events):
            items.append(Then(item.wait))
    return replace(change, events=tuple(items))


def _written(rolling: RollingRestart, present: Present, *, roll_outs: bool, counted_from: int | None) -> tuple[Item, ...]:
    if rolling.process_ids is None and None in present:
        if not rolling.keeps_process_id:
            raise InvalidInput(
                "a client with a new random process ID cannot lose it again in the same change; name the clients to restart",
                "process_ids",
            )
        return (rolling,)
    if rolling.rolls_out and not roll_outs:
        return (rolling,)
    return tuple(rolling.written_out([one for one in present if one is not None], counted_from))


def counts_earlier(snapshot: Snapshot, change: Change) -> tuple[int, ...]:
    """The batches of its roll-outs from which on rebalances may go by the settings that they carry, but for the last.

    A rebalance goes by what its leader was started with. The leader stays until it restarts; then another member leads, one that
    has restarted or one that has not. So settings count at the earliest once the leader of today has restarted, at the latest with
    the last client. In a long roll the first of these batches and a few that are spread over the others are looked at.
    """
    rolls = [item for item in change.events if isinstance(item, RollingRestart) and item.settings and not item.within_session]
    if not rolls:
        return ()
    orders = [_order(snapshot, one) for one in rolls]
    first = 1
    if change.events[0] is rolls[0] and snapshot.leader_process_id in orders[0]:
        first = orders[0].index(snapshot.leader_process_id) // rolls[0].at_once + 1
    batches = max(-(-len(one) // roll.at_once) for one, roll in zip(orders, rolls, strict=True))
    earlier = range(first, batches)
    if len(earlier) <= EACH_BATCH:
        return tuple(earlier)
    return tuple(first + (batches - 1 - first) * step // (OF_MORE - 1) for step in range(OF_MORE))


def _order(snapshot: Snapshot, rolling: RollingRestart) -> tuple[ProcessId, ...]:
    """The clients that it restarts, where known before any client joined or left."""
    return rolling.process_ids or tuple(sorted(client.process_id for client in snapshot.clients))
