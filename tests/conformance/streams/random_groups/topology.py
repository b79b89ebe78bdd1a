"""Settings, subtopologies of uneven width, stateful or not, and where their changelogs end."""

import random

from tests.conformance.streams.groups import Case

from holdfast.kafka.java import LONG_MAX
from holdfast.kafka.release import Behaviour

NAMES = ("topic", "topic", "orders.v2", "app-KSTREAM-AGGREGATE-STATE-STORE-0000000003-repartition")
"""Their hash codes order partitions in Java's maps."""


def draw(chance: random.Random, case: Case, line: Behaviour) -> None:
    case["config"] = _config(chance)
    if case["big"] == "strided" and chance.random() < 0.7:
        case["config"]["acceptable.recovery.lag"] = LONG_MAX  # every client is caught up: the tasks stay as they were assigned
    case["subtopologies"] = subtopologies = BIG[case["big"]](chance) if case["big"] else _few(chance)
    scale = chance.choice([0, 8, 100, 100, 10_000, 1_000_000, LONG_MAX])
    for subtopology in subtopologies:
        widest = max(partitions for _, partitions in subtopology["sources"])
        for store in subtopology["stores"]:
            case["ends"][changelog(store)] = [chance.randint(0, scale) for _ in range(widest)]


def changelog(store: str) -> str:
    return f"app-{store}-changelog"


def forget_ends(chance: random.Random, case: Case, line: Behaviour) -> None:
    """A broker that does not answer: for no changelog, or only for one partition.

    Not in a broad group: over its thousands of tasks Kafka's fallback assignor takes minutes.
    """
    if case["big"] == "broad" or not case["ends"] or chance.random() >= 0.08:
        return
    if chance.random() < 0.3:
        ends = chance.choice(list(case["ends"].values()))
        ends[chance.randrange(len(ends))] = None
        return
    for ends in case["ends"].values():
        ends[:] = [None] * len(ends)


def _config(chance: random.Random) -> dict[str, object]:
    config: dict[str, object] = {"probing.rebalance.interval.ms": 60_000}
    if chance.random() < 0.6:
        config["num.standby.replicas"] = chance.choice([0, 1, 1, 2, 3, 3, 7])
    if chance.random() < 0.8:
        config["max.warmup.replicas"] = chance.choice([1, 1, 2, 3, 5, 8, 1000])
    if chance.random() < 0.8:
        config["acceptable.recovery.lag"] = chance.choice([0, 0, 0, 5, 50, 10_000, LONG_MAX])
    return config


def _few(chance: random.Random) -> list[Case]:
    widest = [chance.choice([1, 3, 6, 8, 12, 16]) for _ in range(chance.choice([1, 1, 2, 2, 3, 4, 6, 12]))]
    found = [_subtopology(chance, number, most) for number, most in enumerate(widest)]
    if chance.random() < 0.15:  # as many tasks as a table holds before it doubles: there a copy has another size than the original
        tasks = sum(max(partitions for _, partitions in subtopology["sources"]) for subtopology in found)
        found.append(
            _subtopology(chance, len(found), next(size for size in (12, 24, 48, 96, 192, 384) if size > tasks) - tasks, True)
        )
    return found


def _many(chance: random.Random) -> list[Case]:
    """100 to 400 tasks: hash tables with hundreds of entries, and now and then more subtopologies than a new one has room for."""
    left, found = chance.randint(100, 400), []
    shape = chance.choice([10, 40, 100, 200])
    while left > 0:
        found.append(_subtopology(chance, len(found), min(left, chance.randint(max(shape // 2, 1), shape)), True))
        left -= max(partitions for _, partitions in found[-1]["sources"])
    return found


def _strided(chance: random.Random) -> list[Case]:
    """One wide subtopology over 32 or 64 clients: each gets every 32nd or 64th partition, and these meet in one bucket."""
    return [{"sources": [["topic-0-0", chance.randint(640, 800)]], "stores": ["store-0-0"] if chance.random() < 0.8 else []}]


def _broad(chance: random.Random) -> list[Case]:
    """Ten wide subtopologies: from 3.0 on `1_0` and `0_31` have the same hash, and nine such tasks make a tree of their bucket."""
    width = chance.randint(250, 300)
    return [
        {"sources": [[f"topic-{number}-0", width]], "stores": [f"store-{number}-0"] if chance.random() < 0.9 else []}
        for number in range(chance.randint(9, 11))
    ]


def _crowded(chance: random.Random) -> list[Case]:
    """Nine or ten subtopologies, each 31 partitions narrower than the one before: the same trees with fewer tasks, and up to 2.8 a
    tree in nearly every bucket. Sticky assignors and tags take tasks out of them."""
    count, narrowest = chance.randint(9, 10), chance.randint(1, 20)
    return [
        {
            "sources": [[f"topic-{number}-0", 31 * (count - 1 - number) + narrowest]],
            "stores": [f"store-{number}-0"] if chance.random() < 0.9 else [],
        }
        for number in range(count)
    ]


BIG = {"many": _many, "strided": _strided, "broad": _broad, "crowded": _crowded}


def _subtopology(chance: random.Random, number: int, most: int, exactly: bool = False) -> Case:
    name = chance.choice(NAMES)
    sources = [[f"{name}-{number}-{source}", chance.randint(1, most)] for source in range(chance.choice([1, 1, 1, 2, 3]))]
    if exactly:
        sources[0][1] = most
    stores = [f"store-{number}-{store}" for store in range(chance.choice([0, 1, 1, 1, 2, 3]))]
    return {"sources": sources, "stores": stores}


def lose_topics(chance: random.Random, case: Case, line: Behaviour) -> None:
    """Source topics that were deleted."""
    if chance.random() < 0.01:
        topics = [topic for subtopology in case["subtopologies"] for topic, _ in subtopology["sources"]]
        case["missing"] = sorted(set(chance.choices(topics, k=chance.randint(1, 2))))
