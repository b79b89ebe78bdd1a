"""Problems of process-ID order that a single snapshot shows: a latent reshuffle, and traps.

A group can look stable and be one rebalance away from moving half its tasks: a static member that came back under a new random
process ID keeps its stored assignment until anything makes the group rebalance. Nothing has to be guessed: a forecast of no change
says where the group is going.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka.release import WITHOUT_PROCESS_METADATA
from holdfast.kafka.streams.config import HIGH_AVAILABILITY
from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events.restart_client import RestartClient
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.forecast.outcomes import Outcome, Summary
from holdfast.rollout.streams.process_ids import order
from holdfast.rollout.streams.process_ids.order import TaskMove
from holdfast.rollout.streams.process_ids.relabelling import relabel
from holdfast.rollout.streams.snapshot import churn, groups, ownership
from holdfast.rollout.streams.snapshot.churn import Twice, refuse_unsettled
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.text.format import listed, many, printable


class TrapKind(StrEnum):
    """`latent`: nothing happens before something makes the group rebalance. `in progress`: there are warm-ups."""

    LATENT = "latent"
    IN_PROGRESS = "in progress"


@dataclass(frozen=True, slots=True)
class Defusal:
    """Restarts under other process IDs after which the next rebalance moves the fewest tasks: (ID now, ID to write before it
    starts again). `change` says the same; `moved`: the stateful tasks that still migrate."""

    labels: tuple[tuple[ProcessId, ProcessId], ...]
    moved: int
    change: Change


@dataclass(frozen=True, slots=True)
class Reshuffle:
    """What the next rebalance sets off, whatever causes it: the stateful tasks that migrate, and what that costs.

    `defusal` None: no other process IDs would save anything.
    """

    kind: TrapKind
    moved: tuple[TaskMove, ...]
    summary: Summary
    defusal: Defusal | None


class Trap(StrEnum):
    """What can go wrong with process IDs in this group."""

    ORDER_OF_TEXT = "sorted as text their order is another one"
    TWICE = "one process ID twice"
    EARLIER_START = "members of an earlier start"
    CHURN = "a client that dies again and again"
    NOT_KEPT = "process IDs are not kept"
    NO_MEANING = "the order has no meaning"


@dataclass(frozen=True, slots=True)
class Finding:
    trap: Trap
    process_ids: tuple[ProcessId, ...]
    found: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Guard:
    """`order`: the clients as Kafka sorts them. `reshuffle` None: the next rebalance moves no stateful task."""

    order: tuple[ProcessId, ...]
    reshuffle: Reshuffle | None
    findings: tuple[Finding, ...]
    unknown: tuple[str, ...] = ()


def look(snapshot: Snapshot) -> Guard:
    """What can be predicted. What cannot is named in `unknown`, never left out in silence.

    Raise CannotPredict for a group in the middle of a rebalance or without clients: it shows nothing.
    """
    refuse_unsettled(snapshot, not_said=True)
    ids = tuple(sorted(client.process_id for client in snapshot.clients))
    unknown = [f"{one.what}: {one.reason}" for one in groups.mixed_releases(snapshot)]
    reshuffle = None
    try:
        reshuffle = _reshuffle(snapshot)
    except CannotPredict as refusal:
        unknown.append(f"Whether the next rebalance moves tasks: {refusal}")
    return Guard(ids, reshuffle, tuple(_findings(snapshot, ids)), tuple(unknown))


def _reshuffle(snapshot: Snapshot) -> Reshuffle | None:
    outcome = forecast(snapshot, Change(())).outcomes[-1]
    moved = _moved(snapshot, outcome)
    if not moved:
        return None
    kind = TrapKind.IN_PROGRESS if _has_warm_ups(snapshot) else TrapKind.LATENT
    return Reshuffle(kind, moved, outcome.summary, _defusal(snapshot, len(moved)))


def _moved(snapshot: Snapshot, outcome: Outcome) -> tuple[TaskMove, ...]:
    stateful = {task.id: None for task in snapshot.tasks if task.stateful}
    before = {task: owner for task, owner in ownership.owners(snapshot) if task in stateful}
    after = dict(ownership.owners_among(outcome.clients, snapshot.tasks))
    return tuple(TaskMove(task, owner, after[task]) for task, owner in before.items() if task in after and after[task] != owner)


def _has_warm_ups(snapshot: Snapshot) -> bool:
    """Whether some task has more standbys than the group is set to keep."""
    copies: dict[TaskId, int] = {}
    for one in snapshot.evidence:
        for task in one.assigned.standby or ():
            copies[task] = copies.get(task, 0) + 1
    standbys = groups.any_group_of(snapshot).config.num_standby_replicas
    return any(count > standbys for count in copies.values())


def _defusal(snapshot: Snapshot, baseline: int) -> Defusal | None:
    """The fewest clients that have to come back under another ID so that the target is what the group has, or nearly so."""
    group = groups.any_group_of(snapshot)
    try:
        best = relabel(group, tuple(client.process_id for client in group.clients))
    except CannotPredict:
        return None
    wanted = sorted(best.labels, key=lambda label: label[1])
    labels = _fewest_renamed([now for now, _ in wanted])
    if not labels:
        return None
    new = dict(labels)
    renamed = tuple(replace(client, process_id=new.get(client.process_id, client.process_id)) for client in group.clients)
    before = dict(ownership.owners(snapshot))
    moved = sum(
        task in before and new.get(before[task], before[task]) != owner
        for task, owner in order.target(replace(group, clients=renamed, leader_process_id=None))
    )
    if moved >= baseline:
        return None
    events = tuple(RestartClient(old, keeps_process_id=False, new_process_id=fresh) for old, fresh in labels)
    return Defusal(labels, moved, Change(events))


def _fewest_renamed(wanted: Sequence[ProcessId]) -> tuple[tuple[ProcessId, ProcessId], ...]:
    """IDs for clients so that they are in the order of `wanted`: those in a longest ascending run keep theirs.

    `()` where a gap between two that stay has no room.
    """
    kept = dict.fromkeys(_longest_ascending(wanted))
    labels: list[tuple[ProcessId, ProcessId]] = []
    waiting: list[ProcessId] = []
    lower: ProcessId | None = None
    for one in (*wanted, None):
        if one is not None and one not in kept:
            waiting.append(one)
            continue
        if waiting:
            try:
                labels += zip(waiting, order.evenly_between(lower, one, len(waiting)), strict=True)
            except InvalidInput:
                return ()
        waiting, lower = [], one
    return tuple(sorted(labels))


def _longest_ascending(ids: Sequence[ProcessId]) -> list[ProcessId]:
    """A longest ascending subsequence, by patience sorting."""
    tops: list[tuple[int, int]] = []  # of each pile: the rank and the index of its top
    below: list[int | None] = []
    for index, one in enumerate(ids):
        pile = bisect_left(tops, (order.point(one), -1))
        below.append(tops[pile - 1][1] if pile else None)
        tops[pile : pile + 1] = [(order.point(one), index)]
    found: list[ProcessId] = []
    at = tops[-1][1] if tops else None
    while at is not None:
        found.append(ids[at])
        at = below[at]
    return found[::-1]


def _findings(snapshot: Snapshot, ids: Sequence[ProcessId]) -> list[Finding]:
    found = []
    if order.misleading(ids):
        found.append(
            Finding(
                Trap.ORDER_OF_TEXT,
                tuple(one for one in ids if one.upper < 0),
                "Kafka sorts process IDs as two signed numbers: those that begin with 8 to f come first.",
                "Read the order here, not in a list sorted as text.",
            )
        )
    found += [
        Finding(Trap.CHURN, () if one.process_id is None else (one.process_id,), churn.in_words(one), churn.REMEDY)
        for one in churn.churning(snapshot.generations, snapshot.captured_at)
    ]
    found += [_twice(snapshot, client) for client in snapshot.clients if _repeats(client)]
    if snapshot.kafka_release in WITHOUT_PROCESS_METADATA:
        found.append(
            Finding(
                Trap.NOT_KEPT,
                tuple(ids),
                f"Kafka Streams {snapshot.kafka_release} generates a new process ID at each start (KAFKA-10716).",
                "Every restart changes the order: upgrade to 2.6.2, 2.7.1, 2.8.0 or later.",
            )
        )
    elif snapshot.tasks and not any(task.changelogs is None or task.stateful for task in snapshot.tasks):
        found.append(
            Finding(
                Trap.NOT_KEPT,
                tuple(ids),
                "No task keeps state, so no client has a file with its process ID: it is new at each start.",
                "Nothing has to be restored; only which host runs what changes.",
            )
        )
    assignor = groups.settings_of(snapshot, groups.releases_of(snapshot)[-1]).task_assignor
    if assignor != HIGH_AVAILABILITY:
        found.append(
            Finding(Trap.NO_MEANING, tuple(ids), f"With {assignor} the order does not affect task placement.", "Nothing to do.")
        )
    return found


def _repeats(client: Client) -> tuple[str, ...]:
    """Thread names that more than one member of this client has: one process numbers its threads, so there are two processes."""
    names = [consumer.client_id for consumer in client.consumers if consumer.client_id]
    return tuple(name for name in dict.fromkeys(names) if names.count(name) > 1)


def _twice(snapshot: Snapshot, client: Client) -> Finding:
    members, threads = many(len(client.consumers), "member"), listed([printable(name) for name in _repeats(client)])
    reported = f"{members} report this process ID, and {threads} more than once"
    match churn.why_twice(snapshot, client):
        case Twice.TWO_PROCESSES:
            return Finding(
                Trap.TWICE,
                (client.process_id,),
                f"{reported}, for longer than a dead member is listed: two processes run under it.",
                "Kafka treats them as one client with the threads of both, and never assigns two copies of a task to them. Find out"
                " which of them should run, and stop the other one. If both should, plan its restart under another process ID.",
            )
        case Twice.EARLIER_START:
            return Finding(
                Trap.EARLIER_START,
                (client.process_id,),
                f"{reported}, all from one host: those of an earlier start are listed until their session times out.",
                "Wait for the session timeout, and take a new snapshot. Keep its process ID.",
            )
        case Twice.NOT_CERTAIN:
            return Finding(
                Trap.EARLIER_START,
                (client.process_id,),
                f"{reported}: either its process has just been replaced, and the session of the old one has not timed out, or two"
                " processes run under one process ID.",
                "Take a new snapshot after more than two session timeouts: it tells the two cases apart. Keep its process ID.",
            )
        case never:
            assert_never(never)
