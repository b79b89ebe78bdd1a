"""What a Streams thread sends to the leader when it joins: the user data of its subscription, metadata versions 1 to 11.

Java: `assignment.SubscriptionInfo` (written by hand up to 2.5, generated from `SubscriptionInfoData.json` in 2.6 to 4.3).
"""

import struct
from dataclasses import dataclass
from uuid import UUID

from holdfast.errors import Unsupported
from holdfast.kafka.vocabulary import LATEST_OFFSET, UNKNOWN_OFFSET_SUM, ProcessId, TaskId
from holdfast.kafka.wire.buffer import Reader, Writer, encode_utf8
from holdfast.kafka.wire.decode_cache import remembered
from holdfast.kafka.wire.tasks import LATEST_VERSION, WireTask, plain, task_id


@dataclass(frozen=True, slots=True)
class SubscriptionInfo:
    """A member's report. Versions 1 to 6 name tasks (`prev_tasks`, `standby_tasks`), later ones give `task_offset_sums`.

    `latest_supported_version` is -1 before version 3, which does not carry it.
    """

    version: int
    latest_supported_version: int
    process_id: ProcessId
    user_endpoint: str | None = None
    prev_tasks: tuple[TaskId, ...] = ()
    standby_tasks: tuple[TaskId, ...] = ()
    task_offset_sums: tuple[tuple[WireTask, int], ...] = ()
    unique_field: int = 0
    error_code: int = 0
    client_tags: tuple[tuple[str, str], ...] = ()

    def offset_sums(self) -> tuple[tuple[TaskId, int], ...]:
        """The sums as the leader takes them: an older member's tasks become -2 (prev) and -3 (standby).

        Raise Unsupported for a task of a named topology.
        """
        if self.version >= 7:
            return tuple((plain(task), offset_sum) for task, offset_sum in self.task_offset_sums)
        active = tuple((task, LATEST_OFFSET) for task in self.prev_tasks)
        return active + tuple((task, UNKNOWN_OFFSET_SUM) for task in self.standby_tasks)


@dataclass(frozen=True, slots=True)
class FutureSubscription:
    """A report of a newer version than any that is known: these two numbers are all that is guaranteed."""

    version: int
    latest_supported_version: int


@remembered
def decode(data: bytes) -> SubscriptionInfo | FutureSubscription:
    """Raise MalformedBytes where `data` is not a SubscriptionInfo."""
    reader = Reader(data, "SubscriptionInfo")
    version = reader.int32("the version")
    if version < 1:
        raise reader.malformed(f"there is no version {version}")
    latest = reader.int32("the latest supported version") if version >= 3 else -1
    if version >= 3 and latest < version:  # every leader throws (`SubscriptionInfo.validateVersions`)
        raise reader.malformed(f"version {version} is newer than {latest}, the latest that the member supports")
    if version > LATEST_VERSION:
        return FutureSubscription(version, latest)
    process_id = ProcessId.of(UUID(bytes=reader.take(16, "the process ID")))
    prev = _tasks(reader, "previous tasks") if version <= 6 else ()
    standby = _tasks(reader, "standby tasks") if version <= 6 else ()
    endpoint = reader.utf8(reader.sized_bytes("the user end point"), "the user end point") if version >= 2 else ""
    info = SubscriptionInfo(
        version,
        latest,
        process_id,
        endpoint or None,
        prev,
        standby,
        task_offset_sums=_offset_sums(reader, version),
        unique_field=reader.int8("the unique field") if version >= 8 else 0,
        error_code=reader.int32("the error code") if version >= 9 else 0,
        client_tags=_client_tags(reader) if version >= 11 else (),
    )
    reader.end()
    return info


def encode(info: SubscriptionInfo) -> bytes:
    """The bytes that Kafka writes for `info`. Raise Unsupported for a version that is unknown."""
    if not 1 <= info.version <= LATEST_VERSION:
        raise Unsupported(f"cannot write version {info.version} of SubscriptionInfo; known are 1 to {LATEST_VERSION}")
    writer = Writer()
    writer.int32(info.version)
    if info.version >= 3:
        writer.int32(info.latest_supported_version)
    writer.raw(info.process_id.uuid.bytes)
    if info.version <= 6:
        _write_tasks(writer, info.prev_tasks)
        _write_tasks(writer, info.standby_tasks)
    if info.version >= 2:
        writer.sized_bytes(encode_utf8(info.user_endpoint or ""))
    if info.version >= 7:
        _write_sums(writer, info.version, info.task_offset_sums)
    if info.version >= 8:
        writer.int8(info.unique_field)
    if info.version >= 9:
        writer.int32(info.error_code)
    if info.version >= 11:
        writer.int32(len(info.client_tags))
        for key, value in info.client_tags:
            writer.sized_bytes(encode_utf8(key))
            writer.sized_bytes(encode_utf8(value))
    return writer.result()


def _tasks(reader: Reader, what: str) -> tuple[TaskId, ...]:
    return tuple(task_id(reader, *reader.int32s(2, what)) for _ in range(reader.count(8, what)))


def _offset_sums(reader: Reader, version: int) -> tuple[tuple[WireTask, int], ...]:
    if version <= 6:
        return ()
    sums: list[tuple[WireTask, int]] = []
    if version <= 9:
        for _ in range(reader.count(8, "subtopologies")):
            subtopology = reader.int32("a subtopology")
            for _ in range(reader.count(12, "task offset sums")):
                task = task_id(reader, subtopology, reader.int32("a partition"))
                sums.append((WireTask(task), reader.int64("an offset sum")))
        return tuple(sums)
    for _ in range(reader.count(18, "task offset sums")):
        task = task_id(reader, *reader.int32s(2, "a task"))
        offset_sum = reader.int64("an offset sum")
        sums.append((WireTask(task, reader.nullable_string("a named topology")), offset_sum))
    return tuple(sums)


def _client_tags(reader: Reader) -> tuple[tuple[str, str], ...]:
    return tuple(
        (
            reader.utf8(reader.sized_bytes("a client tag's key"), "a client tag's key"),
            reader.utf8(reader.sized_bytes("a client tag's value"), "a client tag's value"),
        )
        for _ in range(reader.count(8, "client tags"))
    )


def _write_tasks(writer: Writer, tasks: tuple[TaskId, ...]) -> None:
    writer.int32(len(tasks))
    for task in tasks:
        writer.raw(struct.pack(">2i", task.subtopology, task.partition))


def _write_sums(writer: Writer, version: int, sums: tuple[tuple[WireTask, int], ...]) -> None:
    if version <= 9:
        _write_nested_sums(writer, sums)
        return
    writer.int32(len(sums))
    for task, offset_sum in sums:
        writer.raw(struct.pack(">2iq", task.task_id.subtopology, task.task_id.partition, offset_sum))
        writer.nullable_string(task.topology)


def _write_nested_sums(writer: Writer, sums: tuple[tuple[WireTask, int], ...]) -> None:
    """Versions 7 to 9: sums that are next to one another and have one subtopology share an entry."""
    runs: list[tuple[int, list[tuple[int, int]]]] = []
    for task, offset_sum in sums:
        if not runs or runs[-1][0] != plain(task).subtopology:
            runs.append((task.task_id.subtopology, []))
        runs[-1][1].append((task.task_id.partition, offset_sum))
    writer.int32(len(runs))
    for subtopology, partitions in runs:
        writer.int32(subtopology)
        writer.int32(len(partitions))
        for partition, offset_sum in partitions:
            writer.raw(struct.pack(">iq", partition, offset_sum))
