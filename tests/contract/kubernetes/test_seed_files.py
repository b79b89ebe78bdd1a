"""The files for GitOps: the API server takes them, and their script seeds a real directory as carefully as Holdfast does."""

import copy
import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from tests.harness.article import AFTER, change, group, just_now
from tests.harness.kubernetes.cluster import Cluster
from tests.harness.plans import REPLACE_FIRST

from holdfast.adapters.hosts.kubernetes import address, seed_files
from holdfast.adapters.hosts.kubernetes.api import STRATEGIC, Document
from holdfast.adapters.hosts.kubernetes.seed_files import CONFIG_MAP, PATCH, SCRIPT, Seed
from holdfast.cli.commands import plan as plan_command
from holdfast.errors import InvalidInput
from holdfast.kafka import state_dir
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.actions import WriteProcessMetadata

NEW, OLD, OTHER = (ProcessId.parse(f"4b61083e-57d0-457d-951f-d06556c148c{n}") for n in range(3))
WHERE = address.parse("kubernetes:///shop/words-{ordinal}/app/data/words")
NAME = "kafka-streams-process-metadata"


def written(process_id: ProcessId) -> bytes:
    return state_dir.render_process_metadata(process_id)


# Which pod gets which.


def of(*writes: WriteProcessMetadata, replicas: int = 3) -> dict[int, Seed]:
    known = {OLD: "kubernetes://c/shop/words-1/app/data/words", OTHER: "/var/lib/streams"}
    return seed_files.by_ordinal(writes, known, WHERE, {"spec": {"replicas": replicas}})


def test_pods_by_host_by_volume_and_by_scaling() -> None:
    assert of(WriteProcessMetadata(NEW, "words-2", OLD)) == {2: Seed(NEW, None)}
    assert of(WriteProcessMetadata(NEW, None, OLD, OLD)) == {1: Seed(NEW, OLD)}
    assert of(WriteProcessMetadata(OLD, None, None)) == {1: Seed(OLD, None)}, "it was written before"
    assert of(WriteProcessMetadata(NEW, None, None), WriteProcessMetadata(OTHER, None, None)) == {
        3: Seed(NEW, None),
        4: Seed(OTHER, None),
    }


@pytest.mark.parametrize(
    "writes",
    [
        (WriteProcessMetadata(NEW, "app-3", None),),
        (WriteProcessMetadata(NEW, "words-01", None),),
        (WriteProcessMetadata(NEW, None, OTHER),),
        (WriteProcessMetadata(NEW, "words-1", None), WriteProcessMetadata(OTHER, None, OLD)),
    ],
    ids=["another name", "no ordinal", "no pod's volume", "one pod twice"],
)
def test_what_is_unclear_is_refused(writes: tuple[WriteProcessMetadata, ...]) -> None:
    with pytest.raises(InvalidInput):
        of(*writes)


# What the cluster takes.


@pytest.fixture
def namespace(cluster: Cluster) -> str:
    name = cluster.namespace()
    size = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    mounts = [{"name": "state", "mountPath": "/data", "subPath": "streams"}]
    rights = {"runAsUser": 1000, "allowPrivilegeEscalation": False}
    container = {"name": "app", "image": "registry.invalid/app:1", "volumeMounts": mounts, "securityContext": rights}
    template = {"metadata": {"labels": {"app": "words"}}, "spec": {"containers": [container]}}
    cluster.stateful_set(name, "words", template=template, volumeClaimTemplates=[{"metadata": {"name": "state"}, "spec": size}])
    return name


def applied(cluster: Cluster, namespace: str, files: dict[str, str]) -> tuple[Document, Document]:
    """As `kubectl apply` and `kubectl patch` give them to the API server."""
    api = cluster.api()
    made = api.create(f"/api/v1/namespaces/{namespace}/configmaps", yaml.safe_load(files[CONFIG_MAP]))
    path = f"/apis/apps/v1/namespaces/{namespace}/statefulsets/words"
    return made, api.patch(path, yaml.safe_load(files[PATCH]), STRATEGIC)


def test_the_api_server_takes_both_and_the_init_container_is_as_the_application(cluster: Cluster, namespace: str) -> None:
    where = address.parse(f'kubernetes:///{namespace}/words-{{ordinal}}/app/data/it\'s "here"')
    workload = seed_files.workload_of(cluster.api(), where)
    made, patched = applied(cluster, namespace, seed_files.files(cluster.api(), where, workload, {3: Seed(NEW, OLD)}, ""))

    assert made["data"] == {"3": str(NEW), "3.replaces": str(OLD), "seed.sh": SCRIPT}
    spec = patched["spec"]["template"]["spec"]
    [init] = spec["initContainers"]
    assert patched["spec"]["updateStrategy"] == {"type": "OnDelete"}
    assert [one["name"] for one in spec["containers"]] == ["app"]
    assert (init["image"], init["securityContext"]["runAsUser"]) == ("registry.invalid/app:1", 1000)
    assert {one["name"]: one.get("value") for one in init["env"]}["STATE_DIR"] == '/data/it\'s "here"'
    assert [(one["mountPath"], one.get("subPath")) for one in init["volumeMounts"]] == [("/data", "streams"), ("/holdfast", None)]


def test_directories_that_depend_on_the_pod_are_refused(cluster: Cluster, namespace: str) -> None:
    workload = seed_files.workload_of(cluster.api(), address.parse(f"kubernetes:///{namespace}/words-{{ordinal}}/app/data/words"))
    for path in ("/data/{pod}", "/elsewhere/words"):
        where = address.parse(f"kubernetes:///{namespace}/words-{{ordinal}}/app{path}")
        with pytest.raises(Exception, match=r"depends on the pod|on no volume"):
            seed_files.files(cluster.api(), where, workload, {}, "")
    with pytest.raises(InvalidInput, match="only a StatefulSet's pods"):
        seed_files.workload_of(cluster.api(), address.parse(f"kubernetes:///{namespace}/words-0/app/data/words"))


def test_the_command_shows_them_and_keeps_them_with_the_plan(
    cluster: Cluster, namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config").write_text(json.dumps(cluster.kube_config()))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    requested = copy.deepcopy(change(REPLACE_FIRST))
    event = next(iter(requested["events"][0].values()))
    event["by"]["host"] = "words-2"
    for name, document in (("snapshot", just_now(group(AFTER))), ("change", requested)):
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    url = f"kubernetes://test/{namespace}/words-{{ordinal}}/app/data/words"
    files = [str(tmp_path / f"{name}.json") for name in ("snapshot", "change")]
    done = CliRunner().invoke(
        plan_command.command, [*files, "--lake", str(tmp_path / "lake"), "--seed-files", url], standalone_mode=False
    )

    assert done.exception is None
    [folder] = (tmp_path / "lake/plans").iterdir()
    plan = json.loads((folder / "plan.json").read_text())
    [write] = [step["inputs"] for step in plan["steps"] if step["action"] == "write_process_metadata"]
    made, _ = applied(cluster, namespace, {name: (folder / name).read_text() for name in (CONFIG_MAP, PATCH)})
    assert made["data"]["2"] == write["process_id"]
    for shown in (done.stdout, (folder / "plan.md").read_text()):
        assert "set -C; printf" in shown
        assert "## seed-patch.yaml" in shown


# What the script does.

SHELLS = ("dash", "bash", "busybox sh")


def seeded(
    tmp_path: Path, directory: Path, *, shell: str = "dash", replaces: bool = False, pod: str = "words-3"
) -> subprocess.CompletedProcess[str]:
    """The init container of a pod, with the ConfigMap in a folder."""
    mounted = tmp_path / "config"
    mounted.mkdir(exist_ok=True)
    (mounted / "3").write_text(str(NEW))
    if replaces:
        (mounted / "3.replaces").write_text(str(OLD))
    script = SCRIPT.replace("/holdfast/", f"{mounted}/")
    environment = {"PATH": os.environ["PATH"], "POD_NAME": pod, "STATE_DIR": str(directory)}
    return subprocess.run([*shell.split(), "-c", script], env=environment, capture_output=True, text=True, check=False)


def same(file: Path) -> tuple[int, int]:
    """Equal for the same file, unchanged."""
    found = file.stat()
    return found.st_ino, found.st_mtime_ns


@pytest.mark.parametrize("shell", SHELLS)
def test_a_seed_is_written_once(tmp_path: Path, shell: str) -> None:
    """Over nothing; an equal file stays the same file; what a killed one left is no hindrance."""
    directory = tmp_path / "new dir" / "words"
    directory.mkdir(parents=True)
    (directory / ".holdfast-seed").symlink_to(tmp_path / "victim")
    first = seeded(tmp_path, directory, shell=shell)
    found = same(directory / NAME)
    second = seeded(tmp_path, directory, shell=shell)

    assert (first.returncode, second.returncode, first.stderr) == (0, 0, "")
    assert (directory / NAME).read_bytes() == written(NEW)
    assert same(directory / NAME) == found
    assert [one.name for one in directory.iterdir()] == [NAME]
    assert not (tmp_path / "victim").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_only_an_expected_id_is_replaced(tmp_path: Path, shell: str) -> None:
    for there, replaces, status in ((OLD, True, 0), (OLD, False, 1), (OTHER, True, 1)):
        (tmp_path / NAME).write_bytes(written(there))
        done = seeded(tmp_path, tmp_path, shell=shell, replaces=replaces)
        assert done.returncode == status, (there, done.stderr)
        assert (tmp_path / NAME).read_bytes() == written(NEW if status == 0 else there)
        assert ("holds another process ID. Nothing was written." in done.stderr) is (status == 1)
        (tmp_path / "config/3.replaces").unlink(missing_ok=True)


def test_a_missing_directory_is_made_and_pods_without_a_seed_are_left_alone(tmp_path: Path) -> None:
    assert seeded(tmp_path, tmp_path / "a/b").returncode == 0
    assert (tmp_path / "a/b" / NAME).read_bytes() == written(NEW)
    for pod in ("words-30", "words-4"):
        assert seeded(tmp_path, tmp_path / "c", pod=pod).returncode == 0
    assert not (tmp_path / "c").exists()


def test_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "victim").write_bytes(written(OLD))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / NAME).symlink_to(tmp_path / "victim")
    (tmp_path / "folder" / NAME).mkdir(parents=True)
    for directory in ("link", "other", "folder"):
        done = seeded(tmp_path, tmp_path / directory, replaces=True)
        assert done.returncode == 1
        assert "Nothing was written." in done.stderr

    assert list((tmp_path / "real").iterdir()) == []
    assert (tmp_path / "victim").read_bytes() == written(OLD)
