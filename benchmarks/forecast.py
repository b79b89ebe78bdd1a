"""A whole forecast, Holdfast's, against Kafka's own assignor called once for every rebalance of it, in the same run.

    python -m benchmarks.forecast                     every shape
    python -m benchmarks.forecast join-400 roll       some of them
    python -m benchmarks.forecast --json              for machines

Holdfast: `forecast(snapshot, change)`: every decision, what members report in between, restores and summary. Kafka: the time that
`StreamsPartitionAssignor.assign` of the published jar takes for those rebalances (warm, C2), measured at up to 24 of them, evenly
spread, and multiplied; each of these decisions is compared, task by task. `search` is a whole plan, with all its options; there
the JVM is timed on the rebalances of the plain change, and multiplied by those of all options.
"""

import itertools
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch

from rich.table import Table
from tests.conformance.jvm import LeaderJvm
from tests.conformance.streams import groups
from tests.conformance.streams.groups import Case
from tests.conformance.streams.snapshots import snapshot_of

from benchmarks import report
from benchmarks.assign import OPTIONS, again, case_of
from benchmarks.assign import Shape as Size
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.compiled import jit
from holdfast.kafka.streams.group import Assignment, Group, LeaderFailure
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.options import proposals
from holdfast.rollout.streams.plan import assembly
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

SAMPLED = 24
"""Rebalances at which the JVM is timed."""
MOST_RUNS, ENOUGH_S = 3, 30
"""How often, and for how many seconds, Holdfast's is timed."""
NEW = "5bd1e995-5bd1-4e99-9bd1-5bd1e9955bd1"
"""The process ID of a client that joins: about three quarters up the order."""


@dataclass(frozen=True)
class Shape:
    """`goal`: how many times as fast as the JVM's decisions alone Holdfast is to be."""

    name: str
    what: str
    tasks: int
    clients: int
    events: tuple[dict[str, Any], ...]
    goal: float = 10
    whole_plan: bool = False


JOINS: tuple[dict[str, Any], ...] = ({"add_client": {"process_id": NEW, "threads": 1}},)
SHAPES = (
    Shape("join-400", "20 to 21 clients, 400 tasks", 400, 20, JOINS),
    Shape("join-10000", "20 to 21 clients, 10,000 tasks", 10_000, 20, JOINS),
    Shape("roll", "rolling restart of 20 clients, 400 tasks", 400, 20, ({"rolling_restart": {}},)),
    Shape("search", "a plan: 50 to 51 clients, 1,000 tasks", 1_000, 50, JOINS, whole_plan=True),
)


def settled(shape: Shape, release: str) -> Case:
    """The group at rest: every member runs what the leader gave it."""
    case = case_of(Size(shape.name, shape.what, shape.tasks, shape.clients, 1, 0, shape.goal, 0, 0))
    decision = leader.assign(groups.group_of(case, release))
    assert isinstance(decision, Assignment), "members with nothing on their disks are given everything"
    given = {
        one.member_id: {"active": [str(task) for task in one.active], "standby": [str(task) for task in one.standby]}
        for one in decision.consumers
    }
    return again(case, {"consumers": given})


def timed(shape: Shape, snapshot: Snapshot, change: Change) -> tuple[float, int]:
    """The seconds that the forecast or the plan took, and the rebalances that were forecast."""
    began = time.perf_counter()
    if not shape.whole_plan:
        found = forecast(snapshot, change)
        return time.perf_counter() - began, sum(len(outcome.rounds) for outcome in found.outcomes)
    evaluations = tuple(proposals.evaluate(snapshot, one) for one in proposals.propose(snapshot, change))
    assembly.assemble(snapshot, change, evaluations, Policy(), datetime(2026, 11, 20, tzinfo=UTC))
    return time.perf_counter() - began, sum(len(one.rounds) for each in evaluations for one in each.costs)


def on_the_way(snapshot: Snapshot, change: Change, rebalances: int) -> list[Group]:
    """Of the groups that the forecast of `change` puts before the leader about SAMPLED, evenly spread over its rebalances."""
    every = max(1, rebalances // SAMPLED)
    seen: list[Group] = []
    number = itertools.count()
    decide = leader.assign

    def watch(group: Group, memory: leader.Memory | None = None) -> Assignment | LeaderFailure:
        if next(number) % every == 0:
            seen.append(group)
        return decide(group, memory)

    with patch.object(leader, "assign", watch), patch.object(jit, "is_installed", lambda: False):
        forecast(snapshot, change)
    return seen[: SAMPLED + 1]


def measure(shape: Shape, release: str) -> Iterator[dict[str, Any]]:
    case = settled(shape, release)
    snapshot = snapshot_from_json(snapshot_of(case, release))
    change = change_from_json({"format_version": "1.0", "events": list(shape.events)})
    ours = [timed(shape, snapshot, change)]
    while len(ours) < MOST_RUNS and sum(seconds for seconds, _ in ours) < ENOUGH_S:
        ours.append(timed(shape, snapshot, change))
    rebalances = ours[0][1]
    sampled = on_the_way(snapshot, change, len(forecast(snapshot, change).outcomes[0].rounds) if shape.whole_plan else rebalances)
    equal, kafka = True, []
    with LeaderJvm(release, *OPTIONS) as jvm:
        for number, group in enumerate(sampled):
            asked = groups.case_of(group, case)
            equal = equal and groups.difference(asked, release, jvm.ask([asked])[0]) == ""
            warm = 50 if number == 0 else 3
            kafka += jvm.ask([asked | {"ask": "time", "warm": warm, "runs": 5}])[0]["milliseconds"]
    seconds = statistics.median(seconds for seconds, _ in ours)
    theirs = statistics.mean(kafka) / 1e3 * rebalances
    yield {
        "shape": shape.name,
        "what": shape.what,
        "rebalances": rebalances,
        "sampled": len(sampled),
        "kafka_s": theirs,
        "holdfast_s": seconds,
        "ratio": theirs / seconds,
        "goal": shape.goal,
        "equal": equal,
    }


def table_of(found: list[dict[str, Any]]) -> Table:
    table = Table("shape", "rebalances", "Kafka, s", "Holdfast, s", "ms each", "times as fast", "goal", "equal", box=None)
    for one in found:
        table.add_row(
            one["what"],
            f"{one['rebalances']:,}",
            f"{one['kafka_s']:,.2f} ({one['sampled']})",
            f"{one['holdfast_s']:,.2f}",
            f"{one['holdfast_s'] / one['rebalances'] * 1e3:,.2f}",
            f"{one['ratio']:,.1f}",
            f"{one['goal']:g}",
            report.yes_or_no(one["equal"]),
        )
    return table


def main() -> int:
    given = report.arguments(__doc__, (shape.name for shape in SHAPES)).parse_args()
    chosen = [shape for shape in SHAPES if not given.shapes or shape.name in given.shapes]
    found = [one for shape in chosen for one in measure(shape, given.release)]
    return report.tell(found, table_of(found), given, what="Kafka Streams")


if __name__ == "__main__":
    raise SystemExit(main())
