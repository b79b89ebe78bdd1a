"""A broker that refuses all clients, and quotes the password that it was sent: in an error's text, as a careless proxy would."""

import socketserver
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from kafka.protocol.metadata import ApiVersionsRequest, ApiVersionsResponse
from kafka.protocol.sasl import SaslAuthenticateRequest, SaslAuthenticateResponse, SaslHandshakeRequest, SaslHandshakeResponse

_REFUSED = 58
_APIS = (ApiVersionsRequest, SaslHandshakeRequest, SaslAuthenticateRequest)


class _Door(socketserver.StreamRequestHandler):
    timeout: ClassVar[int] = 60

    def handle(self) -> None:
        while header := self.rfile.read(4):
            content = self.rfile.read(struct.unpack(">i", header)[0])
            api, version, correlation = struct.unpack(">hhi", content[:8])
            answer = struct.pack(">i", correlation) + self._answer(api, version, content)
            self.wfile.write(struct.pack(">i", len(answer)) + answer)

    def _answer(self, api: int, version: int, content: bytes) -> bytes:
        if api == ApiVersionsRequest.API_KEY:
            offered = [ApiVersionsResponse.ApiVersion(api_key=one.API_KEY, min_version=0, max_version=1) for one in _APIS]
            return bytes(ApiVersionsResponse(error_code=35 if version > 1 else 0, api_keys=offered).encode(version=min(version, 1)))
        if api == SaslHandshakeRequest.API_KEY:
            return bytes(SaslHandshakeResponse(error_code=0, mechanisms=["PLAIN"]).encode(version=version))
        sent = content.rpartition(b"\0")[2].decode(errors="replace")
        self.server.asked += 1  # type: ignore[attr-defined]
        text = f"wrong password {sent}, or {sent!r}: {sent}"
        refused = SaslAuthenticateResponse(error_code=_REFUSED, error_message=text, auth_bytes=b"")
        return bytes(refused.encode(version=version))


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    asked = 0


@contextmanager
def echoing_broker() -> Iterator[_Server]:
    """`server_address` is where it listens; `asked`: how often a password was offered."""
    with _Server(("127.0.0.1", 0), _Door) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
