"""Records `tests/golden/leader.jsonl` from the JVM: `python -m tests.conformance.record`. Never written from our own answers."""

import json
from pathlib import Path

from tests.conformance.groups import Case
from tests.conformance.jvm import LeaderJvm
from tests.conformance.random_groups import random_case

GOLDEN = Path(__file__).parents[1] / "golden" / "leader.jsonl"
RELEASES = ("2.7.2", "3.9.1", "4.3.1")

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


def cases() -> dict[str, Case]:
    found = {
        "A and B alone": article({A: [0, 2, 4], B: [1, 3, 5]}),
        "C joins A and B": article({A: [0, 2, 4], B: [1, 3, 5], C: []}),
        "C joins with six warm-ups": article({A: [0, 2, 4], B: [1, 3, 5], C: []}, {"max.warmup.replicas": 6}),
        "the three at rest": article({C: [0, 3], A: [1, 4], B: [2, 5]}),
        "D, last in order, replaces C, the first": article({A: [1, 4], B: [2, 5], D: []}),
        "one standby each": article({C: [0, 3], A: [1, 4], B: [2, 5]}, {"num.standby.replicas": 1}),
    }
    seed = 0
    while len(found) < 11:
        seed += 1
        case = random_case(seed, "2.7.2")
        if 2 < len(case["members"]) < 7 and sum(len(member["sums"]) for member in case["members"]) in range(3, 12):
            found[f"random group {seed}"] = case
    return found


def main() -> None:
    lines = []
    for release in RELEASES:
        with LeaderJvm(release) as jvm:
            for name, case in cases().items():
                lines.append(json.dumps({"release": release, "name": name, "case": case, "answer": jvm.ask([case])[0]}))
    GOLDEN.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
