"""What stops and starts the clients of which group: a YAML file of an admin (`holdfast apply --run --actors FILE`), or what a
connection of Airflow says of the group (`actors`), in the same fields."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from holdfast.actor import Actor
from holdfast.adapters import yaml_text
from holdfast.adapters.hosts import act_rights, client_settings, http_settings
from holdfast.adapters.hosts.dag_actor import Dag, DagActor, DagRuns, Looks
from holdfast.adapters.hosts.http_settings import LONGEST_S, Http, HttpLogin
from holdfast.adapters.hosts.kubernetes.restart_by import RestartBy
from holdfast.adapters.hosts.local_shell import LocalShell
from holdfast.adapters.hosts.process_commands import PLACE, CommandActor, Commands, filled, read_status, systemd
from holdfast.adapters.hosts.shell import Shell
from holdfast.adapters.hosts.ssh_settings import SshSettings, target
from holdfast.adapters.hosts.templates_in_json import JSON_TEXT
from holdfast.errors import HostTrouble, InvalidInput
from holdfast.rollout.journal.acted import Does
from holdfast.rollout.json.codec import BOOLEAN, NAME, NAMES, TEXT, Codec, choice, integer, nullable, table
from holdfast.rollout.json.kafka_codecs import STRING_MAP
from holdfast.rollout.json.record import codec_of, key, keyed, member, record
from holdfast.rollout.json.strict import FORMAT_VERSION
from holdfast.rollout.text.format import printable

if TYPE_CHECKING:
    from holdfast.adapters.hosts.kubernetes.connection import Access

_RECORDS = Path("~/.local/state/holdfast")
"""On this machine, whose commands do not see the environment of this process."""
_COMMAND = nullable(NAMES)


def _is_object(text: str) -> None:
    if not text.startswith("{"):
        raise InvalidInput("`conf` of a DAG must be an object")


@record
class _Systemd:
    unit: str = member(NAME)
    sudo: bool = member(BOOLEAN, default=False)


@record
class _Ssh:
    """`host`: with places. `user`, `port`, `key` and `known_hosts` (files): as OpenSSH has them where they are not given."""

    host: str = member(NAME, default="{host}")
    user: str | None = member(nullable(NAME), default=None)
    port: int | None = member(nullable(integer(1, 65_535)), default=None)
    key: str | None = member(nullable(NAME), default=None)
    known_hosts: str | None = member(nullable(NAME), default=None)


def _one_workload(given: "_Kubernetes") -> None:
    if (given.stateful_set is None) == (given.deployment is None):
        raise InvalidInput("`stateful_set` or `deployment` is needed, and one of them only")
    if given.deployment is not None and given.restart_by is not None:
        raise InvalidInput("`restart_by` is of a `stateful_set`: the pod of a Deployment is restarted by an annotation only")
    if given.deployment is not None and "{ordinal}" in (given.state_dir or ""):
        raise InvalidInput("the pods of a Deployment have no {ordinal}")


@record(check=_one_workload)
class _Kubernetes:
    """`cluster`: a context of the kubeconfig, or Airflow's connection; "" for the current context. `state_dir`: in the
    container. `deployment`: with places, where each client is a Deployment of its own."""

    namespace: str = member(NAME)
    container: str = member(NAME)
    stateful_set: str | None = member(nullable(NAME), default=None)
    deployment: str | None = member(nullable(NAME), default=None)
    cluster: str = member(TEXT, default="")
    state_dir: str | None = member(nullable(NAME), default=None)
    restart_by: RestartBy | None = member(nullable(choice(RestartBy)), default=None)


@record
class _Dag:
    """`conf`: an object with places in its strings. `set_config`: the DAG writes settings of clients too."""

    dag_id: str = member(NAME)
    set_config: bool = member(BOOLEAN, default=False)
    conf: str = member(JSON_TEXT.checked(_is_object), default='{"does":"{does}","host":"{host}"}')


def _one_of_all(given: "_Group") -> None:
    _refuse_settings(given)
    own = [one for one in (given.status, given.start, given.stop, given.restart) if one is not None]
    if sum((given.systemd is not None, given.kubernetes is not None, given.http is not None, bool(own))) > 1:
        raise InvalidInput(
            "one of `systemd`, `kubernetes`, `http` and commands of your own (status, start, stop, restart) is needed; several were"
            " found"
        )
    if given.systemd is None and given.kubernetes is None and given.http is None and not given.status:
        raise InvalidInput("`systemd`, `kubernetes`, `http`, or at least the command `status`, is needed")
    if given.ssh is not None and (given.kubernetes is not None or given.http is not None):
        raise InvalidInput("pods are reached by their cluster, services by their URL: `ssh` is for `systemd` and your own commands")
    calls = () if given.http is None else (given.http.start, given.http.stop, given.http.restart)
    if given.dag is not None and any(one is not None for one in (given.start, given.stop, given.restart, *calls)):
        raise InvalidInput("`dag` starts, stops and restarts: what is next to it only shows the process; leave the others out")
    if given.records is not None and (given.kubernetes is not None or given.http is not None or not given.records.startswith("/")):
        raise InvalidInput("`records` is an absolute path, for `systemd` and your own commands")
    if any(not one for one in (*own, *(one for one in (given.set_config, given.read_config) if one is not None))):
        raise InvalidInput("a command is a list of words, the program first; an empty one was found")


def _refuse_settings(given: "_Group") -> None:
    commands = given.set_config is not None or given.read_config is not None
    if commands and given.kubernetes is not None:
        raise InvalidInput(client_settings.NONE_OF_PODS)
    if commands and given.http is not None:
        raise InvalidInput("`http` has calls of its own that write and read settings (`http.set_config`, `http.read_config`)")
    by_call = given.http is not None and given.http.set_config is not None
    if given.dag is not None and given.dag.set_config and (by_call or given.set_config is not None):
        raise InvalidInput("`dag.set_config` has the DAG write settings: leave the other `set_config` out")


@record(check=_one_of_all)
class _Group:
    group_id: str = key(NAME)
    systemd: _Systemd | None = member(nullable(codec_of(_Systemd)), default=None)
    kubernetes: _Kubernetes | None = member(nullable(codec_of(_Kubernetes)), default=None)
    status: tuple[str, ...] | None = member(_COMMAND, default=None)
    start: tuple[str, ...] | None = member(_COMMAND, default=None)
    stop: tuple[str, ...] | None = member(_COMMAND, default=None)
    restart: tuple[str, ...] | None = member(_COMMAND, default=None)
    set_config: tuple[str, ...] | None = member(_COMMAND, default=None)
    read_config: tuple[str, ...] | None = member(_COMMAND, default=None)
    http: Http | None = member(nullable(codec_of(Http)), default=None)
    ssh: _Ssh | None = member(nullable(codec_of(_Ssh)), default=None)
    dag: _Dag | None = member(nullable(codec_of(_Dag)), default=None)
    limit_s: int = member(integer(1, LONGEST_S), default=120)
    records: str | None = member(nullable(NAME), default=None)
    clients: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = member(table(NAME, STRING_MAP), default=())


@record(version=FORMAT_VERSION)
class _File:
    groups: tuple[_Group, ...] = member(keyed(codec_of(_Group)))


_FILE: Codec[_File] = codec_of(_File)


def read(content: bytes, group_id: str, shell_of: Callable[[Mapping[str, str]], Shell] | None = None) -> Actor:
    """What acts on the clients of a group. Raise InvalidInput for a file that is none, or does not have the group.

    `shell_of`: where commands run, in place of what the file has; None: over SSH or on this machine.
    """
    group = _named(content, group_id)
    if group.dag is not None:
        raise InvalidInput("a DAG is triggered by apply_rollout in Airflow only: give commands, or calls of a service", "dag")
    if group.kubernetes is not None:
        from holdfast.adapters.hosts.kubernetes.connection import Access

        return _of_pods(group, group.kubernetes, Access.of_context)
    if group.http is not None:
        if group.http.connection is not None:
            raise InvalidInput("`connection` names a connection of Airflow: in a file give `secret_headers`", "http.connection")
        return http_settings.actor(group.http, group.limit_s, _clients(group))
    if group.ssh is not None:
        settings = _ssh_settings(group.ssh)
        return CommandActor(_commands(group), shell_of or _over_ssh(group.ssh, settings))
    commands = _commands(group)
    return CommandActor(replace(commands, records=commands.records or str(_RECORDS.expanduser())), shell_of or _on_this_machine)


def rights(content: bytes, group_id: str, user: str | None) -> str | None:
    """What acting on the clients of a group needs: lines of sudoers, or a Role of Kubernetes as YAML; None: neither. Raise
    InvalidInput as `read`.

    `user`: who logs in, where the file does not say it.
    """
    group = _named(content, group_id)
    if group.kubernetes is not None:
        return _role(group.kubernetes)
    named = (None if group.ssh is None else group.ssh.user) or user
    return act_rights.sudoers(_commands(group), named or "USER")


def _named(content: bytes, group_id: str) -> _Group:
    found = _FILE.read(yaml_text.loads(content))
    group = next((one for one in found.groups if one.group_id == group_id), None)
    if group is None:
        raise InvalidInput(f"it has no commands for the group {printable(group_id, 200)}", "groups")
    return group


def of_group(
    given: object,
    group_id: str,
    ssh: SshSettings | None,
    access_of: "Callable[[str], Access]",
    login_of: Callable[[str], HttpLogin],
    dag_runs: DagRuns,
) -> Actor:
    """By what a connection says of one group: commands run on the clients' hosts, never on this machine. Raise InvalidInput.

    `ssh`: how to log in, where a connection says it. `access_of`: by the name of a cluster of Kubernetes; `login_of`: by that of a
    connection of type http. `dag_runs`: what triggers other DAGs.
    """
    group = _FILE.read({"format_version": FORMAT_VERSION, "groups": {group_id: given}}).groups[0]
    by_itself = _of_group(group, ssh, access_of, login_of)
    if group.dag is None:
        return by_itself
    dag = Dag(group.dag.dag_id, group.dag.conf, group.limit_s, _clients(group), group.dag.set_config)
    return DagActor(dag, by_itself, dag_runs)


def _of_group(
    group: _Group, ssh: SshSettings | None, access_of: "Callable[[str], Access]", login_of: Callable[[str], HttpLogin]
) -> Looks:
    if group.kubernetes is not None:
        return _of_pods(group, group.kubernetes, access_of)
    if group.http is not None:
        if group.http.secret_headers or group.http.ca is not None:
            raise InvalidInput(
                "`secret_headers` and `ca` would read the worker's files: give `connection`, and install the CA there",
                "http",
            )
        login = None if group.http.connection is None else login_of(group.http.connection)
        return http_settings.actor(group.http, group.limit_s, _clients(group), login)
    if group.ssh is None:
        raise InvalidInput("`ssh`, `kubernetes` or `http` is needed: commands in a connection never run on Airflow's own machines")
    if ssh is not None and group.ssh != _Ssh(group.ssh.host):
        raise InvalidInput("`ssh_connection` says how to log in: leave `user`, `port`, `key` and `known_hosts` out", "ssh")
    return CommandActor(_commands(group), _over_ssh(group.ssh, ssh or _ssh_settings(group.ssh)))


def _on_this_machine(_values: Mapping[str, str]) -> Shell:
    return LocalShell()


def _ssh_settings(given: _Ssh) -> SshSettings:
    files = [() if one is None else (one,) for one in (given.key, given.known_hosts)]
    return SshSettings(user=given.user, port=given.port, key_files=files[0], known_hosts=files[1])


def _over_ssh(given: _Ssh, settings: SshSettings) -> Callable[[Mapping[str, str]], Shell]:
    try:
        from holdfast.adapters.hosts.ssh import SshHosts
    except ImportError:
        raise InvalidInput("`ssh` needs a library: pip install 'holdfast[ssh]'") from None
    hosts = SshHosts(settings)

    def shell_of(values: Mapping[str, str]) -> Shell:
        host = filled(given.host, values)
        try:
            where = target(f"ssh://[{host}]/" if ":" in host else f"ssh://{host}/")
        except InvalidInput as problem:
            raise HostTrouble(str(problem), begun=False, lasting=True) from None
        if where.user is not None:
            raise HostTrouble(f"{printable(host, 200)} is no name of a host", begun=False, lasting=True)
        return hosts.shell(where)

    return shell_of


def _commands(group: _Group) -> Commands:
    host = None if group.ssh is None else group.ssh.host
    given = replace(_on_any_host(group), host=host, records=group.records or "")
    return replace(given, set_config=group.set_config or (), read_config=group.read_config or ())


def _clients(group: _Group) -> dict[str, dict[str, str]]:
    return {name: dict(values) for name, values in group.clients}


def _on_any_host(group: _Group) -> Commands:
    clients = _clients(group)
    if group.systemd is not None:
        return systemd(group.systemd.unit, sudo=group.systemd.sudo, limit_s=group.limit_s, clients=clients)
    given = {Does.START: group.start, Does.STOP: group.stop, Does.RESTART: group.restart}
    does = {one: command for one, command in given.items() if command}
    return Commands(group.status or (), does, read_status, group.limit_s, clients)


def _of_pods(group: _Group, given: _Kubernetes, access_of: "Callable[[str], Access]") -> Looks:
    from holdfast.adapters.hosts.kubernetes.connection import Server
    from holdfast.adapters.hosts.kubernetes.deployment_actor import DeploymentActor, OnePodDeployments
    from holdfast.adapters.hosts.kubernetes.shared_deployment import SharedDeployment, SharedDeploymentActor
    from holdfast.adapters.hosts.kubernetes.stateful_actor import StatefulActor, Workload

    _refuse_names(given)
    server = Server(access_of(given.cluster))
    if given.stateful_set is not None:
        pods = {name: dict(values).get("pod", "") for name, values in group.clients}
        by = given.restart_by or RestartBy.DELETE
        place = (given.namespace, given.stateful_set, given.container, given.state_dir)
        return StatefulActor(server, Workload(*place, pods, group.limit_s, by))
    place = (given.namespace, given.deployment or "", given.container, given.state_dir)
    if PLACE.search(given.deployment or ""):
        return DeploymentActor(server, OnePodDeployments(*place, _clients(group), group.limit_s))
    if group.clients:
        raise InvalidInput(
            "the pods of a Deployment get other names at every start: `clients` is only for a name with places in braces", "clients"
        )
    return SharedDeploymentActor(server, SharedDeployment(*place, group.limit_s))


def _refuse_names(given: _Kubernetes) -> None:
    """Raise InvalidInput where one is none of Kubernetes."""
    from holdfast.adapters.hosts.kubernetes import address

    path = quote((given.state_dir or "/unused").lstrip("/"))
    called = given.stateful_set or PLACE.sub("x", given.deployment or "")
    name = f"{called}-0" if address.is_name(called) else "?"  # which is refused
    namespace, container = (quote(one, safe="") for one in (given.namespace, given.container))
    address.parse(f"{address.SCHEME}/{namespace}/{name}/{container}/{path}")


def _role(given: _Kubernetes) -> str:
    from holdfast.adapters.hosts.kubernetes import rights

    _refuse_names(given)
    if given.stateful_set is not None:
        name, rules = rights.on_a_stateful_set(by_annotation=given.restart_by is RestartBy.ANNOTATION)
    else:
        name, rules = rights.on_deployments(of_one_pod=PLACE.search(given.deployment or "") is not None)
    return rights.role(name, given.namespace, rules)


def nothing() -> CommandActor:
    """Stops and starts nothing: every such step is a person's."""
    return CommandActor(Commands((), {}, read_status, LONGEST_S, {}), lambda _: LocalShell())
