"""Clients that are Deployments of one pod each: each act is done once, with played controllers and with Kubernetes' own."""

import json
from pathlib import Path

import pytest
import yaml
from tests.harness.kubernetes import controller, killed
from tests.harness.kubernetes.cluster import Cluster

from holdfast.adapters.deadline import Deadline
from holdfast.adapters.hosts import actors_file
from holdfast.adapters.hosts.kubernetes import deployment_actor, deployments, workloads
from holdfast.adapters.hosts.kubernetes.api import ApiRefusal, Document
from holdfast.adapters.hosts.kubernetes.clusters import Clusters
from holdfast.adapters.hosts.kubernetes.connection import Access
from holdfast.adapters.hosts.kubernetes.deployment_actor import DeploymentActor, OnePodDeployments
from holdfast.errors import HostTrouble, InvalidInput
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import Does, ProcessState

CLIENTS = {"a": {"n": "1"}, "b": {"n": "2"}, "bad": {"n": "../2"}}
RECREATE = {"type": "Recreate"}


@pytest.fixture
def namespace(driven: Cluster, monkeypatch: pytest.MonkeyPatch) -> str:
    """Two clients; whatever is waited for happens."""
    name = driven.namespace()
    for number in (1, 2):
        deploy(driven, name, number)
    controller.settle(driven, name)
    monkeypatch.setattr(deployment_actor, "_sleep", lambda _: controller.step(driven, name))
    return name


def deploy(driven: Cluster, namespace: str, number: int, **spec: object) -> Document:
    labels = {"app": "words", "n": str(number)}
    template = driven.template() | {"metadata": {"labels": labels}}
    given = {"replicas": 1, "strategy": RECREATE, "selector": {"matchLabels": labels}, "template": template}
    return driven.deployment(namespace, f"words-{number}", **(given | spec))


def actor_of(driven: Cluster, namespace: str, user: str = "admin", state_dir: str | None = None) -> DeploymentActor:
    return DeploymentActor(driven.server(user), OnePodDeployments(namespace, "words-{n}", "app", state_dir, CLIENTS, 60))


def act(does: Does, client: str = "a") -> Act:
    return Act(does, client, "/10.0.0.7")


def uids(driven: Cluster, namespace: str) -> dict[str, list[str]]:
    """Of pods, by Deployment."""
    found: dict[str, list[str]] = {"1": [], "2": []}
    for one in driven.api().listed(f"/api/v1/namespaces/{namespace}/pods"):
        found[one["metadata"]["name"].split("-")[1]].append(one["metadata"]["uid"])
    return found


def at(driven: Cluster, namespace: str, name: str = "words-1") -> str | None:
    found = driven.api().get(deployments.path_of(namespace, name))
    annotations = found["spec"]["template"]["metadata"].get("annotations") or {}
    return annotations.get(workloads.RESTARTED_AT)


def test_a_restart_ends_the_pod_before_another_one_runs(driven: Cluster, namespace: str) -> None:
    actor, before = actor_of(driven, namespace), uids(driven, namespace)
    was = actor.process(act(Does.RESTART))
    assert actor.lacks(act(Does.RESTART)) is None
    most = 0

    def step(_: float) -> None:
        nonlocal most
        most = max(most, len(uids(driven, namespace)["1"]))
        controller.step(driven, namespace)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deployment_actor, "_sleep", step)
        assert actor.perform(Does.RESTART, act(Does.RESTART)) is None
    now, after = actor.process(act(Does.RESTART)), uids(driven, namespace)

    assert (was.state, now.state, most) == (ProcessState.RUNNING, ProcessState.RUNNING, 1)
    assert was.identity != now.identity
    assert after["2"] == before["2"]
    assert len(after["1"]) == 1
    assert after["1"] != before["1"]
    assert (at(driven, namespace) is not None, at(driven, namespace, "words-2")) == (True, None)


def test_stop_and_start_are_done_once_each(driven: Cluster, namespace: str) -> None:
    actor, before = actor_of(driven, namespace), uids(driven, namespace)
    for does, state, count in (
        (Does.STOP, ProcessState.STOPPED, 0),
        (Does.STOP, ProcessState.STOPPED, 0),
        (Does.START, ProcessState.RUNNING, 1),
        (Does.START, ProcessState.RUNNING, 1),
    ):
        assert actor.perform(does, act(does)) is None
        assert actor.process(act(does)).state is state
        assert len(uids(driven, namespace)["1"]) == count
    assert uids(driven, namespace)["2"] == before["2"]


def test_a_restart_is_not_asked_for_again_at_any_stage(driven: Cluster, namespace: str) -> None:
    """A run is killed after the change; the next ones look while the controllers go on, bit by bit."""
    actor, before = actor_of(driven, namespace), uids(driven, namespace)
    was = actor.process(act(Does.RESTART))
    killed.after_its_change(driven, "deployments", lambda: actor.perform(Does.RESTART, act(Does.RESTART)))
    asked_for = at(driven, namespace)
    for _ in range(30):
        again = actor_of(driven, namespace)
        now = again.process(act(Does.RESTART))
        if now.state is ProcessState.RUNNING and now.identity == was.identity:
            changed = again._changed(Does.RESTART, "words-1", again._seen["words-1"])
            assert changed is None
        assert at(driven, namespace) == asked_for
        controller.step(driven, namespace)
    controller.settle(driven, namespace)

    assert len(uids(driven, namespace)["1"]) == 1
    assert uids(driven, namespace)["1"] != before["1"]
    assert actor.process(act(Does.RESTART)).state is ProcessState.RUNNING


def test_a_pod_that_was_replaced_since_it_was_looked_at_is_left_alone(driven: Cluster, namespace: str) -> None:
    actor = actor_of(driven, namespace)
    actor.process(act(Does.RESTART))
    [pod] = deployments.look(driven.api(), namespace, "words-1").pods
    driven.api().delete(pod.path, {"gracePeriodSeconds": 0})
    controller.settle(driven, namespace)
    before = uids(driven, namespace)

    assert actor.perform(Does.RESTART, act(Does.RESTART)) is None
    assert uids(driven, namespace) == before
    assert at(driven, namespace) is None


def test_what_would_run_two_pods_or_lose_the_state_is_refused(driven: Cluster, namespace: str) -> None:
    mounts = [{"name": "state", "mountPath": "/state"}, {"name": "kept", "mountPath": "/kept"}]
    mounts.append({"name": "kept", "mountPath": "/by-name", "subPathExpr": "$(POD_NAME)"})
    variable = {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
    container = {"name": "app", "image": "x", "volumeMounts": mounts, "env": [variable]}
    volumes = [{"name": "state", "emptyDir": {}}, {"name": "kept", "persistentVolumeClaim": {"claimName": "c"}}]
    path = deployments.path_of(namespace, "words-1")
    driven.api().patch(path, {"spec": {"template": {"spec": {"containers": [container], "volumes": volumes}}}})
    controller.settle(driven, namespace)

    def lacks(state_dir: str | None = None, does: Does = Does.RESTART) -> str:
        return str(actor_of(driven, namespace, state_dir=state_dir).lacks(act(does)))

    assert (lacks("/kept"), lacks("/state", Does.STOP)) == ("None", "None")
    assert "goes with the pod" in lacks("/state")
    assert "the next pod has another name" in lacks("/by-name")
    driven.api().patch(path, {"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}})
    controller.settle(driven, namespace)
    assert "give it the strategy Recreate" in lacks()
    driven.api().patch(path, {"spec": {"paused": True}})
    controller.settle(driven, namespace)
    assert "is paused" in lacks(does=Does.STOP)
    assert "is paused" in str(actor_of(driven, namespace).perform(Does.STOP, act(Does.STOP)))
    driven.api().patch(path, {"spec": {"paused": False, "replicas": 2}})
    assert "2 replicas, and one is needed" in lacks()
    with pytest.raises(HostTrouble, match="2 replicas"):
        actor_of(driven, namespace).perform(Does.STOP, act(Does.STOP))


@pytest.mark.parametrize(("client", "said"), [("c", "needs n"), ("bad", "no name of a Deployment")])
def test_a_client_without_a_deployment_is_named(driven: Cluster, namespace: str, client: str, said: str) -> None:
    actor = actor_of(driven, namespace)
    assert said in str(actor.lacks(act(Does.STOP, client)))
    assert said in str(actor.cannot_look(act(Does.STOP, client)))


def test_the_role_is_enough(driven: Cluster, namespace: str) -> None:
    access = Access("cluster test", kube_config=driven.kube_config("operator"))
    found = Clusters(lambda _: access, Deadline(60)).rights([f"kubernetes:///{namespace}/deployment:words-1/app/data"])
    role = next(one for one in found if "Deployments of one pod" in one.shown)
    actor = actor_of(driven, namespace, "operator")
    with pytest.raises(ApiRefusal, match="forbidden"):
        actor.process(act(Does.RESTART))
    driven.bind(namespace, "operator", yaml.safe_load(role.remedy))
    assert actor.process(act(Does.RESTART)).state is ProcessState.RUNNING
    for does in (Does.RESTART, Does.STOP, Does.START):
        assert actor.perform(does, act(does)) is None


def test_the_file_of_an_admin(driven: Cluster, namespace: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "config").write_text(json.dumps(driven.kube_config()))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    of = {"cluster": "test", "namespace": namespace, "deployment": "words-{n}", "container": "app"}

    def read(clients: object = None, **given: object) -> object:
        group = {"kubernetes": of | given, "limit_s": 60, "clients": {"a": {"n": "1"}} if clients is None else clients}
        return actors_file.read(json.dumps({"format_version": "1.0", "groups": {"words": group}}).encode(), "words")

    actor = read()
    assert isinstance(actor, DeploymentActor)
    assert actor.process(act(Does.RESTART)).state is ProcessState.RUNNING
    for given, said in (
        ({"stateful_set": "words"}, "one of them only"),
        ({"deployment": None}, "is needed"),
        ({"restart_by": "annotation"}, "is of a `stateful_set`"),
        ({"state_dir": "/state/{ordinal}"}, "no {ordinal}"),
        ({"deployment": "../x-{n}"}, "no name of a pod"),
        ({"deployment": "deployment:words"}, "no name of a pod"),
        ({"deployment": "words"}, "get other names at every start"),
        ({"deployment": "words", "clients": {}, "container": "a/b"}, "no name of a container"),
    ):
        with pytest.raises(InvalidInput, match=said):
            read(**given)
