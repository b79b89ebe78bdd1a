"""Groups whose tasks are placed by rack, and some that would be if no rack were missing."""

import random

from tests.conformance.streams.groups import Case

from holdfast.kafka.release import Behaviour

MOST_TASKS = 150
"""Kafka's search for cycles takes long in larger networks."""


def choose(chance: random.Random, case: Case, line: Behaviour) -> None:
    tasks = sum(max(partitions for _, partitions in subtopology["sources"]) for subtopology in case["subtopologies"])
    if not line.rack_aware or tasks > MOST_TASKS or chance.random() >= 0.25:
        return
    strategies = ["min_traffic", "balance_subtopology"] if line.cycles_sought_from_all_nodes else ["min_traffic"]
    config = case["config"]
    config["rack.aware.assignment.strategy"] = chance.choice([*strategies, *strategies, "none"])
    if chance.random() < 0.4:
        config["rack.aware.assignment.traffic_cost"] = chance.choice([0, 1, 3, 10, 1000])
    if chance.random() < 0.4:
        config["rack.aware.assignment.non_overlap_cost"] = chance.choice([0, 1, 3, 10, 1000])
    racks: list[str | None] = list("abcde"[: chance.choice([1, 2, 2, 3, 3, 5])])
    replicas = chance.choice([1, 1, 2, 3])
    topics = {topic: partitions for subtopology in case["subtopologies"] for topic, partitions in subtopology["sources"]}
    topics |= {topic: len(ends) for topic, ends in case["ends"].items()}
    case["replicas"] = {
        topic: [chance.sample(racks, k=min(replicas, len(racks))) for _ in range(partitions)]
        for topic, partitions in topics.items()
    }
    if chance.random() < 0.1:
        chance.choice(chance.choice(list(case["replicas"].values())))[0] = None


def give(chance: random.Random, case: Case, line: Behaviour) -> None:
    """Every client its rack; now and then one has none."""
    if "replicas" not in case:
        return
    racks = sorted({rack for partitions in case["replicas"].values() for one in partitions for rack in one if rack is not None})
    given: dict[str, str | None] = {member["process"]: member["rack"] for member in case["members"] if "rack" in member}
    for member in case["members"]:
        process = member["process"]
        if process not in given:
            given[process] = None if chance.random() < 0.01 else chance.choice([*racks, *racks, "z"])
        member["rack"] = given[process]
