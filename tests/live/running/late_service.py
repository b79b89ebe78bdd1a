"""A service that stops, starts and restarts clients of a live group, and answers when that is done, by HTTP on this machine."""

import json
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.live.running.services import SCRIPT

_STATES = ("running", "stopped", "changing")


def calls(address: str) -> dict[str, Any]:
    """What an admin writes down of it."""
    acts: dict[str, Any] = {verb: {"path": f"/clients/{{host}}/{verb}"} for verb in ("start", "stop", "restart")}
    return {"url": address, "unencrypted": True, "status": {"path": "/clients/{host}"}} | acts


@contextmanager
def serving(services: Path, takes_s: float) -> Iterator[str]:
    """Its address. `services`: where the clients are asked for (`services.sh`)."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(services, takes_s))
    thread = threading.Thread(target=server.serve_forever, name="late service")
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(services: Path, takes_s: float) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state, *identity = (services / f"{self.path.rpartition('/')[2]}.status").read_text().split()
            assert state in _STATES, state
            self._answer({"state": state, "identity": "".join(identity) or None})

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            _, _, address, verb = self.path.split("/")
            time.sleep(takes_s)
            subprocess.run(["sh", str(SCRIPT), str(services), verb, address], check=True, timeout=120)
            self._answer({"done": verb})

        def _answer(self, document: dict[str, Any]) -> None:
            content = json.dumps(document).encode()
            try:
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except (BrokenPipeError, ConnectionResetError):
                pass  # the caller has not waited

        def log_message(self, *arguments: object) -> None:
            pass

    return Handler
