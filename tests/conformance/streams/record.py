"""Records `tests/golden/leader.jsonl` from the JVM: `python -m tests.conformance.streams.record`. Never from our own answers."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.conformance.jvm import LeaderJvm
from tests.conformance.streams.groups import Case
from tests.conformance.streams.random_groups import random_case

GOLDEN = Path(__file__).parents[2] / "golden" / "leader.jsonl"
RELEASES = ("2.6.3", "2.7.2", "2.8.2", "3.0.2", "3.1.2", "3.2.3", "3.5.1", "3.5.2", "3.6.2", "3.7.2", "3.9.1", "4.3.1")
"""One of each line of the table."""
LONGEST = 3500
"""Characters of a random case: the file stays readable."""
FIRST_SEED = 40_000

A, B, C = "4b61083e-57d0-457d-951f-d06556c148ca", "7156cef1-307e-49c0-a5bb-0f11d26a4933", "bbb83e43-b1af-4b2d-a60a-94a7091684d0"
D = "79000000-0000-4000-8000-000000000000"
ENDS = [2, 2, 8, 6, 4, 4]


def article(active: dict[str, list[int]], config: Case | None = None) -> Case:
    """The word count of the published experiment: who runs which stateful tasks `1_n`; two threads a client."""
    members = []
    for process, partitions in active.items():
        for thread in (1, 2):
            own = partitions[thread - 1 :: 2]
            members.append(
                {
                    "id": f"streams-wordcount-{process}-StreamThread-{thread}-consumer-00000000-0000-4000-8000-00000000000{thread}",
                    "process": process,
                    "owned": [["repartition", partition] for partition in own],
                    "sums": {f"1_{partition}": -2 for partition in own},
                }
            )
    return {
        "ask": "assign",
        "config": {"acceptable.recovery.lag": 0, "probing.rebalance.interval.ms": 60000} | (config or {}),
        "subtopologies": [{"sources": [["input", 6]], "stores": []}, {"sources": [["repartition", 6]], "stores": ["counts"]}],
        "ends": {"app-counts-changelog": ENDS},
        "members": members,
        "leader": next(iter(active)),
    }


def cases(release: str) -> Iterator[tuple[str, Case]]:
    yield "A and B alone", article({A: [0, 2, 4], B: [1, 3, 5]})
    yield "C joins A and B", article({A: [0, 2, 4], B: [1, 3, 5], C: []})
    yield "C joins with six warm-ups", article({A: [0, 2, 4], B: [1, 3, 5], C: []}, {"max.warmup.replicas": 6})
    yield "the three at rest", article({C: [0, 3], A: [1, 4], B: [2, 5]})
    yield "D, last in order, replaces C, the first", article({A: [1, 4], B: [2, 5], D: []})
    yield "one standby each", article({C: [0, 3], A: [1, 4], B: [2, 5]}, {"num.standby.replicas": 1})
    wanted = {name: shows for name, shows in WANTED.items() if name not in SINCE or _minor(release) >= SINCE[name]}
    seed = FIRST_SEED
    while wanted:
        seed += 1
        case = random_case(seed, release)
        name = next((name for name, shows in wanted.items() if shows(case)), None)
        if name and len(case["members"]) > 2 and len(json.dumps(case)) < LONGEST:
            del wanted[name]
            yield f"random group {seed}: {name}", case


def _has(key: str) -> Callable[[Case], bool]:
    return lambda case: any(key in member for member in case["members"])


def _text(key: str, value: str) -> Callable[[Case], bool]:
    return lambda case: case["config"].get(key) == value


def _sticky(case: Case) -> bool:
    return "Sticky" in case["config"].get("internal.task.assignor.class", "")


def _minor(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")[:2]))


WANTED: dict[str, Callable[[Case], bool]] = {
    "min_traffic": _text("rack.aware.assignment.strategy", "min_traffic"),
    "balance_subtopology": _text("rack.aware.assignment.strategy", "balance_subtopology"),
    "sticky and racks": lambda case: "replicas" in case and _sticky(case),
    "sticky": _sticky,
    "tags": _has("tags"),
    "older members": _has("version"),
    "no end offsets": lambda case: any(None in ends for ends in case["ends"].values()),
    "a task that nobody knows": lambda case: any("13_" in task for member in case["members"] for task in member["sums"]),
    "standbys": lambda case: case["config"].get("num.standby.replicas", 0) > 1,
    "old disks": lambda case: sum(len(member["sums"]) for member in case["members"]) > 20,
    "many owned": lambda case: sum(len(member["owned"]) for member in case["members"]) > 12,
}
SINCE = {"tags": (3, 2), "min_traffic": (3, 6), "sticky and racks": (3, 6), "balance_subtopology": (3, 7)}


def main() -> None:
    lines = []
    for release in RELEASES:
        with LeaderJvm(release) as jvm:
            for name, case in cases(release):
                lines.append(json.dumps({"release": release, "name": name, "case": case, "answer": jvm.ask([case])[0]}))
    GOLDEN.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
