"""What members have after a target where some send no heartbeats: these give up nothing, and no other member gets it.

From 4.4 on that is what the assignor sticks to (`CurrentAssignmentBuilder` of 4.4.0).
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from holdfast.kafka.coordinator.streams.group import MemberTarget, Task, Tasks, each_task, tasks_of

Had = Mapping[str, MemberTarget]
"""What each member has."""


def held(
    target: Iterable[MemberTarget], had: Had, processes: Mapping[str, str], silent: AbstractSet[str]
) -> tuple[MemberTarget, ...]:
    """`had`: before the target; `processes`: of its members; `silent`: of them those that send no heartbeats.

    An active task is free once no member runs it and no other thread of the process has a copy; a standby task once no other thread
    of the process has it in any role. Who had a copy of a task keeps it until the task is free for it.
    """
    if not silent:
        return tuple(target)
    kept = {one: had.get(one, MemberTarget(one, (), ())) for one in silent}
    runs = {task for one in kept.values() for task in each_task(one.active)}
    of_process = _of_process(kept, processes)
    return tuple(
        kept[one.member_id]
        if one.member_id in kept
        else _reconciled(one, had.get(one.member_id), runs, of_process.get(processes[one.member_id], _NOTHING))
        for one in target
    )


_NOTHING: tuple[frozenset[Task], frozenset[Task]] = frozenset(), frozenset()


def _of_process(
    kept: Mapping[str, MemberTarget], processes: Mapping[str, str]
) -> dict[str, tuple[frozenset[Task], frozenset[Task]]]:
    """The active and the standby tasks that silent threads of each process have."""
    found: dict[str, tuple[frozenset[Task], frozenset[Task]]] = {}
    for name, one in kept.items():
        active, standby = found.get(processes[name], _NOTHING)
        found[processes[name]] = active.union(each_task(one.active)), standby.union(each_task(one.standby))
    return found


def _reconciled(
    given: MemberTarget,
    before: MemberTarget | None,
    runs: AbstractSet[Task],
    in_process: tuple[frozenset[Task], frozenset[Task]],
) -> MemberTarget:
    ran, copied = (_tasks(before.active), _tasks(before.standby)) if before is not None else _NOTHING
    active, standby = _tasks(given.active), _tasks(given.standby)
    has = frozenset(task for task in active if task in ran or not (task in runs or task in in_process[1]))
    copies = {task for task in standby if task in copied or task not in in_process[0] | in_process[1]}
    copies |= (active - has) & copied
    return MemberTarget(given.member_id, tasks_of(has), tasks_of(copies))


def _tasks(tasks: Tasks) -> frozenset[Task]:
    return frozenset(each_task(tasks))
