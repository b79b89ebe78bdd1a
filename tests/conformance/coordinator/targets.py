"""Streams groups as the coordinator's driver takes them, and what Holdfast makes of the same group."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

from tests.conformance.coordinator.random_targets import Case
from tests.conformance.streams.smaller import shrunk

from holdfast.kafka.coordinator.release import behaviour
from holdfast.kafka.coordinator.streams import sticky
from holdfast.kafka.coordinator.streams.group import Group, Member, Subtopology, Task, Tasks, tasks_of
from holdfast.workflows.deciding import assign_document


def group_of(case: Case, release: str) -> Group:
    return Group(
        release=release,
        members=tuple(
            Member(
                member_id=member["id"],
                process_id=member["process"],
                active=_tasks(member["active"]),
                standby=_tasks(member["standby"]),
                task_offsets=tuple(
                    (Task(name, int(number)), offset)
                    for name, offsets in member["offsets"].items()
                    for number, offset in offsets.items()
                ),
            )
            for member in case["members"]
        ),
        subtopologies=tuple(Subtopology(*each) for each in case["subtopologies"]),
        num_standby_replicas=case["standbys"],
    )


def _tasks(tasks: dict[str, list[int]]) -> Tasks:
    return tuple((name, tuple(numbers)) for name, numbers in tasks.items())


def ours(case: Case, release: str) -> Case:
    """Holdfast's answer in the driver's form."""
    return {
        member.member_id: {
            "active": {name: list(numbers) for name, numbers in member.active},
            "standby": {name: list(numbers) for name, numbers in member.standby},
            "warmup": {},
        }
        for member in sticky.assign(group_of(case, release)).members
    }


def snapshot_of(case: Case, release: str) -> Case:
    """The same group as a Snapshot's JSON. Both assignments are filled: the one that does not count, with nothing."""
    counts = "assignment" if behaviour(release).sticks_to_current else "target"
    members = {
        member["id"]: {
            "process_id": member["process"],
            "assignment": {"active": []},
            "target": {"active": []},
            counts: {role: _names(member[role]) for role in ("active", "standby", "warmup")},
            "task_offsets": {
                f"{name}_{number}": offset for name, offsets in member["offsets"].items() for number, offset in offsets.items()
            },
        }
        for member in case["members"]
    }
    return {
        "format_version": "1.0",
        "group_id": "shop",
        "protocol": "streams",
        "broker_release": release,
        "config": {"streams.num.standby.replicas": case["standbys"]},
        "topology": {
            "epoch": 0,
            "subtopologies": {
                name: {"source_topics": [f"input-{name}"], "changelog_topics": [f"store-{name}-changelog"] if stateful else []}
                for name, _, stateful in case["subtopologies"]
            },
        },
        "topics": {
            f"input-{name}": {"partitions": [{"id": number} for number in range(count)]} for name, count, _ in case["subtopologies"]
        },
        "members": members,
    }


def _names(tasks: dict[str, list[int]]) -> list[str]:
    return [f"{name}_{number}" for name, numbers in tasks.items() for number in numbers]


def answered(case: Case, release: str) -> Case:
    """What `holdfast assign` answers, in the driver's form."""
    answer = assign_document(json.loads(json.dumps(snapshot_of(case, release))), None, ())
    assert (answer["assignor"], answer["undetermined_tasks"]) == ("sticky", [])
    members: Any = answer["members"]
    return {
        member: {role: {name: list(numbers) for name, numbers in tasks_of(map(Task.parse, given[role]))} for role in given}
        for member, given in members.items()
    }


def difference(case: Case, release: str, theirs: Case) -> str:
    """What differs, a line each; empty if nothing does."""
    own = ours(case, release)
    assert own == answered(case, release), "a Snapshot is answered as the group is"
    if "error" in theirs:
        return f"Kafka: {theirs['error']}\nours: {own}"
    return "\n".join(
        f"{member}: Kafka {theirs.get(member)}, ours {own.get(member)}"
        for member in sorted(theirs.keys() | own.keys())
        if theirs.get(member) != own.get(member)
    )


def smaller(case: Case, differs: Callable[[Case], bool]) -> Case:
    """A small group that still differs."""
    return shrunk(case, differs, _without_one_part)


def _without_one_part(case: Case) -> Iterator[Case]:
    members = case["members"]
    for number in range(len(members)):
        if len(members) > 1:
            yield case | {"members": members[:number] + members[number + 1 :]}
    for number, (_, count, _) in enumerate(case["subtopologies"]):
        if len(case["subtopologies"]) > 1:
            yield case | {"subtopologies": case["subtopologies"][:number] + case["subtopologies"][number + 1 :]}
        for less in sorted({count // 2, count - 1} - {0}):
            candidate = copy.deepcopy(case)
            candidate["subtopologies"][number][1] = less
            yield candidate
    if case["standbys"]:
        yield case | {"standbys": case["standbys"] - 1}
    for number, member in enumerate(members):
        for key in ("active", "standby", "warmup", "offsets"):
            for name in member[key]:
                less_of_it = {other: value for other, value in member[key].items() if other != name}
                yield case | {"members": [*members[:number], member | {key: less_of_it}, *members[number + 1 :]]}
