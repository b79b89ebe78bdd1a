"""Clients with process IDs of both signs and uneven numbers of threads."""

import random
import uuid

from tests.conformance.streams.groups import Case

from holdfast.kafka.release import Behaviour

MOST_THREADS_IN_A_BIG_GROUP = 6


def draw(chance: random.Random, case: Case, line: Behaviour) -> None:
    match case["big"]:
        case "many" | "crowded":
            count = chance.randint(20, 60)
        case "strided":
            count = chance.choice([32, 64, 64])
        case "broad":
            count = chance.randint(2, 4)
        case _:
            count = chance.choice([1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 10, 12, 12])
    threads = chance.choice([4, 5, 6]) if case["big"] == "strided" else None
    for _ in range(count):
        add_client(chance, case, threads)
    choose_leader(chance, case)


def add_client(chance: random.Random, case: Case, threads: int | None = None) -> None:
    """One more client, unless its process ID is taken: four of five IDs are random, the others near each other or near the ends."""
    bits = chance.getrandbits(128)
    if chance.random() < 0.2:
        bits = chance.randint(0, 40) << chance.choice([0, 32, 60, 64, 124])
    process = str(uuid.UUID(int=bits % 2**128))
    if any(member["process"] == process for member in case["members"]):
        return
    count = chance.choice([1, 1, 2, 2, 3, 4, 5, 12]) if threads is None else threads
    if case["big"]:
        count = min(count, MOST_THREADS_IN_A_BIG_GROUP)
    case["members"] += [_member(chance, process, number) for number in range(1, count + 1)]


def choose_leader(chance: random.Random, case: Case) -> None:
    case["leader"] = chance.choice(case["members"])["process"]


def _member(chance: random.Random, process: str, thread: int) -> Case:
    end = uuid.UUID(int=chance.getrandbits(128))
    return {"id": f"app-{process}-StreamThread-{thread}-consumer-{end}", "process": process, "owned": [], "sums": {}}
