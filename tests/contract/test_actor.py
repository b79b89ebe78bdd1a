"""What stops and starts processes, and writes settings of clients: commands of this machine and of hosts, calls of a service,
workloads in Kubernetes, and the fake of the tests, held to the same."""

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pytest
from tests.harness.article import A
from tests.harness.deployer import TOKEN, Deployer
from tests.harness.group_in_files import GroupInFiles
from tests.harness.kafka import properties_file
from tests.harness.kubernetes import controller
from tests.harness.kubernetes.clients_as_pods import MODULES, ClientsAsPods, OfDeployments, OfStatefulSet
from tests.harness.kubernetes.cluster import running as running_cluster
from tests.harness.running_group import RunningGroup
from tests.harness.sshd import Sshd

from holdfast.actor import Actor
from holdfast.adapters.hosts import actors_file, client_settings
from holdfast.adapters.hosts.kubernetes.api import Api
from holdfast.adapters.hosts.kubernetes.restart_by import RestartBy
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import ClientProcess, Does, ProcessState

SERVICE = Path(__file__).parents[1] / "harness" / "service.sh"
CLIENT = Act(Does.RESTART, A, "app-1")


def by_commands(folder: Path, more: str = "") -> Actor:
    (folder / "app-1").write_text("1")
    verbs = ("status", "start", "stop", "restart")
    given = "\n".join(f'    {verb}: [sh, "{SERVICE}", "{folder}", {verb}, "{{host}}"]' for verb in verbs)
    for name, verb in (("set_config", "set"), ("read_config", "read")):
        given += f'\n    {name}: [{sys.executable}, "{properties_file.SCRIPT}", {verb}, "{folder}/{{host}}.properties"]'
    given += f'\n    records: "{folder}/records"'
    return actors_file.read(f'format_version: "1.0"\ngroups:\n  orders:\n{given}\n{more}'.encode(), "orders")


@contextmanager
def over_ssh(folder: Path) -> Iterator[Actor]:
    """A real sshd of this machine."""
    with Sshd(folder / "sshd") as host:
        login = f"{{host: 127.0.0.1, port: {host.port}, key: {host.folder / 'client'}, known_hosts: {host.folder / 'known_hosts'}}}"
        yield by_commands(folder, f"    ssh: {login}\n")


@contextmanager
def over_http(folder: Path) -> Iterator[Actor]:
    """A real service of this machine."""
    with Deployer(folder) as service, pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEPLOYER_TOKEN", TOKEN)
        yield actors_file.read(service.actors(), "orders")


@contextmanager
def as_pods(folder: Path, clients: ClientsAsPods) -> Iterator[Actor]:
    """In the cluster of the tests, whose controllers go on whenever something is waited for."""
    with running_cluster(folder, None) as cluster, pytest.MonkeyPatch.context() as patch:
        namespace = cluster.namespace()
        clients.make(cluster, namespace)
        for module in MODULES:
            patch.setattr(module, "_sleep", lambda _: controller.step(cluster, namespace))
        yield clients.actor(cluster.server(), namespace, Api)


def fake(_folder: Path) -> Actor:
    return RunningGroup()


Actors = dict[str, Callable[[Path], AbstractContextManager[Actor]]]
ON_PODS: Actors = {
    "StatefulSet": lambda folder: as_pods(folder, OfStatefulSet()),
    "StatefulSet by annotation": lambda folder: as_pods(folder, OfStatefulSet(restart_by=RestartBy.ANNOTATION)),
    "Deployments": lambda folder: as_pods(folder, OfDeployments()),
}
WITH_SETTINGS: Actors = {
    "commands": lambda folder: nullcontext(by_commands(folder)),
    "ssh": over_ssh,
    "http": over_http,
    "fake": lambda folder: nullcontext(fake(folder)),
}
ACTORS = WITH_SETTINGS | ON_PODS


@pytest.fixture(params=ACTORS.values(), ids=ACTORS.keys())
def actor(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Actor]:
    with request.param(tmp_path) as made:
        yield made


def running(found: ClientProcess) -> str:
    assert found.state is ProcessState.RUNNING
    assert found.identity is not None
    return found.identity


def test_a_process_keeps_its_identity_until_it_is_another_one(actor: Actor) -> None:
    assert actor.lacks(CLIENT) is None
    first = running(actor.process(CLIENT))
    assert running(actor.process(CLIENT)) == first
    assert actor.perform(Does.RESTART, CLIENT) is None
    second = running(actor.process(CLIENT))
    assert actor.perform(Does.STOP, CLIENT) is None
    assert actor.process(CLIENT) == ClientProcess(ProcessState.STOPPED)
    assert actor.perform(Does.START, CLIENT) is None

    assert len({first, second, running(actor.process(CLIENT))}) == 3


SETTINGS = {"num.standby.replicas": "1", "client.tag.note": "a, \"b\" $(id) `id`; 'c' = é \\n {host}"}


@pytest.mark.parametrize("actor", WITH_SETTINGS.values(), ids=WITH_SETTINGS.keys(), indirect=True)
def test_settings_are_written_for_the_next_start_and_no_others(actor: Actor) -> None:
    """As text, whatever a shell would make of it; twice is once."""
    assert actor.lacks_config(CLIENT, SETTINGS) is None
    first = running(actor.process(CLIENT))
    assert actor.read_config(CLIENT, SETTINGS) == dict.fromkeys(SETTINGS)
    for _ in range(2):
        assert actor.write_config(CLIENT, SETTINGS) is None
        assert actor.read_config(CLIENT, SETTINGS) == SETTINGS
    removed = {"num.standby.replicas": None}
    assert actor.write_config(CLIENT, removed) is None

    assert actor.read_config(CLIENT, SETTINGS) == SETTINGS | removed
    assert running(actor.process(CLIENT)) == first, "nothing restarts for it"


@pytest.mark.parametrize("actor", ON_PODS.values(), ids=ON_PODS.keys(), indirect=True)
def test_settings_of_pods_are_refused_by_name(actor: Actor) -> None:
    assert actor.lacks_config(CLIENT, SETTINGS) == client_settings.NONE_OF_PODS
    assert actor.read_config(CLIENT, SETTINGS) is None
    assert actor.write_config(CLIENT, SETTINGS) == client_settings.NONE_OF_PODS


def test_the_program_of_the_documentation_does_that(tmp_path: Path) -> None:
    """Its file keeps its mode, and what else it holds."""
    text = (Path(__file__).parents[2] / "docs" / "apply.md").read_text(encoding="utf-8")
    program = text.partition("```python\n")[2].partition("```")[0]
    file = tmp_path / "1.properties"
    file.write_text("client.id=app-1\n")
    file.chmod(0o640)
    (tmp_path / "program").mkdir()
    (tmp_path / "program/settings.py").write_text(program.replace("/etc/orders", str(tmp_path)))
    words = f'[{sys.executable}, "{tmp_path}/program/settings.py", {{}}, "{{{{unit}}}}"]'
    given = f"    records: '{tmp_path}/program/records'\n    status: [x]\n"
    given += f"    set_config: {words.format('set')}\n    read_config: {words.format('read')}\n"
    clients = "    clients: {app-1: {unit: '1'}}\n"
    made = actors_file.read(f'format_version: "1.0"\ngroups:\n  orders:\n{given}{clients}'.encode(), "orders")

    for _ in range(2):
        assert made.write_config(CLIENT, SETTINGS) is None
        assert made.read_config(CLIENT, SETTINGS) == SETTINGS
    assert made.write_config(CLIENT, dict.fromkeys(SETTINGS)) is None
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("client.id=app-1\n", 0o640)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["1.properties", "program"]


def test_a_client_without_commands_is_named(actor: Actor) -> None:
    assert actor.lacks(Act(Does.RESTART, "another", None)) is not None


def test_a_command_is_ended_on_its_host(tmp_path: Path) -> None:
    """By `timeout`, which a shell of any host has."""
    assert shutil.which("timeout"), sys.platform
    slow = 'format_version: "1.0"\ngroups:\n  orders:\n    status: ["true"]\n    restart: [sleep, "60"]\n    limit_s: 1\n'
    slow += f'    records: "{tmp_path}/records"\n'
    found = actors_file.read(slow.encode(), "orders").perform(Does.RESTART, CLIENT)

    assert found == f"The command to restart {A} on app-1 failed: status 124, without a message"


def test_the_group_in_files_lacks_nothing_of_the_port() -> None:
    """It is carried out in a real Airflow only, by commands of their own: what it lacked would be seen late."""
    assert [name for name in vars(Actor) if not name.startswith("_") and not hasattr(GroupInFiles, name)] == []
