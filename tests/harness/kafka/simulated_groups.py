"""Thousands of Streams groups on one broker, without an application: members that only repeat what real ones once reported.

Every member opens a connection, joins with the bytes of a recorded member's subscription, and is handed what that one was handed;
then it hangs up. No heart beats: the session lasts as long as a broker allows by default, half an hour. What `example` records
is a group of six stream threads on three clients (`examples/streams-wordcount`). In its bytes its name is exchanged for another one
of the same length, and so are the names of its own topics.

    groups = simulated_groups.example("demo", 60)
    simulated_groups.create_topics(broker.bootstrap, groups[:5], replication=1)
    simulated_groups.join(broker.bootstrap, groups)
"""

import base64
import json
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from kafka import KafkaProducer
from kafka.admin import KafkaAdminClient, NewTopic
from kafka.protocol.admin import DescribeGroupsRequest, DescribeGroupsResponse
from kafka.protocol.consumer import JoinGroupRequest, JoinGroupResponse, SyncGroupRequest, SyncGroupResponse
from kafka.protocol.metadata import CoordinatorType, FindCoordinatorRequest, FindCoordinatorResponse

EXAMPLE = Path(__file__).parents[3] / "examples" / "streams-wordcount" / "snapshot.json"
INPUT, PARTITIONS = "streams-plaintext-input", 6
_RECORDED = b"streams-wordcount"
_SESSION_MS = 1_800_000
_TIMEOUT_S = 300
_TOGETHER = 150
"""Groups that join at the same time: a connection for each of their members. All of a group's members join before the broker's
`group.initial.rebalance.delay.ms` (PROPERTIES) is over, so that one rebalance is enough."""
_NOT_YET = {14, 15, 16}
"""Errors of a coordinator that loads, is not there, or has moved."""
PROPERTIES = {"group.initial.rebalance.delay.ms": "3000"}
"""For the broker: long enough for a busy machine, and all of them wait for it side by side."""


@dataclass(frozen=True)
class SimulatedGroup:
    """A group's name, and the (client ID, subscription, assignment) of its members."""

    group_id: str
    members: tuple[tuple[str, bytes, bytes], ...]

    @property
    def topics(self) -> tuple[str, str]:
        """Its repartition topic and its changelog."""
        return f"{self.group_id}-counts-store-repartition", f"{self.group_id}-counts-store-changelog"


def example(prefix: str, number: int) -> tuple[SimulatedGroup, ...]:
    """The given number of groups, each as recorded except for its name: `prefix` (up to ten letters) and a number."""
    last = json.loads(EXAMPLE.read_text())["generations"][-1]
    recorded = last["members"].values() if isinstance(last["members"], dict) else last["members"]
    members = [(one["client_id"].encode(), _bytes(one["subscription"]), _bytes(one["assignment"])) for one in recorded]
    names = [f"{prefix}-{at:0{len(_RECORDED) - len(prefix) - 1}}" for at in range(number)]
    return tuple(
        SimulatedGroup(
            name,
            tuple(
                (client_id.replace(_RECORDED, name.encode()).decode(), *(part.replace(_RECORDED, name.encode()) for part in parts))
                for client_id, *parts in members
            ),
        )
        for name in names
    )


def create_topics(bootstrap: str, groups: Sequence[SimulatedGroup], replication: int) -> None:
    """What the applications read, and the repartition topics and changelogs of these groups: those of others do not exist.

    Each changelog is as long as the recorded one.
    """
    names = [INPUT, *(name for group in groups for name in group.topics)]
    admin = KafkaAdminClient(bootstrap_servers=bootstrap, request_timeout_ms=120_000)
    try:
        for start in range(0, len(names), 200):
            admin.create_topics([NewTopic(name, PARTITIONS, replication) for name in names[start : start + 200]])
    finally:
        admin.close()
    tasks = json.loads(EXAMPLE.read_text())["tasks"].values()
    ends = [(number, end) for task in tasks for _, number, end in task["changelogs"]]
    producer = KafkaProducer(bootstrap_servers=bootstrap, linger_ms=50, enable_idempotence=False)
    for group in groups:
        for number, end in ends:
            for _ in range(end):
                producer.send(group.topics[1], b"-", partition=number)
    producer.flush(120)
    producer.close()


def join(bootstrap: str, groups: Sequence[SimulatedGroup]) -> None:
    """Return when every group is stable."""
    _wait_until_loaded(_coordinators(bootstrap, [group.group_id for group in groups]))
    for start in range(0, len(groups), _TOGETHER):
        with ExitStack() as connections:
            _join_together(bootstrap, groups[start : start + _TOGETHER], connections)


class _Connection:
    def __init__(self, address: tuple[str, int]) -> None:
        self._socket = socket.create_connection(address, _TIMEOUT_S)

    def send(self, request: Any, version: int, client_id: str = "simulated") -> None:
        request.API_VERSION = version
        request.with_header(correlation_id=1, client_id=client_id)
        self._socket.sendall(request.encode(framed=True, header=True))

    def answer(self, kind: Any, version: int) -> Any:
        (size,) = struct.unpack(">i", self._exactly(4))
        return kind.decode(self._exactly(size), version=version, header=True)

    def _exactly(self, size: int) -> bytes:
        found = bytearray()
        while len(found) < size:
            part = self._socket.recv(size - len(found))
            assert part, "the broker hung up"
            found += part
        return bytes(found)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()


def _join_together(bootstrap: str, groups: Sequence[SimulatedGroup], connections: ExitStack) -> None:
    homes = _coordinators(bootstrap, [group.group_id for group in groups])
    joining = [
        (group, member, connections.enter_context(_Connection(homes[group.group_id])))
        for group in groups
        for member in group.members
    ]
    for group, (client_id, subscription, _), connection in joining:
        protocol = JoinGroupRequest.JoinGroupRequestProtocol(name="stream", metadata=subscription)
        connection.send(
            JoinGroupRequest(
                group_id=group.group_id,
                session_timeout_ms=_SESSION_MS,
                rebalance_timeout_ms=1000 * _TIMEOUT_S,
                member_id="",
                protocol_type="consumer",
                protocols=[protocol],
            ),
            3,
            client_id,
        )
    ids: dict[int, str] = {}
    leaders: dict[str, tuple[int, int]] = {}
    for at, (group, _, connection) in enumerate(joining):
        joined = connection.answer(JoinGroupResponse, 3)
        assert not joined.error_code, (group.group_id, joined.error_code)
        ids[at] = joined.member_id
        if joined.leader == joined.member_id:
            assert len(joined.members) == len(group.members), f"{group.group_id}: not everybody joined in the first rebalance"
            leaders[group.group_id] = (at, joined.generation_id)
    handed = {group.group_id: [] for group in groups}
    for at, (group, (_, _, assignment), _) in enumerate(joining):
        handed[group.group_id].append(SyncGroupRequest.SyncGroupRequestAssignment(member_id=ids[at], assignment=assignment))
    for at, (group, _, connection) in enumerate(joining):
        leader, generation = leaders[group.group_id]
        mine = handed[group.group_id] if at == leader else []
        connection.send(SyncGroupRequest(group_id=group.group_id, generation_id=generation, member_id=ids[at], assignments=mine), 3)
    for group, _, connection in joining:
        synced = connection.answer(SyncGroupResponse, 3)
        assert not synced.error_code, (group.group_id, synced.error_code)


def _coordinators(bootstrap: str, group_ids: Sequence[str]) -> dict[str, tuple[str, int]]:
    """Once there are any: a young cluster makes the topic that they need when it is first asked. One by one: brokers before 3.0
    have no other means."""
    host, _, port = bootstrap.rpartition(":")
    ends_at = time.monotonic() + _TIMEOUT_S
    homes: dict[str, tuple[str, int]] = {}
    with _Connection((host, int(port))) as connection:
        while len(homes) < len(group_ids):
            connection.send(FindCoordinatorRequest(key=group_ids[len(homes)], key_type=CoordinatorType.GROUP.value), 3)
            found = connection.answer(FindCoordinatorResponse, 3)
            if not found.error_code:
                homes[group_ids[len(homes)]] = found.host, found.port
                continue
            assert time.monotonic() < ends_at, f"no coordinator: error {found.error_code}"
            time.sleep(0.5)
    return homes


def _wait_until_loaded(homes: Mapping[str, tuple[str, int]]) -> None:
    """Coordinators that were just elected load what there is, and take no member until then."""
    ends_at = time.monotonic() + _TIMEOUT_S
    for address in sorted(set(homes.values())):
        asked = DescribeGroupsRequest(groups=[name for name, home in homes.items() if home == address])
        with _Connection(address) as connection:
            while True:
                connection.send(asked, 3)
                codes = {one.error_code for one in connection.answer(DescribeGroupsResponse, 3).groups}
                if not codes & _NOT_YET:
                    break
                assert time.monotonic() < ends_at, f"the coordinator {address} is not ready: errors {codes}"
                time.sleep(0.2)


def _bytes(text: str) -> bytes:
    return base64.b64decode(text)
