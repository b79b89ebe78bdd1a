"""All of `__consumer_offsets`, group by group: its records go to a file of this machine, and are read from there one at a time.

The topic mixes the groups of a partition, and a group may have any number of records. Memory holds where each record is: eight
bytes each. Offsets that groups committed, most of the topic, are passed over. Read without a group: nothing is written.
"""

import tempfile
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from kafka import KafkaConsumer
from kafka import TopicPartition as KafkaTopicPartition

from holdfast.adapters.broker.consumer_offsets import TOPIC
from holdfast.adapters.broker.session import KafkaSession, translated
from holdfast.errors import ClusterTrouble, HoldfastError
from holdfast.kafka.wire import consumer_group_records, group_metadata, streams_group_records
from holdfast.kafka.wire.consumer_group_records import ConsumerRecordKind
from holdfast.kafka.wire.streams_group_records import RecordKind
from holdfast.rollout.backtest import entries
from holdfast.rollout.backtest.coordinated import PastEntry
from holdfast.rollout.backtest.entries import Frame

MOST_BYTES = 16 * 1024**3
"""Of records on this machine's disk."""
MOST_UNREADABLE = 5
_POLL_MS = 500
_RECORDS_A_POLL = 5_000
_FETCH_BYTES = 8 * 1024**2
_REQUEST_MS = 30_000


@dataclass(slots=True)
class SpooledGroup:
    """One group, or what it was until it was deleted (a group that came again is another one). `coordinated`: its broker assigns,
    so that each of its records counts."""

    group_id: str
    path: str
    coordinated: bool = False
    places: "array[int]" = field(default_factory=lambda: array("Q"))
    """Where its records are in the file, in the order of the log."""
    newest: int = -1
    """The highest generation so far."""
    troubles: tuple[str, ...] = ()

    @property
    def records(self) -> int:
        return len(self.places)

    def entries(self) -> Iterator[PastEntry]:
        return entries.entries(self.frames(), self._note, coordinated=self.coordinated)

    def frames(self) -> Iterator[Frame]:
        """As the broker has them, each once, oldest first."""
        with Path(self.path).open("rb") as file:
            for place in self.places:
                file.seek(place)
                yield Frame.read(file)

    def unreadable(self) -> tuple[str, ...]:
        return self.troubles

    def _note(self, trouble: str) -> None:
        if len(self.troubles) < MOST_UNREADABLE and trouble not in self.troubles:
            self.troubles = (*self.troubles, trouble)


@dataclass(slots=True)
class Spool:
    """Takes records in the order of the log."""

    file: IO[bytes]
    path: str
    wanted: Callable[[str], bool]
    groups: list[SpooledGroup] = field(default_factory=list)
    unread: tuple[str, ...] = ()
    _open: dict[str, SpooledGroup] = field(default_factory=dict)
    _coordinated: dict[str, SpooledGroup] = field(default_factory=dict)
    _size: int = 0

    def take(self, key: bytes, value: bytes | None, written_at_ms: int) -> None:
        """A record of any kind. Raise MalformedBytes for a key that cannot be read; ClusterTrouble where there is too much."""
        group_id = group_metadata.decode_key(key)
        if group_id is None:
            self._of_broker(key, value, written_at_ms)
            return
        if not self.wanted(group_id):
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
        self._put(group, key, value, written_at_ms)

    def _put(self, group: SpooledGroup, key: bytes, value: bytes | None, written_at_ms: int) -> None:
        group.places.append(self._size)
        self._size += self.file.write(Frame(written_at_ms, key, value).written())
        if self._size > MOST_BYTES:
            raise ClusterTrouble(f"{TOPIC} has more than {MOST_BYTES:,} bytes of rebalances. Give one group with --group")

    def _of_broker(self, key: bytes, value: bytes | None, written_at_ms: int) -> None:
        """A record of a group whose broker assigns. The last one that a group leaves says that it was deleted."""
        found = streams_group_records.decode_key(key) or consumer_group_records.decode_key(key)
        if found is None or not self.wanted(found.group_id):
            return
        group = self._coordinated.get(found.group_id)
        if group is None:
            if value is None:
                return  # of a group that is gone
            group = self._coordinated[found.group_id] = SpooledGroup(found.group_id, self.path, coordinated=True)
            self.groups.append(group)
        self._put(group, key, value, written_at_ms)
        if value is None and found.kind in (RecordKind.GROUP_METADATA, ConsumerRecordKind.GROUP_METADATA):
            del self._coordinated[found.group_id]

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
