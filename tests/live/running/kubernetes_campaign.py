"""Runs over the pods of a StatefulSet that are killed at random requests, while their API server goes away or loses its answers.

    python -m tests.live.running.kubernetes_campaign [--rounds 20] [--trouble 12] [--seed 1] [--into build/pods.jsonl]

Each round: three pods are restarted by deleting them, or by moving the partition of a changed template, or two are stopped by
scaling, and started again by going back. Each pod must be replaced, ended or added once, in the plan's order, and the journal must
be whole. One line a round; it goes on after one that is not as wanted, and its status is 1 then. The API server is the contract
server of the tests, or that of `HOLDFAST_KUBE_APISERVER` with etcd (`bin/test-kubernetes --build` builds one).
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.harness.article import A, B
from tests.harness.kubernetes.cluster import Cluster, running
from tests.harness.kubernetes.pod_group import PodGroup, Trouble, until_it_ends
from tests.unit.workflows.running.test_going_back import fewer
from tests.unit.workflows.running.test_run import ALL_THREE, rolling

from holdfast.rollout.journal.acted import Does
from holdfast.rollout.journal.journal import JournalEvent
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.workflows import journals
from holdfast.workflows.running import run as runs

Done = list[tuple[Does, str]]


def restarts(cluster: Cluster, trouble: Trouble, *, partition: bool) -> tuple[PodGroup, Plan, Done]:
    group, plan = PodGroup(cluster, trouble, partition=partition), rolling()
    until_it_ends(group, lambda: group.run(plan))
    assert all(group.journal(plan).has(step.id, JournalEvent.DONE) for step in plan.steps)
    return group, plan, ALL_THREE


def scales_and_goes_back(cluster: Cluster, trouble: Trouble) -> tuple[PodGroup, Plan, Done]:
    """Its last wait does not end, because this group does not rebalance: going back begins in it."""
    group, plan = PodGroup(cluster, trouble), fewer()
    until_it_ends(group, lambda: _until_stopped(group, plan))
    ran = until_it_ends(group, lambda: group.run(plan, back=True))
    assert ran.went_back is not None
    assert ran.went_back.clients.in_place
    return group, plan, [(Does.STOP, A), (Does.STOP, B), (Does.START, B), (Does.START, A)]


class _Stopped(Exception):
    """Both clients are stopped."""


def _until_stopped(group: PodGroup, plan: Plan) -> runs.Ran:
    def ends() -> None:
        if group.journal(plan).has("3", JournalEvent.DONE):
            raise _Stopped

    group.on_sleep = ends
    try:
        return group.run(plan)
    except _Stopped:
        return runs.Ran(applied=None)  # type: ignore[arg-type] # only that it did not halt is read
    finally:
        group.on_sleep = lambda: None


SCENARIOS: dict[str, Callable[[Cluster, Trouble], tuple[PodGroup, Plan, Done]]] = {
    "delete": lambda cluster, trouble: restarts(cluster, trouble, partition=False),
    "partition": lambda cluster, trouble: restarts(cluster, trouble, partition=True),
    "scale": scales_and_goes_back,
}


def one_round(cluster: Cluster, scenario: str, trouble: Trouble) -> dict[str, object]:
    group, plan, wanted = SCENARIOS[scenario](cluster, trouble)
    kept = journals.read(group.lake, plan.plan_id)
    once = group.done == wanted and kept.broken is None
    found: dict[str, object] = {"scenario": scenario, **trouble.found, "runs": group.owners, "as_wanted": once}
    return found if once else found | {"done": [f"{does.value} {client}" for does, client in group.done], "broken": kept.broken}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--trouble", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--into", type=Path)
    given = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="holdfast-kubernetes-") as folder, running(Path(folder)) as cluster:
        for number in range(given.rounds):
            chance = random.Random(f"{given.seed} {number}")
            scenario = list(SCENARIOS)[number % len(SCENARIOS)]
            try:
                found = one_round(cluster, scenario, Trouble(chance, given.trouble))
            except AssertionError as wrongs:
                found = {"scenario": scenario, "as_wanted": False, "why": str(wrongs)}
            line = json.dumps({"round": number} | found)
            print(line, flush=True)
            if given.into is not None:
                with given.into.open("a", encoding="utf-8") as out:
                    out.write(f"{line}\n")
            wrong += not found["as_wanted"]
    print(f"{given.rounds} rounds, {wrong} not as wanted", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
