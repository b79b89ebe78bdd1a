"""An API server in this process: what Holdfast uses of Kubernetes, as a kube-apiserver answers it (`bin/test-kubernetes`)."""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from tests.harness.kubernetes import frames, rights
from tests.harness.kubernetes.frames import Gone
from tests.harness.kubernetes.kubelet import Kubelet, tls_server
from tests.harness.kubernetes.store import Document, Refused, Store, selected

PROTOCOL = "v4.channel.k8s.io"
Trick = Callable[[BaseHTTPRequestHandler], None]


@dataclass(frozen=True)
class Target:
    """What a path names. `part`: a subresource."""

    resource: str
    namespace: str
    name: str = ""
    part: str = ""


def target(path: str) -> Target | None:
    """`/api/v1/namespaces/n/pods/p/exec`, `/apis/apps/v1/namespaces/n/statefulsets`, `/api/v1/nodes/n/status`, …"""
    parts = [unquote(part) for part in path.strip("/").split("/")]
    group, rest = ("v1", parts[2:]) if parts[:2] == ["api", "v1"] else ("/".join(parts[1:3]), parts[3:])
    if parts[0] not in ("api", "apis") or not rest:
        return None
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2:
        namespace, rest = rest[1], rest[2:]
    names = (*rest[1:], "", "")
    return Target(f"{group}/{rest[0]}", namespace, names[0], names[1])


class ContractServer:
    """`tricks`: by `METHOD PATH`, what is done with the next such request in place of an answer."""

    def __init__(self, certificate: Path, key: Path, tokens: dict[str, str], kubelet: Kubelet) -> None:
        self.store, self.kubelet, self.tokens = Store(), kubelet, tokens
        self.tricks: dict[str, Trick] = {}
        self.asked: list[str] = []
        self._server = tls_server(_handler(self), certificate, key)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, method: str, where: Target, query: dict[str, list[str]], body: Document, kind: str) -> Document:
        if method == "GET" and where.name:
            found = self.store.get(where.resource, where.namespace, where.name)
            return _scale(found) if where.part == "scale" else found
        if method == "GET":
            return self._list(where, query)
        if method == "POST" and where.part == "binding":
            self._patched(where, {"spec": {"nodeName": body["target"]["name"]}}, strategic=False)
            return {"kind": "Status", "status": "Success"}
        if method == "POST":
            return self.store.create(where.resource, where.namespace, body)
        if method == "PATCH":
            if where.part == "scale":
                wanted = {"spec": {"replicas": body["spec"]["replicas"]}, "metadata": body.get("metadata", {})}
                return _scale(self._patched(where, wanted, strategic=False))
            return self._patched(where, body, strategic="strategic" in kind)
        if method == "DELETE":
            return self.store.delete(where.resource, where.namespace, where.name, body)
        raise Refused(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")

    def _patched(self, where: Target, body: Document, *, strategic: bool) -> Document:
        return self.store.patch(where.resource, where.namespace, where.name, body, where.part, strategic=strategic)

    def _list(self, where: Target, query: dict[str, list[str]]) -> Document:
        found = [
            one for one in self.store.listed(where.resource, where.namespace) if selected(one, query.get("labelSelector", [""])[0])
        ]
        begin, limit = int(query.get("continue", ["0"])[0]), int(query.get("limit", ["0"])[0]) or len(found)
        further = str(begin + limit) if begin + limit < len(found) else ""
        return {"kind": "List", "metadata": {"continue": further} if further else {}, "items": found[begin : begin + limit]}

    def user(self, authorization: str | None) -> str:
        user = self.tokens.get((authorization or "").partition(" ")[2])
        if user is None:
            raise Refused(401, "Unauthorized", "Unauthorized")
        return user

    def runnable(self, where: Target, container: str) -> None:
        """What the API server itself looks at before it asks a kubelet."""
        pod = self.store.get(where.resource, where.namespace, where.name)
        names = [one["name"] for field in ("containers", "ephemeralContainers") for one in pod["spec"].get(field, [])]
        if container not in names:
            raise Refused(400, "BadRequest", f"container {container} is not valid for pod {where.name}")
        if not pod["spec"].get("nodeName"):
            raise Refused(400, "BadRequest", f"pod {where.name} does not have a host assigned")


def _scale(found: Document) -> Document:
    meta = {key: found["metadata"][key] for key in ("name", "namespace", "uid", "resourceVersion")}
    status = {"replicas": found.get("status", {}).get("replicas", 0)}
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": meta,
        "spec": {"replicas": found["spec"]["replicas"]},
        "status": status,
    }


def _handler(server: ContractServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._serve()

        do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815 - the standard library's names

        def _serve(self) -> None:
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            server.asked.append(f"{self.command} {parts.path}")
            trick = server.tricks.pop(f"{self.command} {parts.path}", None)
            if trick is not None:
                self.close_connection = True
                trick(self)
                return
            try:
                self._answered(parts.path, parse_qs(parts.query, errors="surrogateescape"), body)
            except Refused as refused:
                self._send(refused.status, refused.document())

        def _answered(self, path: str, query: dict[str, list[str]], body: bytes) -> None:
            user = server.user(self.headers.get("Authorization"))
            where = target(path)
            if where is None:
                raise Refused(404, "NotFound", "the server could not find the requested resource")
            if where.resource == "authorization.k8s.io/v1/selfsubjectaccessreviews":
                self._send(201, rights.review(server.store, user, json.loads(body)))
                return
            verb = rights.verb(self.command, where.name)
            rights.check(server.store, user, verb, where.resource, where.part, where.namespace, where.name)
            if where.part == "exec":
                container = query["container"][0]
                server.runnable(where, container)
                place = (where.namespace, where.name, container)
                with suppress(Gone):
                    server.kubelet.run(place, query["command"], frames.accepted(self, PROTOCOL))
                return
            kind = self.headers.get("Content-Type", "")
            answer = server.answer(self.command, where, query, json.loads(body) if body else {}, kind)
            self._send(201 if self.command == "POST" else 200, answer)

        def _send(self, status: int, document: Document) -> None:
            content = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments: object) -> None:
            pass

    return Handler


def never(handler: BaseHTTPRequestHandler) -> None:
    """A server that took the request and says nothing."""
    time.sleep(600)


def raw(content: bytes) -> Trick:
    """These bytes in place of an answer, and the end of the connection: a whole answer has to announce it (`Connection: close`)."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        with suppress(OSError):
            handler.wfile.write(content)

    return answer


def refusing(status: int, reason: str, message: str) -> Trick:
    document = json.dumps(Refused(status, reason, message).document()).encode()
    return raw(
        b"HTTP/1.1 %d X\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
        % (status, len(document), document)
    )
