"""Completed rebalances from the broker's topic `__consumer_offsets`: the only source that names the leader.

Read without a group, so that nothing of Holdfast's is written, and from its end backwards: the topic of a busy cluster is large.
"""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, TypeVar

from kafka import KafkaConsumer
from kafka import TopicPartition as KafkaTopicPartition

from holdfast.adapters.broker.session import KafkaSession, translated
from holdfast.adapters.deadline import Deadline
from holdfast.errors import ClusterTrouble, HoldfastError
from holdfast.kafka.wire import group_metadata, streams_group_records
from holdfast.ports import History, RecordedTargets
from holdfast.rollout.backtest.entries import generation_of
from holdfast.rollout.broker_streams.snapshot.recorded import Replay
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.streams.snapshot.snapshot import Generation

TOPIC = "__consumer_offsets"
_LATEST_RECORDS = 200_000
_POLL_MS = 500
_SHARE_OF_TIME = 0.6
"""Of what is left: the generations are worth having, and not worth failing for."""
_LIMIT_OF_MANY_S, _SHARE_OF_MANY = 15.0, 0.3
"""Where many groups are read: for one partition, and of all the time for all partitions."""
_MOST_BYTES = 96 * 1024 * 1024
"""Of members' bytes: in the partitions that are remembered, and in one that is being read."""
_BYTES_A_TASK = 16
_MOST_TASKS = 1_000_000
"""Of recorded targets, in one partition: beyond that each group keeps its newest target."""
_GENERATIONS_WHEN_FULL = 2
"""The present one, and the one before, which says what was a standby."""
T = TypeVar("T")


class Histories:
    """`among`: whether a group will be asked about, where there are many. Each partition is then read once for all of its groups,
    through one consumer, for some seconds at most, and memory is bounded."""

    def __init__(self, session: KafkaSession, among: Callable[[str], bool] | None) -> None:
        self._session = session
        self._among = among
        self._consumer: Any = None
        self._count = 0
        self._known: dict[int, _Partition | ClusterTrouble] = {}
        self._spent_s = 0.0

    def of(self, group_ids: Collection[str]) -> dict[str, History | HoldfastError]:
        """What is there of the last 200,000 records of each group's partition, oldest first; or why it cannot be read."""
        return {group_id: self._answer(group_id, _Partition.history) for group_id in group_ids}

    def targets_of(self, group_ids: Collection[str]) -> dict[str, RecordedTargets | HoldfastError]:
        """The recorded targets of each group whose broker assigns, from the same reading; or why they cannot be read."""
        return {group_id: self._answer(group_id, _Partition.targets) for group_id in group_ids}

    def _answer(self, group_id: str, of: Callable[["_Partition", str], T]) -> T | ClusterTrouble:
        try:
            known = self._partition_of(group_id)
        except ClusterTrouble as trouble:
            known = trouble
        return known if isinstance(known, ClusterTrouble) else of(known, group_id)

    def close(self) -> None:
        """Idempotent."""
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            consumer.close(autocommit=False, timeout_ms=1000)

    def _partition_of(self, group_id: str) -> "_Partition | ClusterTrouble":
        if self._among is None:
            return self._read(f"reading {TOPIC} for {group_id!r}", group_id)
        if not self._count:
            self._count = self._within(f"reading {TOPIC}", lambda consumer, _: _number_of_partitions(consumer))
        home = group_metadata.partition_for(group_id, self._count)
        if home not in self._known:
            while sum(one.bytes for one in self._known.values() if isinstance(one, _Partition)) > _MOST_BYTES:
                del self._known[next(iter(self._known))]
            try:
                self._known[home] = self._read(f"reading {TOPIC}-{home}", group_id)
            except ClusterTrouble as trouble:
                self._known[home] = trouble
        return self._known[home]

    def _read(self, what: str, group_id: str) -> "_Partition":
        wanted = self._among or group_id.__eq__
        return self._within(what, lambda consumer, limit: _history(consumer, group_id, wanted, limit))

    def _within(self, what: str, read: Callable[[Any, Deadline], T]) -> T:
        seconds = _SHARE_OF_TIME * self._session.deadline.remaining_s()
        if self._among is not None:
            seconds = min(seconds, _LIMIT_OF_MANY_S)
            if self._spent_s > _SHARE_OF_MANY * self._session.deadline.limit_s:
                raise ClusterTrouble(f"{what}: skipped, because other partitions took {self._spent_s:.0f} s already")
        began = time.monotonic()

        def work() -> T:
            limit = Deadline(seconds)
            consumer, self._consumer = self._consumer or self._opened(seconds), None  # no other thread has it meanwhile
            try:
                answer = read(consumer, limit)
            except BaseException:
                consumer.close(autocommit=False, timeout_ms=1000)
                raise
            self._consumer = consumer
            if self._among is None:
                self.close()
            return answer

        try:
            with translated(what):
                return self._session.deadline.within(what, work)
        finally:
            self._spent_s += time.monotonic() - began

    def _opened(self, seconds: float) -> Any:
        timeout_ms = max(1_000, int(1000 * seconds))
        return KafkaConsumer(
            **self._session.connection.settings(),
            group_id=None,
            enable_auto_commit=False,
            exclude_internal_topics=False,
            request_timeout_ms=timeout_ms,
            bootstrap_timeout_ms=timeout_ms,
        )


@dataclass(slots=True)
class _Partition:
    """What was found in one partition: by group and number. `notes` are about all of its groups, `own_notes` about one."""

    found: dict[str, dict[int, Generation]] = field(default_factory=dict)
    notes: list[Unknown] = field(default_factory=list)
    own_notes: dict[str, list[Unknown]] = field(default_factory=dict)
    size: int = 0
    replays: dict[str, Replay] = field(default_factory=dict)
    """Of groups whose broker assigns. They are complete only where the log was read from its beginning."""
    tasks: int = 0
    """Of all targets in `replays`, at most."""

    def history(self, group_id: str) -> History:
        return tuple(self.found.get(group_id, {}).values()), (*self.notes, *self.own_notes.get(group_id, ()))

    @property
    def bytes(self) -> int:
        """What it takes of memory, about."""
        return self.size + _BYTES_A_TASK * self.tasks

    def targets(self, group_id: str) -> RecordedTargets:
        notes = tuple(Unknown("recorded_targets", one.reason) for one in self.notes)
        return (() if self.notes or group_id not in self.replays else self.replays[group_id].targets), notes

    def replay(self, record: Any, wanted: Callable[[str], bool]) -> None:
        """Take a record of a streams group. Raise HoldfastError for one that cannot be read."""
        key = streams_group_records.decode_key(bytes(record.key))
        if key is None or not wanted(key.group_id):
            return
        value = None if record.value is None else streams_group_records.decode_value(key.kind, bytes(record.value))
        replay = self.replays.setdefault(key.group_id, Replay())
        self.tasks += replay.take(key, value, record.timestamp)
        if self.tasks > _MOST_TASKS:
            self.tasks = sum(one.keep_the_newest() for one in self.replays.values())

    def add(self, group_id: str, generation: Generation) -> None:
        by_number = self.found.setdefault(group_id, {})
        before = by_number.pop(generation.number, None)
        by_number[generation.number] = generation
        self.size += _size(generation) - (_size(before) if before is not None else 0)
        if self.size > _MOST_BYTES:
            self._keep_the_newest()

    def forget(self, group_id: str) -> None:
        self.size -= sum(map(_size, self.found.pop(group_id, {}).values()))

    def _keep_the_newest(self) -> None:
        for group_id, by_number in self.found.items():
            for number in list(by_number)[:-_GENERATIONS_WHEN_FULL]:
                self.size -= _size(by_number.pop(number))
                left_out = f"those up to {number} are left out: too many large groups share a partition of {TOPIC}"
                self.own_notes[group_id] = [Unknown("generations", left_out)]


def _size(generation: Generation) -> int:
    return sum(len(member.subscription) + len(member.assignment) for member in generation.members)


def _number_of_partitions(consumer: Any) -> int:
    partitions = consumer.partitions_for_topic(TOPIC)
    if not partitions:
        raise ClusterTrouble(f"{TOPIC} cannot be read: it does not exist, or this user lacks DESCRIBE and READ on it")
    return len(partitions)


def _history(consumer: Any, group_id: str, wanted: Callable[[str], bool], limit: Deadline) -> _Partition:
    """Of the groups that are `wanted` and share a partition with that one."""
    home = KafkaTopicPartition(TOPIC, group_metadata.partition_for(group_id, _number_of_partitions(consumer)))
    consumer.assign([home])
    first = consumer.beginning_offsets([home])[home]
    end = consumer.end_offsets([home])[home]
    start = max(first, end - _LATEST_RECORDS)
    consumer.seek(home, start)
    found = _Partition()
    if start > first:
        found.notes.append(Unknown("generations", f"only the last {_LATEST_RECORDS} records of {TOPIC}-{home.partition} were read"))
    while consumer.position(home) < end:
        if limit.passed():
            reached = consumer.position(home)
            because = f"{TOPIC}-{home.partition} was read up to {reached} of {end} only: the time limit was reached"
            return _Partition(notes=[*found.notes, Unknown("generations", because)])
        for record in consumer.poll(timeout_ms=_POLL_MS).get(home, ()):
            _take(record, wanted, found)
    return found


def _take(record: Any, wanted: Callable[[str], bool], found: _Partition) -> None:
    """Note what `record` says about a group. A record without a value: the group was deleted, and counts anew from 1."""
    try:
        group_id = group_metadata.decode_key(bytes(record.key)) if record.key else None
        if group_id is None and record.key:
            found.replay(record, wanted)
        if group_id is None or not wanted(group_id):
            return
        if record.value is None:
            found.forget(group_id)
            return
        stored = group_metadata.decode_value(bytes(record.value))
    except HoldfastError as refusal:
        found.notes.append(Unknown("generations", f"the record at offset {record.offset} of {TOPIC}: {refusal}"))
        return
    if any(member.assignment for member in stored.members):
        found.add(group_id, generation_of(stored, record.timestamp))
