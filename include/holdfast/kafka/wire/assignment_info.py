"""What the leader sends to a Streams thread: the user data of its assignment, versions 1 to 11.

Java: `assignment.AssignmentInfo` and `ConsumerProtocolUtils` (2.4 to 4.3, written with a `DataOutputStream` in all of them).
"""

from dataclasses import dataclass, field

from holdfast.errors import Unsupported
from holdfast.kafka import java
from holdfast.kafka.vocabulary import TaskId, TopicPartition
from holdfast.kafka.wire.buffer import Reader, Writer
from holdfast.kafka.wire.decode_cache import remembered
from holdfast.kafka.wire.tasks import LATEST_VERSION, WireTask, plain, task_id

NO_REBALANCE = java.LONG_MAX
"""`next_rebalance_ms` of a member that need not rejoin; 0 is "at once", anything else ms since 1970 by the leader's clock."""

Host = tuple[str, int]
HostPartitions = tuple[tuple[Host, tuple[TopicPartition, ...]], ...]


@dataclass(frozen=True, slots=True)
class AssignmentInfo:
    """`active` is parallel to the member's partitions sorted by (topic, partition): a task with k partitions is in it k times.

    `topic_dictionary` is how versions 5 and later number the topics of the two host maps: kept so that the bytes can be made again.
    """

    version: int
    commonly_supported_version: int = -1
    active: tuple[WireTask, ...] = ()
    standby: tuple[tuple[WireTask, tuple[TopicPartition, ...]], ...] = ()
    partitions_by_host: HostPartitions = ()
    standby_partitions_by_host: HostPartitions = ()
    error_code: int = 0
    next_rebalance_ms: int = NO_REBALANCE
    topic_dictionary: tuple[tuple[int, str], ...] = field(default=(), compare=False)

    def standby_partitions(self) -> tuple[tuple[TaskId, tuple[TopicPartition, ...]], ...]:
        """Standby tasks with their source partitions. Raise Unsupported for a task of a named topology."""
        return tuple((plain(task), partitions) for task, partitions in self.standby)

    def active_partitions(self, assigned: tuple[TopicPartition, ...]) -> tuple[tuple[TaskId, tuple[TopicPartition, ...]], ...]:
        """Active tasks with the partitions of `assigned` (the envelope's), in task order.

        Raise Unsupported for a task of a named topology, and for an assignment whose tasks are not as many as its partitions.
        Java: `StreamsPartitionAssignor.populateActiveTaskAndPartitionsLists` and `onAssignment`.
        """
        if len(assigned) != len(self.active):
            raise Unsupported(f"an assignment lists {len(self.active)} active tasks for {len(assigned)} partitions")
        ordered = sorted(assigned, key=lambda partition: (java.string_order(partition.topic), partition.partition))
        found: dict[TaskId, list[TopicPartition]] = {}
        for task, partition in zip(self.active, ordered, strict=True):
            found.setdefault(plain(task), []).append(partition)
        return tuple((task, tuple(found[task])) for task in sorted(found))


@dataclass(frozen=True, slots=True)
class FutureAssignment:
    """An assignment of a newer version than any that is known: these two numbers are all that is guaranteed."""

    version: int
    commonly_supported_version: int


@remembered
def decode(data: bytes) -> AssignmentInfo | FutureAssignment:
    """Raise MalformedBytes where `data` is not an AssignmentInfo."""
    reader = Reader(data, "AssignmentInfo")
    version = reader.int32("the version")
    if version < 1:
        raise reader.malformed(f"there is no version {version}")
    common = reader.int32("the commonly supported version") if version >= 3 else -1
    if version > LATEST_VERSION:
        return FutureAssignment(version, common)
    smallest = 12 if version >= 10 else 8
    active = tuple(_task(reader, version) for _ in range(reader.count(smallest, "active tasks")))
    standby = tuple(
        (_task(reader, version), reader.java_topic_partitions("a standby task's partitions"))
        for _ in range(reader.count(smallest + 4, "standby tasks"))
    )
    dictionary = _dictionary(reader) if version >= 5 else {}
    by_host = _hosts(reader, version, dictionary) if version >= 2 else ()
    standby_by_host = _hosts(reader, version, dictionary) if version >= 6 else ()
    info = AssignmentInfo(
        version,
        common,
        active,
        standby,
        by_host,
        standby_by_host,
        error_code=reader.int32("the error code") if version >= 4 else 0,
        next_rebalance_ms=reader.int64("the next rebalance") if version >= 7 else NO_REBALANCE,
        topic_dictionary=tuple(dictionary.items()),
    )
    reader.end()
    return info


def encode(info: AssignmentInfo) -> bytes:
    """The bytes that Kafka writes for `info`. Raise Unsupported for a version that is unknown."""
    if not 1 <= info.version <= LATEST_VERSION:
        raise Unsupported(f"cannot write version {info.version} of AssignmentInfo; known are 1 to {LATEST_VERSION}")
    writer = Writer()
    writer.int32(info.version)
    if info.version >= 3:
        writer.int32(info.commonly_supported_version)
    writer.int32(len(info.active))
    for task in info.active:
        _write_task(writer, info.version, task)
    writer.int32(len(info.standby))
    for task, partitions in info.standby:
        _write_task(writer, info.version, task)
        writer.java_topic_partitions(partitions)
    numbers = _write_dictionary(writer, info) if info.version >= 5 else {}
    if info.version >= 2:
        _write_hosts(writer, info.version, info.partitions_by_host, numbers)
    if info.version >= 6:
        _write_hosts(writer, info.version, info.standby_partitions_by_host, numbers)
    if info.version >= 4:
        writer.int32(info.error_code)
    if info.version >= 7:
        writer.int64(info.next_rebalance_ms)
    return writer.result()


def _task(reader: Reader, version: int) -> WireTask:
    task = task_id(reader, *reader.int32s(2, "a task"))
    if version < 10:
        return WireTask(task)
    characters = reader.take(2 * reader.count(2, "characters of a named topology"), "a named topology")
    return WireTask(task, characters.decode("utf-16-be", "surrogatepass") if characters else None)


def _write_task(writer: Writer, version: int, task: WireTask) -> None:
    writer.int32(task.task_id.subtopology)
    writer.int32(task.task_id.partition)
    if version >= 10:
        characters = java.string_order(task.topology or "")
        writer.int32(len(characters) // 2)
        writer.raw(characters)
    else:
        plain(task)


def _dictionary(reader: Reader) -> dict[int, str]:
    dictionary: dict[int, str] = {}
    for _ in range(reader.count(6, "dictionary entries")):
        number = reader.int32("a dictionary index")
        if number in dictionary:
            raise reader.malformed(f"the dictionary has two topics numbered {number}")
        dictionary[number] = reader.java_utf("a dictionary topic")
    return dictionary


def _write_dictionary(writer: Writer, info: AssignmentInfo) -> dict[str, int]:
    """The dictionary of the value where it covers all topics, else one in the order of first use."""
    numbers = {topic: number for number, topic in info.topic_dictionary}
    hosts = info.partitions_by_host + (info.standby_partitions_by_host if info.version >= 6 else ())
    topics = list(dict.fromkeys(partition.topic for _, partitions in hosts for partition in partitions))
    if any(topic not in numbers for topic in topics):
        numbers = {topic: number for number, topic in enumerate(topics)}
    writer.int32(len(numbers))
    for topic, number in numbers.items():
        writer.int32(number)
        writer.java_utf(topic)
    return numbers


def _hosts(reader: Reader, version: int, dictionary: dict[int, str]) -> HostPartitions:
    hosts: list[tuple[Host, tuple[TopicPartition, ...]]] = []
    for _ in range(reader.count(10, "hosts")):
        host = reader.java_utf("a host"), reader.int32("a port")
        if version < 5:
            hosts.append((host, reader.java_topic_partitions("a host's partitions")))
            continue
        numbers = reader.int32s(2 * reader.count(8, "partitions of a host"), "a host's partitions")
        partitions: list[TopicPartition] = []
        for index, partition in zip(numbers[::2], numbers[1::2], strict=True):
            if index not in dictionary:
                raise reader.malformed(f"the dictionary has no topic numbered {index}")
            partitions.append(reader.topic_partition(dictionary[index], partition))
        hosts.append((host, tuple(partitions)))
    return tuple(hosts)


def _write_hosts(writer: Writer, version: int, hosts: HostPartitions, numbers: dict[str, int]) -> None:
    writer.int32(len(hosts))
    for (host, port), partitions in hosts:
        writer.java_utf(host)
        writer.int32(port)
        if version < 5:
            writer.java_topic_partitions(partitions)
            continue
        writer.int32(len(partitions))
        for topic, partition in partitions:
            writer.int32(numbers[topic])
            writer.int32(partition)
