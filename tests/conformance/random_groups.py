"""Random groups that look like real ones gone wrong: the whole case comes from one seed."""

import random
import uuid
from typing import Any

from tests.conformance.groups import Case, as_answer, group_of, tasks_of

from holdfast.kafka.release import behaviour
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.group import LeaderFailure

LONG_MAX = 2**63 - 1


def random_case(seed: int, release: str) -> Case:
    """A group of 1 to 12 clients; half of them have been through one of our own assignments, as a real group has."""
    chance = random.Random(seed)
    subtopologies = _subtopologies(chance)
    case: Case = {
        "ask": "assign",
        "config": _config(chance),
        "subtopologies": subtopologies,
        "ends": _ends(chance, subtopologies),
        "members": [],
    }
    for _ in range(chance.choice([1, 2, 2, 3, 3, 4, 5, 6, 8, 12])):
        _add_client(chance, case)
    case["leader"] = chance.choice(case["members"])["process"]
    if chance.random() < 0.3 and behaviour(release).client_tags:
        _tag(chance, case)
    _scatter(chance, case)
    if chance.random() < 0.5:
        _live_through_a_rebalance(chance, case, release)
    if "rack.aware.assignment.tags" in case["config"]:
        _tag(chance, case)  # newcomers have tags too
    if chance.random() < 0.35:
        _spoil(chance, case)
    if chance.random() < 0.06:
        for offsets in case["ends"].values():  # a broker that does not answer
            offsets[:] = [None] * len(offsets)
    if chance.random() < 0.1:
        for member in case["members"]:
            if chance.random() < 0.5:
                member["version"] = chance.randint(3, behaviour(release).metadata_version)
    return case


def _config(chance: random.Random) -> dict[str, Any]:
    config: dict[str, Any] = {"probing.rebalance.interval.ms": 60_000}
    if chance.random() < 0.6:
        config["num.standby.replicas"] = chance.choice([0, 1, 1, 2, 3])
    if chance.random() < 0.8:
        config["max.warmup.replicas"] = chance.choice([1, 1, 2, 3, 5, 8])
    if chance.random() < 0.8:
        config["acceptable.recovery.lag"] = chance.choice([0, 0, 0, 5, 50, 10_000, LONG_MAX])
    return config


def _subtopologies(chance: random.Random) -> list[dict[str, Any]]:
    found = []
    for number in range(chance.choice([1, 1, 2, 2, 3, 4, 6, 12])):
        most = chance.choice([1, 3, 6, 8, 12, 16])
        sources = [[f"topic-{number}-{source}", chance.randint(1, most)] for source in range(chance.choice([1, 1, 1, 2, 3]))]
        stores = [f"store-{number}-{store}" for store in range(chance.choice([0, 1, 1, 1, 2, 3]))]
        found.append({"sources": sources, "stores": stores})
    return found


def _ends(chance: random.Random, subtopologies: list[dict[str, Any]]) -> dict[str, list[int]]:
    scale = chance.choice([0, 8, 100, 100, 10_000, 1_000_000, LONG_MAX])
    return {
        f"app-{store}-changelog": [chance.randint(0, scale) for _ in range(16)]
        for subtopology in subtopologies
        for store in subtopology["stores"]
    }


def _add_client(chance: random.Random, case: Case) -> None:
    kind = chance.random()
    bits = chance.getrandbits(128) if kind < 0.8 else chance.randint(0, 40) << chance.choice([0, 32, 60, 64, 124])
    process = str(uuid.UUID(int=bits % 2**128))
    if any(member["process"] == process for member in case["members"]):
        return
    for thread in range(1, chance.choice([1, 1, 2, 2, 3, 4, 5, 12]) + 1):
        end = uuid.UUID(int=chance.getrandbits(128))
        case["members"].append(
            {"id": f"app-{process}-StreamThread-{thread}-consumer-{end}", "process": process, "owned": [], "sums": {}}
        )


def _tag(chance: random.Random, case: Case) -> None:
    """Clients in zones and clusters, some without; standbys to be spread over one tag or both."""
    keys = case["config"].setdefault("rack.aware.assignment.tags", chance.choice(["zone", "zone,cluster", "cluster"])).split(",")
    case["config"].setdefault("num.standby.replicas", chance.choice([1, 2, 3]))
    case["config"].update({f"client.tag.{key}": "the leader's own" for key in keys})  # Kafka wants the leader to have them
    values = {"zone": "abcd"[: chance.randint(1, 4)], "cluster": "xyz"[: chance.randint(1, 3)], "other": "12"}
    tags: dict[str, dict[str, str]] = {}
    for member in case["members"]:
        if "tags" not in member:
            known = tags.setdefault(
                member["process"], {key: chance.choice(each) for key, each in values.items() if chance.random() < 0.9}
            )
            member["tags"] = known


def _scatter(chance: random.Random, case: Case) -> None:
    """Active tasks here and there, running or not yet, and copies with all kinds of sums."""
    running, copies = chance.random(), chance.choice([0, 0.1, 0.5, 2])
    for task, sources, changelogs in tasks_of(case["subtopologies"]):
        end = min(sum(case["ends"][topic][sources[0][1]] for topic in changelogs), LONG_MAX)
        if chance.random() < running:
            member = chance.choice(case["members"])
            member["owned"] += sources
            if changelogs:
                member["sums"][task] = -2 if chance.random() < 0.8 else _sum(chance, end)
        if changelogs:
            for _ in range(int(copies) + (chance.random() < copies % 1)):
                chance.choice(case["members"])["sums"].setdefault(task, _sum(chance, end))


def _sum(chance: random.Random, end: int) -> int:
    kind = chance.random()
    if kind < 0.4:
        return end
    if kind < 0.6:
        return max(end - chance.randint(0, 10), 0)
    if kind < 0.7:
        return min(end + chance.randint(1, 10), LONG_MAX)
    return chance.choice([0, end // 2, chance.randint(0, max(end, 1))])


def _live_through_a_rebalance(chance: random.Random, case: Case, release: str) -> None:
    """Let the members report what the leader gave them, and then let clients come, go and be replaced."""
    decision = leader.assign(group_of(case, release))
    if isinstance(decision, LeaderFailure):
        return
    sources = {task: partitions for task, partitions, _ in tasks_of(case["subtopologies"])}
    stateful = {task for task, _, changelogs in tasks_of(case["subtopologies"]) if changelogs}
    answer = as_answer(decision)
    for member in case["members"]:
        given = answer["consumers"][member["id"]]
        before = member["sums"]
        member["owned"] = [partition for task in given["active"] for partition in sources[task]]
        member["sums"] = {task: -2 for task in given["active"] if task in stateful}
        for task in given["standby"]:
            member["sums"][task] = before.get(task, 0) if chance.random() < 0.5 else chance.randint(0, 100)
        for task, offsets in before.items():
            if chance.random() < 0.3 and offsets != -2:
                member["sums"].setdefault(task, offsets)
    processes = list(dict.fromkeys(member["process"] for member in case["members"]))
    for _ in range(chance.choice([0, 1, 1, 2])):
        if len(processes) > 1 and chance.random() < 0.6:
            gone = processes.pop(chance.randrange(len(processes)))
            case["members"] = [member for member in case["members"] if member["process"] != gone]
        if chance.random() < 0.6:
            _add_client(chance, case)
    case["leader"] = chance.choice(case["members"])["process"]


def _spoil(chance: random.Random, case: Case) -> None:
    """What should not be but is: tasks and partitions that nobody knows, two owners of one partition, two reports of one task."""
    for _ in range(chance.randint(1, 4)):
        one, other = chance.choice(case["members"]), chance.choice(case["members"])
        kind = chance.randrange(5)
        if kind == 0:
            one["sums"][f"{chance.randint(0, 13)}_{chance.randint(0, 40)}"] = chance.choice([-2, 0, 7])
        elif kind == 1:
            one["owned"].append([chance.choice(["gone", "topic-0-0"]), chance.randint(0, 20)])
        elif kind == 2 and other["owned"]:
            one["owned"].append(chance.choice(other["owned"]))
        elif kind == 3 and other["sums"]:
            task = chance.choice(list(other["sums"]))
            one["sums"][task] = chance.choice([-2, 0, 3, other["sums"][task]])
        elif kind == 4:
            one["owned"] = [["gone", 0]] if chance.random() < 0.5 else []
    for member in case["members"]:
        member["owned"] = [list(owned) for owned in dict.fromkeys(map(tuple, member["owned"]))]
