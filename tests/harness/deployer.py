"""A service that starts and stops processes, over HTTPS, and what may go wrong with one."""

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from tests.harness.kubernetes.cluster import certificate_of
from tests.harness.kubernetes.kubelet import tls_server

TOKEN = "Bearer open-sesame-4713"


class Deployer:
    """`processes`: by client; 0: it does not run. `answers`: what a request gets in place of the usual."""

    def __init__(self, folder: Path) -> None:
        self.ca, key = certificate_of(folder)
        self.processes, self.begun = {"app-1": 1}, 1
        self.asked: list[tuple[str, str, Any]] = []
        self.tokens: list[str | None] = []
        self.settings: dict[str, dict[str, str]] = {"app-1": {"client.id": "app-1"}}
        self.answers: Callable[[BaseHTTPRequestHandler, Callable[[], None]], None] | None = None
        self._server = tls_server(_handler(self), self.ca, key)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self._server.server_address[1]}/api"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def write(self, client: str, settings: dict[str, str | None]) -> None:
        found = self.settings[client] | settings
        self.settings[client] = {key: value for key, value in found.items() if value is not None}

    def act(self, client: str, verb: str) -> None:
        self.begun += verb != "stop"
        self.processes[client] = 0 if verb == "stop" else self.begun

    def actors(self, more: str = "") -> bytes:
        """The file of --actors that leads here."""
        return f"""
format_version: "1.0"
groups:
  orders:
    limit_s: 60
    http:
      url: {self.url}
      ca: "{self.ca}"
      secret_headers: {{Authorization: "env:DEPLOYER_TOKEN"}}
      status:
        path: "/clients/{{host}}"
        state: /process/state
        identity: [/process/boot, /process/number]
        states: {{UP: running, DOWN: stopped, MOVING: changing}}
      start: {{path: "/clients/{{host}}/start"}}
      stop: {{path: "/clients/{{host}}/stop"}}
      restart: {{path: "/clients/{{host}}/restart", query: {{who: "{{host}}"}}, body: {{client: ["{{host}}", 1, null], why: plan}}}}
      set_config: {{path: "/clients/{{host}}/config", method: PUT, body: {{by: "{{host}}"}}}}
      read_config: {{path: "/clients/{{host}}/config", settings: /deployed/config}}
{more}""".encode()


def _handler(deployer: Deployer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answered(lambda _: None)

        def do_PUT(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            deployer.asked.append(("config", self.path, body))
            self._answered(lambda _: None, lambda client: deployer.write(client, body["settings"]))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self._answered(lambda verb: deployer.asked.append((verb, self.path, json.loads(body) if body else None)))

        def _answered(self, note: Callable[[str], None], write: Callable[[str], None] = lambda _: None) -> None:
            deployer.tokens.append(self.headers.get("Authorization"))
            _, _, _, client, *verb = (unquote(part) for part in urlsplit(self.path).path.split("/"))
            for one in verb:
                note(one)

            def usual() -> None:
                if verb == ["config"]:
                    write(client)
                    send(self, 200, json.dumps({"deployed": {"config": deployer.settings[client]}}).encode())
                    return
                for one in verb:
                    deployer.act(client, one)
                number = deployer.processes.get(client, 0)
                shown = {"process": {"state": "UP" if number else "DOWN", "boot": "b1", "number": number}}
                send(self, 202 if verb else 200, json.dumps(shown).encode())

            if deployer.answers is None:
                usual()
            else:
                deployer.answers(self, usual)

        def log_message(self, *arguments: object) -> None:
            pass

    return Handler


def send(handler: BaseHTTPRequestHandler, status: int, content: bytes, **headers: str) -> None:
    handler.send_response(status)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    for name, value in {"Content-Length": str(len(content)), "Connection": "close", **given}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(content)
    handler.close_connection = True
