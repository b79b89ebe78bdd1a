"""How far copies are behind, and so who could run a task at once, and which tasks have to wait at their targets.

Looked at again only for tasks whose reports have changed since the decision before.
"""

from holdfast.kafka.streams.compiled.arrays import ABSENT, LATEST, NONE, Facts, Reported, Rooms
from holdfast.kafka.streams.compiled.jit import compiled, inlined

_LONG_MAX = 2**63 - 1


@inlined
def lag(facts: Facts, reported: Reported, client: int, task: int) -> int:
    """How far the client's copy is behind; the end-offset sum without one. As `Topology.lag`."""
    return _lag_of(facts, task, reported.sums[client, task])


@inlined
def _lag_of(facts: Facts, task: int, total: int) -> int:
    end = facts.ends[task]
    if total == ABSENT:
        return int(end)
    if total < 0:
        return int(total)
    return int(end if end < total else end - total)


@inlined
def _acceptable(facts: Facts, behind: int) -> bool:
    return bool(behind == LATEST or facts.acceptable_lag == _LONG_MAX or 0 <= behind <= facts.acceptable_lag)


@inlined
def is_as_good(facts: Facts, task: int, one: int, other: int) -> bool:
    """Whether a copy with one sum of offsets decides as one with the other: `decide` asks only whether a copy is caught up, and how
    far behind one is that is not."""
    first, second = _lag_of(facts, task, one), _lag_of(facts, task, other)
    return bool(first == second or (_acceptable(facts, first) and _acceptable(facts, second)))


@compiled
def list_targets(facts: Facts, rooms: Rooms) -> None:
    """How many tasks and standbys each client has in the target; and its stateful tasks, client after client, ascending."""
    end = rooms.by_client_end
    for client in range(len(facts.members)):
        rooms.target_actives[client] = 0
        rooms.target_standbys[client] = 0
    for number in range(len(facts.stateful_tasks)):
        task = facts.stateful_tasks[number]
        rooms.target_actives[facts.target[task]] += 1
        for at in range(facts.target_standbys.shape[1]):
            if facts.target_standbys[task, at] != NONE:
                rooms.target_standbys[facts.target_standbys[task, at]] += 1
    total = 0
    for client in range(len(facts.members)):
        end[client] = total
        total += rooms.target_actives[client]
    for number in range(len(facts.stateful_tasks)):
        task = facts.stateful_tasks[number]
        rooms.by_target[end[facts.target[task]]] = task
        end[facts.target[task]] += 1


@compiled
def look_at_changed(facts: Facts, reported: Reported, rooms: Rooms) -> None:
    """Of the tasks whose reports have changed: who is caught up, and whether they have to wait at their targets."""
    for number in range(len(facts.stateful_tasks)):
        task = facts.stateful_tasks[number]
        if not reported.changed[task]:
            continue
        reported.changed[task] = 0
        _list_caught_up(facts, reported, rooms, task)
        rooms.waits[task] = has_to_wait(facts, reported, rooms, facts.target[task], task)
        for at in range(facts.target_standbys.shape[1]):
            client = facts.target_standbys[task, at]
            if client != NONE:
                rooms.standby_waits[task, at] = has_to_wait(facts, reported, rooms, client, task)


@inlined
def _list_caught_up(facts: Facts, reported: Reported, rooms: Rooms, task: int) -> None:
    found = 0
    if _acceptable(facts, facts.ends[task]):
        for client in range(len(facts.members)):
            if _acceptable(facts, lag(facts, reported, client, task)):
                rooms.caught_up[task, found] = client
                found += 1
    else:
        for at in range(reported.reporter_counts[task]):
            client = reported.reporters[task, at]
            if _acceptable(facts, lag(facts, reported, client, task)):
                rooms.caught_up[task, found] = client
                found += 1
    rooms.caught_up_counts[task] = found


@inlined
def _least_lag(facts: Facts, reported: Reported, task: int) -> int:
    reporters = reported.reporter_counts[task]
    least = int(facts.ends[task])
    if reporters == len(facts.members):
        least = lag(facts, reported, reported.reporters[task, 0], task)
    for at in range(reporters):
        least = min(least, lag(facts, reported, reported.reporters[task, at], task))
    return least


@inlined
def has_to_wait(facts: Facts, reported: Reported, rooms: Rooms, client: int, task: int) -> int:
    """Whether the task cannot be at its target yet: then how many clients are caught up, else `NONE`."""
    if not reported.reporter_counts[task]:
        return NONE  # all clients lag equally on a task that none reports
    behind = lag(facts, reported, client, task)
    if _acceptable(facts, behind):
        return NONE
    count = int(rooms.caught_up_counts[task])
    if facts.moves_to_most_caught_up and not (count and behind > 0):  # else it is behind those that are caught up
        return count if _least_lag(facts, reported, task) < behind else NONE
    if count == 0:
        return NONE
    return count
