"""Groups as the JVM driver takes them, and what Holdfast makes of the same group."""

import contextlib
import uuid
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from holdfast.errors import CannotPredict
from holdfast.kafka.release import behaviour
from holdfast.kafka.streams import config as assignor_config
from holdfast.kafka.streams import leader, version_probing
from holdfast.kafka.streams.group import About, Assignment, Changelog, Client, Consumer, Group, LeaderFailure, NextRebalance, Task
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition

Case = dict[str, Any]


def group_of(case: Case, release: str) -> Group:
    return Group(
        release=release,
        config=assignor_config.read(release, case["config"]),
        tasks=tuple(_tasks(case)),
        clients=tuple(_clients(case)),
        leader_process_id=ProcessId.parse(case["leader"]),
        replica_racks=tuple(
            (TopicPartition(topic, number), tuple(racks))
            for topic, partitions in case.get("replicas", {}).items()
            for number, racks in enumerate(partitions)
        ),
        missing_topics=tuple(case.get("missing", ())),
    )


def tasks_of(subtopologies: list[dict[str, Any]]) -> Iterator[tuple[str, list[list[Any]], list[str]]]:
    """Task ID, source partitions and changelog topics of every task, as Kafka's partition grouper makes them."""
    for number, subtopology in enumerate(subtopologies):
        for partition in range(max(count for _, count in subtopology["sources"])):
            sources = [[topic, partition] for topic, count in subtopology["sources"] if partition < count]
            yield f"{number}_{partition}", sources, [f"app-{store}-changelog" for store in subtopology["stores"]]


def _tasks(case: Case) -> Iterator[Task]:
    for task, sources, changelogs in tasks_of(case["subtopologies"]):
        task_id = TaskId.parse(task)
        yield Task(
            task_id,
            tuple(TopicPartition(topic, partition) for topic, partition in sources),
            tuple(Changelog(topic, task_id.partition, case["ends"][topic][task_id.partition]) for topic in changelogs),
        )


def _clients(case: Case) -> Iterator[Client]:
    members: dict[str, list[Case]] = {}
    for member in case["members"]:
        members.setdefault(member["process"], []).append(member)
    for process, own in members.items():
        tags = tuple(own[0].get("tags", {}).items())
        yield Client(
            ProcessId.parse(process), tuple(_consumer(member) for member in own), rack=own[0].get("rack"), client_tags=tags
        )


def _consumer(member: Case) -> Consumer:
    return Consumer(
        member_id=member["id"],
        client_id="",
        owned=tuple(TopicPartition(topic, partition) for topic, partition in member["owned"]),
        task_offset_sums=tuple((TaskId.parse(task), offsets) for task, offsets in member["sums"].items()),
        metadata_version=member.get("version"),
        error_code=member.get("code", 0),
    )


@lru_cache(maxsize=1)
def decided(group: Group) -> Assignment | LeaderFailure:
    """`leader.assign`, once for all that ask about the same group: with newer members it decides for every place of a random ID."""
    return leader.assign(group)


def ours(case: Case, release: str) -> Case:
    """Holdfast's answer in the driver's form."""
    decision = leader.assign(group_of(case, release))
    if isinstance(decision, LeaderFailure):
        return {"error": decision.error} if decision.error_code is None else {"error_code": decision.error_code}
    return as_answer(decision)


def as_answer(decision: Assignment) -> Case:
    def names(tasks: tuple[TaskId, ...]) -> list[str]:
        return sorted(str(task) for task in tasks)

    return {
        "probing": decision.probing_rebalance_needed,
        "clients": {
            str(client.process_id): {"active": names(client.active), "standby": names(client.standby)}
            for client in decision.clients
        },
        "consumers": {
            consumer.member_id: {
                "active": names(consumer.active),
                "standby": names(consumer.standby),
                "withheld": names(consumer.withheld),
                "next": str(consumer.next_rebalance),
                "code": 0,
            }
            for consumer in decision.consumers
        },
    }


def difference(case: Case, release: str, theirs: Case) -> str:
    """What differs, a line each; empty if nothing does. The text of an exception is Kafka's own affair."""
    group = group_of(case, release)
    if version_probing.any_newer(group, behaviour(release)):
        return _beside_newer_members(group, theirs)
    return between(theirs, ours(case, release))


def _beside_newer_members(group: Group, theirs: Case) -> str:
    """The same decision with the random ID that the leader had, and no contradiction to what is certain without knowing it."""
    line = behaviour(group.release)
    decision: Assignment | LeaderFailure | None = None
    with contextlib.suppress(CannotPredict):  # too many places of the ID: the decision with the leader's own is compared
        decision = decided(group)
    if _kind(theirs) != "an assignment":
        if decision is None:  # the ID that the leader had does not show: one with which it fails as Kafka did
            tried = [leader.assign(version_probing.booked(group, line, ProcessId.of(uuid.uuid4()))) for _ in range(50)]
            decision = next((one for one in tried if isinstance(one, LeaderFailure)), tried[0])
        return "\n".join(contradictions(decision, theirs))
    known = set(map(str, version_probing.older_clients(group, line)))
    (dummy,) = theirs["clients"].keys() - known
    own = leader.assign(version_probing.booked(group, line, ProcessId.parse(dummy)))
    if isinstance(own, LeaderFailure) or (different := between(theirs, as_answer(own))):
        return f"{own.error}: Kafka assigns" if isinstance(own, LeaderFailure) else different
    told = version_probing.as_it_is(own, group, line)
    client_of = {consumer.member_id: client.process_id for client in group.clients for consumer in client.consumers}
    return "" if decision is None else "\n".join(contradictions(decision, as_answer(told), client_of))


def between(theirs: Case, own: Case) -> str:
    """The same, of two answers."""
    kinds = [_kind(answer) for answer in (theirs, own)]
    if kinds[0] != kinds[1]:
        said = [answer.get("error", kind) for answer, kind in zip((theirs, own), kinds, strict=True)]
        return f"Kafka: {said[0]}\nours:  {said[1]}"
    if kinds[0] != "an assignment":
        return ""
    lines = []
    if theirs["probing"] != own["probing"]:
        lines.append(f"probing: Kafka {theirs['probing']}, ours {own['probing']}")
    for level in ("clients", "consumers"):
        for name in sorted(theirs[level].keys() | own[level].keys()):
            kafka, holdfast = theirs[level].get(name, {}), own[level].get(name, {})
            lines += [
                f"{name} {key}: Kafka {value}, ours {holdfast.get(key)}"
                for key, value in kafka.items()
                if value is not None and value != holdfast.get(key)
            ]
    return "\n".join(lines)


def _kind(answer: Case) -> str:
    """An exception by its class, an error by the code that all members are sent, or an assignment."""
    if "error" in answer:
        return answer["error"].partition(":")[0]
    if "error_code" in answer:
        return f"error code {answer['error_code']}"
    codes = {consumer["code"] for consumer in answer["consumers"].values()}
    return "an assignment" if codes == {0} else f"error code {', '.join(map(str, sorted(codes)))}"


def contradictions(
    decision: Assignment | LeaderFailure, answer: Case, client_of: Mapping[str, ProcessId] | None = None
) -> list[str]:
    """Where Kafka's answer is none that Holdfast permits. `client_of`: by member, where active tasks may be uncertain."""
    if isinstance(decision, LeaderFailure):
        own = {"error": decision.error} if decision.error_code is None else {"error_code": decision.error_code}
        difference = between(answer, own)
        return [difference] if difference else []
    if "error" in answer:
        return [f"Kafka: {answer['error']}"]
    may = places(decision, client_of or {})
    either = any(one.about is About.PROBING for one in decision.undetermined)
    found = []
    if answer["probing"] != decision.probing_rebalance_needed and not (either and decision.probing_rebalance_needed):
        found.append(f"probing: Kafka {answer['probing']}")
    own = as_answer(decision)
    roles = {"clients": ("active", "standby"), "consumers": ("active", "standby", "withheld")}
    for level, role in ((level, role) for level, own_roles in roles.items() for role in own_roles):
        assert own[level].keys() == answer[level].keys()
        for name, given in answer[level].items():
            if given[role] is None:
                continue
            certain, theirs = set(own[level][name][role]), set(given[role])
            if not certain <= theirs <= certain | may.get((level, name, role), set()):
                found.append(f"{name} {role}: Kafka {sorted(theirs)}, certain {sorted(certain)}")
    for name, given in answer["consumers"].items():
        allowed = {own["consumers"][name]["next"]}
        if NextRebalance.UNKNOWN in allowed:
            allowed |= {"none", "immediate"} | ({"probing"} if decision.probing_rebalance_needed else set())
        if given["next"] not in allowed or given["code"] != 0:
            found.append(f"{name} next: Kafka {given['next']}, ours {sorted(allowed)}; code {given['code']}")
    return found


def places(decision: Assignment, client_of: Mapping[str, ProcessId]) -> dict[tuple[str, str, str], set[str]]:
    """What may be where, by level, name and role."""
    found: dict[tuple[str, str, str], set[str]] = {}
    for task in decision.undetermined_tasks:
        named = [
            *(("clients", str(process_id), "standby") for process_id in task.standby_clients),
            *(("consumers", member, "active") for member in task.active_consumers),
            *(("consumers", member, "standby") for member in task.standby_consumers),
            *(("consumers", member, "withheld") for member in task.withheld_consumers),
            *(
                ("clients", str(client_of[member]), "active")
                for member in (*task.active_consumers, *task.withheld_consumers)
                if member in client_of
            ),
        ]
        for place in named:
            found.setdefault(place, set()).add(str(task.id))
    return found


def case_of(group: Group, case: Case) -> Case:
    """What the members report in `group`, as the JVM driver takes it."""
    members = [
        {
            "id": consumer.member_id,
            "process": str(client.process_id),
            "owned": [list(one) for one in consumer.owned],
            "sums": {str(task): total for task, total in consumer.task_offset_sums},
        }
        | ({"version": consumer.metadata_version} if consumer.metadata_version is not None else {})
        | ({"tags": dict(client.client_tags)} if client.client_tags else {})
        for client in group.clients
        for consumer in client.consumers
    ]
    return case | {"members": members, "leader": str(group.leader_process_id)}
