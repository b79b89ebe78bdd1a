"""Holdfast's decision and the recorded one, compared task by task: what went over the wire to each member."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from holdfast.kafka.streams.group import Assignment, Group, LeaderFailure, NextRebalance
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.backtest.judged import Role, TaskDifference
from holdfast.rollout.streams.snapshot.replay import Decision

_Handed = tuple[tuple[TaskId, ...], tuple[TaskId, ...], NextRebalance]


@dataclass(frozen=True, slots=True)
class Recorded:
    """The recorded decision: by member, what it was handed."""

    error_code: int
    members: Mapping[str, _Handed]

    @classmethod
    def of(cls, decision: Decision) -> "Recorded":
        handed = {one.member_id: (one.active, one.standby, one.next_rebalance) for one in decision.members}
        return cls(decision.error_code, handed)


def equal(answer: Assignment | LeaderFailure, recorded: Recorded) -> bool:
    """Whether all of it is the same on the wire. A decision that is not determined equals none."""
    if isinstance(answer, LeaderFailure):
        return recorded.error_code != 0 and answer.error_code == recorded.error_code
    if recorded.error_code or answer.undetermined_tasks or len(answer.consumers) != len(recorded.members):
        return False
    of = recorded.members
    return all(of.get(one.member_id) == (one.active, one.standby, one.next_rebalance) for one in answer.consumers)


def possible(answer: Assignment | LeaderFailure, recorded: Recorded) -> bool:
    """Whether the recorded decision is one of those that the answer leaves open."""
    if isinstance(answer, LeaderFailure) or recorded.error_code or len(answer.consumers) != len(recorded.members):
        return equal(answer, recorded)
    active: dict[str, set[TaskId]] = {}
    standby: dict[str, set[TaskId]] = {}
    for task in answer.undetermined_tasks:
        for member in (*task.active_consumers, *task.withheld_consumers):
            active.setdefault(member, set()).add(task.id)
        for member in (*task.standby_consumers, *task.withheld_consumers):
            standby.setdefault(member, set()).add(task.id)
    for one in answer.consumers:
        found = recorded.members.get(one.member_id)
        if found is None or (one.next_rebalance not in (NextRebalance.UNKNOWN, found[2])):
            return False
        if not _between(one.active, found[0], active.get(one.member_id)):
            return False
        if not _between(one.standby, found[1], standby.get(one.member_id)):
            return False
    return True


def _between(certain: tuple[TaskId, ...], found: tuple[TaskId, ...], more: set[TaskId] | None) -> bool:
    if more is None:
        return certain == found
    return set(certain) <= set(found) and set(found) - set(certain) <= more


def differing_tasks(answer: Assignment | LeaderFailure, recorded: Recorded) -> tuple[TaskId, ...]:
    """The tasks that some member has in one decision only."""
    if isinstance(answer, LeaderFailure):
        return tuple(sorted({task for handed in recorded.members.values() for task in (*handed[0], *handed[1])}))
    found: set[TaskId] = set()
    for one in answer.consumers:
        active, standby, _ = recorded.members.get(one.member_id, ((), (), NextRebalance.NONE))
        if active != one.active:
            found.update(set(active) ^ set(one.active))
        if standby != one.standby:
            found.update(set(standby) ^ set(one.standby))
    return tuple(sorted(found))


def same_clients(answer: Assignment | LeaderFailure, recorded: Recorded, group: Group) -> bool:
    """Whether every client has the same tasks, whatever its threads have."""
    if isinstance(answer, LeaderFailure) or recorded.error_code:
        return False
    client_of = {one.member_id: client.process_id for client in group.clients for one in client.consumers}
    mine = {one.member_id: (one.active, one.standby, one.next_rebalance) for one in answer.consumers}
    return _by_client(mine, client_of) == _by_client(recorded.members, client_of)


def _by_client(
    members: Mapping[str, _Handed], client_of: Mapping[str, ProcessId]
) -> dict[ProcessId | None, tuple[tuple[TaskId, ...], tuple[TaskId, ...]]]:
    found: dict[ProcessId | None, tuple[list[TaskId], list[TaskId]]] = {}
    for member, (active, standby, _) in members.items():
        one = found.setdefault(client_of.get(member), ([], []))
        one[0].extend(active)
        one[1].extend(standby)
    return {client: (tuple(sorted(active)), tuple(sorted(standby))) for client, (active, standby) in found.items()}


def differences(answer: Assignment | LeaderFailure, recorded: Recorded) -> tuple[TaskDifference, ...]:
    """By task and role, which members have it in each of the two decisions; and the members whose next rebalance differs."""
    if isinstance(answer, LeaderFailure) or recorded.error_code:
        code = answer.error_code if isinstance(answer, LeaderFailure) else 0
        return (TaskDifference("", Role.ERROR, (str(code or 0),), (str(recorded.error_code),)),)
    found: list[TaskDifference] = []
    mine = {one.member_id: (one.active, one.standby, one.next_rebalance) for one in answer.consumers}
    for role, index in ((Role.ACTIVE, 0), (Role.STANDBY, 1)):
        here, there = _holders(mine, index), _holders(recorded.members, index)
        found += [
            TaskDifference(str(task), role, here.get(task, ()), there.get(task, ()))
            for task in sorted({*here, *there})
            if here.get(task, ()) != there.get(task, ())
        ]
    for kind in (NextRebalance.IMMEDIATE, NextRebalance.PROBING):
        here_asked, there_asked = _asked(mine, kind), _asked(recorded.members, kind)
        if here_asked != there_asked:
            found.append(TaskDifference(kind.value, Role.NEXT_REBALANCE, here_asked, there_asked))
    return tuple(found)


def _holders(members: Mapping[str, _Handed], index: int) -> dict[TaskId, tuple[str, ...]]:
    found: dict[TaskId, list[str]] = {}
    for member, handed in members.items():
        tasks: Iterable[TaskId] = handed[0] if index == 0 else handed[1]
        for task in tasks:
            found.setdefault(task, []).append(member)
    return {task: tuple(sorted(holders)) for task, holders in found.items()}


def _asked(members: Mapping[str, _Handed], kind: NextRebalance) -> tuple[str, ...]:
    return tuple(sorted(member for member, handed in members.items() if handed[2] is kind))
