"""The options of every command that reaches hosts: how over SSH, and which ones `{host}` stands for."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from holdfast.adapters.hosts.ssh_settings import SshSettings
from holdfast.cli import reading
from holdfast.errors import InvalidInput
from holdfast.rollout.disks.host_templates import HOST, Hosts
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.text.format import printable
from holdfast.wiring import HostAccess

_Command = TypeVar("_Command", bound=Callable[..., object])
_KEPT = "holdfast.cli.hosts"


def options(command: _Command) -> _Command:
    """`--ssh-user`, `--ssh-key` and `--ssh-known-hosts`; their values are what `access` returns."""
    for option in (
        click.option(
            "--ssh-user",
            metavar="USER",
            envvar="HOLDFAST_SSH_USER",
            expose_value=False,
            callback=_keep,
            help="The user to log in as.",
        ),
        click.option(
            "--ssh-key",
            metavar="FILE",
            envvar="HOLDFAST_SSH_KEY",
            expose_value=False,
            callback=_keep,
            help="Private key. Default: those of OpenSSH and its agent.",
        ),
        click.option(
            "--ssh-known-hosts",
            metavar="FILE",
            envvar="HOLDFAST_SSH_KNOWN_HOSTS",
            expose_value=False,
            callback=_keep,
            help="Known host keys. Default: OpenSSH's files.",
        ),
    ):
        command = option(command)
    return command


named_option = click.option(
    "--host",
    "named",
    metavar="HOST",
    multiple=True,
    help="What {host} in URLs stands for. May be repeated.",
)
snapshot_option = click.option(
    "--snapshot", "of_snapshot", metavar="FILE", help="A snapshot of the group: {host} stands for its members' hosts."
)


def expanded(urls: tuple[str, ...], named: tuple[str, ...], of_snapshot: str | None = None) -> tuple[str, ...]:
    """Each URL, or those that its `{host}` stands for; unchanged where no host is given. Raise InvalidInput."""
    if not named and of_snapshot is None:
        return urls
    found = Hosts.of((*named, *(() if of_snapshot is None else _members_hosts(of_snapshot))))
    found.refuse_no_names("There is")
    if not found.names and any(HOST in url for url in urls):
        raise InvalidInput(f"{printable(str(of_snapshot), 200)} names no host of any member: give --host HOST")
    return tuple(dict.fromkeys(one for url in urls for one in found.expanded(url)))


def _members_hosts(file: str) -> tuple[str | None, ...]:
    snapshot = reading.value(file, any_document.snapshot_from_json)
    addresses: tuple[str | None, ...] = kind_of(snapshot).addresses(snapshot)
    return addresses


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    context.meta[f"{_KEPT}.{parameter.name}"] = value
    return value


def access() -> HostAccess:
    """How hosts are reached: as the options of the running command say, else as OpenSSH would."""
    kept = click.get_current_context().meta
    user, key, known = (kept.get(f"{_KEPT}.{name}") for name in ("ssh_user", "ssh_key", "ssh_known_hosts"))
    return HostAccess(ssh=SshSettings(user=user, key_files=(key,) if key else (), known_hosts=(known,) if known else ()))
