"""Readers and writers of the small values that all documents share: tasks, partitions, process IDs, settings."""

import base64
import binascii
import re
from collections.abc import Callable, Iterable
from functools import lru_cache, partial

from holdfast.errors import InvalidInput, Unsupported
from holdfast.kafka import java
from holdfast.kafka.vocabulary import LATEST_OFFSET, UNKNOWN_OFFSET_SUM, ProcessId, TaskId, TopicPartition
from holdfast.rollout.json import strict

ConfigValue = str | int | float | bool | None | tuple[str, ...]


_NAMED_TOPOLOGY_TASK = re.compile(r".+__[0-9]+_[0-9]+", re.DOTALL)


def task_id(value: object) -> TaskId:
    """Raise Unsupported for a task of a named topology, InvalidInput for what is no task ID."""
    if type(value) is str:
        try:
            return task_named(value)
        except InvalidInput:
            pass  # the lines below say what is wrong
    written = strict.text(value)
    if _NAMED_TOPOLOGY_TASK.fullmatch(written):
        raise Unsupported(f"{strict.shown(written)} is a task of a named topology; these are not modelled")
    try:
        return TaskId.parse(written)
    except InvalidInput:
        raise InvalidInput(f"{strict.shown(written)} is not a task ID; the format is '1_0' (subtopology, partition)") from None


@lru_cache(maxsize=2**14)
def task_named(text: str) -> TaskId:
    """Kept, because all members and all groups have the same few; what is none, which may be long, is not kept."""
    return TaskId.parse(text)


def process_id(value: object) -> ProcessId:
    written = strict.text(value)
    try:
        return process_named(written)
    except InvalidInput:
        raise InvalidInput(
            f"{strict.shown(written)} is not a process ID; the format is '4b61083e-57d0-457d-951f-d06556c148ca'"
        ) from None


@lru_cache(maxsize=2**12)
def process_named(text: str) -> ProcessId:
    """The same: a document names a client more than once."""
    return ProcessId.parse(text)


def topic_partition(value: object) -> TopicPartition:
    """`["topic", 0]`."""
    if not isinstance(value, list) or len(value) != 2:
        raise strict.mismatch('a partition like ["topic", 0]', value)
    return TopicPartition(strict.name(value[0]), partition_number(value[1]))


def partition_named(text: str) -> TopicPartition:
    """`topic-0`."""
    topic, _, number = text.rpartition("-")
    if not topic or not (number.isascii() and number.isdigit()):
        raise strict.mismatch("a partition like topic-0", text)
    return TopicPartition(topic, partition_number(int(number)))


def partition_number(value: object) -> int:
    return strict.integer(value, 0, java.INT_MAX)


def task_ids(value: object) -> tuple[TaskId, ...]:
    return strict.each(value, task_id)


def topic_partitions(value: object) -> tuple[TopicPartition, ...]:
    if type(value) is list and all(map(_is_topic_partition, value)):  # there may be a million of them
        return tuple(map(_TOPIC_PARTITION, value))
    return strict.each(value, topic_partition)


_TOPIC_PARTITION: Callable[[Iterable[object]], TopicPartition] = partial(tuple.__new__, TopicPartition)


def _is_topic_partition(value: object) -> bool:
    """Whether it is beyond doubt; if not, `topic_partition` says what is wrong."""
    if type(value) is not list or len(value) != 2:
        return False
    topic, number = value
    return type(topic) is str and type(number) is int and 0 < len(topic) <= strict.LONGEST_TEXT and 0 <= number <= java.INT_MAX


def offset_sums(value: object) -> tuple[tuple[TaskId, int], ...]:
    """What a member reports a task: a sum, -2 (a running active task), or -3 (a standby, up to metadata version 6)."""
    return strict.each_entry(value, lambda key, item: (task_id(key), _offset_sum(item)))


def _offset_sum(value: object) -> int:
    if isinstance(value, int) and value in (LATEST_OFFSET, UNKNOWN_OFFSET_SUM):
        return value
    if isinstance(value, int) and value < 0:
        raise InvalidInput(f"an offset sum is 0 or more, or -2 for a running active task; {strict.shown(value)} was found")
    return strict.offset(value)


def sums_of(low: int, found: dict[str, int]) -> tuple[tuple[TaskId, int], ...]:
    """Of sums that are `low` or more. Raise InvalidInput where a reader above would raise, or might."""
    if low > -(2**63) and -1 in found.values():
        raise InvalidInput("an offset sum is 0 or more")
    return tuple(zip(map(task_named, found), found.values(), strict=True))


def any_offset_sums(value: object) -> tuple[tuple[TaskId, int], ...]:
    """The same, as evidence: what a member sent, however odd."""
    low, high = -(2**63), java.LONG_MAX
    return strict.each_entry(value, lambda key, item: (task_id(key), strict.integer(item, low, high)))


def config(value: object) -> tuple[tuple[str, ConfigValue], ...]:
    """Settings under Kafka's names, sorted. Whether Kafka has and takes them is for `kafka.streams.config.read` to say."""
    return tuple(sorted(strict.each_entry(value, lambda key, item: (strict.name(key), config_value(item)))))


def config_value(value: object) -> ConfigValue:
    if isinstance(value, list):
        return strict.each(value, strict.text)
    if isinstance(value, str):
        return strict.text(value)
    if value is None or isinstance(value, bool | float):
        return value
    if not isinstance(value, int):
        raise strict.mismatch("a string, a number, true, false, null or a list of strings", value)
    return strict.integer(value, -(2**63), java.LONG_MAX)


def string_map(value: object) -> tuple[tuple[str, str], ...]:
    return strict.each_entry(value, lambda key, item: (strict.name(key), strict.text(item)))


def base64_bytes(value: object) -> bytes:
    try:
        return base64.b64decode(_base64_text(value), validate=True)
    except (binascii.Error, ValueError):
        raise InvalidInput("bytes in base64 are needed, something else was found") from None


def _base64_text(value: object) -> str:
    """It may be longer than other strings."""
    if not isinstance(value, str):
        raise strict.mismatch("bytes in base64", value)
    return value


# Writers.


def task_ids_to_json(tasks: Iterable[TaskId]) -> list[str]:
    return [str(task) for task in tasks]


def topic_partitions_to_json(partitions: Iterable[TopicPartition]) -> list[object]:
    return [[partition.topic, partition.partition] for partition in partitions]


def offset_sums_to_json(sums: Iterable[tuple[TaskId, int]]) -> dict[str, object]:
    return {str(task): total for task, total in sums}


def config_to_json(settings: Iterable[tuple[str, ConfigValue]]) -> dict[str, object]:
    return {key: config_value_to_json(value) for key, value in settings}


def config_value_to_json(value: ConfigValue) -> object:
    return list(value) if isinstance(value, tuple) else value


def bytes_to_json(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
