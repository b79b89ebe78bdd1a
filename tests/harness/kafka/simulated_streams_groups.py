"""Hundreds of streams groups on one broker (`group.protocol=streams`), without an application: each has one member that sends one
heartbeat, by which it joins and gets all tasks, and then is silent.

The broker needs PROPERTIES: then the first heartbeat of a group computes its target, and no session ends while a busy machine reads
the groups.
"""

import socket
import struct
import time
import uuid
from collections.abc import Sequence

from tests.harness.kafka.streams_group_bytes import END, array, int16, int32, text

PROPERTIES = {
    "group.streams.initial.rebalance.delay.ms": "0",
    "group.streams.assignment.interval.ms": "0",
    "group.streams.max.session.timeout.ms": "1800000",
    "group.streams.session.timeout.ms": "1800000",
}
_HEARTBEAT, _VERSION = 88, 0
_TIMEOUT_S = 300


def join(bootstrap: str, group_ids: Sequence[str], source_topic: str) -> None:
    """Return when each group is stable. Its only subtopology is stateless and reads `source_topic`."""
    host, _, port = bootstrap.rpartition(":")
    with socket.create_connection((host, int(port)), _TIMEOUT_S) as connection:
        for group_id in group_ids:
            ends_at = time.monotonic() + _TIMEOUT_S
            while (code := _heartbeat(connection, group_id, source_topic)) in _PASSING and time.monotonic() < ends_at:
                time.sleep(0.1)
            assert code == 0, f"{group_id}: the coordinator answered with error code {code}"


_PASSING = (14, 15, 16)
"""The coordinator is loading, or not there yet."""


def _heartbeat(connection: socket.socket, group_id: str, source_topic: str) -> int:
    """The error code of the answer."""
    member, process = str(uuid.uuid4()), str(uuid.uuid4())
    nothing, empty, absent = b"\0", b"\1", b"\xff"
    subtopology = text("0") + array((source_topic,), text) + 5 * empty + END
    topology = b"\1" + int32(0) + array((subtopology,), bytes) + END
    owned = 3 * empty
    names = text(group_id) + text(member) + int32(0) + int32(0) + 2 * nothing
    body = names + int32(60_000) + topology + owned + text(process) + absent + empty + 2 * nothing + b"\0" + END
    header = int16(_HEARTBEAT) + int16(_VERSION) + int32(1) + int16(9) + b"simulated" + END
    connection.sendall(int32(len(header + body)) + header + body)
    answer = _exactly(connection, struct.unpack(">i", _exactly(connection, 4))[0])
    return int(struct.unpack(">h", answer[9:11])[0])  # behind the correlation ID, no tagged field, and the throttle time


def _exactly(connection: socket.socket, size: int) -> bytes:
    found = bytearray()
    while len(found) < size:
        part = connection.recv(size - len(found))
        assert part, "the broker hung up"
        found += part
    return bytes(found)
