"""A restart by annotation replaces exactly the pod of its act, with a played controller and Kubernetes' own."""

from datetime import UTC, datetime

import pytest
import yaml
from tests.contract.kubernetes.test_stateful_actor import PATH, changed, restart, uids
from tests.harness.kubernetes import controller, killed
from tests.harness.kubernetes.cluster import Cluster

from holdfast.adapters.deadline import Deadline
from holdfast.adapters.hosts.kubernetes import stateful_actor, workloads
from holdfast.adapters.hosts.kubernetes.api import ApiRefusal, Document
from holdfast.adapters.hosts.kubernetes.clusters import Clusters
from holdfast.adapters.hosts.kubernetes.connection import Access
from holdfast.adapters.hosts.kubernetes.restart_by import RestartBy
from holdfast.adapters.hosts.kubernetes.stateful_actor import StatefulActor, Workload
from holdfast.errors import HostTrouble
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import Does, ProcessState

OTHER_STRATEGY = {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}


@pytest.fixture
def namespace(driven: Cluster, monkeypatch: pytest.MonkeyPatch) -> str:
    """Whatever is waited for happens."""
    name = driven.namespace()
    monkeypatch.setattr(stateful_actor, "_sleep", lambda _: controller.step(driven, name))
    return name


def words(driven: Cluster, namespace: str, **spec: object) -> StatefulActor:
    """Three pods, and what acts on them."""
    driven.stateful_set(namespace, "words", **{"updateStrategy": OTHER_STRATEGY, **spec})
    controller.settle(driven, namespace)
    return actor_of(driven, namespace)


def actor_of(
    driven: Cluster, namespace: str, user: str = "admin", state_dir: str | None = None, limit_s: float = 60
) -> StatefulActor:
    workload = Workload(namespace, "words", "app", state_dir, {}, limit_s, RestartBy.ANNOTATION)
    return StatefulActor(driven.server(user), workload)


def spec(driven: Cluster, namespace: str) -> Document:
    found: Document = driven.api().get(PATH.format(namespace))["spec"]
    return found


def at(found: Document) -> str | None:
    """The time in the template."""
    annotations = found["template"]["metadata"].get("annotations") or {}
    return annotations.get(workloads.RESTARTED_AT)


def partition(found: Document) -> int:
    return int(found["updateStrategy"]["rollingUpdate"]["partition"])


@pytest.mark.parametrize("first", [0, 5])
def test_pods_are_replaced_one_by_one_from_the_highest_ordinal_down(driven: Cluster, namespace: str, first: int) -> None:
    actor = words(driven, namespace, **({"ordinals": {"start": first}} if first else {}))
    times = []
    for ordinal in (first + 2, first + 1, first):
        before, pod = uids(driven, namespace), f"words-{ordinal}"
        was = actor.process(restart(pod))
        assert actor.perform(Does.RESTART, restart(pod)) is None
        assert actor.process(restart(pod)).identity != was.identity
        controller.settle(driven, namespace)
        assert changed(before, uids(driven, namespace)) == [pod]
        found = spec(driven, namespace)
        assert partition(found) == ordinal - first
        times.append(at(found))

    assert times[0] is not None
    assert datetime.fromisoformat(times[0]).tzinfo is UTC
    assert len(set(times)) == 1, "one template for all pods"


def test_a_second_round_is_another_template(driven: Cluster, namespace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also within one second, and by a clock that was set back to it."""
    monkeypatch.setattr(workloads, "now", lambda: datetime(2026, 11, 24, tzinfo=UTC))
    actor = words(driven, namespace)
    before, times = uids(driven, namespace), []
    for _ in range(2):
        for ordinal in (2, 1, 0):
            actor.process(restart(f"words-{ordinal}"))
            assert actor.perform(Does.RESTART, restart(f"words-{ordinal}")) is None
            controller.settle(driven, namespace)
        times.append(at(spec(driven, namespace)))
        assert changed(before, uids(driven, namespace)) == ["words-0", "words-1", "words-2"]
        before = uids(driven, namespace)

    assert times == ["2026-11-24T00:00:00Z", "2026-11-24T00:00:01Z"]


def test_what_an_annotation_cannot_do_alone_is_refused(driven: Cluster, namespace: str) -> None:
    actor, before = words(driven, namespace), uids(driven, namespace)
    actor.process(restart("words-1"))
    refused = actor.perform(Does.RESTART, restart("words-1"))
    assert refused is not None
    assert "words-2 comes first" in refused
    assert "does not run" in str(actor.perform(Does.RESTART, restart("words-2")))
    actor.process(restart("words-2"))
    driven.api().patch(PATH.format(namespace), {"spec": {"updateStrategy": {"type": "OnDelete", "rollingUpdate": None}}})
    controller.settle(driven, namespace)
    assert "restart_by: delete" in str(actor.perform(Does.RESTART, restart("words-2")))

    assert changed(before, uids(driven, namespace)) == []
    assert at(spec(driven, namespace)) is None


def test_pods_of_an_older_template_are_not_changed_with_it(driven: Cluster, namespace: str) -> None:
    """A canary that was left behind a partition: to go on with it is another change than a restart."""
    actor = words(driven, namespace)
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    canary = {"template": {"metadata": {"annotations": {"to": "2"}}}, "updateStrategy": strategy}
    driven.api().patch(PATH.format(namespace), {"spec": canary})
    controller.settle(driven, namespace)
    before = uids(driven, namespace)
    actor.process(restart("words-2"))

    assert "pods of an older template" in str(actor.perform(Does.RESTART, restart("words-2")))
    controller.settle(driven, namespace)
    assert changed(before, uids(driven, namespace)) == []


def test_a_restart_that_was_asked_for_is_not_asked_for_again(driven: Cluster, namespace: str) -> None:
    """A run is killed after the change, before the controller has seen it."""
    actor, before = words(driven, namespace), uids(driven, namespace)
    actor.process(restart("words-2"))
    killed.after_its_change(driven, "statefulsets", lambda: actor.perform(Does.RESTART, restart("words-2")))
    asked_for = at(spec(driven, namespace))
    again = actor_of(driven, namespace)
    if again.process(restart("words-2")).state is ProcessState.RUNNING:  # Kubernetes may have ended it by now
        assert again.perform(Does.RESTART, restart("words-2")) is None
    controller.settle(driven, namespace)

    assert asked_for is not None
    assert at(spec(driven, namespace)) == asked_for
    assert changed(before, uids(driven, namespace)) == ["words-2"]


def test_a_controller_that_sees_nothing_is_said(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is none in this cluster, but for the one look at the beginning."""
    name = cluster.namespace()
    cluster.stateful_set(name, "words", updateStrategy=OTHER_STRATEGY)
    controller.settle(cluster, name)
    monkeypatch.setattr(stateful_actor, "_sleep", lambda _: None)
    cluster.api().patch(PATH.format(name), {"spec": {"minReadySeconds": 1}})
    actor = actor_of(cluster, name, limit_s=0.05)
    actor.process(restart("words-2"))

    with pytest.raises(HostTrouble, match="has not seen its last change") as trouble:
        actor.perform(Does.RESTART, restart("words-2"))
    assert not trouble.value.begun
    assert at(spec(cluster, name)) is None


def test_state_that_goes_with_its_pod_is_not_restarted(driven: Cluster, namespace: str) -> None:
    mounts = [{"name": "state", "mountPath": "/state"}, {"name": "kept", "mountPath": "/state/kept"}]
    container = {"name": "app", "image": "x", "volumeMounts": mounts}
    volumes = [{"name": "state", "emptyDir": {}}, {"name": "kept", "persistentVolumeClaim": {"claimName": "c"}}]
    words(driven, namespace, template=driven.template(containers=[container], volumes=volumes))
    paths = ("/state", "/else", "/state/kept")
    found = {path: actor_of(driven, namespace, state_dir=path).lacks(restart("words-1")) for path in paths}

    assert "volume (emptyDir) that goes with the pod" in str(found["/state"])
    assert "/else of words-1 is on no volume" in str(found["/else"])
    assert found["/state/kept"] is None
    assert actor_of(driven, namespace, state_dir="/state").lacks(Act(Does.STOP, "", "words-2")) is None


def test_the_role_has_no_right_to_delete_pods(driven: Cluster, namespace: str) -> None:
    words(driven, namespace)
    access = Access("cluster test", kube_config=driven.kube_config("operator"))
    url = f"kubernetes:///{namespace}/words-{{ordinal}}/app/data"
    role = next(one for one in Clusters(lambda _: access, Deadline(60)).rights([url]) if "restart_by: annotation" in one.shown)
    rules = yaml.safe_load(role.remedy)["rules"]
    assert not any("delete" in rule["verbs"] for rule in rules)
    driven.bind(namespace, "operator", yaml.safe_load(role.remedy))
    actor, before = actor_of(driven, namespace, "operator"), uids(driven, namespace)
    for does, pod in ((Does.RESTART, "words-2"), (Does.STOP, "words-2"), (Does.START, "words-2"), (Does.RESTART, "words-1")):
        assert actor.process(Act(does, "", pod)).state in (ProcessState.RUNNING, ProcessState.STOPPED)
        if does is not Does.RESTART or pod == "words-2":
            assert actor.perform(does, Act(does, "", pod)) is None
        controller.settle(driven, namespace)

    assert changed(before, uids(driven, namespace)) == ["words-2"]
    with pytest.raises(ApiRefusal, match="forbidden"):
        driven.api("operator").delete(f"/api/v1/namespaces/{namespace}/pods/words-0", {})


@pytest.mark.parametrize("missing", ["uid", "resourceVersion"])
def test_nothing_is_changed_without_a_condition(driven: Cluster, namespace: str, missing: str) -> None:
    words(driven, namespace)
    seen = driven.api().get(PATH.format(namespace))
    del seen["metadata"][missing]

    with pytest.raises(HostTrouble, match="without a UID or version"):
        workloads.patched(driven.api(), PATH.format(namespace), seen, {"replicas": 0})
    assert spec(driven, namespace)["replicas"] == 3
