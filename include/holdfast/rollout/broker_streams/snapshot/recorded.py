"""The targets that a coordinator recorded in `__consumer_offsets` (records 17 and 19 to 23), replayed from the log.

A target is record 21 of each member whose target changed, and then record 20 with the assignment epoch, in one batch. Compaction
removes what a later record replaces, so that an old target may be left with some of its members only: such a target is left out.
"""

from collections import deque
from dataclasses import replace

from holdfast.kafka.coordinator.streams.group import Tasks
from holdfast.kafka.wire.streams_group_records import (
    GroupMetadata,
    MemberMetadata,
    RecordKey,
    RecordKind,
    RecordValue,
    TargetMember,
    TargetMetadata,
)
from holdfast.kafka.wire.streams_tasks import OwnedTasks
from holdfast.rollout.broker_streams.snapshot.tasks import TASKS, in_order
from holdfast.rollout.json import instants
from holdfast.rollout.json.codec import INSTANT, NAME, TEXT, integer, nullable
from holdfast.rollout.json.kafka_codecs import STRING_MAP
from holdfast.rollout.json.record import codec_of, key, keyed, member, record

MOST_TARGETS, MOST_TASKS = 20, 100_000
"""What is kept of a group: the newest targets, and fewer of a group with many tasks."""


@record(closed=False)
class RecordedMember:
    """What one member was to own. `process_id` None: not recorded."""

    member_id: str = key(NAME)
    active: Tasks = member(TASKS)
    standby: Tasks = member(TASKS, default=())
    warmup: Tasks = member(TASKS, default=())
    process_id: str | None = member(nullable(TEXT), default=None)


@record(closed=False)
class RecordedTarget:
    """One target. `computed_at`: as the coordinator recorded it (from 4.3), else when it wrote the record."""

    assignment_epoch: int = member(integer(0, 2**31 - 1))
    computed_at: str = member(INSTANT)
    members: tuple[RecordedMember, ...] = member(keyed(codec_of(RecordedMember)))
    config: tuple[tuple[str, str], ...] = member(STRING_MAP, "The assignor's configs, where they are recorded.", default=())


class Replay:
    """One group, record by record, oldest first."""

    def __init__(self) -> None:
        self._processes: dict[str, str | None] = {}
        self._targets: dict[str, RecordedMember] = {}
        self._config: tuple[tuple[str, str], ...] = ()
        self._recorded: deque[RecordedTarget] = deque(maxlen=MOST_TARGETS)

    @property
    def targets(self) -> tuple[RecordedTarget, ...]:
        """The newest complete ones, oldest first."""
        found: list[RecordedTarget] = []
        room = MOST_TASKS
        for one in reversed(self._recorded):
            room -= size(one)
            if found and room < 0:
                break
            found.append(one)
        return tuple(reversed(found))

    def keep_the_newest(self) -> int:
        """Forget all targets but the newest. Return how many tasks and members it has."""
        while len(self._recorded) > 1:
            self._recorded.popleft()
        return sum(map(size, self._recorded))

    def take(self, key: RecordKey, value: RecordValue | None, written_at_ms: int) -> int:
        """`value` None: a tombstone. Return how many tasks and members a target has that is complete now; else 0."""
        name = key.member_id or ""
        if key.kind is RecordKind.GROUP_METADATA and value is None:
            self.__init__()  # type: ignore[misc] # the group was deleted, and counts anew
        elif isinstance(value, GroupMetadata):
            self._config = value.assignment_configs or ()
        elif key.kind is RecordKind.MEMBER_METADATA:
            self._member(name, value)
        elif key.kind is RecordKind.TARGET_MEMBER:
            self._target(name, value)
        elif isinstance(value, TargetMetadata):
            return self._target_is_complete(value, written_at_ms)
        return 0

    def _member(self, name: str, value: RecordValue | None) -> None:
        if isinstance(value, MemberMetadata):
            self._processes[name] = value.process_id or None
        else:
            self._processes.pop(name, None)

    def _target(self, name: str, value: RecordValue | None) -> None:
        if isinstance(value, TargetMember):
            self._targets[name] = _recorded_member(name, value.target)
        elif self._targets.pop(name, None) is None and name not in self._processes:
            self._recorded.clear()  # a member that compaction has taken whole: it is missing from all those before

    def _target_is_complete(self, value: TargetMetadata, written_at_ms: int) -> int:
        """Every member has a target then; one without is a member whose record was compacted away."""
        if value.epoch < 0 or not self._processes.keys() <= self._targets.keys():
            return 0
        for name, one in self._targets.items():
            process = self._processes.get(name)
            if one.process_id != process:
                self._targets[name] = replace(one, process_id=process)
        moment = value.timestamp_ms if value.timestamp_ms is not None else written_at_ms
        self._recorded.append(RecordedTarget(value.epoch, instants.of_broker(moment), tuple(self._targets.values()), self._config))
        return size(self._recorded[-1])


def _recorded_member(name: str, owned: OwnedTasks) -> RecordedMember:
    return RecordedMember(name, in_order(owned.active), in_order(owned.standby), in_order(owned.warmup))


def size(target: RecordedTarget) -> int:
    """Its tasks and members."""
    return sum(map(_size, target.members))


def _size(one: RecordedMember) -> int:
    return 1 + sum(len(partitions) for tasks in (one.active, one.standby, one.warmup) for _, partitions in tasks)
