"""How hosts are reached over SSH: URLs, keys, known hosts. Values and checks; no connection is made here (`ssh`)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote

from holdfast.adapters.urls import parts_of
from holdfast.errors import InvalidInput
from holdfast.rollout.disks.host_templates import is_host
from holdfast.rollout.text.format import printable

KNOWN_HOSTS = ("~/.ssh/known_hosts", "~/.ssh/known_hosts2", "/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2")
PORT = 22
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@\\-]{0,127}\$?", re.ASCII)
_NO_UTF8 = re.compile("[\udc80-\udcff]")
_TRUE = ("1", "true", "yes", "on")
_REFUSED = ("no_host_key_check", "allow_host_key_change")
_EXTRAS = frozenset({"key_file", "private_key", "private_key_passphrase", "host_key", "sudo_user", *_REFUSED})


@dataclass(frozen=True, slots=True)
class SshSettings:
    """Who logs in and how, unless the URL names a user and a port.

    `known_hosts`: files in OpenSSH's format; none: those that OpenSSH reads. `host_keys`: lines of the same format. `sudo_user`:
    whom scripts run as (`sudo -n -u`). `from_home`: the OpenSSH configuration, default keys and agent of this user count as well.
    """

    user: str | None = None
    port: int | None = None
    password: str | None = field(default=None, repr=False)
    key_files: tuple[str, ...] = ()
    private_key: str | None = field(default=None, repr=False)
    passphrase: str | None = field(default=None, repr=False)
    known_hosts: tuple[str, ...] = ()
    host_keys: tuple[str, ...] = ()
    sudo_user: str | None = None
    from_home: bool = True

    @property
    def secrets(self) -> tuple[str, ...]:
        return tuple(each for each in (self.password, self.private_key, self.passphrase) if each)


@dataclass(frozen=True, slots=True)
class Target:
    """A directory on a host: where an SSH URL points. None: as the settings say."""

    host: str
    port: int | None
    user: str | None
    path: str
    sudo_user: str | None

    @property
    def shown(self) -> str:
        """The URL without its user: what snapshots keep of it. Bytes that are no UTF-8 are in it as in a URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        path = _NO_UTF8.sub(lambda found: quote(found[0], errors="surrogateescape"), self.path)
        return f"ssh://{host}{f':{self.port}' if self.port else ''}{path}"


def is_user(name: str) -> bool:
    """Whether a user of a system can be called so."""
    return _USER.fullmatch(name) is not None


def target(url: str) -> Target:
    """What `ssh://user@host:port/path?sudo=USER` names. Raise InvalidInput, without the URL's secrets, for anything else."""
    needed = "ssh://USER@HOST:PORT/ABSOLUTE/PATH is needed, with ?sudo=USER where another user must read or write"
    parts = parts_of(url)
    if parts is None:
        raise InvalidInput(f"a URL of a host over SSH is malformed: {needed}")
    host, port, user = parts.hostname or "", parts.port, parts.username
    if parts.password is not None:
        raise InvalidInput(
            f"the URL of host {printable(host, 100)} has a password in it: leave it out, and use a key, an agent or an Airflow"
            " connection of type ssh"
        )
    if "{" in parts.netloc:
        raise InvalidInput(
            f"{printable(parts.netloc.rpartition('@')[2], 100)}: the hosts for {{host}} are unknown here: name them"
            " (on the command line with --host), or give a URL each"
        )
    if parts.scheme != "ssh" or not is_host(host) or not parts.path.startswith("/") or parts.fragment:
        raise InvalidInput(f"{printable(host, 100) or 'no host'} cannot be reached over SSH: {needed}")
    sudo = parts.query.removeprefix("sudo=") or None
    if parts.query and (sudo == parts.query or sudo is None):
        raise InvalidInput(f"the URL of host {host} has an unknown parameter: {needed}")
    for name in (user, sudo):
        if name is not None and not is_user(unquote(name)):
            raise InvalidInput(f"the URL of host {host} has a user name that no system has: {needed}")
    path = unquote(parts.path, errors="surrogateescape")
    return Target(host, port, None if user is None else unquote(user), path, None if sudo is None else unquote(sudo))


def of_connection(
    host: str | None, port: int | None, login: str | None, password: str | None, extras: Mapping[str, object], conn_id: str
) -> SshSettings:
    """What an Airflow connection of type ssh says (fields and extras as Airflow's SSH provider has them). Raise InvalidInput."""
    for name in _REFUSED:
        if str(extras.get(name, "")).lower() in _TRUE:
            raise InvalidInput(f"{conn_id}: {name} is set, and Holdfast always checks host keys: remove it, and give host_key")
    for name in ("key_file", "private_key", "private_key_passphrase", "host_key", "sudo_user"):
        if not isinstance(extras.get(name, ""), str):
            raise InvalidInput(f"{conn_id}: {name} is not a string")
    given = {name: str(extras[name]) for name in _EXTRAS if extras.get(name)}
    if "sudo_user" in given and not is_user(given["sudo_user"]):
        raise InvalidInput(f"{conn_id}: sudo_user is no user name")
    key = given.get("host_key")
    if key and not host:
        raise InvalidInput(f"{conn_id}: host_key is given without a host that it is the key of")
    name = f"[{host}]:{port}" if port not in (None, PORT) else str(host)
    return SshSettings(
        user=login or None,
        port=port or None,
        password=password or None,
        key_files=(given["key_file"],) if "key_file" in given else (),
        private_key=given.get("private_key"),
        passphrase=given.get("private_key_passphrase"),
        host_keys=(f"{name} {key if ' ' in key.strip() else f'ssh-rsa {key}'}",) if key else (),
        sudo_user=given.get("sudo_user"),
        from_home=False,
    )


def known_hosts_text(settings: SshSettings) -> str:
    """All lines that say which key a host has. Raise InvalidInput where a file that was named cannot be read."""
    lines = [*settings.host_keys]
    for name in settings.known_hosts or KNOWN_HOSTS:
        try:
            lines.append(Path(name).expanduser().read_text(encoding="utf-8", errors="replace"))
        except OSError as error:
            if settings.known_hosts:
                raise InvalidInput(f"the known hosts in {name!r} cannot be read: {error.strerror}") from None
    return "\n".join(lines)
