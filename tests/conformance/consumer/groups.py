"""Consumer groups as the JVM driver takes them, and what Holdfast makes of the same group."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

from tests.conformance.streams.smaller import shrunk

from holdfast.kafka.consumer import leader
from holdfast.kafka.consumer.group import Assignor, Group, LeaderFailure, Member, Topic
from holdfast.kafka.consumer.release import behaviour
from holdfast.kafka.vocabulary import TopicPartition

Case = dict[str, Any]


def question(case: Case, release: str, ask: str = "assign") -> Case:
    """For the driver: whether this release's leader checks its own cooperative assignment is the table's to say.

    The first member leads.
    """
    cooperative = set(case["members"][0]["assignors"]) == {"cooperative-sticky"}
    return case | {"ask": ask, "checked": cooperative and behaviour(release).leader_checks_cooperative}


def group_of(case: Case, release: str) -> Group:
    return Group(
        release=release,
        members=tuple(
            Member(
                member_id=member["id"],
                assignors=tuple(map(Assignor, member["assignors"])),
                subscription=tuple(member["subscription"]),
                owned=tuple(TopicPartition(*one) for one in member["owned"]),
                owned_generation=member["generation"],
                group_instance_id=member.get("instance"),
                rack=member.get("rack"),
            )
            for member in case["members"]
        ),
        topics=tuple(Topic(name, tuple(map(tuple, racks))) for name, racks in case["topics"].items()),
        leader_member_id=case["members"][0]["id"],
    )


def snapshot_of(case: Case, release: str) -> Case:
    """The same group as a Snapshot's JSON."""
    return {
        "format_version": "1.0",
        "group_id": "plain",
        "protocol": "consumer-classic",
        "kafka_release": release,
        "leader_member_id": case["members"][0]["id"],
        "consumers": {
            member["id"]: {
                "group_instance_id": member.get("instance"),
                "rack": member.get("rack"),
                "assignors": member["assignors"],
                "subscription": member["subscription"],
                "owned": member["owned"],
                "owned_generation": member["generation"],
            }
            for member in case["members"]
        },
        "topics": {
            name: {"partitions": [{"id": number, "replica_racks": one} for number, one in enumerate(racks)]}
            for name, racks in case["topics"].items()
        },
    }


def ours(case: Case, release: str) -> Case:
    """Holdfast's answer in the driver's form."""
    decision = leader.assign(group_of(case, release))
    if isinstance(decision, LeaderFailure):
        return {"error": decision.error}
    assert decision.assignor == case["assignor"]
    return {
        member.member_id: {
            "partitions": [list(one) for one in member.partitions],
            "withheld": [list(one) for one in member.withheld],
        }
        for member in decision.members
    }


def difference(case: Case, release: str, theirs: Case) -> str:
    """What differs, a line each; empty if nothing does. The text of an exception is Kafka's own affair."""
    own = ours(case, release)
    if "error" in theirs or "error" in own:
        said = [answer.get("error", "an assignment") for answer in (theirs, own)]
        return "" if said[0].partition(":")[0] == said[1].partition(":")[0] else f"Kafka: {said[0]}\nours:  {said[1]}"
    ordered = "sticky" in case["assignor"]
    lines = []
    for member in sorted(theirs.keys() | own.keys()):
        for key in ("partitions", "withheld"):
            kafka, holdfast = theirs[member][key], own[member][key]
            if kafka != holdfast and (ordered or sorted(kafka) != sorted(holdfast)):
                lines.append(f"{member} {key}: Kafka {kafka}, ours {holdfast}")
    return "\n".join(lines)


def smaller(case: Case, differs: Callable[[Case], bool]) -> Case:
    """A small group of consumers that still differs."""
    return shrunk(case, differs, without_one_part)


def without_one_part(case: Case) -> Iterator[Case]:
    members = case["members"]
    for number in range(len(members)):
        if len(members) > 1:
            yield case | {"members": members[:number] + members[number + 1 :]}
    yield from _with_smaller_topics(case)
    for number, member in enumerate(members):
        yield from _with_a_smaller_member(case, number, member)


def _with_smaller_topics(case: Case) -> Iterator[Case]:
    for topic, racks in case["topics"].items():
        yield case | {"topics": {name: value for name, value in case["topics"].items() if name != topic}}
        for less in sorted({len(racks) // 2, len(racks) - 1} - {0}):
            yield case | {"topics": case["topics"] | {topic: racks[:less]}}
        if any(racks):
            yield case | {"topics": case["topics"] | {topic: [[] for _ in racks]}}


def _with_a_smaller_member(case: Case, number: int, member: Case) -> Iterator[Case]:
    for key in ("rack", "instance"):
        if key in member:
            yield _with(case, number, {name: value for name, value in member.items() if name != key})
    if len(member["owned"]) > 2:
        yield _with(case, number, member | {"owned": []})
    for key in ("owned", "subscription"):
        for place in range(len(member[key])):
            smaller_member = copy.deepcopy(member)
            del smaller_member[key][place]
            yield _with(case, number, smaller_member)
    if member["generation"] is not None:
        yield _with(case, number, member | {"generation": None})


def _with(case: Case, number: int, member: Case) -> Case:
    return case | {"members": [*case["members"][:number], member, *case["members"][number + 1 :]]}
