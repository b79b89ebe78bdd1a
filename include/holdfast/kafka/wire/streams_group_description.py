"""StreamsGroupDescribe (key 89), versions 0 and 1: what a coordinator says of streams groups. Kafka 4.1 to 4.4.

Java: the generated `StreamsGroupDescribeRequestData` and `StreamsGroupDescribeResponseData`. Version 1 (4.4) adds the name of the
assignor, and a description of the topology, which decides nothing and is never asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.kafka.coordinator.streams.group import Task
from holdfast.kafka.wire.buffer import Writer, encode_utf8
from holdfast.kafka.wire.compact import CompactReader
from holdfast.kafka.wire.streams_tasks import InternalTopic, OwnedTasks, endpoint, internal_topics, owned_tasks, pairs, task_offsets

API_KEY = 89
LATEST_VERSION = 1
NO_OPERATIONS = -(2**31)
"""Authorized operations that were not asked for."""
_SMALLEST_GROUP = 2 + 1 + 1 + 1 + 4 + 4 + 1 + 1 + 4 + 1
_SMALLEST_SUBTOPOLOGY = 6
_SMALLEST_MEMBER = 1 + 4 + 1 + 1 + 1 + 1 + 4 + 1 + 1 + 1 + 1 + 1 + 4 + 4 + 1 + 1


@dataclass(frozen=True, slots=True)
class DescribedSubtopology:
    id: str
    source_topics: tuple[str, ...]
    repartition_sink_topics: tuple[str, ...]
    changelog_topics: tuple[InternalTopic, ...]
    repartition_source_topics: tuple[InternalTopic, ...]


@dataclass(frozen=True, slots=True)
class DescribedTopology:
    """`subtopologies` None: the coordinator could not configure the topology (topics are missing)."""

    epoch: int
    subtopologies: tuple[DescribedSubtopology, ...] | None


@dataclass(frozen=True, slots=True)
class DescribedMember:
    """One stream thread. `assignment`: what it runs now; `target`: what it is to run. Offsets are filled from 4.4 on."""

    member_id: str
    member_epoch: int
    instance_id: str | None
    rack_id: str | None
    client_id: str
    client_host: str
    topology_epoch: int
    process_id: str
    user_endpoint: str | None
    client_tags: tuple[tuple[str, str], ...]
    task_offsets: tuple[tuple[Task, int], ...]
    task_end_offsets: tuple[tuple[Task, int], ...]
    assignment: OwnedTasks
    target: OwnedTasks
    is_classic: bool


@dataclass(frozen=True, slots=True)
class DescribedGroup:
    """A group, or the error instead of it. The members are in the order in which the coordinator goes through them.

    `assignor`: that of the next target; None before version 1.
    """

    error_code: int
    error_message: str | None
    group_id: str
    state: str
    group_epoch: int
    assignment_epoch: int
    topology: DescribedTopology | None
    members: tuple[DescribedMember, ...]
    authorized_operations: int
    assignor: str | None = None


def encode_request(group_ids: Sequence[str], version: int = 0, *, include_authorized_operations: bool = False) -> bytes:
    """The body of a request, without its header."""
    writer = Writer()
    _unsigned_varint(writer, len(group_ids) + 1)
    for group_id in group_ids:
        data = encode_utf8(group_id)
        _unsigned_varint(writer, len(data) + 1)
        writer.raw(data)
    writer.int8(int(include_authorized_operations))
    if version >= 1:
        writer.int8(0)
    writer.int8(0)
    return writer.result()


def _unsigned_varint(writer: Writer, value: int) -> None:
    while value > 0x7F:
        writer.raw(bytes((value & 0x7F | 0x80,)))
        value >>= 7
    writer.raw(bytes((value,)))


def decode_response(data: bytes, version: int = 0) -> tuple[DescribedGroup, ...]:
    """The groups of a response's body, without its header. Raise MalformedBytes."""
    reader = CompactReader(data, "StreamsGroupDescribeResponse")
    reader.int32("the throttle time")
    groups = reader.array(_SMALLEST_GROUP, "groups", lambda one: _group(one, version))
    reader.end_of_structure()
    reader.end()
    return groups


def _group(reader: CompactReader, version: int) -> DescribedGroup:
    group = DescribedGroup(
        error_code=reader.int16("an error code"),
        error_message=reader.compact_nullable_string("an error message"),
        group_id=reader.compact_string("a group ID"),
        state=reader.compact_string("a group's state"),
        group_epoch=reader.int32("a group epoch"),
        assignment_epoch=reader.int32("an assignment epoch"),
        topology=_topology(reader) if reader.present("a topology") else None,
        members=reader.array(_SMALLEST_MEMBER, "members", _member),
        authorized_operations=reader.int32("authorized operations"),
        assignor=_assignor(reader) if version >= 1 else None,
    )
    reader.end_of_structure()
    return group


def _assignor(reader: CompactReader) -> str | None:
    """What version 1 adds to a group: a description of the topology, its status, and the assignor's name."""
    if reader.present("a description of the topology"):
        raise reader.malformed("a description of the topology is there, which was not asked for")
    reader.int8("the status of the description")
    return reader.compact_nullable_string("the assignor")


def _topology(reader: CompactReader) -> DescribedTopology:
    epoch = reader.int32("a topology epoch")
    subtopologies = reader.nullable_array(_SMALLEST_SUBTOPOLOGY, "subtopologies", _subtopology)
    reader.end_of_structure()
    return DescribedTopology(epoch, subtopologies)


def _subtopology(reader: CompactReader) -> DescribedSubtopology:
    subtopology = DescribedSubtopology(
        id=reader.compact_string("a subtopology ID"),
        source_topics=reader.strings("source topics"),
        repartition_sink_topics=reader.strings("repartition sink topics"),
        changelog_topics=internal_topics(reader, "changelog topics"),
        repartition_source_topics=internal_topics(reader, "repartition source topics"),
    )
    reader.end_of_structure()
    return subtopology


def _member(reader: CompactReader) -> DescribedMember:
    member = DescribedMember(
        member_id=reader.compact_string("a member ID"),
        member_epoch=reader.int32("a member epoch"),
        instance_id=reader.compact_nullable_string("an instance ID"),
        rack_id=reader.compact_nullable_string("a rack"),
        client_id=reader.compact_string("a client ID"),
        client_host=reader.compact_string("a client host"),
        topology_epoch=reader.int32("a member's topology epoch"),
        process_id=reader.compact_string("a process ID"),
        user_endpoint=endpoint(reader),
        client_tags=pairs(reader, "client tags"),
        task_offsets=task_offsets(reader, "task offsets"),
        task_end_offsets=task_offsets(reader, "task end offsets"),
        assignment=_assignment(reader),
        target=_assignment(reader),
        is_classic=bool(reader.int8("whether a member is classic")),
    )
    reader.end_of_structure()
    return member


def _assignment(reader: CompactReader) -> OwnedTasks:
    owned = owned_tasks(reader)
    reader.end_of_structure()
    return owned
