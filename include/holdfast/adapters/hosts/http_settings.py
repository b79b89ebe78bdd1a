"""`http` of what acts on a group's clients: what an admin wrote down, read and checked. No request is made here (`http_actor`)."""

import base64
import os
import re
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from holdfast.adapters.hosts.http_actor import Call, Calls, HttpActor, Secrets, Service, Shown
from holdfast.adapters.hosts.templates_in_json import JSON_TEXT
from holdfast.adapters.hosts.wait_for_act import HOLDS_S
from holdfast.adapters.urls import parts_of
from holdfast.errors import HostTrouble, InvalidInput
from holdfast.rollout.disks.host_templates import is_host
from holdfast.rollout.journal.acted import Does, ProcessState
from holdfast.rollout.json.codec import BOOLEAN, NAME, NAMES, choice, integer, nullable, table
from holdfast.rollout.json.kafka_codecs import STRING_MAP
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.text.format import printable

_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}", re.ASCII)
_OWN = frozenset({"host", "content-length", "content-type", "transfer-encoding", "connection", "accept-encoding", "upgrade"})
_PATH = re.compile(r"(?:/[A-Za-z0-9._~!$&'()*+,;=:@%{}-]*)+", re.ASCII)
_LARGEST_SECRET = 16_384
LONGEST_S = 3_600
"""The most that an act may take, whatever does it."""


class Method(StrEnum):
    """What an act is asked for with."""

    POST = "POST"
    PUT = "PUT"
    PATCH = "PATCH"
    DELETE = "DELETE"


@record
class _Call:
    path: str = member(NAME)
    method: Method = member(choice(Method), default=Method.POST)
    query: tuple[tuple[str, str], ...] = member(STRING_MAP, default=())
    body: str | None = member(nullable(JSON_TEXT), default=None)


def _is_object(given: "_Call") -> None:
    if given.body is not None and not given.body.startswith("{"):
        raise InvalidInput("`body` must be an object: `settings` is added to it", "body")


@record
class _Config:
    """`settings`: a JSON pointer to the object of settings."""

    path: str = member(NAME)
    query: tuple[tuple[str, str], ...] = member(STRING_MAP, default=())
    settings: str = member(NAME, default="/settings")


@record
class _Status:
    path: str = member(NAME)
    query: tuple[tuple[str, str], ...] = member(STRING_MAP, default=())
    state: str = member(NAME, default="/state")
    identity: tuple[str, ...] = member(NAMES, default=("/identity",))
    states: tuple[tuple[str, ProcessState], ...] = member(
        table(NAME, choice(ProcessState)), default=tuple((one.value, one) for one in ProcessState)
    )


@record
class Http:
    """`url`: scheme, host, port, and what comes before every path. `secret_headers`: `env:NAME` or `file:PATH` by the header's
    name. `connection`: Airflow's, of type http. `unencrypted`: http:// is meant. `ca`: a file; else the machine's certificates.
    `answers_within_s`: how long the answer to an act is waited for."""

    url: str = member(NAME)
    status: _Status = member(codec_of(_Status))
    start: _Call | None = member(nullable(codec_of(_Call)), default=None)
    stop: _Call | None = member(nullable(codec_of(_Call)), default=None)
    restart: _Call | None = member(nullable(codec_of(_Call)), default=None)
    set_config: _Call | None = member(nullable(codec_of(_Call).checked(_is_object)), default=None)
    read_config: _Config | None = member(nullable(codec_of(_Config)), default=None)
    headers: tuple[tuple[str, str], ...] = member(STRING_MAP, default=())
    secret_headers: tuple[tuple[str, str], ...] = member(STRING_MAP, default=())
    connection: str | None = member(nullable(NAME), default=None)
    ca: str | None = member(nullable(NAME), default=None)
    unencrypted: bool = member(BOOLEAN, default=False)
    answers_within_s: int = member(integer(1, LONGEST_S), default=int(HOLDS_S))


@dataclass(frozen=True, slots=True)
class HttpLogin:
    """What an Airflow connection of type http says. `host` None: any."""

    host: str | None
    headers: Mapping[str, str] = field(repr=False)
    password: str | None = field(default=None, repr=False)

    @staticmethod
    def of_connection(
        host: str | None, login: str | None, password: str | None, extras: Mapping[str, object], conn_id: str
    ) -> "HttpLogin":
        """Login and password: Basic; a password alone: a bearer token. Raise InvalidInput."""
        if str(extras.get("verify", "true")).lower() == "false":
            raise InvalidInput(f"{conn_id}: verify is false, and Holdfast always checks certificates: remove it, and give `ca`")
        given = extras.get("headers", {})
        if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
            raise InvalidInput(f"{conn_id}: headers in the extras is not an object of strings")
        headers = {str(name): value for name, value in given.items()}
        if login and password:
            headers["Authorization"] = f"Basic {base64.b64encode(f'{login}:{password}'.encode()).decode()}"
        elif password:
            headers["Authorization"] = f"Bearer {password}"
        address = host or ""
        parts = parts_of(address if "://" in address else f"//{address}")
        if parts is None:
            raise InvalidInput(f"{conn_id}: the host is malformed")
        _refuse_headers(headers)
        return HttpLogin(parts.hostname, headers, password or None)


def actor(given: Http, limit_s: int, clients: Mapping[str, Mapping[str, str]], login: HttpLogin | None = None) -> HttpActor:
    """Raise InvalidInput. `login`: of the connection; its credentials go to its own host only."""
    host, port, before, context = _place(given)
    if login is not None and login.host not in (None, host):
        raise InvalidInput(f"the connection is for the host {printable(str(login.host), 100)}, and `url` names {host}", "http.url")
    _refuse_headers(dict(given.headers))
    _refuse_headers(dict.fromkeys((name for name, _ in given.secret_headers), ""))
    sources = [(name, _source(name, where)) for name, where in given.secret_headers]

    def secrets() -> Secrets:
        if login is not None:
            return Secrets(login.headers, () if login.password is None else (login.password,))
        return Secrets({name: source() for name, source in sources})

    sets, reads = given.set_config, given.read_config
    calls = {Does.START: given.start, Does.STOP: given.stop, Does.RESTART: given.restart}
    return HttpActor(
        Calls(
            Service(host, port, context, dict(given.headers), secrets),
            Call("GET", _path(before, given.status.path), given.status.query),
            _shown(given.status),
            {does: _called(before, one) for does, one in calls.items() if one},
            limit_s,
            clients,
            None if sets is None else _called(before, sets),
            None if reads is None else Call("GET", _path(before, reads.path), reads.query),
            given.answers_within_s,
            "" if reads is None else _pointer(reads.settings, "http.read_config"),
        )
    )


def _called(before: str, given: _Call) -> Call:
    return Call(given.method.value, _path(before, given.path), given.query, given.body)


def _place(given: Http) -> tuple[str, int, str, ssl.SSLContext | None]:
    needed = "https://HOST:PORT/PATH is needed, without user, query and places in braces"
    parts = parts_of(given.url)
    if parts is None:
        raise InvalidInput(f"it is malformed: {needed}", "http.url")
    host, port = parts.hostname or "", parts.port
    plain = given.unencrypted and parts.scheme == "http"
    if not plain and parts.scheme != "https":
        raise InvalidInput(f"{needed}; http:// shows what is sent to others, and needs `unencrypted: true`", "http.url")
    if not is_host(host) or "@" in parts.netloc or parts.query or parts.fragment or any(one in given.url for one in "{}?#"):
        raise InvalidInput(f"it is no address of a service: {needed}", "http.url")
    if plain:
        return host, port or 80, parts.path.rstrip("/"), None
    try:
        return host, port or 443, parts.path.rstrip("/"), ssl.create_default_context(cafile=given.ca)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"the certificates in {printable(str(given.ca), 200)} cannot be read ({error})", "http.ca") from None


def _path(before: str, path: str) -> str:
    whole = before + path
    if not path.startswith("/") or not _PATH.fullmatch(whole) or any(part in (".", "..") for part in whole.split("/")):
        raise InvalidInput(
            f"{printable(path.partition('?')[0], 200)} is no path: it begins with /, and has letters, digits, percent-encoded"
            " characters and values in braces; what follows a ? belongs in `query`",
            "http",
        )
    return whole


def _shown(given: _Status) -> Shown:
    for pointer in (given.state, *given.identity):
        _pointer(pointer, "http.status")
    if not given.identity:
        raise InvalidInput("`identity` is needed: what differs between two processes of one client", "http.status")
    return Shown(given.state, given.identity, dict(given.states))


def _pointer(text: str, where: str) -> str:
    if not text.startswith("/"):
        raise InvalidInput(f"{printable(text, 100)} is no JSON pointer: /state, or /process/started", where)
    return text


def _refuse_headers(headers: Mapping[str, str]) -> None:
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name) or name.lower() in _OWN or not value.isprintable() or not value.isascii():
            raise InvalidInput(
                f"the header {printable(name, 100)} is set by Holdfast itself, or has a character that no header may have", "http"
            )


def _source(header: str, where: str) -> Callable[[], str]:
    """Reads the value of a header whenever it is needed: secrets are renewed."""
    kind, _, name = where.partition(":")
    if kind not in ("env", "file") or not name:
        raise InvalidInput(f"the header {header} needs env:NAME or file:PATH, and never its value here", "http.secret_headers")

    def read() -> str:
        try:
            found = os.environ[name] if kind == "env" else Path(name).read_text(encoding="utf-8")[:_LARGEST_SECRET]
        except (OSError, KeyError, UnicodeDecodeError):
            raise HostTrouble(f"the header {header} cannot be read from {where}", begun=False, lasting=True) from None
        found = found.strip()
        if not found or not found.isprintable() or not found.isascii():
            raise HostTrouble(
                f"the header {header} in {where} is empty, or has characters that no header may have", begun=False, lasting=True
            )
        return found

    return read
