"""What a coordinator writes of a streams group whose broker assigns, made of joins and leaves and the model's decisions."""

import base64
import itertools
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from holdfast.kafka.coordinator.member_table import MemberTable
from holdfast.kafka.coordinator.release import behaviour
from holdfast.kafka.coordinator.streams import sticky
from holdfast.kafka.coordinator.streams.group import Group, Member, Subtopology
from holdfast.kafka.wire import streams_group_records as records
from holdfast.kafka.wire.streams_group_records import (
    CurrentMember,
    GroupMetadata,
    MemberMetadata,
    RecordKey,
    RecordKind,
    RecordValue,
    StoredSubtopology,
    StoredTopology,
    TargetMember,
    TargetMetadata,
)
from holdfast.kafka.wire.streams_tasks import InternalTopic, OwnedTasks
from holdfast.rollout.backtest.coordinated import CoordinatorRecord

GROUP = "shop"
STARTED_MS = 1_790_000_000_000
NOTHING = OwnedTasks((), (), ())
CHANGELOG = InternalTopic("shop-counts-changelog", 0, 1, ())


def entries(written: Sequence[dict[str, str | None]], moments_ms: Iterable[int] | None = None) -> list[CoordinatorRecord]:
    """Of records as a coordinator's JVM answers with them. `moments_ms`: when each was written, from the start of the script; None:
    one a second."""
    found = []
    for one, at in zip(written, range(0, 1_000 * len(written), 1_000) if moments_ms is None else moments_ms, strict=True):
        key = records.decode_key(base64.b64decode(one["key"] or ""))
        if key is not None:
            value = None if one["value"] is None else records.decode_value(key.kind, base64.b64decode(one["value"]))
            found.append(CoordinatorRecord(key, value, STARTED_MS + at))
    return found


def compacted(log: list[CoordinatorRecord], below: int) -> list[CoordinatorRecord]:
    """What compaction leaves of it: the last record of each key among the first `below`, and all others. A coordinator writes what
    it does at once in one batch, which compaction takes whole or not at all: see `WrittenGroup.batches`."""
    last = {one.key: at for at, one in enumerate(log[:below])}
    return [one for at, one in enumerate(log) if at >= below or last[one.key] == at]


@dataclass
class WrittenGroup:
    """A group whose members join and leave one by one; each heartbeat computes a target, as brokers of 4.2 do. `subtopologies`: of
    names, numbers of tasks, and whether each keeps state."""

    release: str = "4.2.1"
    subtopologies: tuple[tuple[str, int, bool], ...] = (("0", 6, True), ("1", 3, False))
    standbys: int = 1
    log: list[CoordinatorRecord] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    """Where in the log each of them begins."""
    _epoch: int = 1
    _processes: dict[str, str] = field(default_factory=dict)
    _held: dict[str, OwnedTasks] = field(default_factory=dict)
    _table: MemberTable = field(default_factory=lambda: MemberTable((), 1))

    @property
    def members(self) -> list[str]:
        return list(self._processes)

    def join(self, name: str, process: str, instance: str | None = None) -> None:
        self.batches.append(len(self.log))
        self._write(RecordKind.MEMBER_METADATA, name, MemberMetadata(instance, None, "c", "h", 1, 0, process, None, ()))
        if not self.log[:-1]:
            self._write(RecordKind.TOPOLOGY, None, self._topology())
        self._raised()
        self._processes[name] = process
        self._held[name] = NOTHING
        self._compute((*self._table.order(), name))
        self._table = self._table.after([(name, True)])
        self._settle()

    def returns(self, old: str, new: str, instance: str) -> None:
        """A static member, within its session and in the same process: it takes over what it had, and raises nothing."""
        process, held = self._processes[old], self._held[old]
        self._remove(old)
        self._processes[new], self._held[new] = process, held
        self._table = self._table.after([(new, True)])
        self._write(RecordKind.MEMBER_METADATA, new, MemberMetadata(instance, None, "c", "h", 1, 0, process, None, ()))
        self._write(RecordKind.TARGET_MEMBER, new, TargetMember(held))
        self._settle()

    def leave(self, name: str) -> None:
        self._remove(name)
        self._raised()
        if self._processes:
            self._compute(self._table.order())
            self._settle()

    def _remove(self, name: str) -> None:
        self.batches.append(len(self.log))
        for kind in (RecordKind.CURRENT_MEMBER, RecordKind.TARGET_MEMBER, RecordKind.MEMBER_METADATA):
            self._write(kind, name, None)
        del self._processes[name], self._held[name]
        self._table = self._table.after([(name, False)])

    def _compute(self, order: tuple[str, ...]) -> None:
        members = tuple(Member(name, self._processes[name], self._held[name].active, self._held[name].standby) for name in order)
        group = Group(self.release, members, tuple(Subtopology(*one) for one in self.subtopologies), self.standbys)
        for one in sticky.assign(group).members:
            owned = OwnedTasks(one.active, one.standby, ())
            self._held[one.member_id] = owned
            self._write(RecordKind.TARGET_MEMBER, one.member_id, TargetMember(owned))
        timed = STARTED_MS if behaviour(self.release).has_interval else None
        self._write(RecordKind.TARGET_METADATA, None, TargetMetadata(self._epoch, timed))

    def _settle(self) -> None:
        for name, owned in self._held.items():
            self._write(RecordKind.CURRENT_MEMBER, name, CurrentMember(self._epoch, self._epoch, 1, owned, (), (), ()))

    def _raised(self) -> None:
        self._epoch += 1
        self._write(
            RecordKind.GROUP_METADATA, None, GroupMetadata(self._epoch, 0, 0, (("num.standby.replicas", str(self.standbys)),))
        )

    def _topology(self) -> StoredTopology:
        return StoredTopology(
            0,
            tuple(
                StoredSubtopology(name, ("orders",), (), (CHANGELOG,) if stateful else (), (), (), ())
                for name, _, stateful in self.subtopologies
            ),
        )

    def _write(self, kind: RecordKind, name: str | None, value: RecordValue | None) -> None:
        self.log.append(CoordinatorRecord(RecordKey(kind, GROUP, name), value, STARTED_MS + 1_000 * len(self.log)))


def a_history(chance: random.Random, moves: int = 12, release: str = "4.2.1") -> WrittenGroup:
    """Of members that join, each in a process of its own or in another's, and leave."""
    group = WrittenGroup(release, standbys=chance.choice((0, 1, 2)))
    processes: list[str] = []
    for number in range(moves):
        if group.members and chance.random() < 0.35:
            group.leave(chance.choice(group.members))
            continue
        if not processes or chance.random() < 0.6:
            processes.append(f"{chance.getrandbits(128):032x}")
        group.join(f"{chance.getrandbits(64):x}-{number}", chance.choice(processes))
    return group


def exchanged(log: list[CoordinatorRecord]) -> Iterator[list[CoordinatorRecord]]:
    """The log with the tasks of two members exchanged in one of its targets; for each target where two members differ."""
    for at, (one, other) in enumerate(itertools.pairwise(log)):
        if isinstance(one.value, TargetMember) and isinstance(other.value, TargetMember) and one.value != other.value:
            yield [*log[:at], replace_value(one, other.value), replace_value(other, one.value), *log[at + 2 :]]


def replace_value(record: CoordinatorRecord, value: RecordValue) -> CoordinatorRecord:
    return record._replace(value=value)


def without_configs(log: list[CoordinatorRecord]) -> list[CoordinatorRecord]:
    """As brokers of 4.1 write it."""
    return [
        replace_value(one, replace(one.value, assignment_configs=None)) if isinstance(one.value, GroupMetadata) else one
        for one in log
    ]
