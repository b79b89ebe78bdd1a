"""One whole decision of the leader, Holdfast's against Kafka's own, in the same run on the same groups.

    python -m benchmarks.assign                    every shape (the JVM takes a minute for each run of the largest)
    python -m benchmarks.assign small wide         some of them
    python -m benchmarks.assign --json             for machines

Kafka: `StreamsPartitionAssignor.assign` of the published jar, warm (C2, serial collector, 4 GiB): from encoded subscriptions to
encoded assignments. Holdfast: `leader.assign`, from a Group to an Assignment. Neither reads nor prints JSON. Times are medians, of
short blocks of either side in turn; the two decisions are compared, task by task. `again`: the same group, whose members report
what they were just given. `JSON to JSON`: Holdfast reads the Snapshot from text and writes the Assignment as text, as a line of
`holdfast assign --jsonl` without the start; Kafka's side is its decision alone, as before. Each line has other process IDs.
"""

import itertools
import random
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from tests.conformance.jvm import LeaderJvm
from tests.conformance.streams import groups
from tests.conformance.streams.groups import Case

from benchmarks import report
from benchmarks.alternating import compared
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.group import Group
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.streams.snapshot.json import snapshot_to_json
from holdfast.rollout.streams.snapshot.snapshot import PROTOCOL, Snapshot, Topic, TopicPartitionInfo
from holdfast.workflows.deciding import assign_text

BLOCKS = 5
RACKS = ("a", "b", "c")
OPTIONS = ("-XX:TieredStopAtLevel=4", "-Xmx4g")


@dataclass(frozen=True)
class Shape:
    """`goal`: how many times as fast as the JVM Holdfast is to be. `runs`: of the JVM, after `warm` ones that do not count."""

    name: str
    what: str
    tasks: int
    clients: int
    threads: int
    standbys: int
    goal: float
    warm: int
    runs: int
    by_rack: str | None = None
    """The `rack.aware.assignment.strategy`, in three racks, each partition in two of them."""


SHAPES = (
    Shape("large", "10,000 tasks, 1,000 clients, 4 threads, 1 standby", 10_000, 1_000, 4, 1, 30, 1, 1),
    Shape("many-clients", "1,000 tasks, 1,000 clients", 1_000, 1_000, 1, 0, 10, 3, 5),
    Shape("many-standbys", "1,000 tasks, 100 clients, 50 standbys", 1_000, 100, 1, 50, 10, 5, 5),
    Shape("wide", "6,000 tasks, 2 clients", 6_000, 2, 1, 0, 1, 20, 15),
    Shape("many-threads", "1,000 tasks, 10 clients, 1,000 threads", 1_000, 10, 1_000, 0, 1, 20, 15),
    Shape("small", "200 tasks, 50 clients", 200, 50, 1, 0, 1, 200, 100),
    Shape("tiny", "20 tasks, 5 clients", 20, 5, 1, 0, 1, 2_000, 500),
    Shape("by-rack", "300 tasks, 20 clients, min_traffic", 300, 20, 1, 0, 1, 1, 3, "min_traffic"),
    Shape("by-rack-evenly", "300 tasks, 20 clients, balance_subtopology", 300, 20, 1, 0, 1, 1, 3, "balance_subtopology"),
)
"""The four shapes of Kafka's own StreamsAssignmentScaleTest, and what real groups look like."""


def case_of(shape: Shape) -> Case:
    """Members that have just started, with nothing on their disks."""
    members = []
    for number in range(shape.clients):
        process = str(UUID(int=(0x9E3779B97F4A7C15 * (number + 1)) % 2**64 << 64 | 0x8000_0000_0000_0000 | number))
        members += [
            {"id": f"app-{process}-StreamThread-{thread}-consumer-x", "process": process, "owned": [], "sums": {}}
            for thread in range(1, shape.threads + 1)
        ]
    config: dict[str, Any] = {"num.standby.replicas": shape.standbys}
    racks: dict[str, Any] = {}
    if shape.by_rack:
        config["rack.aware.assignment.strategy"] = shape.by_rack
        chance = random.Random(1)  # noqa: S311 - the same racks in every run
        racks["replicas"] = {
            topic: [chance.sample(RACKS, k=2) for _ in range(shape.tasks)] for topic in ("input", "app-store-changelog")
        }
        for number, member in enumerate(members):
            member["rack"] = RACKS[number % len(RACKS)]
    return {
        "ask": "assign",
        "config": config,
        "subtopologies": [{"sources": [["input", shape.tasks]], "stores": ["store"]}],
        "ends": {"app-store-changelog": [1_000_000] * shape.tasks},
        "members": members,
        "leader": members[0]["process"],
    } | racks


def again(case: Case, answer: Case) -> Case:
    """The same members, which run what they were given; their standbys are caught up."""
    members = []
    for member in case["members"]:
        given = answer["consumers"][member["id"]]
        sums = dict.fromkeys(given["standby"], 1_000_000) | dict.fromkeys(given["active"], -2)
        owned = [["input", int(task.partition("_")[2])] for task in given["active"]]
        members.append(member | {"owned": owned, "sums": sums})
    return case | {"members": members}


def measure(shape: Shape, release: str) -> Iterator[dict[str, Any]]:
    case = case_of(shape)
    with LeaderJvm(release, *OPTIONS) as jvm:
        for state in ("fresh", "again"):
            (theirs,) = jvm.ask([case])
            jvm.ask([case | {"ask": "time", "warm": shape.warm, "runs": 1}])
            blocks = min(BLOCKS, shape.runs)
            each = shape.runs // blocks
            asked = case | {"ask": "time", "warm": 0, "runs": each}
            group = groups.group_of(case, release)
            leader.assign(group)
            found = compared(
                lambda asked=asked: statistics.median(jvm.ask([asked])[0]["milliseconds"]),  # type: ignore[misc]
                lambda group=group, each=each: statistics.median(_ours(lambda: leader.assign(group), max(3, each))),  # type: ignore[misc]
                blocks,
            )
            lines = lines_of(case, group)
            assign_text(next(lines), None, ())
            found_lines = compared(
                lambda asked=asked: statistics.median(jvm.ask([asked])[0]["milliseconds"]),  # type: ignore[misc]
                lambda lines=lines, each=each: statistics.median(_answered(lines, max(3, each))),  # type: ignore[misc]
                blocks,
            )
            rows = ((state, found, shape.goal), (f"{state}, JSON to JSON", found_lines, 1))
            equal = groups.difference(case, release, theirs) == ""
            yield from (
                {
                    "shape": shape.name,
                    "what": shape.what,
                    "state": what,
                    "kafka_ms": one.baseline,
                    "kafka_runs": blocks * each,
                    "holdfast_ms": one.holdfast,
                    "ratio": one.ratio,
                    "goal": goal,
                    "equal": equal,
                }
                for what, one, goal in rows
            )
            case = again(case, theirs)


def lines_of(case: Case, group: Group) -> Iterator[bytes]:
    """The group as a line of JSON, again and again under other process IDs, in the same order: nothing that is kept of one helps
    with the next but what groups have in common."""
    text = dumps(snapshot_to_json(_snapshot(case, group)))
    for number in itertools.cycle(range(2**16)):
        yield text.replace("-8000-0000", f"-8000-{number:04x}").encode()


def _answered(lines: Iterator[bytes], runs: int) -> list[float]:
    """Milliseconds, line by line."""
    return [_ours(lambda line=line: assign_text(line, None, ()), 1)[0] for line in itertools.islice(lines, runs)]  # type: ignore[misc]


def _snapshot(case: Case, group: Group) -> Snapshot:
    """What is decided for as `group` is."""
    return Snapshot(
        cluster="",
        group_id="app",
        captured_at=None,
        protocol=PROTOCOL,
        group_state=None,
        kafka_release=group.release,
        task_assignor=None,
        leader_process_id=group.leader_process_id,
        config=tuple(sorted(case["config"].items())),
        tasks=group.tasks,
        clients=group.clients,
        topics=tuple(
            Topic(topic, tuple(TopicPartitionInfo(number, tuple(racks)) for number, racks in enumerate(partitions)))
            for topic, partitions in case.get("replicas", {}).items()
        ),
    )


def _ours(decide: Callable[[], object], runs: int) -> list[float]:
    """Milliseconds, run by run."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        decide()
        times.append((time.perf_counter() - began) * 1e3)
    return times


def main() -> int:
    given = report.arguments(__doc__, (shape.name for shape in SHAPES)).parse_args()
    chosen = [shape for shape in SHAPES if not given.shapes or shape.name in given.shapes]
    found = [one for shape in chosen for one in measure(shape, given.release)]
    return report.tell(found, report.decisions(found), given, what="Kafka Streams")


if __name__ == "__main__":
    raise SystemExit(main())
