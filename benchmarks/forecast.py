"""A whole forecast, ours, against Kafka's own assignor called once for every rebalance of it, in the same run.

    python -m benchmarks.forecast                     every shape
    python -m benchmarks.forecast join-400 roll       some of them
    python -m benchmarks.forecast --json              for machines

Ours: `forecast(snapshot, change)`: every decision, what members report in between, restores and summary. Kafka: the time that
`StreamsPartitionAssignor.assign` of the published jar takes for those rebalances (warm, C2), measured at up to 24 of them, evenly
spread, and multiplied; each of these decisions is compared, task by task. `search` is a whole plan, with all its candidates; there
the JVM is timed on the rebalances of the plain change, and multiplied by those of all candidates.
"""

import argparse
import itertools
import json
import resource
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch

from rich.console import Console
from rich.table import Table
from tests.conformance import groups
from tests.conformance.groups import Case
from tests.conformance.jvm import LeaderJvm
from tests.conformance.snapshots import snapshot_of

from benchmarks.assign import OPTIONS, again, case_of
from benchmarks.assign import Shape as Size
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.group import Assignment, Group, LeaderFailure
from holdfast.rollout import candidates, codec, plan
from holdfast.rollout.forecast import forecast
from holdfast.rollout.rules import Policy
from holdfast.rollout.snapshot import Snapshot

SAMPLED = 24
"""Rebalances at which the JVM is timed."""
WAYS = 4
"""About so many forecasts of the plain change's length are in a plan."""
MOST_RUNS, ENOUGH_S = 3, 30
"""How often, and for how many seconds, ours is timed."""
NEW = "5bd1e995-5bd1-4e99-9bd1-5bd1e9955bd1"
"""The process ID of a client that joins: about three quarters up the order."""


@dataclass(frozen=True)
class Shape:
    """`goal`: how many times as fast as the JVM's decisions alone we want to be."""

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


@dataclass(frozen=True)
class Ours:
    """What one run took, and the groups that it put before the leader."""

    seconds: float
    groups: Sequence[Group]
    rebalances: int


def run(shape: Shape, snapshot: Snapshot, *, every: int | None = None) -> Ours:
    """Forecast or plan once. `every`: remember each so-manieth group, which takes time of its own, and make no plan."""
    change = codec.change_from_json({"format_version": "1.0", "events": list(shape.events)})
    seen: list[Group] = []
    decide = leader.assign
    number = itertools.count()

    def watch(group: Group, memory: leader.Memory | None = None) -> Assignment | LeaderFailure:
        if every is not None and next(number) % every == 0:
            seen.append(group)
        return decide(group, memory)

    with patch.object(leader, "assign", decide if every is None else watch):
        began = time.perf_counter()
        if shape.whole_plan and every is None:
            evaluations = [candidates.evaluate(snapshot, one) for one in candidates.propose(snapshot, change)]
            plan.assemble(snapshot, change, evaluations, Policy(), datetime(2026, 11, 20, tzinfo=UTC))
            seconds = time.perf_counter() - began
            rebalances = sum(one.rebalances.high for each in evaluations for one in each.costs)
            return Ours(seconds, (), rebalances)
        found = forecast(snapshot, change)
        return Ours(time.perf_counter() - began, seen, sum(len(outcome.rounds) for outcome in found.outcomes))


def question(group: Group, case: Case) -> Case:
    """What the members report in `group`, as the JVM driver takes it."""
    members = [
        {
            "id": consumer.member_id,
            "process": str(client.process_id),
            "owned": [list(one) for one in consumer.owned],
            "sums": {str(task): total for task, total in consumer.task_offset_sums},
        }
        for client in group.clients
        for consumer in client.consumers
    ]
    return case | {"members": members, "leader": str(group.leader_process_id)}


def measure(shape: Shape, release: str) -> Iterator[dict[str, Any]]:
    case = settled(shape, release)
    snapshot = codec.snapshot_from_json(snapshot_of(case, release))
    ours = [run(shape, snapshot)]
    while len(ours) < MOST_RUNS and sum(one.seconds for one in ours) < ENOUGH_S:
        ours.append(run(shape, snapshot))
    of_one = ours[0].rebalances // (WAYS if shape.whole_plan else 1)
    sampled = run(shape, snapshot, every=max(1, of_one // SAMPLED)).groups[: SAMPLED + 1]
    equal, kafka = True, []
    with LeaderJvm(release, *OPTIONS) as jvm:
        for number, group in enumerate(sampled):
            asked = question(group, case)
            equal = equal and groups.difference(asked, release, jvm.ask([asked])[0]) == ""
            warm = 50 if number == 0 else 3
            kafka += jvm.ask([asked | {"ask": "time", "warm": warm, "runs": 5}])[0]["milliseconds"]
    seconds = statistics.median(one.seconds for one in ours)
    theirs = statistics.mean(kafka) / 1e3 * ours[0].rebalances
    yield {
        "shape": shape.name,
        "what": shape.what,
        "rebalances": ours[0].rebalances,
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
            "yes" if one["equal"] else "NO",
        )
    return table


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("shapes", nargs="*", choices=[*(shape.name for shape in SHAPES), []])
    arguments.add_argument("--release", default="3.9.1")
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    chosen = [shape for shape in SHAPES if not given.shapes or shape.name in given.shapes]
    found = [one for shape in chosen for one in measure(shape, given.release)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    if given.json:
        sys.stdout.write(json.dumps({"release": given.release, "peak_mib": peak, "shapes": found}) + "\n")
    else:
        Console(width=132).print(table_of(found), f"Kafka Streams {given.release}; our process took at most {peak:,} MiB.")
    return 0 if all(one["equal"] for one in found) else 1


if __name__ == "__main__":
    raise SystemExit(main())
