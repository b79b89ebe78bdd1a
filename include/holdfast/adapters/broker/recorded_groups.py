"""All of `__consumer_offsets`, group by group: its records go to a file of this machine, and are read from there one at a time.

The topic mixes the groups of a partition, and a group may have any number of records. Memory holds where each record is: eight
bytes each. Offsets that groups committed, most of the topic, are passed over. Read without a group: nothing is written.
"""

import struct
import tempfile
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from kafka import KafkaConsumer
from kafka import TopicPartition as KafkaTopicPartition

from holdfast.adapters.broker.consumer_offsets import TOPIC, generation_of
from holdfast.adapters.broker.session import KafkaSession, translated
from holdfast.errors import ClusterTrouble, HoldfastError
from holdfast.kafka.wire import group_metadata, streams_group_records
from holdfast.rollout.backtest.generation import Generation

MOST_BYTES = 16 * 1024**3
"""Of records on this machine's disk."""
MOST_UNREADABLE = 5
_POLL_MS = 500
_RECORDS_A_POLL = 5_000
_FETCH_BYTES = 8 * 1024**2
_REQUEST_MS = 30_000
_HEAD = struct.Struct(">qi")
"""When a record was written, and how long its value is."""


@dataclass(slots=True)
class SpooledGroup:
    """One group, or what it was until it was deleted (a group that came again is another one)."""

    group_id: str
    path: str
    places: "array[int]" = field(default_factory=lambda: array("Q"))
    """Where its records are in the file, in the order of the log."""
    newest: int = -1
    """The highest generation so far."""
    troubles: tuple[str, ...] = ()

    @property
    def records(self) -> int:
        return len(self.places)

    def generations(self) -> Iterator[Generation]:
        """A record that is written again, as for a static member that is back, has what members sent later: it is passed over."""
        last = -1
        with Path(self.path).open("rb") as file:
            for place in self.places:
                try:
                    found = _read(file, place)
                except HoldfastError as refusal:
                    self._note(str(refusal))
                    continue
                if found is not None and found.number != last:
                    last = found.number
                    yield found

    def unreadable(self) -> tuple[str, ...]:
        return self.troubles

    def _note(self, trouble: str) -> None:
        if len(self.troubles) < MOST_UNREADABLE and trouble not in self.troubles:
            self.troubles = (*self.troubles, trouble)


def _read(file: IO[bytes], place: int) -> Generation | None:
    """None: no rebalance was completed with it. Raise MalformedBytes or Unsupported."""
    file.seek(place)
    written_at_ms, length = _HEAD.unpack(file.read(_HEAD.size))
    stored = group_metadata.decode_value(file.read(length))
    if not any(member.assignment for member in stored.members):
        return None
    return generation_of(stored, written_at_ms)


@dataclass(slots=True)
class Spool:
    """Takes records in the order of the log."""

    file: IO[bytes]
    path: str
    wanted: Callable[[str], bool]
    groups: list[SpooledGroup] = field(default_factory=list)
    unread: tuple[str, ...] = ()
    _open: dict[str, SpooledGroup] = field(default_factory=dict)
    _assigned_by_broker: dict[str, None] = field(default_factory=dict)
    _size: int = 0

    def take(self, key: bytes, value: bytes | None, written_at_ms: int) -> None:
        """A record of any kind. Raise MalformedBytes for a key that cannot be read; ClusterTrouble where there is too much."""
        group_id = group_metadata.decode_key(key)
        if group_id is None:
            self._of_broker(key)
        if group_id is None or not self.wanted(group_id):
            return
        if value is None:
            self._open.pop(group_id, None)  # deleted: it counts anew from 1
            return
        number = group_metadata.generation_of(value)
        group = self._open.get(group_id)
        if group is None or number < group.newest:  # compaction has taken the record that says it was deleted
            group = self._open[group_id] = SpooledGroup(group_id, self.path)
            self.groups.append(group)
        group.newest = number
        group.places.append(self._size)
        self.file.write(_HEAD.pack(written_at_ms, len(value)))
        self.file.write(value)
        self._size += _HEAD.size + len(value)
        if self._size > MOST_BYTES:
            raise ClusterTrouble(f"{TOPIC} has more than {MOST_BYTES:,} bytes of rebalances. Give one group with --group")

    def _of_broker(self, key: bytes) -> None:
        """A group whose broker assigns is named, once."""
        found = streams_group_records.decode_key(key)
        if found is not None and self.wanted(found.group_id) and found.group_id not in self._assigned_by_broker:
            self._assigned_by_broker[found.group_id] = None
            self.note(f"{found.group_id}: its broker assigns; recorded targets are not judged")

    def note(self, trouble: str) -> None:
        self.unread = (*self.unread, trouble)


@contextmanager
def spool(wanted: Callable[[str], bool]) -> Iterator[Spool]:
    """An empty one, in a folder that is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="holdfast-backtest-") as folder:
        path = str(Path(folder) / "records")
        with Path(path).open("wb", buffering=1024**2) as file:
            yield Spool(file, path, wanted)


def read(session: KafkaSession, into: Spool, group_id: str | None) -> None:
    """All records that are there now, of the partition of `group_id` or of all (None). What cannot be read is noted.

    Raise ClusterTrouble where the topic cannot be read at all.
    """
    what = f"reading {TOPIC}"
    with translated(what):
        session.deadline.within(what, lambda: _read_topic(session, into, group_id))
    into.file.flush()


def _read_topic(session: KafkaSession, into: Spool, group_id: str | None) -> None:
    timeout_ms = max(1_000, min(_REQUEST_MS, int(1000 * session.deadline.remaining_s())))
    consumer = KafkaConsumer(
        **session.connection.settings(),
        group_id=None,
        enable_auto_commit=False,
        exclude_internal_topics=False,
        max_poll_records=_RECORDS_A_POLL,
        max_partition_fetch_bytes=_FETCH_BYTES,
        request_timeout_ms=timeout_ms,
        bootstrap_timeout_ms=timeout_ms,
    )
    try:
        numbers = sorted(consumer.partitions_for_topic(TOPIC) or ())
        if not numbers:
            raise ClusterTrouble(f"{TOPIC} cannot be read: it does not exist, or this user lacks DESCRIBE and READ on it")
        if group_id is not None:
            numbers = [group_metadata.partition_for(group_id, len(numbers))]
        for number in numbers:
            _read_partition(session, consumer, KafkaTopicPartition(TOPIC, number), into)
    finally:
        consumer.close(autocommit=False, timeout_ms=1000)


def _read_partition(session: KafkaSession, consumer: Any, home: KafkaTopicPartition, into: Spool) -> None:
    """From its beginning to what is its end now."""
    consumer.assign([home])
    end = consumer.end_offsets([home])[home]
    consumer.seek_to_beginning(home)
    while consumer.position(home) < end:
        if session.deadline.remaining_s() < 1:
            into.note(
                f"{TOPIC}-{home.partition} was read up to {consumer.position(home)} of {end} only: the time limit was reached"
            )
            return
        for record in consumer.poll(timeout_ms=_POLL_MS).get(home, ()):
            if record.offset >= end:
                break
            try:
                if record.key:
                    into.take(bytes(record.key), None if record.value is None else bytes(record.value), record.timestamp)
            except ClusterTrouble:
                raise
            except HoldfastError as refusal:
                into.note(f"the record at offset {record.offset} of {TOPIC}-{home.partition}: {refusal}")
