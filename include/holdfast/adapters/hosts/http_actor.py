"""The port `Actor` by HTTP calls: one for each of stop, start and restart, and one whose JSON answer shows the process.

Scheme, host, port and the shape of each path are an admin's. A name that comes from a cluster becomes a percent-encoded part of a
path segment, of a query's value or of a string in the body, and nothing else. Certificates are checked, no redirect is followed,
answers are bounded in size and time, and nothing that a server answers is repeated in a message but a state that is a word.
"""

import http.client
import json
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from holdfast.adapters.deadline import Deadline
from holdfast.adapters.hosts import client_settings, wait_for_act
from holdfast.adapters.hosts.process_commands import ENDS_S, PLACE, STATUS_S, clients_values, filled
from holdfast.adapters.hosts.templates_in_json import strings_in, with_values
from holdfast.errors import ClusterTrouble, HostTrouble
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import ClientProcess, Does, ProcessState
from holdfast.rollout.text.format import listed, printable

MOST_ANSWER = 1024 * 1024
LONGEST_IDENTITY = 200
_PART = 65_536
_PAUSE_S = 1.0
_VALUE = re.compile(r"[A-Za-z0-9_:@+][A-Za-z0-9._:@+-]{0,252}", re.ASCII)
_IDENTITY = re.compile(r"[!-~]+", re.ASCII)
_WORD = re.compile(r"[A-Za-z0-9_. -]{1,60}", re.ASCII)
_LASTING = (401, 403, 404, 405)
_SECRET = 6
_sleep = time.sleep


@dataclass(frozen=True, slots=True)
class Call:
    """`path` begins with a slash; it, the values of the query and the strings in `body` (JSON, as text) have places."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: str | None = None

    @property
    def places(self) -> frozenset[str]:
        texts = (self.path, *(value for _, value in self.query), *strings_in(None if self.body is None else json.loads(self.body)))
        return frozenset(name for text in texts for name in PLACE.findall(text))

    def target(self, values: Mapping[str, str]) -> str:
        """Path and query. No value begins with a dot (`_VALUE`), so none leads upwards."""
        path = filled(self.path, {name: quote(value, safe="") for name, value in values.items()})
        query = urlencode([(name, filled(value, values)) for name, value in self.query])
        return f"{path}?{query}" if query else path

    def content(self, values: Mapping[str, str], settings: Mapping[str, str | None] | None = None) -> bytes | None:
        """`settings`: the member of that name of the body, which is an object then."""
        body = None if self.body is None else with_values(json.loads(self.body), values)
        if settings is not None:
            assert body is None or isinstance(body, dict), "it was read as one"
            body = (body or {}) | {"settings": dict(settings)}
        return None if body is None else json.dumps(body).encode()


@dataclass(frozen=True, slots=True)
class Shown:
    """Where an answer shows the process: JSON pointers (RFC 6901) to its state, and to what together is its identity. `states`:
    what each of the service's states means."""

    state: str
    identity: tuple[str, ...]
    states: Mapping[str, ProcessState]


@dataclass(frozen=True, slots=True)
class Secrets:
    """Headers, and other texts that no answer may hand back."""

    headers: Mapping[str, str] = field(repr=False)
    texts: tuple[str, ...] = field(default=(), repr=False)

    def are_in(self, text: str) -> bool:
        words = (word for value in (*self.headers.values(), *self.texts) for word in (value, *value.split()))
        return any(len(word) >= _SECRET and word in text for word in words)


@dataclass(frozen=True, slots=True)
class Service:
    """`context` None: without TLS. `headers`: plain ones; `secrets` are read again for every request, and raise HostTrouble where
    they cannot be."""

    host: str
    port: int
    context: ssl.SSLContext | None
    headers: Mapping[str, str]
    secrets: Callable[[], "Secrets"] = field(repr=False)

    @property
    def shown(self) -> str:
        """Without a path: that of a webhook is a secret."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'' if self.context is None else 's'}://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Calls:
    """Of one group. `limit_s`: how long an act may take, until the process shows it; `answers_s`: how long its answer is waited for
    before it is left to go on. `clients` as for commands."""

    service: Service
    status: Call
    shows: Shown
    does: Mapping[Does, Call]
    limit_s: int
    clients: Mapping[str, Mapping[str, str]]
    set_config: Call | None = None
    read_config: Call | None = None
    answers_s: float = wait_for_act.HOLDS_S
    shows_config: str = ""
    """A JSON pointer to the object of settings in the answer of `read_config`."""


class HttpActor:
    """Only the status is asked for again: by who calls `process`."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._seen: dict[str, ClientProcess] = {}

    @property
    def limit_s(self) -> float:
        return self._calls.limit_s + ENDS_S

    unseen_s = unseen_write_s = limit_s

    def lacks(self, act: Act) -> str | None:
        call = self._calls.does.get(act.does)
        return f"No call to {act.does.value} a client is given." if call is None else self._unfilled(act, call)

    def cannot_look(self, act: Act) -> str | None:
        """Why the status cannot be asked for, in a sentence. None: it can."""
        return self._unfilled(act)

    def _unfilled(self, act: Act, *calls: Call) -> str | None:
        values = clients_values(act, self._calls.clients)
        missing = sorted({name for call in (self._calls.status, *calls) for name in call.places} - values.keys())
        if missing:
            return f"The calls for {printable(act.shown, 200)} need {listed(missing)}, which is not given (`clients`)."
        bad = [value for value in values.values() if not _VALUE.fullmatch(value)]
        if bad:
            return f"{printable(bad[0], 100)} cannot be part of a call: letters, digits and ._:@+- can, none of .- first."
        return None

    def process(self, act: Act) -> ClientProcess:
        _refuse(self.cannot_look(act))
        values = clients_values(act, self._calls.clients)
        status, content = self._ask(self._calls.status, values, min(STATUS_S, self._calls.limit_s), begun=False)
        if status != http.client.OK:
            raise HostTrouble(
                f"{self._calls.service.shown} answered the status call with {_words(status)}; 200 is needed",
                begun=False,
                lasting=status in _LASTING or 300 <= status < 400,
            )
        found = self._seen[act.kept_as] = self._read(content)
        return found

    def perform(self, does: Does, act: Act) -> str | None:
        _refuse(self.lacks(act))
        before = self._seen.get(act.kept_as) or self.process(act)
        values = clients_values(act, self._calls.clients)
        status, _ = self._ask(self._calls.does[does], values, self._answers_s, begun=True)
        if status >= 500:
            raise HostTrouble(f"{self._calls.service.shown} answered the call to {does.value} with {_words(status)}", begun=True)
        if not 200 <= status < 300:
            return f"The call to {does.value} {act.shown} was answered with {_words(status)}."
        if wait_for_act.shows(
            does,
            lambda: self.process(act),
            lambda now: now.identity != before.identity,
            self._calls.limit_s,
            lambda: _sleep(_PAUSE_S),
        ):
            return None
        return f"{act.shown} was not {does.goal.value} within {self._calls.limit_s} s of the call."

    def was_given(self, act: Act) -> bool | None:  # noqa: ARG002 - no service shows that
        return None

    def outcome(self, act: Act) -> str | None:  # noqa: ARG002 - the status shows it, or nothing does
        return None

    def lacks_config(self, act: Act, settings: Mapping[str, str | None]) -> str | None:
        calls = [one for one in (self._calls.set_config, self._calls.read_config) if one is not None]
        if self._calls.set_config is None:
            return "No call that writes the settings of a client is given (`http.set_config`)."
        return self._unfilled(act, *calls) or client_settings.refused(settings)

    def read_config(self, act: Act, keys: Collection[str]) -> Mapping[str, str | None] | None:
        call, service = self._calls.read_config, self._calls.service
        if call is None:
            return None
        _refuse(self._unfilled(act, call))
        values = clients_values(act, self._calls.clients)
        status, content = self._ask(call, values, min(STATUS_S, self._calls.limit_s), begun=False)
        if status != http.client.OK:
            said = f"{service.shown} answered the call that reads settings with {_words(status)}; 200 is needed"
            raise HostTrouble(said, begun=False, lasting=status in _LASTING or 300 <= status < 400)
        found = client_settings.from_object(_at(_document(content), self._calls.shows_config), keys, service.shown)
        if any(value is not None and service.secrets().are_in(value) for value in found.values()):
            raise HostTrouble(f"{service.shown} returned a setting that holds a secret: it is not kept", begun=False, lasting=True)
        return found

    def is_writing(self, act: Act) -> bool:  # noqa: ARG002 - no service shows that
        return False

    def write_config(self, act: Act, settings: Mapping[str, str | None]) -> str | None:
        """A service that answers with a 5xx may have written them: to do it again is to do it once."""
        _refuse(self.lacks_config(act, settings))
        assert self._calls.set_config is not None, "else it lacks that"
        values = clients_values(act, self._calls.clients)
        status, _ = self._ask(self._calls.set_config, values, self._answers_s, begun=True, settings=settings)
        if status >= 500:
            said = f"{self._calls.service.shown} answered the call that writes settings with {_words(status)}"
            raise HostTrouble(said, begun=True)
        said = f"The call that writes the settings of {act.shown} was answered with {_words(status)}."
        return None if 200 <= status < 300 else said

    @property
    def _answers_s(self) -> float:
        return min(self._calls.answers_s, self._calls.limit_s)

    def _ask(
        self,
        call: Call,
        values: Mapping[str, str],
        limit_s: float,
        *,
        begun: bool,
        settings: Mapping[str, str | None] | None = None,
    ) -> tuple[int, bytes]:
        """The status, and what was answered. `begun`: the call acts, once it is sent."""
        service, deadline = self._calls.service, Deadline(limit_s)
        target, body = call.target(values), call.content(values, settings)
        headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "holdfast", "Connection": "close"}
        headers |= {} if body is None else {"Content-Type": "application/json"}
        headers |= {**service.headers, **service.secrets().headers}
        talk, only_one = _connection(service, limit_s), threading.Lock()
        sent = given_up = False

        def asked() -> tuple[int, bytes]:
            nonlocal sent
            talk.connect()
            with only_one:
                if given_up:
                    raise deadline.trouble(service.shown)
                sent = True
            talk.request(call.method, target, body, headers)
            with talk.getresponse() as response:
                return _answer(response, deadline)

        try:
            try:
                return deadline.within(service.shown, asked)
            finally:
                with only_one:
                    given_up = True
        except HostTrouble as trouble:
            raise HostTrouble(f"{service.shown}: {trouble}", begun=begun and sent, lasting=trouble.lasting) from None
        except (ClusterTrouble, TimeoutError):
            raise HostTrouble(f"{service.shown} did not answer within {limit_s:g} s", begun=begun and sent) from None
        except ssl.SSLCertVerificationError as error:
            why = printable(error.verify_message, 200)
            raise HostTrouble(f"{service.shown}: its certificate was refused: {why}", begun=False, lasting=True) from None
        except (OSError, http.client.HTTPException, ValueError) as error:  # their texts may quote what was sent
            why = printable(getattr(error, "strerror", None) or type(error).__name__, 200)
            raise HostTrouble(f"{service.shown} was not reached: {why}", begun=begun and sent) from None
        finally:
            _end(talk)

    def _read(self, content: bytes) -> ClientProcess:
        """Raise HostTrouble for what does not show the process."""
        shows, said, secrets = self._calls.shows, self._calls.service.shown, self._calls.service.secrets()
        document = _document(content)
        if document is None:
            raise HostTrouble(f"{said} answered the status call with no JSON", begun=False)
        found = _scalar(_at(document, shows.state))
        state = None if found is None else shows.states.get(found)
        if state is None:
            shown = repr(found) if found is not None and _WORD.fullmatch(found) and not secrets.are_in(found) else "another value"
            raise HostTrouble(
                f"{said}: the state of the process at {shows.state} is {shown}; one of {', '.join(sorted(shows.states))} is needed",
                begun=False,
            )
        if state is not ProcessState.RUNNING:
            return ClientProcess(state)
        parts = [_scalar(_at(document, pointer)) for pointer in shows.identity]
        identity = "/".join(part for part in parts if part)
        whole = all(parts) and _IDENTITY.fullmatch(identity) and len(identity) <= LONGEST_IDENTITY
        return ClientProcess(state, identity if whole and not secrets.are_in(identity) else None)


def _document(content: bytes) -> object:
    """None: it is no JSON."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _refuse(lacking: str | None) -> None:
    if lacking is not None:
        raise HostTrouble(lacking, begun=False, lasting=True)


def _connection(service: Service, limit_s: float) -> http.client.HTTPConnection:
    if service.context is None:
        return http.client.HTTPConnection(service.host, service.port, timeout=limit_s)
    return http.client.HTTPSConnection(service.host, service.port, timeout=limit_s, context=service.context)


def _end(talk: http.client.HTTPConnection) -> None:
    """Whatever a thread still waits for on it. What is read of an answer ends by its own look at the time."""
    with suppress(OSError):
        if talk.sock is not None:
            talk.sock.shutdown(socket.SHUT_RDWR)
    talk.close()


def _answer(response: http.client.HTTPResponse, deadline: Deadline) -> tuple[int, bytes]:
    parts: list[bytes] = []
    size = 0
    while part := response.read1(_PART):
        parts.append(part)
        size += len(part)
        if size > MOST_ANSWER:
            raise HostTrouble(f"the answer is larger than {MOST_ANSWER:,} bytes", begun=True)
        if deadline.passed():
            raise deadline.trouble("")
    if response.length:
        raise HostTrouble(f"the answer ended {response.length:,} bytes too early", begun=True)
    return response.status, b"".join(parts)


def _words(status: int) -> str:
    words = f"{status} {http.client.responses.get(status, '')}".rstrip()
    return f"{words}: redirects are not followed" if 300 <= status < 400 else words


def _at(document: object, pointer: str) -> object:
    """What a JSON pointer leads to; None: nothing."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(document, dict):
            document = document.get(name)
        elif isinstance(document, list) and name.isascii() and name.isdigit() and int(name) < len(document):
            document = document[int(name)]
        else:
            return None
    return document


def _scalar(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int) else None
