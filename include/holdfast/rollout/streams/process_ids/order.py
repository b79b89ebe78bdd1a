"""Process-ID order decides which client gets which task: the rank of an ID, IDs between two others, the effect of a change.

Kafka sorts process IDs as `java.util.UUID` does, by two signed longs: an ID that begins with 8 to f comes before one that begins
with 0 to 7. Everything here is in that order.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from uuid import UUID

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.kafka.streams import leader, shares
from holdfast.kafka.streams.group import Group, LeaderFailure
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.streams.change import shorthands
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events import batches
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot import groups
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

SPACE = 1 << 128
"""How many process IDs there are."""
_SIGNS = (1 << 127) | (1 << 63)
_VERSION_MASK, _VERSION_4 = 0xF << 76, 0x4 << 76
_VARIANT_MASK, _VARIANT = 0x3 << 62, 0x2 << 62


def point(process_id: ProcessId) -> int:
    """Where the ID is among all 2^128, from 0: sorted by it, IDs are in Kafka's order."""
    return process_id.bits ^ _SIGNS


def at_point(number: int) -> ProcessId:
    """The inverse of `point`."""
    assert 0 <= number < SPACE, "a point is one of 2^128"
    return ProcessId.of(UUID(int=number ^ _SIGNS))


def rank_among(process_ids: Iterable[ProcessId], process_id: ProcessId) -> int:
    """The rank of the ID in process-ID order: how many of `process_ids` come before it."""
    return bisect_left(sorted(point(other) for other in process_ids), point(process_id))


def between(lower: ProcessId | None, upper: ProcessId | None) -> ProcessId:
    """The ID in the middle of the gap between two others; None stands for the end of the order.

    Where the gap has room for it, it looks like any random UUID (version 4). Raise InvalidInput if nothing fits in.
    """
    return evenly_between(lower, upper, 1)[0]


def evenly_between(lower: ProcessId | None, upper: ProcessId | None, count: int) -> tuple[ProcessId, ...]:
    """`count` IDs in order, evenly spread over the gap."""
    low = -1 if lower is None else point(lower)
    high = SPACE if upper is None else point(upper)
    if high - low <= count:
        needed = "another ID" if count == 1 else f"{count} other IDs"
        raise InvalidInput(f"between {lower or 'the first ID'} and {upper or 'the last ID'} there is no room for {needed}")
    points = [low + (high - low) * step // (count + 1) for step in range(count + 2)]
    return tuple(
        at_point(_like_a_random_one(one, (before + one) // 2, (one + after + 1) // 2))
        for before, one, after in zip(points, points[1:], points[2:], strict=False)
    )


def _like_a_random_one(number: int, low: int, high: int) -> int:
    """`number` with the version and variant bits of a random UUID, if that stays between `low` and `high`; else unchanged."""
    bits = number ^ _SIGNS
    dressed = ((bits & ~_VERSION_MASK & ~_VARIANT_MASK) | _VERSION_4 | _VARIANT) ^ _SIGNS
    return dressed if low < dressed < high else number


def gaps(process_ids: Iterable[ProcessId]) -> tuple[tuple[ProcessId | None, ProcessId | None, Fraction], ...]:
    """The gaps that a fresh random ID can fall into, in order, each with its neighbours and its share of all IDs (their sum: 1)."""
    ids = sorted(process_ids)
    bounds: list[ProcessId | None] = [None, *ids, None]
    edges = [0, *(point(process_id) for process_id in ids), SPACE]
    return tuple(
        (lower, upper, Fraction(end - start, SPACE))
        for (lower, upper), (start, end) in zip(pairwise(bounds), pairwise(edges), strict=True)
    )


def misleading(process_ids: Sequence[ProcessId]) -> bool:
    """Whether sorting the IDs as text, as people do, gives another order than Kafka's."""
    return sorted(process_ids, key=str) != sorted(process_ids)


@dataclass(frozen=True, slots=True)
class TaskMove:
    """A stateful task whose target is another client than before."""

    task: TaskId
    before: ProcessId
    after: ProcessId


@dataclass(frozen=True, slots=True)
class OrderChange:
    """What happened to the order of process IDs between two moments, and whose tasks it changes."""

    before: tuple[ProcessId, ...]
    after: tuple[ProcessId, ...]
    joined: tuple[ProcessId, ...]
    left: tuple[ProcessId, ...]
    shifted: tuple[ProcessId, ...]
    """Those in both whose rank changed: their targets change although they did nothing."""
    moved: tuple[TaskMove, ...]
    seeds: tuple[tuple[ProcessId, ProcessId], ...]
    """(lost ID, the ID between the lost one's neighbours that would have kept the order), for each ID that left."""
    text_order_misleads: bool
    warnings: tuple[str, ...] = ()

    @property
    def moved_between_survivors(self) -> tuple[TaskMove, ...]:
        """The moves that were not requested: both clients were there before and are there still."""
        gone = dict.fromkeys(self.left)
        new = dict.fromkeys(self.joined)
        return tuple(move for move in self.moved if move.before not in gone and move.after not in new)


def target(group: Group) -> tuple[tuple[TaskId, ProcessId], ...]:
    """Where the stateful tasks end up: the decision that would be made if every client were caught up on everything.

    An unbounded `acceptable.recovery.lag` says so (`ClientState` counts every client as caught up then), so this is the
    leader's own answer, threads, standbys, tags and racks included. Empty if the leader would fail.
    """
    decision = leader.assign(replace(group, config=replace(group.config, acceptable_recovery_lag=java.LONG_MAX)))
    if isinstance(decision, LeaderFailure):
        return ()
    stateful = {task.id: None for task in group.tasks if task.stateful}
    return tuple(sorted((task, client.process_id) for client in decision.clients for task in client.active if task in stateful))


class Targets:
    """The targets of groups that differ in clients. What the numbers of threads decide, rank by rank, is kept."""

    def __init__(self) -> None:
        self._dealt: dict[tuple[tuple[int, ...], int], tuple[int, ...]] = {}

    def of(self, group: Group) -> tuple[tuple[TaskId, ProcessId], ...]:
        """As `target`."""
        if not goes_by_ranks(group):
            return target(group)
        clients = sorted(group.clients, key=lambda client: client.process_id)
        tasks = sorted(task.id for task in group.tasks if task.stateful)
        ranks = self._ranks(tuple(len(client.consumers) for client in clients), len(tasks))
        return tuple((task, clients[rank].process_id) for task, rank in zip(tasks, ranks, strict=True))

    def _ranks(self, threads: tuple[int, ...], tasks: int) -> tuple[int, ...]:
        known = self._dealt.get((threads, tasks))
        if known is None:
            known = self._dealt[threads, tasks] = shares.dealt(threads, tasks)
        return known


def goes_by_ranks(group: Group) -> bool:
    """Whether the target follows from ranks and threads alone, and nothing can make the leader fail or refuse."""
    config = group.config
    if not (group.clients and config.goes_by_lags_alone and not config.rack_aware_assignment_tags and not group.missing_topics):
        return False
    if any(task.changelogs is None or task.end_offset_sum is None for task in group.tasks):
        return False
    stateful = {task.id for task in group.tasks if task.stateful}
    partitions = {partition for task in group.tasks for partition in task.partitions}
    return all(
        consumer.metadata_version is None
        and not consumer.error_code
        and partitions.issuperset(consumer.owned)
        and stateful.issuperset(task for task, _ in consumer.task_offset_sums)
        for client in group.clients
        for consumer in client.consumers
    )


def order_changes(before: Snapshot, after: Snapshot) -> OrderChange:
    """Compare two snapshots of a group."""
    old, new = _ordered(before), _ordered(after)
    old_rank = {process_id: index for index, process_id in enumerate(old)}
    new_rank = {process_id: index for index, process_id in enumerate(new)}
    had = dict(target(groups.any_group_of(before))) if before.clients else {}
    gets = target(groups.any_group_of(after)) if after.clients else ()
    moved = tuple(TaskMove(task, had[task], owner) for task, owner in gets if had.get(task, owner) != owner)
    left = tuple(process_id for process_id in old if process_id not in new_rank)
    misleads = misleading(old) or misleading(new)
    return OrderChange(
        before=old,
        after=new,
        joined=tuple(process_id for process_id in new if process_id not in old_rank),
        left=left,
        shifted=tuple(one for one in new if one in old_rank and old_rank[one] != new_rank[one]),
        moved=moved,
        seeds=tuple((lost, seed_in_place_of(lost, old)) for lost in left),
        text_order_misleads=misleads,
        warnings=(_MISLEADS,) if misleads else (),
    )


def order_changes_by(snapshot: Snapshot, change: Change) -> OrderChange:
    """The same for a change that is only meant. Raise InvalidInput if it does not fit, or leaves a process ID to chance."""
    change = shorthands.written_out(snapshot, change)
    if change.new_random_ids():
        raise InvalidInput("the change has new random process IDs (null); give them, or use a forecast, which covers every rank")
    known = groups.of_a_release(snapshot)
    reports = Reports.of(known, groups.group_of(known), change.assume)
    scene = Scene.of(known)
    for batch in change.numbered_batches():
        scene = batches.apply(scene, batch, reports)
    requested = replace(
        snapshot,
        clients=scene.clients,
        config=scene.config,
        leader_process_id=scene.leader_process_id,
        kafka_release=scene.kafka_release,
    )
    return order_changes(snapshot, requested)


_MISLEADS = (
    "Kafka sorts process IDs as two signed numbers: those that begin with 8 to f come before those that begin with 0 to 7. "
    "Sorting them as text gives another order."
)


def seed_in_place_of(lost: ProcessId, process_ids: Iterable[ProcessId]) -> ProcessId:
    """A new random ID with the rank that `lost` had among `process_ids`."""
    others = sorted(one for one in process_ids if one != lost)
    rank = rank_among(others, lost)
    lower = others[rank - 1] if rank else None
    upper = others[rank] if rank < len(others) else None
    return between(lower, upper)


def _ordered(snapshot: Snapshot) -> tuple[ProcessId, ...]:
    return tuple(sorted(client.process_id for client in snapshot.clients))
