"""Codecs of the small values of Kafka that all documents share: tasks, partitions, process IDs, settings."""

from collections.abc import Callable

from holdfast.kafka import java
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.rollout.json import kafka, shapes
from holdfast.rollout.json.codec import NAME, TEXT, Codec, integer, items
from holdfast.rollout.json.kafka import ConfigValue

PROCESS_ID: Codec[ProcessId] = Codec(kafka.process_id, str, lambda: shapes.PROCESS_ID)
PROCESS_IDS = items(PROCESS_ID)
TASK_ID: Codec[TaskId] = Codec(kafka.task_id, str, lambda: shapes.TASK_ID)
TASK_IDS: Codec[tuple[TaskId, ...]] = Codec(kafka.task_ids, kafka.task_ids_to_json, lambda: shapes.TASK_IDS)
TOPIC_PARTITIONS: Codec[tuple[TopicPartition, ...]] = Codec(
    kafka.topic_partitions, kafka.topic_partitions_to_json, lambda: shapes.items(shapes.TOPIC_PARTITION)
)
THREADS: Codec[int] = integer(1, 10_000).shaped(shapes.THREADS)
PARTITION = integer(0, java.INT_MAX)
PARTITION_NAME: Codec[TopicPartition] = NAME.to(kafka.partition_named, str)
"""`topic-0`."""
RELEASE: Codec[str] = Codec(NAME.read, NAME.write, lambda: shapes.RELEASE)
CONFIG_VALUE: Codec[ConfigValue] = Codec(kafka.config_value, kafka.config_value_to_json, lambda: shapes.CONFIG_VALUE)
CONFIG: Codec[tuple[tuple[str, ConfigValue], ...]] = Codec(kafka.config, kafka.config_to_json, lambda: shapes.CONFIG)
STRING_MAP: Codec[tuple[tuple[str, str], ...]] = Codec(kafka.string_map, dict, lambda: shapes.table(NAME.shape(), TEXT.shape()))
BYTES: Codec[bytes] = Codec(kafka.base64_bytes, kafka.bytes_to_json, lambda: {"type": "string", "contentEncoding": "base64"})
Sums = tuple[tuple[TaskId, int], ...]


def _sums(read: Callable[[object], Sums], low: int, about: str = "") -> Codec[Sums]:
    return Codec(read, kafka.offset_sums_to_json, lambda: shapes.table(shapes.TASK_ID, shapes.integer(low, java.LONG_MAX, about)))


OFFSET_SUMS = _sums(kafka.offset_sums, -3, "A sum of offsets; -2 is a running active task, -3 a standby of an old member.")
ANY_OFFSET_SUMS = _sums(kafka.any_offset_sums, -(2**63))
"""The same as evidence: what a member sent, however odd."""
