"""What an option has clients restore, at the speeds of a policy. Seconds."""

from collections.abc import Iterator

from holdfast.rollout.broker_streams.cost import waiting
from holdfast.rollout.broker_streams.cost.waiting import Pace
from holdfast.rollout.broker_streams.forecast.restores import ClientRestore, Restores, amounts
from holdfast.rollout.contract.rebalances import restore_seconds
from holdfast.rollout.coordinated.spans import SPAN, Seconds
from holdfast.rollout.disks.logs import total_or_none
from holdfast.rollout.json.codec import COUNT, NAME, nullable
from holdfast.rollout.json.record import codec_of, key, keyed, member, record
from holdfast.rollout.policy.policy import Policy


@record
class OfClient:
    """What one client restores over all targets, `copies` copies. Records by offset, at most; `size`: bytes (None: unknown)."""

    process_id: str = key(NAME)
    copies: int = member(COUNT)
    records: int = member(COUNT)
    size: int | None = member(nullable(COUNT), name="bytes")


@record
class Restored:
    """What an option has clients restore. `longest`: until one client has restored what a target gives it to run, standby copies
    included that it has not caught up with; `task_seconds`: the same of all tasks together, each counted until its client has
    restored all of them."""

    records: int = member(COUNT)
    size: int | None = member(nullable(COUNT), name="bytes")
    longest: Seconds = member(SPAN, "Of one task, once it has an owner: at least, usually, at most.")
    task_seconds: Seconds = member(SPAN)
    clients: tuple[OfClient, ...] = member(keyed(codec_of(OfClient)))


def restored(found: Restores, most: Restores, policy: Policy, *, caught_up: bool = False) -> Restored:
    """`most`: of the draw in which one client restores most, where IDs are drawn; else the same. `caught_up`: people wait until
    what the first target gives is restored."""
    together = amounts(found)
    every = [[*waiting.waits(each, one)] for each, one in _waits(found, most, policy, caught_up=caught_up)]
    return Restored(
        together.records,
        _size(together.records, together.size, policy),
        Seconds(*(max((one.seconds for one in each), default=0) for each in every)),
        Seconds(*(sum(one.seconds * one.tasks for one in each) for each in every)),
        tuple(_by_client(found, policy)),
    )


def ends(found: Restores, most: Restores, policy: Policy) -> Seconds:
    """When the last client has restored all, counted as the times of targets are. A client restores one copy after the other."""
    paces = _paces(found, most, policy)
    return Seconds(*(_busy_until(each, place, speed) for place, (each, speed) in enumerate(paces)))


def waits(found: Restores, most: Restores, policy: Policy) -> Seconds:
    """How long the last client takes to restore what one target has it restore, standby copies included."""
    paces = _paces(found, most, policy)
    longest = (max((client.records for one in each for client in one.clients), default=0) for each, _ in paces)
    return Seconds(*(restore_seconds(records, speed) for records, (_, speed) in zip(longest, paces, strict=True)))


def _paces(found: Restores, most: Restores, policy: Policy) -> tuple[tuple[Restores, int], ...]:
    return (found, policy.fastest_restore), (found, policy.restore_records_per_second), (most, policy.slowest_restore)


def _waits(found: Restores, most: Restores, policy: Policy, *, caught_up: bool) -> Iterator[tuple[Restores, Pace]]:
    """The longer the pauses between steps are, the more is restored before the next one."""
    pauses = policy.between_steps.high, policy.between_steps.usual, policy.between_steps.low
    for place, ((each, speed), pause) in enumerate(zip(_paces(found, most, policy), pauses, strict=True)):
        yield each, Pace(place, speed, pause, caught_up)


def _busy_until(found: Restores, place: int, speed: int) -> float:
    """`place`: of the times of a target, whether the least, the usual or the most."""
    until: dict[str, float] = {}
    for one in found:
        for client in one.clients:
            begun = max(until.get(client.process_id, 0), one.at[place])
            until[client.process_id] = begun + restore_seconds(client.records, speed)
    return max(until.values(), default=0)


def _by_client(found: Restores, policy: Policy) -> Iterator[OfClient]:
    clients: dict[str, list[ClientRestore]] = {}
    for one in found:
        for client in one.clients:
            clients.setdefault(client.process_id, []).append(client)
    for process_id, every in clients.items():
        records = sum(one.records for one in every)
        size = _size(records, total_or_none(one.size for one in every), policy)
        yield OfClient(process_id, sum(one.copies for one in every), records, size)


def _size(records: int, size: int | None, policy: Policy) -> int | None:
    """As measured; where that is unknown, at the policy's bytes a record."""
    if size is not None or not records:
        return size or 0
    return None if policy.bytes_per_record is None else records * policy.bytes_per_record
