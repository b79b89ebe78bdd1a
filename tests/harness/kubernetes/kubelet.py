"""A kubelet's exec endpoint: commands in containers run on this machine, each in a session of its own as a runtime starts them.

Both servers of the tests have it: the real API server proxies exec to the node's address, the contract server calls it directly.
"""

import json
import os
import select
import signal
import ssl
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from tests.harness.kubernetes import frames
from tests.harness.kubernetes.frames import Frames, Gone

PROTOCOL = "v4.channel.k8s.io"
Place = tuple[str, str, str]
"""Namespace, pod, container."""
Trick = Callable[[Frames], None]
"""What is done with a connection in place of running a command."""


class Kubelet:
    """`shells`: a program in place of sh; None: the image has none. `tricks`: what goes wrong. `ran`: every command, by place."""

    def __init__(self, certificate: Path, key: Path) -> None:
        self.shells: dict[Place, str | None] = {}
        self.tricks: dict[Place, Trick] = {}
        self.ran: list[tuple[Place, list[str]]] = []
        self._server = tls_server(_handler(self), certificate, key)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def run(self, place: Place, command: list[str], talk: Frames) -> None:
        """Run one command over an open websocket, as a container's runtime would."""
        self.ran.append((place, command))
        trick = self.tricks.get(place)
        if trick is not None:
            trick(talk)
            return
        with suppress(Gone):
            self._carried(place, command, talk)
            talk.end()

    def _carried(self, place: Place, command: list[str], talk: Frames) -> None:
        shell = self.shells.get(place, "sh")
        if shell is None or not _exists(command[0]):
            talk.send(b"\x03" + json.dumps(_no_program(command[0])).encode())
            return
        program = [*shell.split(), *command[1:]] if command[0] == "sh" else command
        talk.send(b"\x03" + json.dumps(_end(_carried(program, talk))).encode())


def _exists(program: str) -> bool:
    return any(os.access(f"{folder}/{program}", os.X_OK) for folder in ("/bin", "/usr/bin", "/usr/local/bin"))


def _carried(command: list[str], talk: Frames) -> int:
    """The exit status. The connection's end closes standard input, and leaves the process alone: as runtimes do."""
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    with subprocess.Popen(
        command, stdin=-1, stdout=-1, stderr=-1, cwd="/", env=environment, start_new_session=True, bufsize=0
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        outputs = {process.stdout.fileno(): b"\x01", process.stderr.fileno(): b"\x02"}
        os.set_blocking(process.stdin.fileno(), False)
        waiting, reads_input = bytearray(), True
        try:
            while outputs:
                pending = isinstance(talk.sock, ssl.SSLSocket) and talk.sock.pending()
                writes = [process.stdin] if waiting and reads_input else []
                reads, able, _ = select.select([*outputs, talk.sock], writes, [], 0 if pending else None)
                for each in able:
                    try:
                        del waiting[: os.write(each.fileno(), waiting)]
                    except BlockingIOError:
                        continue
                    except BrokenPipeError:
                        reads_input = False
                for descriptor in [one for one in reads if isinstance(one, int)]:
                    data = os.read(descriptor, 32_768)
                    if not data:
                        outputs.pop(descriptor)
                    else:
                        talk.send(outputs[descriptor] + data)
                if (talk.sock in reads or pending) and (message := talk.received()) and message[0] == 0 and reads_input:
                    waiting += message[1:]
        except Gone:
            process.stdin.close()
            _left(process)
            raise
        return process.wait()


def _left(process: subprocess.Popen[bytes]) -> None:
    """A test that ends must leave nothing; that long a command may run on."""

    def end() -> None:
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)

    threading.Thread(target=end, daemon=True).start()


def _end(status: int) -> dict[str, object]:
    if status == 0:
        return {"metadata": {}, "status": "Success"}
    code = str(status if status > 0 else 128 - status)
    return {
        "metadata": {},
        "status": "Failure",
        "message": f"command terminated with non-zero exit code: exit status {code}",
        "reason": "NonZeroExitCode",
        "details": {"causes": [{"reason": "ExitCode", "message": code}]},
    }


def _no_program(name: str) -> dict[str, object]:
    """As a kubelet with containerd and runc says it."""
    message = (
        "error executing command in container: failed to exec in container: failed to start exec: OCI runtime exec failed:"
        f' exec failed: unable to start container process: exec: "{name}": executable file not found in $PATH: unknown'
    )
    return {"metadata": {}, "status": "Failure", "message": message, "reason": "InternalError", "code": 500}


def tls_server(handler: type[BaseHTTPRequestHandler], certificate: Path, key: Path) -> ThreadingHTTPServer:
    """A server on a port of this machine, serving."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = _Server(("127.0.0.1", 0), handler, context)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return server


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], context: ssl.SSLContext) -> None:
        self._context = context
        super().__init__(address, handler)

    def finish_request(self, request: object, client_address: object) -> None:
        """The handshake in the connection's own thread: one that says nothing holds up no other."""
        assert hasattr(request, "settimeout")
        request.settimeout(60)
        try:
            with self._context.wrap_socket(request, server_side=True) as secured:  # type: ignore[arg-type]
                super().finish_request(secured, client_address)  # type: ignore[arg-type]
        except (OSError, ValueError):
            return

    def handle_error(self, request: object, client_address: object) -> None:
        """A connection that a test cuts is no news."""


def _handler(kubelet: Kubelet) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            _, verb, *place = (unquote(part) for part in parts.path.split("/"))
            assert verb == "exec"
            assert len(place) == 3
            query = parse_qs(parts.query, errors="surrogateescape")
            with suppress(Gone):
                kubelet.run((place[0], place[1], place[2]), query["command"], frames.accepted(self, PROTOCOL))

        def log_message(self, *arguments: object) -> None:
            pass

    return Handler
