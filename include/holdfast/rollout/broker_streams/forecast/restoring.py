"""What clients restore after each target: what their disks lack of the copies that it gives to a client which did not have them.

End offsets do not grow meanwhile, and a client that had a copy keeps it: Kafka Streams deletes it later (`state.cleanup.delay.ms`).
"""

from collections.abc import Iterator, Mapping

from holdfast.kafka.coordinator.streams.group import Task, Tasks
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.forecast.clock import Times, rounded
from holdfast.rollout.broker_streams.forecast.course import Ground
from holdfast.rollout.broker_streams.forecast.disks import Disks, stateful_tasks
from holdfast.rollout.broker_streams.forecast.outcomes import ComputedTarget
from holdfast.rollout.broker_streams.forecast.restores import ClientRestore, Restores, TargetRestores
from holdfast.rollout.broker_streams.snapshot.changelogs import TaskChangelogs, of_tasks
from holdfast.rollout.disks.logs import to_restore

Changelogs = Mapping[Task, TaskChangelogs]


def changelogs_of(ground: Ground) -> Changelogs:
    """Of each stateful task."""
    return of_tasks(ground.topology, ground.group.subtopologies, ground.snapshot.topics)


def restores(
    ground: Ground, changelogs: Changelogs, change: BrokerChange, targets: tuple[ComputedTarget, ...], times: Times
) -> Restores | None:
    """`change`: with every ID given. None: the end of a changelog is unknown that a client restores from."""
    if not changelogs and any(one.stateful for one in ground.group.subtopologies):
        return None
    found: list[TargetRestores] = []
    for number, (begun, moment) in enumerate(zip(_begun(ground, change, targets, changelogs), times.moments, strict=True)):
        if begun is None:
            return None
        clients = tuple(_client(process, *copies, changelogs) for process, copies in begun.items())
        if clients:
            found.append(TargetRestores(number, rounded(moment.stable), clients))
    return tuple(found)


_Copies = tuple[dict[Task, int], dict[Task, int]]
"""Records by task: of those that are to run, and of standby copies."""


def _begun(
    ground: Ground, change: BrokerChange, targets: tuple[ComputedTarget, ...], changelogs: Changelogs
) -> Iterator[dict[str, _Copies] | None]:
    """Target by target: by client, what it begins to restore; None: unknown."""
    stateful = frozenset(one.id for one in ground.group.subtopologies if one.stateful)
    grown = {topic.name: topic.partitions for topic in ground.snapshot.topics}
    disks = Disks(ground.snapshot, change, stateful)
    before = _now(ground)
    running = {process: _runs(members, stateful) for process, members in before.items()}
    for target in targets:
        anew = disks.begin(target)
        given = _given(target)
        found: dict[str, _Copies] = {}
        runs: dict[str, frozenset[Task]] = {}
        for process, members in given.items():
            had = frozenset[Task]() if process in anew else running.get(process, frozenset())
            if members == before.get(process) and process not in anew:
                runs[process] = had
                continue
            shares = [[task for share in role for task in stateful_tasks(share, stateful)] for role in members]
            runs[process] = _runs(members, stateful)
            copies: _Copies = ({}, {})
            for share, lacking in zip(shares, copies, strict=True):
                for task in share:
                    if task in had or _is_new(ground, task, grown):
                        continue
                    if task not in changelogs:
                        yield None
                        return
                    if records := disks.lacking(process, task, changelogs[task]):
                        lacking[task] = records
            if any(copies):
                found[process] = copies
        yield found
        disks.keep(target)
        running, before = runs, given


def _is_new(ground: Ground, task: Task, partitions: Mapping[str, int]) -> bool:
    """Whether it came with partitions that a topic was given: its changelogs are empty."""
    topics = next(one.changelog_topics for one in ground.topology.subtopologies if one.subtopology == task.subtopology)
    return all(task.partition >= partitions.get(topic, task.partition + 1) for topic in topics)


_Shares = tuple[list[Tasks], list[Tasks]]
"""Of one process: the active tasks of each member, and the standby tasks."""


def _given(target: ComputedTarget) -> dict[str, _Shares]:
    processes = dict(target.processes)
    found: dict[str, _Shares] = {}
    for one in target.assignment.members:
        active, standby = found.setdefault(processes[one.member_id], ([], []))
        active.append(one.active)
        standby.append(one.standby)
    return found


def _now(ground: Ground) -> dict[str, _Shares]:
    found: dict[str, _Shares] = {}
    for one in ground.snapshot.members:
        there = one.assignment or one.target
        if there is not None and one.process_id is not None:
            active, standby = found.setdefault(one.process_id, ([], []))
            active.append(there.active)
            standby.append(there.standby)
    return found


def _runs(members: _Shares, stateful: frozenset[str]) -> frozenset[Task]:
    return frozenset(task for role in members for share in role for task in stateful_tasks(share, stateful))


def _client(process: str, active: Mapping[Task, int], standby: Mapping[Task, int], changelogs: Changelogs) -> ClientRestore:
    both = {**active, **standby}
    sizes = {task: sizes for task in both if (sizes := changelogs[task].sizes) is not None}
    return ClientRestore(process, len(both), sum(both.values()), to_restore(sizes, both), len(active), sum(active.values()))
