"""One target of a streams group (KIP-1071), Holdfast's against the coordinator's own assignor, in the same run on the same groups.

    python -m benchmarks.target                    every shape
    python -m benchmarks.target wide --json        some of them, for machines

Kafka: `StickyTaskAssignor.assign` of the published jar, warm (C2, serial collector), from a GroupSpec to a GroupAssignment.
Holdfast: `sticky.assign`, from a Group to a Target. The two targets are compared, task by task. `next`: one process has left and
another one joined since the first target.

Times are processor time of the thread that assigns. Java collects garbage in another thread, so Python's collector of cycles does
not run while Holdfast is measured. Short blocks of runs alternate between both sides, because a machine that is shared has faster
and slower minutes: a block's time is the median of its runs, and the ratio is the median of the ratios of neighbouring blocks.
"""

import base64
import gc
import random
import statistics
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.conformance.coordinator import targets
from tests.conformance.coordinator.coordinator_jvm import CoordinatorJvm
from tests.conformance.coordinator.random_targets import Case

from benchmarks import report
from benchmarks.alternating import BLOCKS, compared
from holdfast.kafka.coordinator.streams import sticky
from holdfast.kafka.coordinator.streams.group import Group

OPTIONS = ("-XX:TieredStopAtLevel=4",)


@dataclass(frozen=True)
class Shape:
    """`goal`: how many times as fast as the JVM Holdfast is to be. `runs`: of either side in each block, after `warm` ones of the
    JVM that do not count."""

    name: str
    processes: int
    threads: int
    subtopologies: int
    tasks: int
    standbys: int
    goal: float
    warm: int
    runs: int

    @property
    def what(self) -> str:
        return f"{self.processes} processes, {self.threads} threads, {self.tasks:,} tasks, {self.standbys} standbys"


SHAPES = (
    Shape("wide", 100, 4, 5, 5_000, 0, 1, 300, 20),
    Shape("one-subtopology", 100, 4, 1, 5_000, 0, 1, 300, 20),
    Shape("standbys", 100, 4, 5, 5_000, 1, 1, 300, 20),
    Shape("small", 6, 4, 2, 96, 1, 1, 5_000, 100),
)


def case_of(shape: Shape, chance: random.Random) -> Case:
    """Members that have just started."""
    each = shape.tasks // shape.subtopologies
    case: Case = {"ask": "target", "standbys": shape.standbys, "members": []}
    case["subtopologies"] = [[str(number), each, True] for number in range(shape.subtopologies)]
    for _ in range(shape.processes):
        _add_process(case, shape, chance)
    return case


def _add_process(case: Case, shape: Shape, chance: random.Random) -> None:
    process = str(uuid.UUID(int=chance.getrandbits(128)))
    for _ in range(shape.threads):
        member_id = base64.urlsafe_b64encode(chance.randbytes(16)).decode().rstrip("=")
        case["members"].append({"id": member_id, "process": process, "active": {}, "standby": {}, "warmup": {}, "offsets": {}})


def next_of(case: Case, answer: Case, shape: Shape, chance: random.Random) -> Case:
    """The members have what they were given; one process leaves and another one joins."""
    members = [member | answer[member["id"]] for member in case["members"]]
    case = case | {"members": [member for member in members if member["process"] != members[0]["process"]]}
    _add_process(case, shape, chance)
    return case


def measure(shape: Shape, release: str) -> Iterator[dict[str, Any]]:
    chance = random.Random(7)  # noqa: S311 - the same groups in every run
    case = case_of(shape, chance)
    with CoordinatorJvm(release, *OPTIONS, heap="2g") as jvm:
        for state in ("fresh", "next"):
            (theirs,) = jvm.ask([case])
            jvm.ask([_timed(case, shape.warm, 1)])
            group = targets.group_of(case, release)
            _ours(group, shape.runs)
            asked = _timed(case, 0, shape.runs)
            found = compared(
                lambda asked=asked: statistics.median(jvm.ask([asked])[0]["milliseconds"]),  # type: ignore[misc]
                lambda group=group: statistics.median(_ours(group, shape.runs)),  # type: ignore[misc]
            )
            yield {
                "shape": shape.name,
                "what": shape.what,
                "state": state,
                "kafka_ms": found.baseline,
                "kafka_runs": BLOCKS * shape.runs,
                "holdfast_ms": found.holdfast,
                "ratio": found.ratio,
                "ratio_quartiles": list(found.quartiles),
                "goal": shape.goal,
                "equal": targets.difference(case, release, theirs) == "",
            }
            case = next_of(case, theirs, shape, chance)


def _timed(case: Case, warm: int, runs: int) -> Case:
    return case | {"ask": "time", "warm": warm, "runs": runs}


def _ours(group: Group, runs: int) -> list[float]:
    """Milliseconds of processor time, run by run."""
    times = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(runs):
            began = time.thread_time()
            target = sticky.assign(group)
            times.append((time.thread_time() - began) * 1e3)
            del target
    finally:
        gc.enable()
    return times


def main() -> int:
    parser = report.arguments(__doc__, [shape.name for shape in SHAPES])
    parser.set_defaults(release="4.3.1")
    given = parser.parse_args()
    chosen = [shape for shape in SHAPES if not given.shapes or shape.name in given.shapes]
    found = [row for shape in chosen for row in measure(shape, given.release)]
    return report.tell(found, report.decisions(found), given, what="Group coordinator of Kafka")


if __name__ == "__main__":
    sys.exit(main())
