"""Consumer groups as the coordinator's driver takes them, and what Holdfast makes of the same group."""

import base64
import copy
import json
from collections.abc import Callable, Iterator

from tests.conformance.coordinator.consumer.random_groups import Case
from tests.conformance.streams.smaller import shrunk

from holdfast.errors import CannotPredict
from holdfast.kafka.coordinator.consumer import target, topic_regex
from holdfast.kafka.coordinator.consumer.group import Assignor, Group, Member, Topic, by_topic
from holdfast.kafka.coordinator.consumer.hash_tables import UNTIL_18
from holdfast.kafka.coordinator.consumer.subscriptions import Subscriptions
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.workflows.deciding import assign_text

THROWS = {"error": "the assignor throws"}


def group_of(case: Case, release: str) -> Group:
    names = [name for name, _, _ in case["topics"]]
    regexes = dict.fromkeys(member["regex"] for member in case["members"] if member.get("regex"))
    return Group(
        release=release,
        assignor=Assignor(case["assignor"]),
        members=tuple(
            Member(
                member_id=member["id"],
                subscription=tuple(member["topics"]),
                regex=member.get("regex"),
                instance_id=member["instance"],
                target=tuple((name, tuple(numbers)) for name, numbers in member["target"]),
            )
            for member in case["members"]
        ),
        topics=tuple(Topic(name, bits_of(topic_id), partitions) for name, topic_id, partitions in case["topics"]),
        resolved=tuple((regex, topic_regex.matching(regex, names)) for regex in regexes),
    )


def bits_of(topic_id: str) -> int:
    return int.from_bytes(base64.urlsafe_b64decode(topic_id + "=="), "big")


def ours(case: Case, release: str) -> Case:
    """Holdfast's answer in the driver's form, in the order in which the coordinator keeps it."""
    try:
        found = target.assign(group_of(case, release))
    except CannotPredict:
        return THROWS
    return {member.member_id: [[topic, list(numbers)] for topic, numbers in member.owned if numbers] for member in found.members}


def subscribed(case: Case, release: str) -> Case:
    """The topics of each member in the order in which they are gone through."""
    group = group_of(case, release)
    found = Subscriptions(group, UNTIL_18)
    return {member.member_id: found.topics(member) for member in group.members}


def snapshot_of(case: Case, release: str) -> Case:
    """The same group as a Snapshot's JSON. What members have now is nothing: it does not count."""
    return {
        "format_version": "1.0",
        "group_id": "shop",
        "protocol": "consumer",
        "broker_release": release,
        "assignor": case["assignor"],
        "topics": {
            name: {"id": topic_id, "partitions": [{"id": number} for number in range(partitions)]}
            for name, topic_id, partitions in case["topics"]
        },
        "members": {
            member["id"]: {
                "instance_id": member["instance"],
                "rack": member.get("rack"),
                "subscription": member["topics"],
                "subscription_regex": member.get("regex"),
                "assignment": [],
                "target": [[topic, number] for topic, numbers in member["target"] for number in numbers],
            }
            for member in case["members"]
        },
    }


def answered(case: Case, release: str) -> Case:
    """What `holdfast assign` answers, in the driver's form, sorted."""
    try:
        answer = json.loads(assign_text(json.dumps(snapshot_of(case, release)), None, ()))
    except CannotPredict:
        return THROWS
    assert (answer["assignor"], answer["undetermined_partitions"]) == (case["assignor"], [])
    found = {name: by_topic(TopicPartition(*one) for one in given["partitions"]) for name, given in answer["members"].items()}
    return {name: [[topic, list(numbers)] for topic, numbers in owned] for name, owned in found.items()}


def difference(case: Case, release: str, theirs: Case) -> str:
    """What differs, a line each; empty if nothing does. Order counts, but where targets have topics that were deleted: no request
    shows these, and they make the coordinator's tables larger."""
    own = ours(case, release)
    assert answered(case, release) == (own if own == THROWS else _sorted(own)), "a Snapshot is answered as the group is"
    if "error" in theirs:
        return "" if own == THROWS else f"Kafka: {theirs['error']}\nours: {own}"
    if own == THROWS:
        return f"Kafka: {theirs}\nours: {own}"
    if any(topic in case["gone"] for member in case["members"] for topic, _ in member["target"]):
        own, theirs = _sorted(own), _sorted(theirs)
    return "\n".join(
        f"{member}: Kafka {theirs.get(member)}, ours {own.get(member)}"
        for member in sorted(theirs.keys() | own.keys())
        if theirs.get(member) != own.get(member)
    )


def _sorted(answer: Case) -> Case:
    return {member: sorted([topic, sorted(numbers)] for topic, numbers in owned) for member, owned in answer.items()}


def smaller(case: Case, differs: Callable[[Case], bool]) -> Case:
    """A small group that still differs."""
    return shrunk(case, differs, _without_one_part)


def _without_one_part(case: Case) -> Iterator[Case]:
    members, topics = case["members"], case["topics"]
    for number in range(len(members)):
        if len(members) > 1:
            yield case | {"members": members[:number] + members[number + 1 :]}
    for number, (name, topic_id, count) in enumerate(topics):
        if len(topics) > 1:
            yield case | {"topics": topics[:number] + topics[number + 1 :], "gone": case["gone"] | {name: topic_id}}
        for less in sorted({count // 2, count - 1} - {0}):
            candidate = copy.deepcopy(case)
            candidate["topics"][number][2] = less
            yield candidate
    for number, member in enumerate(members):
        for key in ("topics", "target"):
            for place in range(len(member[key])):
                less_of_it = member[key][:place] + member[key][place + 1 :]
                yield case | {"members": [*members[:number], member | {key: less_of_it}, *members[number + 1 :]]}
