"""Groups as the JVM driver takes them, what Holdfast makes of the same group, and how to make a differing one small."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

from holdfast.kafka.streams import config as assignor_config
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.group import Assignment, Changelog, Client, Consumer, Group, LeaderFailure, Task
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition

Case = dict[str, Any]


def group_of(case: Case, release: str) -> Group:
    return Group(
        release=release,
        config=assignor_config.read(release, case["config"]),
        tasks=tuple(_tasks(case)),
        clients=tuple(_clients(case)),
        leader_process_id=ProcessId.parse(case["leader"]),
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
        yield Client(ProcessId.parse(process), tuple(_consumer(member) for member in own), client_tags=tags)


def _consumer(member: Case) -> Consumer:
    return Consumer(
        member_id=member["id"],
        client_id="",
        owned=tuple(TopicPartition(topic, partition) for topic, partition in member["owned"]),
        task_offset_sums=tuple((TaskId.parse(task), offsets) for task, offsets in member["sums"].items()),
        metadata_version=member.get("version"),
    )


def ours(case: Case, release: str) -> Case:
    """Holdfast's answer in the driver's form."""
    decision = leader.assign(group_of(case, release))
    if isinstance(decision, LeaderFailure):
        return {"error": decision.error}
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
    own = ours(case, release)
    if "error" in theirs or "error" in own:
        kinds = [answer.get("error", "an assignment").partition(":")[0] for answer in (theirs, own)]
        return "" if kinds[0] == kinds[1] else f"Kafka: {theirs.get('error', 'an assignment')}\nours:  {own.get('error', kinds[1])}"
    lines = []
    fell_back = "probing" not in theirs  # the fallback assignor is out of the driver's sight: only the wire can be compared
    if not fell_back and theirs["probing"] != own["probing"]:
        lines.append(f"probing: Kafka {theirs['probing']}, ours {own['probing']}")
    for level in ("consumers",) if fell_back else ("clients", "consumers"):
        for name in sorted(theirs[level].keys() | own[level].keys()):
            kafka, holdfast = theirs[level].get(name, {}), own[level].get(name, {})
            lines += [
                f"{name} {key}: Kafka {value}, ours {holdfast.get(key)}"
                for key, value in kafka.items()
                if value is not None and value != holdfast.get(key)
            ]
    return "\n".join(lines)


def smaller(case: Case, differs: Callable[[Case], bool]) -> Case:
    """A small case that still differs: parts are left out one after the other as long as it does."""
    shrinking = True
    while shrinking:
        shrinking = False
        for candidate in _without_one_part(case):
            if differs(candidate):
                case, shrinking = candidate, True
                break
    return case


def _without_one_part(case: Case) -> Iterator[Case]:
    for process in dict.fromkeys(member["process"] for member in case["members"]):
        kept = [member for member in case["members"] if member["process"] != process]
        if kept:
            yield case | {"members": kept, "leader": case["leader"] if case["leader"] != process else kept[0]["process"]}
    if len(case["subtopologies"]) > 1:
        yield case | {"subtopologies": case["subtopologies"][:-1]}
    for number in range(len(case["members"])):
        yield from _with_a_smaller_member(case, number)
    for number, subtopology in enumerate(case["subtopologies"]):
        for source, (_, count) in enumerate(subtopology["sources"]):
            if count > 1:
                candidate = copy.deepcopy(case)
                candidate["subtopologies"][number]["sources"][source][1] -= 1
                yield candidate
    for key in case["config"]:
        if key.startswith("client.tag."):
            continue  # without it Kafka refuses the setting, which is another difference than the one to be shown
        yield case | {"config": {name: value for name, value in case["config"].items() if name != key}}


def _with_a_smaller_member(case: Case, number: int) -> Iterator[Case]:
    member = case["members"][number]
    others = case["members"][:number] + case["members"][number + 1 :]
    if any(other["process"] == member["process"] for other in others):
        yield case | {"members": others}
    for owned in member["owned"]:
        candidate = copy.deepcopy(case)
        candidate["members"][number]["owned"].remove(owned)
        yield candidate
    for task in member["sums"]:
        candidate = copy.deepcopy(case)
        del candidate["members"][number]["sums"][task]
        yield candidate
