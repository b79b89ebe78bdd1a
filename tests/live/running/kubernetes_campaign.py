"""Runs over pods that are killed at random requests, while their API server goes away, loses its answers, or is killed itself.

    python -m tests.live.running.kubernetes_campaign [--rounds 20] [--trouble 12] [--servers 3] [--often 0.12] [--seed 1]
        [--into build/pods.jsonl]

Each round: three pods of a StatefulSet are restarted by deleting them, by moving the partition of a changed template, or by an
annotation, or two are stopped by scaling and started again by going back; three Deployments of one pod are restarted, or two
stopped and started again; two pods of one Deployment are ended. Each pod must be replaced, ended or added once, in the plan's
order, and the journal must be whole. One line a round; it goes on after one that is not as wanted, and its status is 1 then.

The API server is the contract server of the tests, or that of `HOLDFAST_KUBE_APISERVER` with etcd and Kubernetes' own controllers
(`bin/test-kubernetes --build` builds them). `--servers`: how often in a round kube-apiserver, etcd or the controllers are killed
(SIGKILL) around the moment of a request.
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.harness.article import A, B
from tests.harness.kubernetes.clients_as_pods import ClientsAsPods, OfDeployments, OfOneDeployment, OfStatefulSet
from tests.harness.kubernetes.cluster import REAL, Cluster, running
from tests.harness.kubernetes.pod_group import PodGroup, Trouble, until_it_ends
from tests.unit.workflows.running.test_going_back import fewer
from tests.unit.workflows.running.test_run import ALL_THREE, rolling

from holdfast.adapters.hosts.kubernetes.restart_by import RestartBy
from holdfast.rollout.journal.acted import Does
from holdfast.rollout.journal.journal import JournalEvent
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.workflows import journals
from holdfast.workflows.running import run as runs

Done = list[tuple[Does, str]]


def restarts(cluster: Cluster, trouble: Trouble, clients: ClientsAsPods) -> tuple[PodGroup, Plan, Done]:
    group, plan = PodGroup(cluster, trouble, clients), rolling()
    until_it_ends(group, lambda: group.run(plan))
    assert all(group.journal(plan).has(step.id, JournalEvent.DONE) for step in plan.steps)
    return group, plan, ALL_THREE


def ends_two(cluster: Cluster, trouble: Trouble, clients: ClientsAsPods) -> tuple[PodGroup, Plan, Done]:
    """Its last wait does not end, because this group does not rebalance."""
    group, plan = PodGroup(cluster, trouble, clients), fewer()
    until_it_ends(group, lambda: _until_stopped(group, plan))
    return group, plan, [(Does.STOP, A), (Does.STOP, B)]


def scales_and_goes_back(cluster: Cluster, trouble: Trouble, clients: ClientsAsPods) -> tuple[PodGroup, Plan, Done]:
    group, plan, done = ends_two(cluster, trouble, clients)
    ran = until_it_ends(group, lambda: group.run(plan, back=True))
    assert ran.went_back is not None
    assert ran.went_back.clients.in_place
    return group, plan, [*done, (Does.START, B), (Does.START, A)]


def of_one_deployment(cluster: Cluster, trouble: Trouble) -> tuple[PodGroup, Plan, Done]:
    with tempfile.TemporaryDirectory(prefix="holdfast-pods-") as folder:
        return ends_two(cluster, trouble, OfOneDeployment(Path(folder)))


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


_BY_ANNOTATION = RestartBy.ANNOTATION
SCENARIOS: dict[str, Callable[[Cluster, Trouble], tuple[PodGroup, Plan, Done]]] = {
    "delete": lambda cluster, trouble: restarts(cluster, trouble, OfStatefulSet()),
    "partition": lambda cluster, trouble: restarts(cluster, trouble, OfStatefulSet(partition=True)),
    "scale": lambda cluster, trouble: scales_and_goes_back(cluster, trouble, OfStatefulSet()),
    "annotation": lambda cluster, trouble: restarts(cluster, trouble, OfStatefulSet(restart_by=_BY_ANNOTATION, first=3)),
    "Deployments": lambda cluster, trouble: restarts(cluster, trouble, OfDeployments()),
    "Deployments scaled": lambda cluster, trouble: scales_and_goes_back(cluster, trouble, OfDeployments()),
    "one Deployment": of_one_deployment,
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
    parser.add_argument("--servers", type=int, default=0)
    parser.add_argument("--often", type=float, default=0.12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--into", type=Path)
    given = parser.parse_args()
    if given.servers and not REAL:
        parser.error("--servers needs a real one: HOLDFAST_KUBE_APISERVER")
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="holdfast-kubernetes-") as folder, running(Path(folder), controllers=True) as cluster:
        for number in range(given.rounds):
            chance = random.Random(f"{given.seed} {number}")
            scenario = list(SCENARIOS)[number % len(SCENARIOS)]
            try:
                found = one_round(cluster, scenario, Trouble(chance, given.trouble, given.servers, given.often))
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
