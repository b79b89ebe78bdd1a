"""What a broker's log says of a streams group: who joined, left or was fenced, when targets were computed, and who runs what.

It is the coordinator's own account (`GroupMetadataManager`, level info), to the millisecond.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from holdfast.kafka.coordinator.streams.group import Task

_LINE = re.compile(
    r"^(\d\d):(\d\d):(\d\d\.\d{3}) .*\[GroupId (?P<group>[^\]]+)\](?:\[MemberId (?P<member>[^\]]+)\])? (?P<text>.*)$"
)
_TASK = re.compile(r"([^\s,\[\]]+)-(\d+)@\d+")
_STATE = re.compile(r"epoch=(\d+), previousEpoch=-?\d+, state=(\w+), assignedTasks=\(active=\[([^\]]*)\]")


class What(StrEnum):
    JOINED = "joined"
    LEFT = "left"
    FENCED = "fenced"
    TARGET = "target"
    ASSIGNED = "assigned"


@dataclass(frozen=True, slots=True)
class Entry:
    """`at`: seconds since midnight. `epoch`: of the target, or of the member. `active`: what it runs from now on; `stable`: whether
    that is all that its target gives it."""

    at: float
    what: What
    member: str = ""
    epoch: int = 0
    active: frozenset[Task] = frozenset()
    stable: bool = False


def entries(log: str, group_id: str) -> Iterator[Entry]:
    for line in log.splitlines():
        found = _LINE.match(line)
        if found is None or found["group"] != group_id:
            continue
        at = int(found[1]) * 3600 + int(found[2]) * 60 + float(found[3])
        member, text = found["member"] or "", found["text"]
        if text.startswith("Member joins"):
            yield Entry(at, What.JOINED, member)
        elif text.endswith("left the streams group."):
            yield Entry(at, What.LEFT, member)
        elif text.startswith("Streams member ") and " fenced " in text:
            yield Entry(at, What.FENCED, text.split()[2])
        elif text.startswith("Computed a new target assignment"):
            yield Entry(at, What.TARGET, member, int(text.split(" epoch ")[1].split()[0]))
        elif (state := _STATE.search(text)) is not None and text.startswith("Member's new assignment"):
            active = frozenset(Task(name, int(number)) for name, number in _TASK.findall(state[3]))
            yield Entry(at, What.ASSIGNED, member, int(state[1]), active, state[2] == "STABLE")


def stable_at(found: list[Entry], members: set[str]) -> float:
    """When the last of them had all that the last target gives it."""
    last = max(one.epoch for one in found if one.what is What.TARGET)
    times = {one.member: one.at for one in found if one.what is What.ASSIGNED and one.stable and one.epoch == last}
    assert set(times) >= members, f"{members - set(times)} never had what target {last} gives them"
    return max(times[one] for one in members)


def without_owner(found: list[Entry], before: dict[Task, str], ended: set[str], ended_at: float) -> dict[Task, float]:
    """Seconds for which each task had no owner. `before`: who ran what; `ended`: who ended without leaving, then."""
    owners = {task: member for task, member in before.items() if member not in ended}
    since = {task: ended_at for task, member in before.items() if member in ended}
    total: dict[Task, float] = {}
    for one in found:
        if one.member in ended:
            continue
        gone = one.active if one.what is What.ASSIGNED else frozenset()
        if one.what in (What.LEFT, What.ASSIGNED):
            for task in [task for task, member in owners.items() if member == one.member and task not in gone]:
                del owners[task]
                since[task] = one.at
        for task in one.active:
            owners[task] = one.member
            if task in since:
                total[task] = total.get(task, 0.0) + one.at - since.pop(task)
    assert not since, f"these tasks have no owner at the end: {since.keys()}"
    return total
