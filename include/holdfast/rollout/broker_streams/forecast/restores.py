"""What clients restore after the targets of a change: the values. `restoring` computes them."""

from typing import NamedTuple

from holdfast.rollout.coordinated.spans import SPAN, Seconds
from holdfast.rollout.disks.logs import total_or_none
from holdfast.rollout.json.codec import COUNT, NAME, items, nullable
from holdfast.rollout.json.record import codec_of, key, keyed, member, record


@record
class Promoted:
    """Standby copies that a client began to restore after an earlier target, and that it is to run from this one on. What they lack
    then depends on how fast it restores. `since`: the number of that target; `records`: what they lacked when they were begun."""

    since: int = member(COUNT)
    copies: int = member(COUNT)
    records: int = member(COUNT)


@record
class ClientRestore:
    """What one client begins to restore after a target: `copies` copies, `active` of them to run the task. Records by offset, at
    most; `size`: bytes (None: unknown). `promoted`: in addition, what it restores already and is to run now."""

    process_id: str = key(NAME)
    copies: int = member(COUNT)
    records: int = member(COUNT)
    size: int | None = member(nullable(COUNT), name="bytes")
    active: int = member(COUNT, "Copies that it is to run.")
    active_records: int = member(COUNT)
    promoted: tuple[Promoted, ...] = member(items(codec_of(Promoted)), default=(), omit=True)


@record
class TargetRestores:
    """After one target. `target`: its number, from 0; `at`: when every member has what it gives, without start-ups of clients and
    pauses between steps; `batch`: of the events that it follows from, from 0."""

    target: int = member(COUNT)
    at: Seconds = member(SPAN)
    clients: tuple[ClientRestore, ...] = member(keyed(codec_of(ClientRestore)))
    batch: int = member(COUNT, default=0, omit=True)


Restores = tuple[TargetRestores, ...]
RESTORES = items(codec_of(TargetRestores))


class Amounts(NamedTuple):
    """All together. `size`: bytes; None: unknown."""

    records: int
    size: int | None


def amounts(restores: Restores) -> Amounts:
    every = [client for one in restores for client in one.clients]
    return Amounts(sum(one.records for one in every), total_or_none(one.size for one in every))


def longest(restores: Restores) -> int:
    """The most records that one client restores, over all targets."""
    by_client: dict[str, int] = {}
    for one in restores:
        for client in one.clients:
            by_client[client.process_id] = by_client.get(client.process_id, 0) + client.records
    return max(by_client.values(), default=0)
