"""One group as its page shows it: its clients in process-ID order, what they run and hold, and what losing each would do."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from holdfast.errors import HoldfastError
from holdfast.kafka.consumer import plain
from holdfast.kafka.vocabulary import LATEST_OFFSET, TaskId, TopicPartition
from holdfast.rollout.consumer.snapshot import member_order
from holdfast.rollout.consumer.snapshot.ownership import Readers
from holdfast.rollout.consumer.snapshot.snapshot import ConsumedPartition, ConsumerSnapshot
from holdfast.rollout.contract.scenarios import Scenario
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.streams.process_ids import order
from holdfast.rollout.streams.snapshot import ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.text.wording import amount_of_bytes, duration, listed
from holdfast.web.plan.plan_parts import ago

Row = Mapping[str, Any]
MOST_CLIENTS = 1_000
MOST_COPIES = 12


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy on a client that does not run the task. `lag`: records behind the end; None: not known."""

    task: str
    lag: int | None


@dataclass(frozen=True, slots=True)
class ClientView:
    """`at`: where its process ID lies among all there can be, 0 to 1000. `copies`: those that lag most come first."""

    place: int
    process_id: str
    host: str
    rack: str
    threads: int
    at: int
    active: tuple[str, ...]
    copies: tuple[Copy, ...]
    more_copies: int
    caught_up: int
    share: int


@dataclass(frozen=True, slots=True)
class MemberView:
    """A consumer of a consumer group. `share`: of what the busiest one reads, in thousandths. `behind`: records between what is
    committed and the end, of all that it reads; None: not known."""

    place: int
    member_id: str
    name: str
    rack: str
    count: int
    share: int
    which: str
    behind: int | None


@dataclass(frozen=True, slots=True)
class LossView:
    """What the loss of one host would do. `share`: of the group's stateful tasks, in thousandths."""

    host: str
    process_id: str
    cells: tuple[tuple[str, str, int], ...]
    """A way of losing it: name, what it does, thousandths of all tasks that move."""
    worst: int


@dataclass(frozen=True, slots=True)
class OrderChangeView:
    """A change in the order of process IDs between two snapshots."""

    at: str
    joined: tuple[str, ...]
    left: tuple[str, ...]
    moved: int
    needless: int


@dataclass(frozen=True, slots=True)
class GroupView:
    """`facts`: labels and texts about the newest snapshot. `history`: the newest snapshots, as (ID, moment)."""

    cluster: str
    group_id: str
    taken: str
    age: str
    state: str
    plain: bool
    facts: tuple[tuple[str, str], ...]
    clients: tuple[ClientView, ...]
    more_clients: int
    members: tuple[MemberView, ...]
    more_members: int
    losses: tuple[LossView, ...]
    losses_day: str
    changes: tuple[OrderChangeView, ...]
    history: tuple[tuple[str, str], ...]
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the lake's tables and folders say about a group beside its newest snapshot."""

    losses: Sequence[Row] = ()
    losses_day: str = ""
    order_changes: Sequence[Row] = ()
    history: Sequence[str] = ()


def view(snapshot: AnySnapshot, recorded: Recorded, now: datetime) -> GroupView:
    taken = snapshot.captured_at or ""
    kind = kind_of(snapshot).name
    clients: tuple[ClientView, ...] = _CLIENTS[kind](snapshot) if kind in _CLIENTS else ()
    members: tuple[MemberView, ...] = _MEMBERS[kind](snapshot) if kind in _MEMBERS else ()
    return GroupView(
        cluster=snapshot.cluster,
        group_id=snapshot.group_id,
        taken=taken,
        age=ago(now, datetime.fromisoformat(taken)) if taken else "at an unknown time",
        state=snapshot.group_state or "unknown",
        plain=kind not in _CLIENTS,
        facts=facts(snapshot),
        clients=clients[:MOST_CLIENTS],
        more_clients=max(0, len(clients) - MOST_CLIENTS),
        members=members[:MOST_CLIENTS],
        more_members=max(0, len(members) - MOST_CLIENTS),
        losses=_losses(recorded.losses),
        losses_day=recorded.losses_day,
        changes=tuple(
            _change(row) for row in sorted(recorded.order_changes, key=lambda row: str(row["captured_at"]), reverse=True)
        ),
        history=tuple((one, moment(one)) for one in recorded.history),
        unknown=tuple(f"{one.what}: {one.reason}" for one in snapshot.unknown),
    )


def moment(snapshot_id: str) -> str:
    """`2026-11-20 13:48:02` of a snapshot's path."""
    _, _, day, _, name = snapshot_id.split("/")
    time = name.partition("-")[0]
    clock = f" {time[0:2]}:{time[2:4]}:{time[4:6]}" if len(time) >= 6 else ""
    return f"{day.removeprefix('day=')}{clock} UTC"


def facts(one: AnySnapshot) -> tuple[tuple[str, str], ...]:
    """What the group is, in labels and texts."""
    return kind_of(one).facts(one)


def _members(one: ConsumerSnapshot) -> tuple[MemberView, ...]:
    """In the order in which Kafka deals partitions out."""
    reads: dict[str, list[TopicPartition]] = {}
    for partition, reader in sorted((_readers(one) or {}).items()):
        reads.setdefault(reader, []).append(partition)
    behind = {
        TopicPartition(topic.name, number): _behind(partition)
        for topic in one.topics
        for number, partition in enumerate(topic.partitions)
    }
    most = max(map(len, reads.values()), default=1)
    found = []
    for place, member in enumerate(plain.in_member_order(one.members), start=1):
        mine = reads.get(member.member_id, [])
        lags = [behind.get(partition) for partition in mine]
        found.append(
            MemberView(
                place=place,
                member_id=member.member_id,
                name=" on ".join(name for name in (member.group_instance_id, member.host) if name) or "unknown host",
                rack=member.rack or "",
                count=len(mine),
                share=len(mine) * 1000 // most,
                which=listed([str(partition) for partition in mine], 8),
                behind=None if None in lags else sum(lag or 0 for lag in lags),
            )
        )
    return tuple(found)


def _readers(one: ConsumerSnapshot) -> Readers | None:
    try:
        return member_order.readers_of(one)
    except HoldfastError:
        return None


def _behind(one: ConsumedPartition) -> int | None:
    return None if one.committed_offset is None or one.end_offset is None else max(0, one.end_offset - one.committed_offset)


def _clients(one: Snapshot) -> tuple[ClientView, ...]:
    ends = {task.id: task.end_offset_sum for task in one.tasks}
    stateful = {task.id for task in one.tasks if task.stateful}
    runs: dict[str, list[TaskId]] = {}
    for task, owner in ownership.owners(one):
        if task in stateful:
            runs.setdefault(str(owner), []).append(task)
    most = max((len(tasks) for tasks in runs.values()), default=1)
    found = []
    for place, client in enumerate(sorted(one.clients, key=lambda client: client.process_id), start=1):
        active = tuple(sorted(runs.get(str(client.process_id), ())))
        totals = {task: total for consumer in client.consumers for task, total in consumer.task_offset_sums}
        copies = [Copy(str(task), _lag(ends.get(task), total)) for task, total in sorted(totals.items()) if total != LATEST_OFFSET]
        copies.sort(key=lambda copy: -1 if copy.lag is None else copy.lag, reverse=True)
        found.append(
            ClientView(
                place=place,
                process_id=str(client.process_id),
                host=client.host or "unknown host",
                rack=client.rack or "",
                threads=len(client.consumers),
                at=order.rank(client.process_id) * 1000 >> 128,
                active=tuple(map(str, active)),
                copies=tuple(copies[:MOST_COPIES]),
                more_copies=max(0, len(copies) - MOST_COPIES),
                caught_up=sum(copy.lag == 0 for copy in copies),
                share=len(active) * 1000 // most,
            )
        )
    return tuple(found)


def _lag(end: int | None, total: int) -> int | None:
    return None if end is None or total < 0 else max(0, end - total)


def _losses(rows: Sequence[Row]) -> tuple[LossView, ...]:
    """The hosts by what their loss moves, the worst first."""
    by_client: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_client.setdefault(str(row["process_id"] or row["member_id"]), {})[str(row["scenario"])] = row
    found = []
    for process_id, scenarios in by_client.items():
        cells = tuple((name, *_loss(scenarios[name])) for name in map(str, Scenario) if name in scenarios)
        host = next((str(row["host"]) for row in scenarios.values() if row["host"]), "unknown host")
        found.append(LossView(host, process_id, cells, max((share for _, _, share in cells), default=0)))
    return tuple(sorted(found, key=lambda one: (-one.worst, one.host)))[:MOST_CLIENTS]


def _loss(row: Row) -> tuple[str, int]:
    total = (row["partitions"] if row["stateful_tasks"] is None else row["stateful_tasks"]) or 0
    if not total or row["moved"] is None:
        return "not forecast", 0
    parts = [f"{row['moved']:,} of {total:,} move"]
    if row["without_copy"]:
        parts.append(f"{row['without_copy']:,} restore")
    if row["longest_stop_seconds"]:
        parts.append(f"unread for {duration(round(row['longest_stop_seconds']))}")
    if row["hours"] is not None:
        parts.append(
            f"{row['hours']:.1f} h" if row["hours"] >= 1 else f"{round(row['hours'] * 60)} min" if row["hours"] else "immediate"
        )
    if row["restore_bytes"]:
        parts.append(amount_of_bytes(row["restore_bytes"]))
    return ", ".join(parts), (row["moved"] or 0) * 1000 // total


def _change(row: Row) -> OrderChangeView:
    return OrderChangeView(
        at=str(row["captured_at"]),
        joined=tuple(row["joined"] or ()),
        left=tuple(row["left"] or ()),
        moved=row["moved"] or 0,
        needless=row["moved_between_survivors"] or 0,
    )


_CLIENTS: Mapping[str, Callable[[Any], tuple[ClientView, ...]]] = {"streams": _clients}
_MEMBERS: Mapping[str, Callable[[Any], tuple[MemberView, ...]]] = {"consumer": _members}
"""The table of a group's members, by the name of its kind."""
