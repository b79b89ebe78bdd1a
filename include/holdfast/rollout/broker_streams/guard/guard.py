"""What the next target of a group moves, whatever raises its epoch: a member that joins or leaves, a config, a topic.

A group can be stable and yet hold a target that its coordinator would not compute again: with standbys the assignor is no fixed
point; a config or a release that changed shows in the next target only; from 4.4 on the offsets that members report decide.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from holdfast.kafka.coordinator.config_keys import SESSION_TIMEOUT, number_of
from holdfast.kafka.coordinator.streams.group import Task, Tasks, each_task
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.forecast import summary
from holdfast.rollout.broker_streams.forecast.course import Ground
from holdfast.rollout.broker_streams.forecast.forecast import ground_of
from holdfast.rollout.broker_streams.forecast.outcomes import ComputedTarget
from holdfast.rollout.broker_streams.snapshot.at_rest import refuse_unsettled
from holdfast.rollout.broker_streams.snapshot.processes import Process, processes
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.broker_streams.target.target import TargetAssignment, decide
from holdfast.rollout.coordinated.targets import TargetTrigger
from holdfast.rollout.text.format import listed, many, printable

_THREAD = re.compile(r"-StreamThread-\d+(-consumer)?$")
"""The end of the client ID of a thread: no two threads of one process have the same."""


class Trap(StrEnum):
    """What can go wrong in this group."""

    TWICE = "one process ID twice"
    EARLIER_START = "members of an earlier start"


@dataclass(frozen=True, slots=True)
class Finding:
    trap: Trap
    process_ids: tuple[str, ...]
    found: str
    remedy: str


@dataclass(frozen=True, slots=True)
class NextMove:
    """A task that another client gets. `before` None: no client has it now. `cold`: stateful, to a disk that has never had it."""

    task: Task
    stateful: bool
    before: str | None
    after: str
    cold: bool


@dataclass(frozen=True, slots=True)
class ClientLoad:
    """A client, and how many stateful tasks it runs now and with the next target."""

    process_id: str
    host: str | None
    threads: int
    stateful_now: int
    stateful_next: int


@dataclass(frozen=True, slots=True)
class BrokerGuard:
    """`moved`: tasks whose active owner changes; `between_threads`: those that only change the thread inside their client;
    `standbys_moved`: tasks whose standbys go to other clients."""

    next_target: TargetAssignment
    stateful_tasks: int
    clients: tuple[ClientLoad, ...]
    moved: tuple[NextMove, ...]
    between_threads: tuple[Task, ...]
    standbys_moved: tuple[Task, ...]
    findings: tuple[Finding, ...]
    unknown: tuple[str, ...] = ()

    @property
    def stateful_moved(self) -> int:
        return sum(one.stateful for one in self.moved)

    @property
    def cold_moves(self) -> int:
        return sum(one.cold for one in self.moved)


def look(snapshot: StreamsGroupSnapshot) -> BrokerGuard:
    """Raise CannotPredict for a group that is not at rest, and where what decides is unknown; Unsupported for a release that is
    not covered."""
    refuse_unsettled(snapshot)
    ground = ground_of(snapshot)
    target = decide(snapshot)
    computed = ComputedTarget(TargetTrigger.CHANGE, None, target, tuple(_process_ids(ground).items()))
    return BrokerGuard(
        next_target=target,
        stateful_tasks=sum(one.tasks for one in ground.group.subtopologies if one.stateful),
        clients=tuple(_clients(ground, computed)),
        moved=tuple(_moved(ground, computed)),
        between_threads=tuple(_between_threads(ground, target)),
        standbys_moved=tuple(_standbys_moved(ground, target)),
        findings=tuple(_findings(snapshot)),
        unknown=tuple(f"{one.what}: {one.reason}" if one.reason else one.what for one in snapshot.unknown),
    )


def _process_ids(ground: Ground) -> dict[str, str]:
    return {one.member_id: one.process_id for one in ground.group.members}


def _clients(ground: Ground, computed: ComputedTarget) -> Iterator[ClientLoad]:
    stateful = frozenset(one.id for one in ground.group.subtopologies if one.stateful)
    now = Counter(summary.owners_now(ground, stateful).values())
    then = Counter(summary.owners(computed, stateful).values())
    for one in processes(ground.snapshot):
        yield ClientLoad(one.name, one.host, len(one.members), now[one.name], then[one.name])


def _moved(ground: Ground, computed: ComputedTarget) -> Iterator[NextMove]:
    (stateful,) = summary.moves_by_target(ground, BrokerChange(()), (computed,))
    cold = {one.task for one in stateful if one.cold}
    keeps_state = {one.id: one.stateful for one in ground.group.subtopologies}
    before = summary.owners_now(ground, frozenset(keeps_state))
    after = summary.owners(computed, frozenset(keeps_state))
    for task in sorted(after, key=lambda task: task.rank):
        if before.get(task) != after[task]:
            yield NextMove(task, keeps_state[task.subtopology], before.get(task), after[task], task in cold)


def _between_threads(ground: Ground, target: TargetAssignment) -> Iterator[Task]:
    process = _process_ids(ground)
    runs = {
        task: one.member_id
        for one in ground.snapshot.members
        if (there := one.assignment or one.target) is not None
        for task in each_task(there.active)
    }
    for given in target.members:
        for task in each_task(given.active):
            was = runs.get(task, given.member_id)
            if was != given.member_id and process[was] == process[given.member_id]:
                yield task


def _standbys_moved(ground: Ground, target: TargetAssignment) -> list[Task]:
    process = _process_ids(ground)
    before: dict[Task, set[str]] = {}
    after: dict[Task, set[str]] = {}
    for one in ground.snapshot.members:
        there = one.assignment or one.target
        _add(before, () if there is None else there.standby, process[one.member_id])
    for given in target.members:
        _add(after, given.standby, process[given.member_id])
    differ = (task for task in before.keys() | after.keys() if before.get(task) != after.get(task))
    return sorted(differ, key=lambda task: task.rank)


def _add(copies: dict[Task, set[str]], tasks: Tasks, process: str) -> None:
    for task in each_task(tasks):
        copies.setdefault(task, set()).add(process)


def _findings(snapshot: StreamsGroupSnapshot) -> Iterator[Finding]:
    for client in processes(snapshot):
        twice = _repeats(client)
        if client.process_id is None or not twice:
            continue
        reported = f"{many(len(client.members), 'member')} report this process ID, and {listed(twice)} more than once"
        hosts = {one.host for one in client.members if one.host is not None}
        if len(hosts) > 1:
            yield Finding(
                Trap.TWICE,
                (client.process_id,),
                f"{reported}, from {listed(sorted(map(printable, hosts)))}: two processes run under it.",
                "Kafka treats them as one client with the threads of both, and never assigns two copies of a task to them. Find out"
                " which of them should run, and stop the other one.",
            )
        else:
            seconds = number_of(dict(snapshot.config), SESSION_TIMEOUT) // 1000
            yield Finding(
                Trap.EARLIER_START,
                (client.process_id,),
                f"{reported}: its process ended without leaving and has started again, and the coordinator keeps the members of the"
                " earlier start until their sessions are over. Their tasks then move.",
                f"Take a new snapshot after the session timeout ({seconds} s). If they are still there, two processes run under one"
                " process ID: stop one of them.",
            )


def _repeats(client: Process) -> tuple[str, ...]:
    """Threads that this client has more than once."""
    names = [one.client_id for one in client.members if _THREAD.search(one.client_id)]
    return tuple(printable(name) for name in dict.fromkeys(names) if names.count(name) > 1)
