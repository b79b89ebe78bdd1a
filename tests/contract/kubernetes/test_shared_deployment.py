"""Clients that are the pods of one Deployment: the pod of a client is ended, one more is started, each once."""

import json
from pathlib import Path

import pytest
import yaml
from tests.harness.kubernetes import controller, killed
from tests.harness.kubernetes.cluster import Cluster

from holdfast.adapters.deadline import Deadline
from holdfast.adapters.hosts import actors_file
from holdfast.adapters.hosts.kubernetes import deployments, shared_deployment
from holdfast.adapters.hosts.kubernetes.api import Document
from holdfast.adapters.hosts.kubernetes.clusters import Clusters
from holdfast.adapters.hosts.kubernetes.connection import Access
from holdfast.adapters.hosts.kubernetes.pods import Pod
from holdfast.adapters.hosts.kubernetes.shared_deployment import ACTS, LOWEST_COST, SharedDeployment, SharedDeploymentActor
from holdfast.errors import HostTrouble
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import Does, ProcessState

PROCESS_ID = "4b61083e-57d0-457d-951f-d06556c148ca"


@pytest.fixture
def namespace(driven: Cluster, monkeypatch: pytest.MonkeyPatch) -> str:
    """Three pods; whatever is waited for happens."""
    name = driven.namespace()
    driven.deployment(name, "words", 3)
    controller.settle(driven, name)
    monkeypatch.setattr(shared_deployment, "_sleep", lambda _: controller.step(driven, name))
    return name


def actor_of(
    driven: Cluster, namespace: str, user: str = "admin", state_dir: str | None = None, limit_s: float = 60
) -> SharedDeploymentActor:
    return SharedDeploymentActor(driven.server(user), SharedDeployment(namespace, "words", "app", state_dir, limit_s))


def found(driven: Cluster, namespace: str) -> list[Pod]:
    return sorted(deployments.look(driven.api(), namespace, "words").pods, key=lambda pod: pod.uid)


def stop(pod: str, step: str = "1") -> Act:
    return Act(Does.STOP, "client-9", "/10.0.0.7", (pod,), f"plan.{step}")


def start(step: str = "1", client: str = "", host: str | None = None) -> Act:
    return Act(Does.START, client, host, (), f"plan.{step}")


def deployment(driven: Cluster, namespace: str) -> Document:
    return driven.api().get(deployments.path_of(namespace, "words"))


@pytest.mark.parametrize("index", [0, 1, 2])
def test_the_pod_of_the_client_ends_and_no_other(driven: Cluster, namespace: str, index: int) -> None:
    actor, before = actor_of(driven, namespace), found(driven, namespace)
    pod = before[index]
    assert actor.lacks(stop(pod.name)) is None
    assert actor.process(stop(pod.name)).state is ProcessState.RUNNING
    for _ in range(2):
        assert actor.perform(Does.STOP, stop(pod.name)) is None
        assert actor.process(stop(pod.name)).state is ProcessState.STOPPED
        assert actor.lacks(stop(pod.name)) is None, "it is known that it was this act"
        controller.settle(driven, namespace)
        assert [one.uid for one in found(driven, namespace)] == [one.uid for one in before if one is not pod]
    assert "no pod of words is known" in str(actor.lacks(stop(pod.name, "2")))


def test_one_more_is_started_once_for_each_step(driven: Cluster, namespace: str) -> None:
    actor, before = actor_of(driven, namespace), found(driven, namespace)
    for step, was, count in (
        ("1", ProcessState.STOPPED, 4),
        ("1", ProcessState.RUNNING, 4),
        ("2", ProcessState.STOPPED, 5),
    ):
        assert actor.process(start(step)).state is was
        assert actor.perform(Does.START, start(step)) is None
        assert actor.process(start(step)).state is ProcessState.RUNNING
        now = found(driven, namespace)
        assert len(now) == count
        assert {one.uid for one in before} <= {one.uid for one in now}


def test_what_was_asked_for_is_not_asked_for_again(driven: Cluster, namespace: str) -> None:
    """A run is killed after either change; the next one looks at once."""
    actor, before = actor_of(driven, namespace), found(driven, namespace)
    pod = before[1]
    for path in ("/pods/", "/deployments/"):
        killed.after_its_change(driven, path, lambda: actor_of(driven, namespace).perform(Does.STOP, stop(pod.name)))
    assert actor.perform(Does.STOP, stop(pod.name)) is None
    killed.after_its_change(driven, "/deployments/", lambda: actor.perform(Does.START, start()))
    again = actor_of(driven, namespace)
    assert again.process(start()).state is not ProcessState.STOPPED
    assert again.perform(Does.START, start()) is None
    controller.settle(driven, namespace)

    now = {one.uid for one in found(driven, namespace)}
    assert len(now) == 3
    assert now >= {one.uid for one in before if one is not pod}
    assert pod.uid not in now


def test_nothing_is_done_where_kubernetes_might_end_another(driven: Cluster, namespace: str) -> None:
    actor, pod, other = actor_of(driven, namespace), *found(driven, namespace)[:2]
    not_ready = {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}
    driven.api().patch(f"{other.path}/status", not_ready)
    assert f"at the pod {other.name} first" in str(actor.perform(Does.STOP, stop(pod.name)))
    driven.api().patch(f"{other.path}/status", {"status": {"conditions": [{"type": "Ready", "status": "True"}]}})
    driven.api().patch(other.path, {"metadata": {"annotations": {deployments.DELETION_COST: LOWEST_COST}}})
    assert f"The pod {other.name} has the lowest deletion cost" in str(actor.perform(Does.STOP, stop(pod.name)))

    assert deployment(driven, namespace)["spec"]["replicas"] == 3


@pytest.mark.thorough
def test_another_pod_that_ended_is_said_and_nothing_is_done_again(
    driven: Cluster, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no longer ready in the moment before the change."""
    actor, pod, other = actor_of(driven, namespace, limit_s=3), *found(driven, namespace)[:2]
    patched = shared_deployment.patched

    def late(api: object, path: str, *given: object) -> bool:
        driven.api().patch(f"{other.path}/status", {"status": {"conditions": [{"type": "Ready", "status": "False"}]}})
        return patched(driven.api(), path, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(shared_deployment, "patched", late)
    said = actor.perform(Does.STOP, stop(pod.name))
    monkeypatch.undo()
    controller.settle(driven, namespace)

    assert "Kubernetes has ended another pod" in str(said)
    left = {one.uid for one in found(driven, namespace)}
    assert pod.uid in left
    assert other.uid not in left
    assert actor.process(stop(pod.name)).identity == f"{pod.uid}/0"
    monkeypatch.setattr(shared_deployment, "_sleep", lambda _: controller.step(driven, namespace))
    assert "another pod" in str(actor_of(driven, namespace, limit_s=0.2).perform(Does.STOP, stop(pod.name)))
    assert deployment(driven, namespace)["spec"]["replicas"] == 2


def test_a_deployment_that_others_change_all_the_time_is_left_alone(
    driven: Cluster, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And its pods too: none is the first to end because of what was not done."""
    actor, before = actor_of(driven, namespace), found(driven, namespace)
    monkeypatch.setattr(shared_deployment, "patched", lambda *_: False)
    assert "again and again" in str(actor.perform(Does.STOP, stop(before[0].name)))

    assert set(deployments.look(driven.api(), namespace, "words").costs) == {""}
    assert found(driven, namespace) == before


def test_a_client_is_found_by_the_process_id_on_its_volume(driven: Cluster, namespace: str, tmp_path: Path) -> None:
    mine, twin, third = found(driven, namespace)
    for pod, process_id in ((mine, PROCESS_ID), (twin, PROCESS_ID.replace("4b", "5b")), (third, PROCESS_ID.replace("4b", "5b"))):
        (tmp_path / pod.name).mkdir()
        (tmp_path / pod.name / "kafka-streams-process-metadata").write_text(f'{{"processId":"{process_id}"}}')
    actor = actor_of(driven, namespace, state_dir=f"{tmp_path}/{{pod}}")
    act = Act(Does.STOP, PROCESS_ID, "/10.0.0.7", (), "plan.1")

    assert "is known" in str(actor.lacks(Act(Does.STOP, PROCESS_ID.replace("4b", "5b"), None, (), "plan.1"))), "two have it"
    assert "is known" in str(actor.lacks(Act(Does.STOP, "/10.0.0.7", "/10.0.0.7", (), "plan.1"))), "an address is no name"
    assert actor.process(act).identity == f"{mine.uid}/0"
    assert actor.perform(Does.STOP, act) is None
    assert actor_of(driven, namespace, state_dir=f"{tmp_path}/{{pod}}").process(act).state is ProcessState.STOPPED
    controller.settle(driven, namespace)
    assert [one.uid for one in found(driven, namespace)] == [twin.uid, third.uid]


def test_what_a_deployment_cannot_promise_is_refused(driven: Cluster, namespace: str) -> None:
    actor, pod = actor_of(driven, namespace), found(driven, namespace)[0]
    assert "another name" in str(actor.lacks(Act(Does.RESTART, "", pod.name, (), "plan.1")))
    assert "cannot be started as such" in str(actor.lacks(start(client=PROCESS_ID)))
    assert "cannot be started as such" in str(actor.lacks(start(host="words-0")))
    assert actor.lacks(start()) is None
    driven.api().patch(deployments.path_of(namespace, "words"), {"spec": {"paused": True}})
    assert "is paused" in str(actor.lacks(start()))


@pytest.mark.parametrize("kept", ["[" * 10_000, "{", "[]", '{"a":1}', '"' + "x" * 70_000 + '"', '{"a":null}'], ids=range(6))
def test_an_annotation_of_another_is_refused(driven: Cluster, namespace: str, kept: str) -> None:
    actor, pod = actor_of(driven, namespace), found(driven, namespace)[0]
    driven.api().patch(deployments.path_of(namespace, "words"), {"metadata": {"annotations": {ACTS: kept}}})

    for act in (start(), stop(pod.name)):
        assert "did not write: remove it" in str(actor.lacks(act))
        with pytest.raises(HostTrouble, match="did not write") as refused:
            actor.perform(act.does, act)
        assert refused.value.lasting
    assert deployment(driven, namespace)["spec"]["replicas"] == 3


def test_what_was_done_is_kept_bounded(driven: Cluster, namespace: str) -> None:
    many = {f"{number:024x}": "" for number in range(200)}
    driven.api().patch(deployments.path_of(namespace, "words"), {"metadata": {"annotations": {ACTS: json.dumps(many)}}})
    assert actor_of(driven, namespace).perform(Does.START, start()) is None
    kept = json.loads(deployment(driven, namespace)["metadata"]["annotations"][ACTS])

    assert len(kept) == 200
    assert next(iter(many)) not in kept
    assert actor_of(driven, namespace).process(start()).state is ProcessState.RUNNING


def test_the_role_is_enough(driven: Cluster, namespace: str, tmp_path: Path) -> None:
    access = Access("cluster test", kube_config=driven.kube_config("operator"))
    roles = Clusters(lambda _: access, Deadline(60)).rights([f"kubernetes:///{namespace}/deployment:words/app/data"])
    role = next(one for one in roles if "pods of one Deployment" in one.shown)
    actor, pod = actor_of(driven, namespace, "operator", state_dir=f"{tmp_path}/{{pod}}"), found(driven, namespace)[0]
    (tmp_path / pod.name).mkdir()
    (tmp_path / pod.name / "kafka-streams-process-metadata").write_text(f'{{"processId":"{PROCESS_ID}"}}')
    driven.bind(namespace, "operator", yaml.safe_load(role.remedy))
    assert actor.perform(Does.STOP, Act(Does.STOP, PROCESS_ID, None, (), "plan.3")) is None
    assert actor.perform(Does.START, start()) is None

    assert {verb for rule in yaml.safe_load(role.remedy)["rules"] for verb in rule["verbs"]} == {"get", "list", "create", "patch"}


def test_the_file_of_an_admin(driven: Cluster, namespace: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "config").write_text(json.dumps(driven.kube_config()))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    of = {"cluster": "test", "namespace": namespace, "deployment": "words", "container": "app"}
    content = json.dumps({"format_version": "1.0", "groups": {"words": {"kubernetes": of}}}).encode()
    actor = actors_file.read(content, "words")

    assert isinstance(actor, SharedDeploymentActor)
    assert actor.process(start()).state is ProcessState.STOPPED
