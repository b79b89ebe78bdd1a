"""Containers of Holdfast's own, where the application's has no shell or is down. The tests are the kubelet that starts them."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.harness.kubernetes.cluster import IMAGE, Cluster

from holdfast.adapters.deadline import Deadline
from holdfast.adapters.hosts.kubernetes import address, readers
from holdfast.adapters.hosts.kubernetes.api import Document
from holdfast.adapters.hosts.kubernetes.clusters import Clusters
from holdfast.adapters.hosts.kubernetes.connection import Access
from holdfast.adapters.hosts.kubernetes.readers import PodHost
from holdfast.adapters.hosts.shell import ScriptEnd
from holdfast.errors import HostTrouble, InvalidInput

READER = "registry.invalid/busybox:1"
MOUNTED = [{"name": "app", "image": IMAGE, "volumeMounts": [{"name": "state", "mountPath": "/data"}]}]
EMPTY = {"volumes": [{"name": "state", "emptyDir": {}}], "securityContext": {"runAsUser": 1000, "fsGroup": 2000}}


def pods_of(cluster: Cluster, namespace: str) -> list[Document]:
    return cluster.api().listed(f"/api/v1/namespaces/{namespace}/pods")


@pytest.fixture
def namespace(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A container that is waited for is started."""
    name = cluster.namespace()

    def start(_: float) -> None:
        for pod in pods_of(cluster, name):
            asked = [one["name"] for one in pod["spec"].get("ephemeralContainers") or []]
            if asked:
                cluster.runs(name, pod["metadata"]["name"], "ephemeralContainerStatuses", asked)
            elif pod["status"].get("phase") == "Pending":
                if not pod["spec"].get("nodeName"):
                    cluster.schedule(name, pod["metadata"]["name"])
                cluster.runs(name, pod["metadata"]["name"], "containerStatuses", ["reader"])

    monkeypatch.setattr(readers, "_sleep", start)
    return name


def run(cluster: Cluster, namespace: str, path: str = "/data/words", image: str = READER) -> ScriptEnd:
    host = PodHost(cluster.server(), address.parse(f"kubernetes:///{namespace}/words-0/app{path}"), image)
    return host.run('cat; echo "$1"', ("argument",), stdin=b"in ", limit_s=30, most_bytes=100)


def without_shell(cluster: Cluster, namespace: str, **given: Any) -> None:
    cluster.pod(namespace, "words-0", containers=MOUNTED, spec=EMPTY | given)
    cluster.kubelet.shells[namespace, "words-0", "app"] = None


def test_an_image_without_a_shell_gets_an_ephemeral_container(cluster: Cluster, namespace: str) -> None:
    """On the volume, as the application's user; the next script uses it again."""
    without_shell(cluster, namespace)
    assert [run(cluster, namespace).stdout for _ in range(2)] == [b"in argument\n"] * 2

    [pod] = pods_of(cluster, namespace)
    [made] = pod["spec"]["ephemeralContainers"]
    assert (made["image"], made["targetContainerName"]) == (READER, "app")
    assert [(one["name"], one["mountPath"]) for one in made["volumeMounts"]] == [("state", "/data")]
    rights = made["securityContext"]
    assert (rights["runAsUser"], rights["runAsGroup"], rights["capabilities"]) == (1000, 2000, {"drop": ["ALL"]})
    assert rights["allowPrivilegeEscalation"] is False


def test_without_an_image_none_is_started(cluster: Cluster, namespace: str) -> None:
    without_shell(cluster, namespace)
    with pytest.raises(HostTrouble, match="HOLDFAST_READER_IMAGE"):
        run(cluster, namespace, image="")

    [pod] = pods_of(cluster, namespace)
    assert not pod["spec"].get("ephemeralContainers")


def test_what_is_inside_the_container_is_reached_by_nobody_else(cluster: Cluster, namespace: str) -> None:
    without_shell(cluster, namespace)
    for path in ("/tmp/words", "/database/words"):
        with pytest.raises(HostTrouble, match="is on no volume of the container"):
            run(cluster, namespace, path)


def test_an_ephemeral_container_that_does_not_start_is_said(
    cluster: Cluster, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_shell(cluster, namespace)
    monkeypatch.setattr(readers, "_PAUSE_S", 1000)
    with pytest.raises(HostTrouble, match="does not run") as refused:
        run(cluster, namespace)

    assert not refused.value.begun


def stateful_set(cluster: Cluster, namespace: str, *, claims: bool = True) -> Document:
    template = {
        "metadata": {"labels": {"app": "words"}},
        "spec": {"containers": MOUNTED, "securityContext": EMPTY["securityContext"], "tolerations": [{"key": "spot"}]},
    }
    if claims:
        size = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        return cluster.stateful_set(
            namespace, "words", template=template, volumeClaimTemplates=[{"metadata": {"name": "state"}, "spec": size}]
        )
    template["spec"]["volumes"] = EMPTY["volumes"]  # type: ignore[index]
    return cluster.stateful_set(namespace, "words", template=template)


def test_an_application_that_is_down_is_read_by_a_pod_with_its_claim(
    cluster: Cluster, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it is left behind, and what a killed process had left is removed."""
    owner = stateful_set(cluster, namespace)
    seen: list[Document] = []
    left = {"name": "holdfast-reader-left", "labels": readers.LABELS}
    cluster.api().create(
        f"/api/v1/namespaces/{namespace}/pods",
        {"metadata": left, "spec": {"containers": [{"name": "reader", "image": READER}]}},
    )
    cluster.api().patch(f"/api/v1/namespaces/{namespace}/pods/holdfast-reader-left/status", {"status": {"phase": "Failed"}})
    carry = cluster.kubelet.run
    monkeypatch.setattr(cluster.kubelet, "run", lambda *given: (seen.extend(pods_of(cluster, namespace)), carry(*given))[1])

    assert run(cluster, namespace).stdout == b"in argument\n"

    assert pods_of(cluster, namespace) == []
    [made] = seen
    spec = made["spec"]
    assert spec["volumes"] == [{"name": "data", "persistentVolumeClaim": {"claimName": "state-words-0"}}]
    assert (spec["activeDeadlineSeconds"], spec["automountServiceAccountToken"]) == (readers.STAYS_S, False)
    assert spec["containers"][0]["securityContext"]["runAsUser"] == 1000
    assert {"key": "spot"} in spec["tolerations"]
    assert [one["uid"] for one in made["metadata"]["ownerReferences"]] == [owner["metadata"]["uid"]]


def stopped_deployment(cluster: Cluster, namespace: str, replicas: int = 0, **volume: object) -> Document:
    """Without a pod, until another one writes it."""
    spec = {"containers": MOUNTED, "volumes": [{"name": "state", **volume}], "securityContext": EMPTY["securityContext"]}
    template = {"metadata": {"labels": {"app": "words"}}, "spec": spec}
    return cluster.deployment(namespace, "words", replicas, template=template)


def test_a_deployment_that_is_down_is_read_by_a_pod_with_its_claim(
    cluster: Cluster, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = stopped_deployment(cluster, namespace, persistentVolumeClaim={"claimName": "state-1"})
    url, seen = f"kubernetes:///{namespace}/deployment:words/app/data/words", list[Document]()
    carry = cluster.kubelet.run
    monkeypatch.setattr(cluster.kubelet, "run", lambda *given: (seen.extend(pods_of(cluster, namespace)), carry(*given))[1])
    access = Access("cluster test", kube_config=cluster.kube_config(), reader_image=READER)
    found = Clusters(lambda _: access, Deadline(60))

    assert found.expanded(url) == (url,)
    place = found.place(url)
    assert place.shell.run("cat", (), stdin=b"in", limit_s=30, most_bytes=100).stdout == b"in"
    [made] = seen
    assert made["spec"]["volumes"] == [{"name": "data", "persistentVolumeClaim": {"claimName": "state-1"}}]
    assert [one["uid"] for one in made["metadata"]["ownerReferences"]] == [owner["metadata"]["uid"]]
    assert pods_of(cluster, namespace) == []
    replica_set = cluster.replica_set(namespace, "words-a", owner)
    cluster.pod(namespace, "words-a-b", owner=("ReplicaSet", replica_set))
    with pytest.raises(HostTrouble, match="the pod words-a-b of the Deployment is there: name it"):
        place.shell.run("cat", (), limit_s=30, most_bytes=100)
    with pytest.raises(InvalidInput, match="several pods"):
        found.place(f"{url}/{{pod}}")


def test_a_deployment_that_is_down_and_had_no_claim_is_refused_by_name(cluster: Cluster, namespace: str) -> None:
    stopped_deployment(cluster, namespace, emptyDir={})
    for image, container, said in (
        (READER, "app", "is on no claim"),
        (READER, "x", "no such container"),
        ("", "app", "READER_IMAGE"),
    ):
        host = PodHost(cluster.server(), address.parse(f"kubernetes:///{namespace}/deployment:words/{container}/data/words"), image)
        with pytest.raises(HostTrouble, match=said):
            host.run("cat", (), limit_s=30, most_bytes=100)
    assert pods_of(cluster, namespace) == []


def test_a_reader_is_removed_when_reading_fails(cluster: Cluster, namespace: str) -> None:
    stateful_set(cluster, namespace)
    host = PodHost(cluster.server(), address.parse(f"kubernetes:///{namespace}/words-0/app/data/words"), READER)
    with pytest.raises(HostTrouble, match="printed more than"):
        host.run("while :; do echo x; done", limit_s=30, most_bytes=100)

    assert pods_of(cluster, namespace) == []


def test_an_empty_dir_of_a_pod_that_is_gone_is_refused_by_name(cluster: Cluster, namespace: str) -> None:
    stateful_set(cluster, namespace, claims=False)
    with pytest.raises(HostTrouble, match="of the kind emptyDir: what was on it went with it"):
        run(cluster, namespace)
    host = PodHost(cluster.server(), address.parse(f"kubernetes:///{namespace}/web-7d9f-x2/app/data"), READER)
    with pytest.raises(HostTrouble, match=r"no StatefulSet.*emptyDir went with it"):
        host.run("echo", limit_s=30, most_bytes=10)

    assert pods_of(cluster, namespace) == []


def test_a_part_of_a_claim_is_read_by_a_pod_on_the_same_node(cluster: Cluster, namespace: str) -> None:
    """An ephemeral container cannot mount a subPath."""
    part = [{"name": "app", "image": IMAGE, "volumeMounts": [{"name": "state", "mountPath": "/data", "subPath": "words"}]}]
    claim = {"volumes": [{"name": "state", "persistentVolumeClaim": {"claimName": "shared"}}]}
    cluster.pod(namespace, "words-0", containers=part, spec=claim)
    cluster.kubelet.shells[namespace, "words-0", "app"] = None

    assert run(cluster, namespace).stdout == b"in argument\n"
    assert [pod["metadata"]["name"] for pod in pods_of(cluster, namespace)] == ["words-0"]


def test_a_part_of_an_empty_dir_is_not_reached(cluster: Cluster, namespace: str) -> None:
    part = [{"name": "app", "image": IMAGE, "volumeMounts": [{"name": "state", "mountPath": "/data", "subPath": "words"}]}]
    cluster.pod(namespace, "words-0", containers=part, spec=EMPTY)
    cluster.kubelet.shells[namespace, "words-0", "app"] = None
    with pytest.raises(HostTrouble, match="subPath of a volume of the kind emptyDir"):
        run(cluster, namespace)
