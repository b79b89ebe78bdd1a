"""What acts on the pods of a StatefulSet does one thing to one pod, once; the tests are its controller."""

import json
from pathlib import Path

import pytest
import yaml
from tests.harness.kubernetes import controller
from tests.harness.kubernetes.cluster import Cluster

from holdfast.adapters.deadline import Deadline
from holdfast.adapters.hosts import actors_file
from holdfast.adapters.hosts.kubernetes import pods, stateful_actor
from holdfast.adapters.hosts.kubernetes.api import ApiRefusal, Document
from holdfast.adapters.hosts.kubernetes.clusters import Clusters
from holdfast.adapters.hosts.kubernetes.connection import Access
from holdfast.adapters.hosts.kubernetes.stateful_actor import StatefulActor, Workload
from holdfast.errors import HostTrouble, InvalidInput
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import ClientProcess, Does, ProcessState

PROCESS_ID = "4b61083e-57d0-457d-951f-d06556c148ca"
PATH = "/apis/apps/v1/namespaces/{}/statefulsets/words"


@pytest.fixture
def namespace(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> str:
    """Three pods; whatever is waited for happens."""
    name = cluster.namespace()
    cluster.stateful_set(name, "words")
    controller.reconcile(cluster, name, "words")
    monkeypatch.setattr(stateful_actor, "_sleep", lambda _: controller.reconcile(cluster, name, "words"))
    return name


def actor_of(cluster: Cluster, namespace: str, user: str = "admin", state_dir: str | None = None, **clients: str) -> StatefulActor:
    return StatefulActor(cluster.server(user), Workload(namespace, "words", "app", state_dir, clients, limit_s=60))


def restart(pod: str) -> Act:
    return Act(Does.RESTART, "", pod)


def uids(cluster: Cluster, namespace: str) -> dict[str, str]:
    found = cluster.api().listed(f"/api/v1/namespaces/{namespace}/pods")
    return {one["metadata"]["name"]: one["metadata"]["uid"] for one in found}


def changed(before: dict[str, str], after: dict[str, str]) -> list[str]:
    return sorted(name for name in before | after if before.get(name) != after.get(name))


def workload(cluster: Cluster, namespace: str) -> Document:
    return cluster.api().get(PATH.format(namespace))


def test_a_restart_replaces_one_pod(cluster: Cluster, namespace: str) -> None:
    actor, before = actor_of(cluster, namespace), uids(cluster, namespace)
    was = actor.process(restart("words-1"))
    assert actor.lacks(restart("words-1")) is None
    assert actor.perform(Does.RESTART, restart("words-1")) is None

    assert changed(before, uids(cluster, namespace)) == ["words-1"]
    now = actor.process(restart("words-1"))
    assert (was.state, now.state) == (ProcessState.RUNNING, ProcessState.RUNNING)
    assert was.identity != now.identity


def test_a_pod_that_was_replaced_since_it_was_looked_at_is_left_alone(cluster: Cluster, namespace: str) -> None:
    """The restart that was wanted has happened."""
    actor = actor_of(cluster, namespace)
    actor.process(restart("words-1"))
    cluster.api().delete(pods.path_of(namespace, "words-1"), {})
    controller.reconcile(cluster, namespace, "words")
    before = uids(cluster, namespace)

    assert actor.perform(Does.RESTART, restart("words-1")) is None
    assert changed(before, uids(cluster, namespace)) == []


def test_a_process_that_changes_or_has_ended(cluster: Cluster, namespace: str) -> None:
    actor = actor_of(cluster, namespace)
    cluster.api().delete(pods.path_of(namespace, "words-2"), {})
    going = actor.process(restart("words-2"))
    cluster.end(namespace, "words-2")
    missing = actor.process(restart("words-2"))
    cluster.api().patch(PATH.format(namespace), {"spec": {"replicas": 2}})
    ended = actor.process(restart("words-2"))

    states = [going, missing, ended]
    assert states == [ClientProcess(one) for one in (ProcessState.CHANGING, ProcessState.CHANGING, ProcessState.STOPPED)]


def test_a_container_that_restarted_is_another_process(cluster: Cluster, namespace: str) -> None:
    actor = actor_of(cluster, namespace)
    before = actor.process(restart("words-0"))
    cluster.runs(namespace, "words-0", "containerStatuses", ["app"], restarts=1)

    assert actor.process(restart("words-0")).identity != before.identity


def new_template(cluster: Cluster, namespace: str, **strategy: object) -> None:
    change = {"template": {"metadata": {"annotations": {"to": "2"}}}, "updateStrategy": strategy}
    cluster.api().patch(PATH.format(namespace), {"spec": change})
    controller.reconcile(cluster, namespace, "words")


def test_a_changed_template_behind_a_partition_is_rolled_out_pod_by_pod(cluster: Cluster, namespace: str) -> None:
    new_template(cluster, namespace, type="RollingUpdate", rollingUpdate={"partition": 3})
    actor, before = actor_of(cluster, namespace), uids(cluster, namespace)
    actor.process(restart("words-0"))
    refused = actor.perform(Does.RESTART, restart("words-0"))
    assert refused is not None
    assert "words-0 comes after words-2" in refused
    assert changed(before, uids(cluster, namespace)) == []

    actor.process(restart("words-2"))
    assert actor.perform(Does.RESTART, restart("words-2")) is None

    assert changed(before, uids(cluster, namespace)) == ["words-2"]
    assert workload(cluster, namespace)["spec"]["updateStrategy"]["rollingUpdate"]["partition"] == 2
    newest = controller.revision(workload(cluster, namespace))
    assert pods.read(cluster.api(), namespace, "words-2").revision == newest
    assert pods.read(cluster.api(), namespace, "words-1").revision != newest

    between = uids(cluster, namespace)
    assert actor.perform(Does.RESTART, restart("words-1")) == "The pod words-1 does not run: it was not restarted."
    actor.process(restart("words-1"))
    assert actor.perform(Does.RESTART, restart("words-1")) is None
    assert changed(between, uids(cluster, namespace)) == ["words-1"]


def test_on_delete_takes_the_new_template_pod_by_pod(cluster: Cluster, namespace: str) -> None:
    new_template(cluster, namespace, type="OnDelete", rollingUpdate=None)
    actor, before = actor_of(cluster, namespace), uids(cluster, namespace)
    actor.process(restart("words-1"))
    assert actor.perform(Does.RESTART, restart("words-1")) is None

    assert changed(before, uids(cluster, namespace)) == ["words-1"]
    assert pods.read(cluster.api(), namespace, "words-1").revision == controller.revision(workload(cluster, namespace))


def test_only_the_last_pod_is_stopped_and_started_and_each_once(cluster: Cluster, namespace: str) -> None:
    actor, before = actor_of(cluster, namespace), uids(cluster, namespace)
    refused = actor.perform(Does.STOP, restart("words-1"))
    assert refused is not None
    assert "has 3 replicas" in refused
    for does, left in ((Does.STOP, 2), (Does.STOP, 2), (Does.START, 3), (Does.START, 3)):
        assert actor.perform(does, restart("words-2")) is None
        assert (workload(cluster, namespace)["spec"]["replicas"], len(uids(cluster, namespace))) == (left, left)

    assert changed(before, uids(cluster, namespace)) == ["words-2"]
    assert actor.perform(Does.START, restart("words-3")) is None
    assert len(uids(cluster, namespace)) == 4


def test_scaling_that_would_delete_a_claim_is_refused(cluster: Cluster, namespace: str) -> None:
    """The state of the client is on it."""
    policy = {"persistentVolumeClaimRetentionPolicy": {"whenScaled": "Delete"}}
    cluster.api().patch(PATH.format(namespace), {"spec": policy})
    actor = actor_of(cluster, namespace)

    refused = actor.perform(Does.STOP, restart("words-2"))
    assert refused is not None
    assert "set Retain" in refused
    assert actor.perform(Does.START, restart("words-3")) is None
    assert workload(cluster, namespace)["spec"]["replicas"] == 4


def test_a_workload_that_another_changes_meanwhile(cluster: Cluster, namespace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was decided on is looked at again."""
    actor, patch = actor_of(cluster, namespace), stateful_actor.Api.patch
    changes = iter(({"replicas": 3, "minReadySeconds": 1}, {"replicas": 5}))

    def changing(self: object, path: str, body: Document, *kind: str) -> Document:
        change = next(changes, None)
        if change is not None:
            patch(cluster.api(), path, {"spec": change})
        return patch(cluster.api(), path, body, *kind)

    monkeypatch.setattr(stateful_actor.Api, "patch", changing)
    refused = actor.perform(Does.STOP, restart("words-2"))

    assert refused is not None
    assert "has 5 replicas" in refused
    assert workload(cluster, namespace)["spec"]["replicas"] == 5


def test_clients_are_pods_by_name_by_the_file_and_by_their_volumes(cluster: Cluster, namespace: str, tmp_path: Path) -> None:
    (tmp_path / "words-1").mkdir()
    (tmp_path / "words-1/kafka-streams-process-metadata").write_text(f'{{"processId":"{PROCESS_ID}"}}')
    actor = actor_of(cluster, namespace, state_dir=f"{tmp_path}/{{pod}}", orders_3="words-0")
    running = {name: actor.process(restart(name)) for name in uids(cluster, namespace)}

    assert actor.process(Act(Does.RESTART, PROCESS_ID, "/10.0.0.7")) == running["words-1"]
    assert actor.process(Act(Does.RESTART, "orders_3", None)) == running["words-0"]
    assert actor.process(Act(Does.RESTART, "some", None, ("words-2",))) == running["words-2"]
    for unknown in (
        Act(Does.RESTART, "", "/10.0.0.7"),
        Act(Does.RESTART, "words-x", None),
        Act(Does.START, PROCESS_ID, "words-x", moves=True),
        Act(Does.RESTART, "other-1", "other-1"),
    ):
        lacks = actor.lacks(unknown)
        assert lacks is not None
        assert "name it (`clients`)" in lacks


def test_the_role_for_acting_is_enough(cluster: Cluster, namespace: str) -> None:
    """And without it nothing is done."""
    actor, before = actor_of(cluster, namespace, "operator"), uids(cluster, namespace)
    with pytest.raises(ApiRefusal, match="forbidden"):
        actor.process(restart("words-1"))
    access = Access("cluster test", kube_config=cluster.kube_config("operator"))
    reads, acts, _ = Clusters(lambda _: access, Deadline(60)).rights([f"kubernetes:///{namespace}/words-{{ordinal}}/app/data"])
    cluster.bind(namespace, "operator", yaml.safe_load(reads.remedy))
    actor.process(restart("words-1"))
    for does in (Does.RESTART, Does.START):
        with pytest.raises(ApiRefusal, match="forbidden"):
            actor.perform(does, restart("words-1" if does is Does.RESTART else "words-3"))
    assert changed(before, uids(cluster, namespace)) == []

    cluster.bind(namespace, "operator", yaml.safe_load(acts.remedy))
    assert actor.perform(Does.RESTART, restart("words-1")) is None
    assert actor.perform(Does.START, restart("words-3")) is None
    assert changed(before, uids(cluster, namespace)) == ["words-1", "words-3"]


def test_the_file_of_an_admin(cluster: Cluster, namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config").write_text(json.dumps(cluster.kube_config()))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    pods_of = {"cluster": "test", "namespace": namespace, "stateful_set": "words", "container": "app"}
    group = {"kubernetes": pods_of, "limit_s": 60, "clients": {PROCESS_ID: {"pod": "words-1"}}}

    def read(**given: object) -> object:
        return actors_file.read(json.dumps({"format_version": "1.0", "groups": {"words": group | given}}).encode(), "words")

    actor, before = read(), uids(cluster, namespace)
    assert isinstance(actor, StatefulActor)
    act = Act(Does.RESTART, PROCESS_ID, None)
    actor.process(act)
    assert actor.perform(Does.RESTART, act) is None
    assert changed(before, uids(cluster, namespace)) == ["words-1"]
    assert actor.limit_s > 60
    with pytest.raises(InvalidInput, match="several were found"):
        read(systemd={"unit": "x"})
    with pytest.raises(InvalidInput, match="no name of a pod"):
        read(kubernetes=pods_of | {"stateful_set": "../secrets"})


def test_an_api_server_that_is_away_for_a_moment_is_waited_for(contract: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was begun goes on without it."""
    name = contract.namespace()
    contract.stateful_set(name, "words")
    controller.reconcile(contract, name, "words")
    actor = actor_of(contract, name)
    actor.process(restart("words-1"))
    looked = actor.process
    failures = iter((HostTrouble("away", begun=False), HostTrouble("away", begun=False)))

    def failing(act: Act) -> ClientProcess:
        failure = next(failures, None)
        if failure is not None:
            raise failure
        return looked(act)

    monkeypatch.setattr(actor, "process", failing)
    monkeypatch.setattr(stateful_actor, "_sleep", lambda _: controller.reconcile(contract, name, "words"))

    assert actor.perform(Does.RESTART, restart("words-1")) is None
