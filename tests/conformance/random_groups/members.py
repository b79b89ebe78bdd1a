"""Clients with process IDs of both signs and uneven numbers of threads."""

import random
import uuid

from tests.conformance.groups import Case

from holdfast.kafka.release import Behaviour

CHANCE_OF_A_BIG_GROUP = 0.006


def draw(chance: random.Random, case: Case, line: Behaviour) -> None:
    count = chance.randint(20, 60) if case["big"] else chance.choice([1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 10, 12])
    for _ in range(count):
        add_client(chance, case)
    choose_leader(chance, case)


def add_client(chance: random.Random, case: Case) -> None:
    """One more client, unless its process ID is taken: four of five IDs are random, the others near each other or near the ends."""
    bits = chance.getrandbits(128)
    if chance.random() < 0.2:
        bits = chance.randint(0, 40) << chance.choice([0, 32, 60, 64, 124])
    process = str(uuid.UUID(int=bits % 2**128))
    if any(member["process"] == process for member in case["members"]):
        return
    threads = chance.choice([1, 1, 2, 2, 3, 4, 5, 12])
    case["members"] += [_member(chance, process, number) for number in range(1, min(threads, 5 if case["big"] else 12) + 1)]


def choose_leader(chance: random.Random, case: Case) -> None:
    case["leader"] = chance.choice(case["members"])["process"]


def _member(chance: random.Random, process: str, thread: int) -> Case:
    end = uuid.UUID(int=chance.getrandbits(128))
    return {"id": f"app-{process}-StreamThread-{thread}-consumer-{end}", "process": process, "owned": [], "sums": {}}
