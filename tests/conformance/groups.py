"""Groups as the JVM driver takes them, and what Holdfast makes of the same group."""

from collections.abc import Iterator
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
        replica_racks=tuple(
            (TopicPartition(topic, number), tuple(racks))
            for topic, partitions in case.get("replicas", {}).items()
            for number, racks in enumerate(partitions)
        ),
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
    return between(theirs, ours(case, release))


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
    """An exception by its class, an error by the code that everybody is sent, or an assignment."""
    if "error" in answer:
        return answer["error"].partition(":")[0]
    if "error_code" in answer:
        return f"error code {answer['error_code']}"
    codes = {consumer["code"] for consumer in answer["consumers"].values()}
    return "an assignment" if codes == {0} else f"error code {', '.join(map(str, sorted(codes)))}"
