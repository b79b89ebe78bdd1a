"""The Role that `holdfast doctor` prints is enough for what it is printed for, and no more: the server's own RBAC decides."""

from pathlib import Path

import pytest
import yaml
from tests.harness.kubernetes.cluster import Cluster

from holdfast.adapters.deadline import Deadline
from holdfast.adapters.hosts.kubernetes import rights
from holdfast.adapters.hosts.kubernetes.clusters import Clusters
from holdfast.adapters.hosts.kubernetes.connection import Access
from holdfast.adapters.hosts.state_directories import StateDirectories
from holdfast.errors import HoldfastError
from holdfast.ports import HostRights
from holdfast.workflows import doctor
from holdfast.workflows.doctor import CheckStatus


@pytest.fixture
def namespace(cluster: Cluster, tmp_path: Path) -> str:
    """Pods of a StatefulSet and of a Deployment, with empty state directories."""
    name = cluster.namespace()
    words, web = cluster.stateful_set(name, "words"), cluster.deployment(name, "web")
    cluster.pod(name, "words-0", owner=("StatefulSet", words))
    cluster.pod(name, "web-a-b", owner=("ReplicaSet", cluster.replica_set(name, "web-a", web)))
    return name


def clusters_of(cluster: Cluster, user: str, image: str = "") -> Clusters:
    access = Access("cluster test", kube_config=cluster.kube_config(user), reader_image=image)
    return Clusters(lambda _: access, Deadline(60))


def all_read(found: Clusters, *urls: str) -> bool:
    reader = StateDirectories(Deadline(60), {"kubernetes": found.place}, {"kubernetes": found.expanded})
    answers = reader.read_many(urls)
    return not any(isinstance(answer, HoldfastError) for answer in answers.values())


@pytest.mark.parametrize("pod", ["words-0", "words-{ordinal}", "deployment:web"])
def test_the_role_that_is_printed_is_enough(cluster: Cluster, namespace: str, pod: str, tmp_path: Path) -> None:
    """A user without any lacks all; with the Role, the same user reads and lacks nothing."""
    url = f"kubernetes:///{namespace}/{pod}/app{tmp_path}"
    found = clusters_of(cluster, "reader")
    before = found.rights([url])[0]
    assert before.lacking[0] == "get pods"
    assert not all_read(found, url)

    cluster.bind(namespace, "reader", yaml.safe_load(before.remedy))

    assert found.rights([url])[0] == HostRights(f"read in namespace {namespace}", (), before.remedy)
    assert all_read(found, url)


def test_nothing_in_it_changes_anything(cluster: Cluster, namespace: str) -> None:
    """Commands in containers apart, which reading is."""
    asked = [f"kubernetes:///{namespace}/{pod}/app/data" for pod in ("a", "a-{ordinal}")]
    found = clusters_of(cluster, "nobody").rights(asked)[0]
    rules = yaml.safe_load(found.remedy)["rules"]

    assert {verb for rule in rules if rule["resources"] != ["pods/exec"] for verb in rule["verbs"]} == {"get", "list"}
    assert all("*" not in [*rule["verbs"], *rule["resources"]] for rule in rules)


def test_containers_of_holdfasts_own_need_more_and_are_asked_for_only_then(cluster: Cluster, namespace: str) -> None:
    url = f"kubernetes:///{namespace}/words-0/app/data"
    [plain], [more] = (clusters_of(cluster, "nobody", image).rights([url]) for image in ("", "busybox"))

    assert set(more.lacking) - set(plain.lacking) == {
        "list pods",
        "create pods",
        "delete pods",
        "patch pods/ephemeralcontainers",
        "get statefulsets",
    }


def test_the_doctor_shows_the_role(cluster: Cluster, namespace: str) -> None:
    asked = clusters_of(cluster, "nobody").rights([f"kubernetes:///{namespace}/words-0/app/data", "kubernetes://bad"])
    [check] = doctor.examine_hosts(asked)

    assert check.name == f"right: read in namespace {namespace}"
    assert check.status is CheckStatus.LIMITED
    assert check.found == "not granted: get pods, get pods/exec, create pods/exec"
    assert check.remedy == rights.role("holdfast-read", namespace, rights.READS)


def test_a_server_that_is_not_there_is_said() -> None:
    config = {
        "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
    }
    found = Clusters(lambda _: Access("cluster test", kube_config=config), Deadline(10))
    [check] = doctor.examine_hosts(found.rights(["kubernetes:///n/p/app/data"]))

    assert check.status is CheckStatus.LIMITED
    assert "Connection refused" in check.found
