"""One whole decision of a consumer group's leader, Holdfast's against Kafka's own, in the same run on the same groups.

    python -m benchmarks.consumer                        every shape and assignor
    python -m benchmarks.consumer million small          some of them
    python -m benchmarks.consumer --json                 for machines

Kafka: the assignor's own `assign` of the published jar, warm (C2, serial collector, 6 GiB), from decoded subscriptions. Holdfast:
`leader.assign`, from a Group to an Assignment. Neither reads nor prints JSON; with `lines` both do. Times are medians; the two
decisions are compared, partition by partition. `second`: the same group, whose members own what they were just given, after one
of them has left.
"""

import json
import random
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.table import Table
from tests.conformance.consumer import groups as plain_groups
from tests.conformance.consumer.assignors_jvm import PlainJvm
from tests.conformance.consumer.groups import Case

from benchmarks import report
from holdfast.kafka.consumer import leader
from holdfast.workflows.deciding import assign_text

OPTIONS = ("-XX:TieredStopAtLevel=4",)
ALL = ("range", "roundrobin", "sticky", "cooperative-sticky")
STICKY = ("sticky", "cooperative-sticky")


@dataclass(frozen=True)
class Shape:
    """`unlike`: how subscriptions differ. `first_goal`, `second_goal`: how many times as fast as the JVM Holdfast is to be."""

    name: str
    consumers: int
    topics: int
    partitions: int
    unlike: str
    assignors: tuple[str, ...]
    first_goal: float
    second_goal: float
    warm: int
    runs: int


LINES = 2_000

SHAPES = (
    Shape("million", 2_000, 500, 2_000, "equal", ALL, 1 / 3, 1, 1, 1),
    Shape("mild", 500, 500, 200, "all but the last have all topics", STICKY, 1 / 3, 1, 1, 1),
    Shape("random", 200, 50, 200, "half of the topics, at random", STICKY, 10, 10, 0, 1),
    Shape("small", 10, 3, 12, "equal", ALL, 1 / 4, 1 / 4, 2_000, 500),
)
"""The sizes of Kafka's AbstractStickyAssignorTest and of its assignor benchmarks."""


def case_of(shape: Shape, assignor: str) -> Case:
    """Members that have just started."""
    chance = random.Random(7)  # noqa: S311 - the same groups each time
    topics = [f"topic-{number:03}" for number in range(shape.topics)]
    members: list[Case] = []
    for number in range(shape.consumers):
        subscription = topics
        if shape.unlike.startswith("half"):
            subscription = sorted(chance.sample(topics, shape.topics // 2))
        elif shape.unlike.startswith("all but") and number == shape.consumers - 1:
            subscription = topics[1:]
        member = {"id": f"consumer-{number:05}", "assignors": [assignor], "subscription": subscription}
        members.append(member | {"owned": [], "generation": None})
    return {"assignor": assignor, "members": members, "topics": {topic: [[]] * shape.partitions for topic in topics}}


def second(case: Case, answer: Case) -> Case:
    """All members own what they were given; one has left."""
    members = [member | {"owned": answer[member["id"]]["partitions"], "generation": 1} for member in case["members"]]
    return case | {"members": members[:-2] + members[-1:]}


def measure(shape: Shape, assignor: str, release: str) -> Iterator[dict[str, Any]]:
    case = case_of(shape, assignor)
    with PlainJvm(release, *OPTIONS, heap="6g") as jvm:
        for state, goal in (("first", shape.first_goal), ("second", shape.second_goal)):
            (theirs,) = jvm.ask([plain_groups.question(case, release)])
            asked = plain_groups.question(case, release, "time") | {"warm": shape.warm, "runs": shape.runs}
            kafka = [nanoseconds / 1e6 for nanoseconds in jvm.ask([asked])[0]["nanoseconds"]]
            group = plain_groups.group_of(case, release)
            ours = []
            for _ in range(max(3, shape.runs)):
                began = time.perf_counter()
                leader.assign(group)
                ours.append((time.perf_counter() - began) * 1e3)
            yield {
                "shape": shape.name,
                "assignor": assignor,
                "what": f"{shape.consumers:,} x {shape.topics:,} x {shape.partitions:,}, {shape.unlike}",
                "state": state,
                "kafka_ms": statistics.median(kafka),
                "holdfast_ms": statistics.median(ours),
                "ratio": statistics.median(kafka) / statistics.median(ours),
                "goal": goal,
                "equal": plain_groups.difference(case, release, theirs) == "",
            }
            case = second(case, theirs)


def measure_lines(assignor: str, release: str) -> dict[str, Any]:
    """Small groups in number, a line of JSON in and a line out: the test driver's (Jackson), and `holdfast assign --jsonl`'s."""
    chance = random.Random(7)  # noqa: S311 - the same groups each time
    small = next(shape for shape in SHAPES if shape.name == "small")
    cases = []
    for _ in range(LINES):
        case = case_of(small, assignor)
        members = [member | {"id": f"consumer-app-{chance.getrandbits(128):032x}"} for member in case["members"]]
        cases.append(case | {"members": members})
    questions = [plain_groups.question(case, release) for case in cases]
    with PlainJvm(release, *OPTIONS, heap="1g") as jvm:
        for _ in range(3):
            began = time.perf_counter()
            answers = jvm.ask(questions)
            kafka = (time.perf_counter() - began) * 1e3
    lines = [json.dumps(plain_groups.snapshot_of(case, release)) for case in cases]
    began = time.perf_counter()
    said = [assign_text(line, None, ()) for line in lines]
    ours = (time.perf_counter() - began) * 1e3
    same = all(
        sorted(part["partitions"]) == sorted(theirs[member]["partitions"])
        for text, theirs in zip(said, answers, strict=True)
        for member, part in json.loads(text)["consumers"].items()
    )
    return {
        "shape": "lines",
        "assignor": assignor,
        "what": f"{LINES:,} groups of {small.consumers} x {small.topics} x {small.partitions}, JSON to JSON",
        "state": "first",
        "kafka_ms": kafka,
        "holdfast_ms": ours,
        "ratio": kafka / ours,
        "goal": 0.25,
        "equal": same,
    }


def table_of(found: list[dict[str, Any]]) -> Table:
    headings = ("Kafka, ms", "Holdfast, ms", "times as fast", "goal", "equal")
    table = Table("members x topics x partitions", "assignor", "time", *headings, box=None)
    for one in found:
        table.add_row(
            one["what"],
            one["assignor"],
            one["state"],
            f"{one['kafka_ms']:,.3f}",
            f"{one['holdfast_ms']:,.3f}",
            f"{one['ratio']:,.2f}",
            f"{one['goal']:.2g}",
            report.yes_or_no(one["equal"]),
        )
    return table


def main() -> int:
    parser = report.arguments(__doc__, (*(shape.name for shape in SHAPES), "lines"))
    parser.add_argument("--assignor", choices=ALL)
    given = parser.parse_args()
    chosen = [shape for shape in SHAPES if not given.shapes or shape.name in given.shapes]
    found = []
    for shape in chosen:
        for assignor in shape.assignors:
            if given.assignor in (None, assignor):
                found += list(measure(shape, assignor, given.release))
    if not given.shapes or "lines" in given.shapes:
        found += [measure_lines(assignor, given.release) for assignor in ALL if given.assignor in (None, assignor)]
    return report.tell(found, table_of(found), given, what="Kafka clients", width=160)


if __name__ == "__main__":
    raise SystemExit(main())
