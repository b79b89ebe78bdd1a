"""One command in a container: the websocket of `pods/exec` (v4.channel.k8s.io), bounded in time and size.

The official library's own websocket has no time limit for its handshake, keeps all output, and accepts frames of any size; so its
configuration is used, and websocket-client, which it brings along, is used directly. The fourth version of the protocol is
understood by every API server and kubelet; it cannot end standard input, so the commands here know how long theirs is.
"""

import json
import selectors
import socket
import ssl
import time
from dataclasses import dataclass, field
from typing import Any, NoReturn
from urllib.parse import quote, urlencode, urlsplit

from holdfast.adapters.hosts.kubernetes import api
from holdfast.adapters.hosts.kubernetes.connection import Server
from holdfast.adapters.hosts.shell import MOST_STDERR, ScriptEnd, too_late, too_much
from holdfast.errors import HostTrouble
from holdfast.rollout.text.format import printable

PROTOCOL = "v4.channel.k8s.io"
STDIN, STDOUT, STDERR, STATUS = range(4)
_LARGEST_FRAME = 1024 * 1024
_MOST_STATUS = 65_536
_CHUNK = 16_384


class NotStarted(HostTrouble):
    """The container's runtime could not start the command: there is no such program in the image. Nothing was run."""


@dataclass(frozen=True, slots=True)
class Command:
    """`program`: with its arguments, which go into the URL: short, and UTF-8."""

    namespace: str
    pod: str
    container: str
    program: tuple[str, ...]


@dataclass(slots=True)
class _Heard:
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    status: bytearray = field(default_factory=bytearray)


def run(
    server: Server, command: Command, stdin: bytes, *, shown: str, ends_at: float, limit_s: float, most_bytes: int
) -> ScriptEnd:
    """What the command printed and how it ended. `ends_at`: when the time limit is over, by `time.monotonic`. Raise HostTrouble."""
    stream = _connected(server, command, shown, ends_at, limit_s)
    try:
        return _Talk(stream, stdin, shown, most_bytes).until(ends_at, limit_s)
    finally:
        stream.shutdown()


def _connected(server: Server, command: Command, shown: str, ends_at: float, limit_s: float) -> Any:
    import websocket

    remaining_s = ends_at - time.monotonic()
    if remaining_s <= 0:
        raise HostTrouble(f"{shown}: not reached within {limit_s:.3g} s", begun=False)
    configuration = server.configuration
    authorization = server.authorization()
    try:
        return websocket.create_connection(
            _url(server.url, command),
            timeout=remaining_s,
            header=[f"Authorization: {authorization}"] if authorization else [],
            subprotocols=[PROTOCOL],
            sslopt={"context": _tls(configuration)} | _server_name(configuration),
            redirect_limit=0,  # a token goes to no other server
            suppress_origin=True,
            **_proxy(configuration),
        )
    except websocket.WebSocketBadStatusException as answer:
        _refused(shown, answer)
    except Exception as error:  # noqa: BLE001 - of the library, of TLS, of the socket: texts may quote headers
        raise HostTrouble(f"{shown}: no connection to run a command: {api.kind_of(error)}", begun=False) from None


def _refused(shown: str, answer: Any) -> NoReturn:
    body = answer.resp_body or b""
    try:
        document = json.loads(bytes(body)[:_MOST_STATUS])
    except (ValueError, RecursionError, TypeError):
        document = {}
    raise api.refusal(shown, "to run a command (pods/exec)", int(answer.status_code), document, begun=False) from None


def _url(host: str, command: Command) -> str:
    scheme, _, rest = host.rstrip("/").partition("://")
    query = [("command", each) for each in command.program]
    query += [("container", command.container), ("stdin", "true"), ("stdout", "true"), ("stderr", "true"), ("tty", "false")]
    path = f"/api/v1/namespaces/{command.namespace}/pods/{command.pod}/exec"
    return f"{'wss' if scheme == 'https' else 'ws'}://{rest}{quote(path)}?{urlencode(query)}"


def _tls(configuration: Any) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=configuration.ssl_ca_cert or None, cadata=configuration.ca_cert_data or None)
    if configuration.cert_file:
        context.load_cert_chain(configuration.cert_file, configuration.key_file)
    return context


def _server_name(configuration: Any) -> dict[str, str]:
    return {"server_hostname": str(configuration.tls_server_name)} if configuration.tls_server_name else {}


def _proxy(configuration: Any) -> dict[str, Any]:
    """The proxy of the requests, or none: the library below would look at the environment by rules of its own."""
    from kubernetes.client.rest import should_bypass_proxies

    if not configuration.proxy or should_bypass_proxies(configuration.host, configuration.no_proxy or ""):
        return {"http_no_proxy": ["*"]}
    parts = urlsplit(str(configuration.proxy))
    proxy: dict[str, Any] = {"http_proxy_host": parts.hostname, "http_proxy_port": parts.port, "proxy_type": parts.scheme or "http"}
    return proxy | ({"http_proxy_auth": (parts.username, parts.password)} if parts.username else {})


class _Talk:
    """Standard input is sent and output is read as they come, so that none waits for the other."""

    def __init__(self, stream: Any, stdin: bytes, shown: str, most_bytes: int) -> None:
        self._stream, self._shown, self._most_bytes = stream, shown, most_bytes
        self._input = memoryview(stdin)
        self._sending = memoryview(b"")
        self._heard = _Heard()
        self._bound_frames()

    def until(self, ends_at: float, limit_s: float) -> ScriptEnd:
        with selectors.DefaultSelector() as ready:
            ready.register(self._stream.sock, selectors.EVENT_READ | selectors.EVENT_WRITE)
            while True:
                remaining_s = ends_at - time.monotonic()
                if remaining_s <= 0:
                    raise too_late(self._shown, limit_s)
                sends = bool(self._sending) or bool(self._input)
                ready.modify(self._stream.sock, selectors.EVENT_READ | (selectors.EVENT_WRITE if sends else 0))
                events = [(None, selectors.EVENT_READ)] if self._decrypted() else ready.select(remaining_s)
                for _, event in events:
                    if event & selectors.EVENT_READ and self._is_over(ends_at, limit_s):
                        return self._answer()
                    if event & selectors.EVENT_WRITE:
                        self._send()

    def _decrypted(self) -> bool:
        """TLS hands over whole records: what follows a frame may be here already, and the socket does not show it."""
        connection = self._stream.sock
        return isinstance(connection, ssl.SSLSocket) and connection.pending() > 0

    def _send(self) -> None:
        """As much as goes now: a frame that was begun must go on where it stopped."""
        from websocket import ABNF

        if not self._sending and self._input:
            part, self._input = self._input[:_CHUNK], self._input[_CHUNK:]
            self._sending = memoryview(ABNF.create_frame(bytes([STDIN]) + part, ABNF.OPCODE_BINARY).format())
        connection: socket.socket = self._stream.sock
        try:
            connection.settimeout(0)
            self._sending = self._sending[connection.send(self._sending) :]
        except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
            return
        except OSError:  # the command has ended, and with it its input; what it says of that is still to be read
            self._sending = self._input = memoryview(b"")

    def _is_over(self, ends_at: float, limit_s: float) -> bool:
        """Take in one frame; True: it was the last."""
        import websocket

        self._stream.settimeout(max(0.01, ends_at - time.monotonic()))
        try:
            opcode, frame = self._stream.recv_data_frame(control_frame=True)
        except websocket.WebSocketTimeoutException:
            raise too_late(self._shown, limit_s) from None
        except HostTrouble:
            raise
        except Exception as error:  # noqa: BLE001 - of the library, of TLS, of the socket
            if self._heard.status:
                return True
            raise HostTrouble(f"{self._shown}: the connection broke off: {api.kind_of(error)}", begun=True) from None
        if opcode == websocket.ABNF.OPCODE_CLOSE:
            return True
        if opcode in (websocket.ABNF.OPCODE_BINARY, websocket.ABNF.OPCODE_TEXT) and frame.data:
            self._take(frame.data[0], frame.data[1:])
        return bool(self._heard.status)

    def _take(self, channel: int, data: bytes) -> None:
        heard = self._heard
        if channel == STDOUT:
            heard.stdout += data
            if len(heard.stdout) > self._most_bytes:
                raise too_much(self._shown, self._most_bytes)
        elif channel == STDERR:
            heard.stderr += data[: MOST_STDERR - len(heard.stderr)]
        elif channel == STATUS:
            heard.status += data[:_MOST_STATUS]

    def _answer(self) -> ScriptEnd:
        """What the runtime says of the end: `Success`, or an exit code, or why the command was not started."""
        heard = self._heard
        try:
            document = json.loads(bytes(heard.status)) if heard.status else None
        except (ValueError, RecursionError):
            document = None
        if api.text(document, "status") == "Success":
            return ScriptEnd(0, bytes(heard.stdout), bytes(heard.stderr))
        message = printable(" ".join(api.text(document, "message").split()), 400)
        if api.text(document, "reason") == "NonZeroExitCode":
            codes = [text for one in api.objects(document, "details", "causes") if (text := _exit_code(one)) is not None]
            if codes:
                return ScriptEnd(codes[0], bytes(heard.stdout), bytes(heard.stderr))
        if not document:
            raise HostTrouble(f"{self._shown}: the command ended without saying how: the connection was cut", begun=True)
        if _names_no_program(message):
            raise NotStarted(f"{self._shown}: the image has no sh ({message})", begun=False, lasting=True)
        raise HostTrouble(f"{self._shown}: the command was not carried out: {message or 'no reason was given'}", begun=True)

    def _bound_frames(self) -> None:
        """Refuse a frame by the length that it announces, before it is read."""
        buffer = self._stream.frame_buffer
        original = buffer.recv_length

        def recv_length() -> None:
            original()
            if buffer.length > _LARGEST_FRAME:
                raise too_much(self._shown, _LARGEST_FRAME)

        buffer.recv_length = recv_length


def _exit_code(cause: api.Document) -> int | None:
    message = api.text(cause, "message")
    return int(message) if api.text(cause, "reason") == "ExitCode" and message.isdecimal() and len(message) < 4 else None


def _names_no_program(message: str) -> bool:
    """What runc, crun and gVisor say where the image has no such file."""
    return any(
        words in message for words in ("executable file not found", "no such file or directory", "exec failed: unable to start")
    )
