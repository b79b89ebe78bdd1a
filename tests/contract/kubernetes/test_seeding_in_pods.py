"""Process IDs are written into directories of pods: in the application's container, or next to it where that has no shell."""

import fcntl
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.harness.kubernetes.cluster import IMAGE, Cluster

from holdfast import wiring
from holdfast.adapters.hosts.kubernetes import readers
from holdfast.adapters.hosts.kubernetes.connection import Access
from holdfast.cli.commands import disk, seed
from holdfast.errors import HoldfastError, InvalidInput, StatePathTrouble
from holdfast.kafka.vocabulary import ProcessId
from holdfast.ports import ProcessMetadataFiles
from holdfast.wiring import HostAccess

NEW, OLD = (ProcessId.parse(f"4b61083e-57d0-457d-951f-d06556c148c{n}") for n in range(2))
NAME = "kafka-streams-process-metadata"


@pytest.fixture
def namespace(cluster: Cluster, tmp_path: Path) -> str:
    name = cluster.namespace()
    mounts = [{"name": "state", "mountPath": str(tmp_path)}]
    cluster.pod(
        name,
        "words-0",
        containers=[{"name": "app", "image": IMAGE, "volumeMounts": mounts}],
        spec={"volumes": [{"name": "state", "emptyDir": {}}]},
    )
    return name


def files(cluster: Cluster, image: str = "") -> ProcessMetadataFiles:
    access = Access("cluster test", kube_config=cluster.kube_config(), reader_image=image)
    return wiring.process_metadata_files(hosts=HostAccess(kubernetes=lambda _: access))


def test_a_process_id_is_written_and_read(cluster: Cluster, namespace: str, tmp_path: Path) -> None:
    """Only over nothing, and never under a running client."""
    url = f"kubernetes://test/{namespace}/words-0/app{tmp_path}"
    written = files(cluster)
    assert written.read(url) is None
    written.write(url, NEW)
    assert (tmp_path / NAME).read_text() == f'{{"processId":"{NEW}"}}'
    assert written.read(url) == NEW
    with pytest.raises(StatePathTrouble):
        written.write(url, OLD)
    with (tmp_path / ".lock").open("w") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        with pytest.raises(StatePathTrouble):
            written.write(url, OLD, replaces=NEW)

    assert written.read(url) == NEW
    assert sorted(one.name for one in tmp_path.iterdir()) == [".lock", NAME]


def test_next_to_an_application_without_a_shell(
    cluster: Cluster, namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.kubelet.shells[namespace, "words-0", "app"] = None
    url = f"kubernetes://test/{namespace}/words-0/app{tmp_path}"

    def start(_: float) -> None:
        pod = cluster.api().get(f"/api/v1/namespaces/{namespace}/pods/words-0")
        asked = [one["name"] for one in pod["spec"].get("ephemeralContainers") or []]
        cluster.runs(namespace, "words-0", "ephemeralContainerStatuses", asked)

    monkeypatch.setattr(readers, "_sleep", start)
    with pytest.raises(HoldfastError, match="HOLDFAST_READER_IMAGE"):
        files(cluster).write(url, NEW)
    files(cluster, "registry.invalid/busybox:1").write(url, NEW)

    assert (tmp_path / NAME).read_text() == f'{{"processId":"{NEW}"}}'


def test_a_template_is_no_directory_to_write_into(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(InvalidInput, match="stands for several pods"):
        files(cluster).write(f"kubernetes://test/{namespace}/words-{{ordinal}}/app/data", NEW)


def test_the_commands_read_and_write_in_pods(
    cluster: Cluster, namespace: str, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path_factory.mktemp("kube") / "config"
    config.write_text(json.dumps(cluster.kube_config()))
    monkeypatch.setenv("KUBECONFIG", str(config))
    url = f"kubernetes://test/{namespace}/words-0/app{tmp_path}"
    written = CliRunner().invoke(seed.command, [url, str(NEW)], standalone_mode=False)
    shown = CliRunner().invoke(disk.command, [url, "--json"], standalone_mode=False)

    assert written.exception is None
    assert shown.exception is None
    assert (tmp_path / NAME).read_text() == f'{{"processId":"{NEW}"}}'
    assert str(NEW) in shown.stdout
    assert url in shown.stdout
