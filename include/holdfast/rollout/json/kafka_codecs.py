"""Codecs of the small values of Kafka that all documents share: tasks, partitions, process IDs, settings."""

import base64
import binascii
from collections.abc import Callable
from functools import partial
from typing import Union

from holdfast.kafka import java
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.rollout.json import kafka, shapes, strict, typed
from holdfast.rollout.json.codec import NAME, TEXT, TEXTS, Codec, integer, items
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.typed import Typed

PROCESS_ID: Codec[ProcessId] = Codec(
    kafka.process_id, str, lambda: shapes.PROCESS_ID, typed=lambda: typed.text().then(kafka.process_named)
)
PROCESS_IDS = items(PROCESS_ID)
PARTITION: Codec[int] = integer(0, java.INT_MAX)
TASK_ID: Codec[TaskId] = Codec(kafka.task_id, str, lambda: shapes.TASK_ID, typed=lambda: typed.text().then(kafka.task_named))
TASK_IDS: Codec[tuple[TaskId, ...]] = Codec(
    kafka.task_ids, kafka.task_ids_to_json, lambda: shapes.TASK_IDS, typed=lambda: typed.items(TASK_ID.decoded())
)
TOPIC_PARTITIONS: Codec[tuple[TopicPartition, ...]] = Codec(
    kafka.topic_partitions,
    kafka.topic_partitions_to_json,
    lambda: shapes.items(shapes.TOPIC_PARTITION),
    typed=lambda: typed.items(typed.row(TopicPartition, (NAME.decoded(), PARTITION.decoded()))),
)
THREADS: Codec[int] = integer(1, 10_000).shaped(shapes.THREADS)
PARTITION_NAME: Codec[TopicPartition] = NAME.to(kafka.partition_named, str)
"""`topic-0`."""
RELEASE: Codec[str] = NAME.shaped(shapes.RELEASE)
CONFIG_VALUE: Codec[ConfigValue] = Codec(kafka.config_value, kafka.config_value_to_json, lambda: shapes.CONFIG_VALUE)
CONFIG: Codec[tuple[tuple[str, ConfigValue], ...]] = Codec(
    kafka.config,
    kafka.config_to_json,
    lambda: shapes.CONFIG,
    typed=lambda: _config(),  # noqa: PLW0108 - it is below
)
STRING_MAP: Codec[tuple[tuple[str, str], ...]] = Codec(
    kafka.string_map,
    dict,
    lambda: shapes.table(NAME.shape(), TEXT.shape()),
    typed=lambda: typed.table(NAME.decoded(), TEXT.decoded()),
)
BYTES: Codec[bytes] = Codec(
    kafka.base64_bytes,
    kafka.bytes_to_json,
    lambda: {"type": "string", "contentEncoding": "base64"},
    typed=lambda: Typed(str, kafka.base64_bytes),
)


def _config() -> Typed:
    single = (TEXT.decoded().type, integer(-(2**63)).decoded().type, float, bool, None, TEXTS.decoded().type)

    return Typed(dict[NAME.decoded().type, Union[single]], lambda found: tuple(sorted(found.items())))  # type: ignore[misc]  # noqa: UP007


Sums = tuple[tuple[TaskId, int], ...]


def _sums(read: Callable[[object], Sums], low: int, about: str = "") -> Codec[Sums]:
    """What `read` refuses in addition to `low`, `kafka.sums_of` has to refuse."""

    def decoded() -> Typed:
        return Typed(dict[TEXT.decoded().type, integer(low).decoded().type], partial(kafka.sums_of, low), None, True)  # type: ignore[misc]

    return Codec(
        read,
        kafka.offset_sums_to_json,
        lambda: shapes.table(shapes.TASK_ID, shapes.integer(low, java.LONG_MAX, about)),
        typed=decoded,
    )


OFFSET_SUMS = _sums(kafka.offset_sums, -3, "A sum of offsets; -2 is a running active task, -3 a standby of an old member.")
ANY_OFFSET_SUMS = _sums(kafka.any_offset_sums, -(2**63))
"""The same as evidence: what a member sent, however odd."""


_TOPIC_ID_LENGTH = 22
_TOPIC_ID_BYTES = 16


def _topic_id(value: object) -> int:
    written = strict.text(value)
    try:
        raw = base64.b64decode(written + "==", altchars=b"-_", validate=True) if len(written) == _TOPIC_ID_LENGTH else b""
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != _TOPIC_ID_BYTES or _topic_id_text(int.from_bytes(raw, "big")) != written:
        raise strict.mismatch("a topic ID of Kafka, 22 characters like 'ZkFtL0R4T3-9bXq0Qw4nUg',", value)
    return int.from_bytes(raw, "big")


def _topic_id_text(bits: int) -> str:
    return base64.urlsafe_b64encode(bits.to_bytes(_TOPIC_ID_BYTES, "big")).decode("ascii").rstrip("=")


TOPIC_ID: Codec[int] = Codec(
    _topic_id, _topic_id_text, lambda: {"type": "string", "pattern": "^[A-Za-z0-9_-]{22}$"} | shapes.text()
)
"""Kafka's `Uuid`, 128 bits as 22 characters of URL-safe base64."""
