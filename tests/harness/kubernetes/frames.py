"""The server's side of a websocket (RFC 6455), what `pods/exec` needs of it."""

import base64
import hashlib
import socket
import struct
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler

_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
BINARY, CLOSE = 2, 8


class Gone(Exception):
    """The other side has closed the connection."""


@dataclass
class Frames:
    """Over an open connection. `sock` may be a TLS socket: one thread reads and writes."""

    sock: socket.socket

    def send(self, payload: bytes, opcode: int = BINARY) -> None:
        size = len(payload)
        head = bytes([0x80 | opcode, size]) if size < 126 else bytes([0x80 | opcode, 126]) + struct.pack("!H", size)
        if size >= 65_536:
            head = bytes([0x80 | opcode, 127]) + struct.pack("!Q", size)
        try:
            self.sock.sendall(head + payload)
        except OSError:
            raise Gone from None

    def end(self) -> None:
        """Say that this was all, and read on until the other side has gone: closing before could lose what was sent."""
        self.send(b"", CLOSE)
        self.sock.settimeout(120)
        while True:
            self._exactly(1)

    def received(self) -> bytes:
        """The next message. Raise Gone at the end."""
        first, second = self._exactly(2)
        size = second & 0x7F
        if size == 126:
            (size,) = struct.unpack("!H", self._exactly(2))
        elif size == 127:
            (size,) = struct.unpack("!Q", self._exactly(8))
        mask = self._exactly(4) if second & 0x80 else b"\0\0\0\0"
        data = self._exactly(size)
        if first & 0x0F == CLOSE:
            raise Gone
        repeated = int.from_bytes((mask * (size // 4 + 1))[:size], "big")
        return (int.from_bytes(data, "big") ^ repeated).to_bytes(size, "big")

    def _exactly(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            try:
                part = self.sock.recv(size - len(parts))
            except OSError:
                raise Gone from None
            if not part:
                raise Gone
            parts += part
        return bytes(parts)


def accepted(handler: BaseHTTPRequestHandler, protocol: str) -> Frames:
    """Answer the request with the switch to a websocket that speaks `protocol`."""
    key = handler.headers["Sec-WebSocket-Key"] + _GUID
    answer = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
    handler.send_response(101)
    for name, value in (
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Accept", answer),
        ("Sec-WebSocket-Protocol", protocol),
    ):
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.flush()
    handler.close_connection = True
    return Frames(handler.connection)
