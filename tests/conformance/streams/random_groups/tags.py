"""Clients in zones and clusters, some without; standbys to be spread over one tag or both (KIP-708)."""

import random

from tests.conformance.streams.groups import Case

from holdfast.kafka.release import Behaviour

VALUES = {"zone": "abcd", "cluster": "xyz", "other": "12"}


def choose(chance: random.Random, case: Case, line: Behaviour) -> None:
    if not line.client_tags or chance.random() >= 0.3:
        return
    config = case["config"]
    config["rack.aware.assignment.tags"] = chance.choice(["zone", "zone,cluster", "cluster", "cluster,zone,other"])
    if chance.random() < 0.9:
        config["num.standby.replicas"] = chance.choice([1, 2, 3])
    for key in config["rack.aware.assignment.tags"].split(","):
        config[f"client.tag.{key}"] = "the leader's own"  # Kafka wants the leader to have them


def give(chance: random.Random, case: Case, line: Behaviour) -> None:
    if "rack.aware.assignment.tags" not in case["config"]:
        return
    values = {key: each[: chance.randint(1, len(each))] for key, each in VALUES.items()}
    known = {member["process"]: member["tags"] for member in case["members"] if "tags" in member}
    for member in case["members"]:
        if member["process"] not in known:
            known[member["process"]] = {key: chance.choice(each) for key, each in values.items() if chance.random() < 0.9}
        member["tags"] = known[member["process"]]
