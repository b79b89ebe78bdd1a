"""Which pods belong to a workload, and how a cluster is reached."""

from pathlib import Path

import pytest
from tests.harness.kubernetes.cluster import Cluster

from holdfast.adapters.deadline import Deadline
from holdfast.adapters.hosts.kubernetes import address, pods
from holdfast.adapters.hosts.kubernetes.api import Api, ApiRefusal
from holdfast.adapters.hosts.kubernetes.clusters import Clusters
from holdfast.adapters.hosts.kubernetes.connection import Access, Server
from holdfast.errors import HostTrouble, InvalidInput

SETS = "/apis/apps/v1/namespaces/{}/statefulsets"


@pytest.fixture(scope="module")
def namespace(cluster: Cluster) -> str:
    """A StatefulSet, a Deployment with two generations of pods, and pods that only look like theirs."""
    name = cluster.namespace()
    words = cluster.stateful_set(name, "words")
    for ordinal in (10, 2, 0):
        cluster.pod(name, f"words-{ordinal}", owner=("StatefulSet", words), labels={"controller-revision-hash": "words-1"})
    cluster.pod(name, "words-7")
    web = cluster.deployment(name, "web")
    old, new = (cluster.replica_set(name, f"web-{each}", web) for each in ("old", "new"))
    cluster.pod(name, "web-old-a", owner=("ReplicaSet", old))
    cluster.pod(name, "web-new-b", owner=("ReplicaSet", new))
    return name


def names(cluster: Cluster, namespace: str, pod: str) -> list[str]:
    where = address.parse(f"kubernetes:///{namespace}/{pod}/app/data/{{pod}}")
    found = pods.named(cluster.api(), where)
    assert all(one.path == f"/data/{one.pod}" for one in found)
    return [one.pod for one in found]


def test_pods_of_a_stateful_set_by_ordinal(cluster: Cluster, namespace: str) -> None:
    """A pod with its labels and the name of one that it does not control is none of its."""
    assert names(cluster, namespace, "words-{ordinal}") == ["words-0", "words-2", "words-10"]


def test_pods_of_a_deployment_through_its_replica_sets(cluster: Cluster, namespace: str) -> None:
    assert names(cluster, namespace, "deployment:web") == ["web-new-b", "web-old-a"]


def test_a_workload_that_is_not_there(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(ApiRefusal, match='"other" not found') as refused:
        names(cluster, namespace, "other-{ordinal}")

    assert (refused.value.status, refused.value.reason) == (404, "NotFound")


def test_many_pods_come_page_by_page(cluster: Cluster, namespace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.adapters.hosts.kubernetes.api._PAGE", 2)

    assert names(cluster, namespace, "words-{ordinal}") == ["words-0", "words-2", "words-10"]


@pytest.mark.parametrize(
    ("pod", "more", "may"),
    [
        ("words-0", 0, True),
        ("words-10", 0, True),  # above the replicas, and controlled
        ("words-7", 9, False),  # only looks like one
        ("words-1", 0, True),
        ("words-3", 0, False),
        ("words-3", 1, True),
        ("words-4", 1, False),
        ("words-01", 9, False),
        ("other-0", 9, False),
        ("web-new-b", 9, False),
    ],
)
def test_a_template_stands_for_the_pods_of_its_workload(
    cluster: Cluster, namespace: str, pod: str, more: int, *, may: bool
) -> None:
    """Three replicas: 0 to 2."""
    assert (
        stands_for(cluster, f"/{namespace}/words-{{ordinal}}/app/data/{{pod}}", f"/{namespace}/{pod}/app/data/{pod}", more) is may
    )


@pytest.mark.parametrize(
    ("template", "url", "may"),
    [
        ("deployment:web/app/data", "web-new-b/app/data", True),
        ("deployment:web/app/data", "words-0/app/data", False),
        ("words-{ordinal}/app/data", "words-0/side/data", False),
        ("words-{ordinal}/app/data", "words-0/app/other", False),
        ("words-{ordinal}/app/data", "words-{ordinal}/app/data", True),
        ("words-{ordinal}/app/data/{pod}", "words-0/app/data/words-2", False),
        ("words-0/app/data", "words-0/app/data", True),
        ("words-0/app/data", "words-2/app/data", False),
    ],
)
def test_all_else_of_a_template_stays(cluster: Cluster, namespace: str, template: str, url: str, *, may: bool) -> None:
    assert stands_for(cluster, f"/{namespace}/{template}", f"/{namespace}/{url}", 0) is may
    assert not stands_for(cluster, f"/{namespace}/{template}", f"/default/{url}", 0)


def stands_for(cluster: Cluster, template: str, url: str, more: int) -> bool:
    access = Access("cluster test", kube_config=cluster.kube_config())
    clusters = Clusters(lambda _: access, Deadline(60))
    return clusters.stands_for(f"kubernetes://{template}", f"kubernetes://{url}", more)


def test_what_a_pod_says_of_itself(cluster: Cluster, namespace: str) -> None:
    found = pods.read(cluster.api(), namespace, "words-2")

    assert (found.name, found.ordinal, found.phase, found.ready, found.goes) == ("words-2", 2, "Running", True, False)
    assert found.owner is not None
    assert (found.owner.kind, found.revision) == ("StatefulSet", "words-1")
    app = found.container("app")
    assert app is not None
    assert app.run.startswith("containerd://")


def test_a_user_without_rights_is_told_what_helps(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(ApiRefusal, match=r'User "nobody" cannot get resource "pods".*`holdfast doctor` prints') as refused:
        pods.read(cluster.api("nobody"), namespace, "words-2")

    assert refused.value.status == 403
    assert refused.value.lasting
    assert not refused.value.begun


def test_a_token_that_is_wrong(cluster: Cluster, namespace: str) -> None:
    config = cluster.kube_config()
    config["users"][0]["user"]["token"] = "wrong-token-never-shown"
    with pytest.raises(ApiRefusal, match="Check the credentials") as refused:
        pods.read(Api(Server(Access("cluster test", kube_config=config))), namespace, "words-2")

    assert refused.value.status == 401
    assert "never-shown" not in str(refused.value)


def test_a_server_with_another_certificate_is_sent_nothing(cluster: Cluster, tmp_path: Path) -> None:
    """The kubeconfig's CA has not signed it."""
    other = cluster.kube_config()
    del other["clusters"][0]["cluster"]["certificate-authority-data"]
    with pytest.raises(HostTrouble, match=r"certificate verify failed|SSL"):
        Api(Server(Access("cluster test", kube_config=other)), 3).create("/api/v1/namespaces", {})


@pytest.mark.parametrize("given", [{"insecure-skip-tls-verify": True}, {"server": "http://api.example.org"}], ids=str)
def test_credentials_go_to_no_server_that_was_not_checked(cluster: Cluster, given: dict[str, object]) -> None:
    config = cluster.kube_config()
    config["clusters"][0]["cluster"].update(given)
    config["clusters"][0]["cluster"].pop("certificate-authority-data")
    with pytest.raises(HostTrouble, match="certificate-authority-data") as refused:
        pods.read(Api(Server(Access("cluster test", kube_config=config))), "n", "p")

    assert refused.value.lasting


@pytest.mark.parametrize(
    ("extras", "found"),
    [
        ({"kube_config": '{"clusters": []}'}, Access("cluster k", kube_config={"clusters": []})),
        ({"extra__kubernetes__in_cluster": True, "cluster_context": ""}, Access("cluster k", in_cluster=True)),
        ({"kube_config_path": "config", "cluster_context": "c"}, Access("cluster k", "c", kube_config_path="config")),
        ({}, Access("cluster k")),
    ],
    ids=range(4),
)
def test_airflow_connections_of_type_kubernetes(extras: dict[str, object], found: Access) -> None:
    assert Access.of_extras("k", extras) == found


@pytest.mark.parametrize("extras", [{"disable_verify_ssl": True}, {"kube_config": "no: json"}, {"kube_config": "[]"}], ids=str)
def test_airflow_connections_that_are_refused(extras: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        Access.of_extras("k", extras)


def test_credentials_that_cannot_be_loaded(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text("users: [{token: very-secret-token")
    with pytest.raises(HostTrouble, match="credentials cannot be loaded") as refused:
        pods.read(Api(Server(Access("cluster test", kube_config_path=str(config)))), "n", "p")

    assert "very-secret" not in str(refused.value)
