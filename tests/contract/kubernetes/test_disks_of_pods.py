"""State directories in pods, as a collection reads them: one URL, or a template for all pods of a workload."""

import fcntl
import json
import os
from pathlib import Path

import pytest
from tests.harness.article import C
from tests.harness.kubernetes.cluster import Cluster
from tests.harness.plans import article_plan

from holdfast import wiring
from holdfast.adapters.deadline import Deadline
from holdfast.adapters.hosts.kubernetes.clusters import Clusters
from holdfast.adapters.hosts.kubernetes.connection import Access
from holdfast.airflow_wiring import clusters
from holdfast.errors import HoldfastError, InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.disks.state_directory import StateDirectory
from holdfast.wiring import HostAccess

PROCESS_IDS = tuple(f"4b61083e-57d0-457d-951f-d06556c148c{n}" for n in range(3))


@pytest.fixture(scope="module")
def namespace(cluster: Cluster) -> str:
    """Three pods of a StatefulSet; the second one's image has no shell."""
    name = cluster.namespace()
    words = cluster.stateful_set(name, "words")
    for ordinal in range(3):
        cluster.pod(name, f"words-{ordinal}", owner=("StatefulSet", words))
    cluster.kubelet.shells[name, "words-1", "app"] = None
    return name


@pytest.fixture
def disks(tmp_path: Path) -> Path:
    """What each pod has mounted, by its ordinal."""
    for ordinal, process_id in enumerate(PROCESS_IDS):
        task = tmp_path / f"disk {ordinal}/words/0_{ordinal}"
        task.mkdir(parents=True)
        (task / ".checkpoint").write_text("0\n1\nwords-counts-changelog 0 17\n")
        (task.parent / "kafka-streams-process-metadata").write_text(f'{{"processId":"{process_id}"}}')
        (task.parent / ".lock").touch()
    return tmp_path


def read(cluster: Cluster, *urls: str, user: str = "admin") -> dict[str, StateDirectory | str]:
    """By URL: what was found, or why nothing."""
    access = Access("cluster test", kube_config=cluster.kube_config(user))
    reader = wiring.state_directories(Deadline(60), hosts=HostAccess(lambda _: access))
    answers = reader.read_many(urls).items()
    return {url: str(answer) if isinstance(answer, HoldfastError) else answer[0] for url, answer in answers}


def test_all_pods_of_a_stateful_set(cluster: Cluster, namespace: str, disks: Path) -> None:
    """In their order; a pod that cannot be read costs its own directory only."""
    base = f"kubernetes://test/{namespace}/"
    found = read(cluster, f"{base}words-{{ordinal}}/app{disks}/disk%20{{ordinal}}/words")

    assert list(found) == [f"{base}words-{ordinal}/app{disks}/disk%20{ordinal}/words" for ordinal in range(3)]
    first, second, third = found.values()
    assert isinstance(first, StateDirectory)
    assert isinstance(third, StateDirectory)
    assert (str(first.process_id), str(third.process_id)) == (PROCESS_IDS[0], PROCESS_IDS[2])
    assert [str(task.task_id) for task in third.tasks] == ["0_2"]
    assert first.free_bytes
    assert "the image has no sh" in str(second)


def test_a_lock_is_seen_where_the_application_runs(cluster: Cluster, namespace: str, disks: Path) -> None:
    url = f"kubernetes://test/{namespace}/words-0/app{disks}/disk%200/words"
    with (disks / "disk 0/words/.lock").open("w") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        [held] = read(cluster, url).values()
    [free] = read(cluster, url).values()

    assert isinstance(held, StateDirectory)
    assert isinstance(free, StateDirectory)
    assert held.lock is not None
    assert free.lock is not None
    assert (held.lock.held, held.lock.pid, free.lock.held) == (True, os.getpid(), False)


def test_a_template_that_cannot_be_resolved_is_one_that_is_not_read(cluster: Cluster, namespace: str, disks: Path) -> None:
    well = f"kubernetes://test/{namespace}/words-2/app{disks}/disk%202/words"
    found = read(cluster, f"kubernetes://test/{namespace}/gone-{{ordinal}}/app/data", "kubernetes://test/N/p/app/data", well)

    assert [type(answer) for answer in found.values()] == [str, str, StateDirectory]
    assert "statefulsets.apps" in str(next(iter(found.values())))


def test_one_directory_is_asked_for_by_one_url(cluster: Cluster, namespace: str, disks: Path) -> None:
    access = Access("cluster test", kube_config=cluster.kube_config())
    reader = wiring.state_directories(Deadline(60), hosts=HostAccess(lambda _: access))
    with pytest.raises(InvalidInput, match="stands for 3 directories"):
        reader.read(f"kubernetes://test/{namespace}/words-{{ordinal}}/app{disks}/disk%20{{ordinal}}/words")
    with pytest.raises(InvalidInput, match="stands for several pods"):
        Clusters(lambda _: access, Deadline(60)).place(f"kubernetes://test/{namespace}/words-{{ordinal}}/app/data")


def test_a_plan_s_process_ids_go_where_the_volumes_show_its_clients(cluster: Cluster, namespace: str, disks: Path) -> None:
    (disks / "disk 2/words/kafka-streams-process-metadata").write_text(f'{{"processId":"{C}"}}')
    access = Access("cluster test", kube_config=cluster.kube_config())
    template = f"kubernetes://test/{namespace}/words-{{ordinal}}/app{disks}/disk%20{{ordinal}}/words"
    found = wiring.directories_in_pods(article_plan(), template, HostAccess(lambda _: access))

    assert found == {ProcessId.parse(C): f"kubernetes://test/{namespace}/words-2/app{disks}/disk%202/words"}


def test_a_context_of_the_users_kubeconfig(cluster: Cluster, namespace: str, disks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (disks / "config").write_text(json.dumps(cluster.kube_config()))
    monkeypatch.setenv("KUBECONFIG", str(disks / "config"))
    reader = wiring.state_directories(Deadline(60))
    directory, _ = reader.read(f"kubernetes://test/{namespace}/words-0/app{disks}/disk%200/words")

    assert str(directory.process_id) == PROCESS_IDS[0]
    with pytest.raises(HoldfastError, match="kubectl config get-contexts"):
        reader.read(f"kubernetes://other/{namespace}/words-0/app{disks}/disk%200/words")


def test_airflows_connection(cluster: Cluster, namespace: str, disks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    extras = {"kube_config": json.dumps(cluster.kube_config()), "in_cluster": False}
    monkeypatch.setenv("AIRFLOW_CONN_SHOP", json.dumps({"conn_type": "kubernetes", "extra": extras}))
    monkeypatch.setenv("AIRFLOW_CONN_OTHER", json.dumps({"conn_type": "http"}))
    reader = wiring.state_directories(Deadline(60), hosts=clusters.hosts())
    place = f"{namespace}/words-0/app{disks}/disk%200/words"

    assert str(reader.read(f"kubernetes://shop/{place}")[0].process_id) == PROCESS_IDS[0]
    with pytest.raises(InvalidInput, match="of type http"):
        reader.read(f"kubernetes://other/{place}")
