"""Random member and process IDs: a start makes new ones, and they decide ties. Changes with IDs of enough draws stand for all."""

import uuid
from collections.abc import Iterator
from dataclasses import replace

from holdfast.rollout.broker_streams.change.change import BrokerChange, BrokerItem
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.coordinated import chance

MOST, FEWEST = 300, 20
USUAL_WORK = 600_000
"""Tasks and members that all draws of a forecast may look at together."""


def leaves_open(change: BrokerChange) -> bool:
    """Whether it leaves IDs to chance."""
    return any(one.process_id is None or one.member_ids is None for one in change.starts())


def how_many(snapshot: StreamsGroupSnapshot, tasks: int, change: BrokerChange, times: int, most: int = MOST) -> int:
    """How many draws are forecast: fewer of a large group."""
    of_one = (tasks + len(snapshot.members)) * (len(change.events) + 1)
    return max(min(FEWEST, most), min(most, times * USUAL_WORK // max(1, of_one)))


def drawn(snapshot: StreamsGroupSnapshot, change: BrokerChange, number: int) -> BrokerChange:
    """The change with the IDs of that draw in the place of those that it leaves open."""
    return replace(change, events=tuple(_events(snapshot, change, number)))


def _events(snapshot: StreamsGroupSnapshot, change: BrokerChange, number: int) -> Iterator[BrokerItem]:
    threads: dict[str, int] = {}
    for one in snapshot.members:
        threads[one.process_id or ""] = threads.get(one.process_id or "", 0) + 1
    for index, item in enumerate(change.events):
        comes = item.comes() if isinstance(item, BrokerEvent) else None
        if comes is None or not isinstance(item, BrokerEvent):
            yield item
            continue
        client, old = comes
        process_id = client.process_id or _process_id(snapshot.group_id, number, index)
        count = client.threads or len(client.member_ids or ()) or threads.get(old or "", 1)
        threads[process_id] = count
        if client.process_id is not None and client.member_ids is not None:
            yield item
            continue
        member_ids = client.member_ids or tuple(
            chance.member_id(snapshot.group_id, number, index, thread) for thread in range(count)
        )
        yield item.drawn(replace(client, process_id=process_id, threads=count, member_ids=member_ids))


def _process_id(*of: object) -> str:
    """As `java.util.UUID.randomUUID` makes them."""
    return str(uuid.UUID(bytes=chance.bits("process", *of), version=4))


def same_names(change: BrokerChange, example: BrokerChange) -> dict[str, str]:
    """The IDs of one draw, and those of another in their places."""
    found: dict[str, str] = {}
    for one, other in zip(change.starts(), example.starts(), strict=True):
        found |= {one.process_id or "": other.process_id or ""}
        found |= dict(zip(one.member_ids or (), other.member_ids or (), strict=True))
    return found
