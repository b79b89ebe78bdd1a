"""Records 17 and 19 to 23 of one group, in the order of the log, as questions: one a recorded target.

What compaction leaves: below some offset the last record of each key, from there on all. So once a key is seen a second time,
everything after the first of the two is there, and what the records add up to is what the coordinator had.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from holdfast.errors import CannotPredict
from holdfast.kafka.coordinator.config_keys import RECORDED_STANDBYS
from holdfast.kafka.coordinator.release import LINES
from holdfast.kafka.wire.streams_group_records import (
    CurrentMember,
    GroupMetadata,
    MemberMetadata,
    RecordKey,
    RecordKind,
    StoredTopology,
    TargetMember,
    TargetMetadata,
)
from holdfast.kafka.wire.streams_tasks import OwnedTasks
from holdfast.rollout.backtest import recorded_targets
from holdfast.rollout.backtest.coordinated import CoordinatorRecord, Unreadable
from holdfast.rollout.backtest.judged import Because
from holdfast.rollout.backtest.results import Given
from holdfast.rollout.backtest.static_returns import StaticReturns
from holdfast.rollout.broker_streams.backtest.question import MOST_TASKS, Holding, PastMember, PastSubtopology, TargetQuestion
from holdfast.rollout.broker_streams.snapshot.tasks import in_order
from holdfast.rollout.json import instants

FIRST_EPOCH = 2
"""Of a group that has just been created, in every release: nothing was removed before it."""


class Untold(NamedTuple):
    """A recorded target that cannot be asked about. `releases`: those that may have computed it."""

    epoch: int
    computed_at: str
    because: Because
    detail: str
    releases: tuple[str, ...]


@dataclass(slots=True)
class _Member:
    process_id: str
    order_known: bool = True


@dataclass(slots=True)
class TargetReplay:
    """One life of a group, record by record."""

    given: Given
    from_the_start: bool = False
    """Whether the log has all of the group's epochs."""
    _broken: str | None = None
    """Why no later target is judged: a record could not be read."""
    _whole: bool = False
    _seen: set[RecordKey] = field(default_factory=set)
    _group: GroupMetadata | None = None
    _topology: StoredTopology | None = None
    _members: dict[str, _Member] = field(default_factory=dict)
    _most: int = 0
    _current: dict[str, OwnedTasks] = field(default_factory=dict)
    _targets: dict[str, OwnedTasks] = field(default_factory=dict)
    _coming: dict[str, OwnedTasks] = field(default_factory=dict)
    """What was written of a target whose record 20 follows."""
    _returns: StaticReturns = field(default_factory=StaticReturns)
    _heirs: set[str] = field(default_factory=set)
    """Static members that are back: the record of a target that follows is the one that they take over."""

    @property
    def whole(self) -> bool:
        """Whether what the records add up to is what the coordinator has."""
        return self._whole

    @property
    def current(self) -> Mapping[str, OwnedTasks]:
        """What each member has."""
        return self._current

    def take(self, record: CoordinatorRecord) -> TargetQuestion | Untold | None:
        """None: no target is complete with it."""
        key, value = record.key, record.value
        self._note(key)
        if isinstance(value, Unreadable):
            self._broken = value.why
            return None
        if isinstance(value, TargetMetadata):
            return self._target(value, record.written_at_ms)
        name = key.member_id
        if name is not None:
            self._of_member(key, name, record)
        elif isinstance(value, GroupMetadata):
            if self._group is None and value.epoch <= FIRST_EPOCH:
                self.from_the_start = self._whole = True
            self._group = value
            self._returns.epoch_raised()
            self._heirs.clear()
        elif isinstance(value, StoredTopology):
            self._topology = value
        return None

    def _note(self, key: RecordKey) -> None:
        if self._whole:
            return
        self._whole = key in self._seen
        self._seen.add(key)
        if self._whole:
            self._seen.clear()

    def _of_member(self, key: RecordKey, name: str, record: CoordinatorRecord) -> None:
        value = record.value
        if isinstance(value, MemberMetadata):
            before = self._members.get(name)
            self._members[name] = _Member(value.process_id, order_known=before is None and self._whole)
            self._most = max(self._most, len(self._members))
            if self._returns.written(name, value.instance_id) is not None:
                self._heirs.add(name)
        elif isinstance(value, TargetMember):
            (self._targets if name in self._heirs else self._coming)[name] = value.target
            self._heirs.discard(name)
        elif isinstance(value, CurrentMember):
            self._current[name] = value.assignment
        elif key.kind is RecordKind.MEMBER_METADATA:
            self._members.pop(name, None)
            self._returns.removed(name)
        elif key.kind is RecordKind.CURRENT_MEMBER:
            self._current.pop(name, None)
        else:
            self._targets.pop(name, None)
            self._coming.pop(name, None)

    def _target(self, value: TargetMetadata, written_at_ms: int) -> TargetQuestion | Untold | None:
        before, after = self._targets, self._targets | self._coming
        self._targets, self._coming = after, {}
        if value.epoch < 0:
            return None
        moment = value.timestamp_ms if value.timestamp_ms is not None else written_at_ms
        computed_at = instants.of_broker(moment)
        tried = recorded_targets.fitting(LINES, self.given, value.timestamp_ms)
        try:
            return self._asked(value.epoch, computed_at, tried, before, after)
        except _CannotAsk as refusal:
            return Untold(value.epoch, computed_at, refusal.because, str(refusal), tried)

    def _asked(
        self, epoch: int, computed_at: str, tried: tuple[str, ...], before: dict[str, OwnedTasks], after: dict[str, OwnedTasks]
    ) -> TargetQuestion | None:
        if not self._members:
            return None  # nothing is decided for a group without members
        group, topology = self._group, self._topology
        if self._broken is not None:
            raise _CannotAsk(Because.MALFORMED, self._broken)
        if not self._whole or group is None or self._members.keys() != after.keys():
            raise _CannotAsk(Because.PREVIOUS_TARGET, "compaction has removed a part of what the target followed from")
        if topology is None:
            raise _CannotAsk(Because.STATE, "the group's topology is not recorded")
        if not tried or (self.given.broker_release is None and group.assignment_configs is None):
            raise _CannotAsk(Because.RELEASE, "no covered release writes such records: 4.1 names no configs in them")
        if any(one.warmup for one in after.values()):
            raise _CannotAsk(Because.ASSIGNOR, "it has warm-up tasks, which no covered release assigns")
        new = [name for name in self._members if name not in self._current]
        if len(new) > 1 or (new and new[0] != next(reversed(self._members))):
            raise _CannotAsk(Because.MEMBER_ORDER, f"{len(new)} members were never given anything before it")
        members = tuple(self._member(name, one, before, after) for name, one in self._members.items())
        ready = group.validated_topology_epoch == topology.epoch
        counts = _subtopologies(topology, members)
        standbys = _standbys(group)
        return TargetQuestion(tried, epoch, computed_at, standbys, ready, counts, members, bool(new), self._most)

    def _member(self, name: str, one: _Member, before: dict[str, OwnedTasks], after: dict[str, OwnedTasks]) -> PastMember:
        given, target, has = (_holding(held.get(name)) for held in (after, before, self._current))
        return PastMember(name, one.process_id, given, target, has, one.order_known)


def _holding(owned: OwnedTasks | None) -> Holding:
    return Holding() if owned is None else Holding(in_order(owned.active), in_order(owned.standby))


class _CannotAsk(CannotPredict):
    def __init__(self, because: Because, detail: str) -> None:
        super().__init__(detail)
        self.because = because


def _standbys(group: GroupMetadata) -> tuple[int, ...]:
    configs = dict(group.assignment_configs or ())
    others = sorted(configs.keys() - {RECORDED_STANDBYS})
    if others:
        raise _CannotAsk(Because.ASSIGNOR, f"the assignor was given {others[0]!r}, which is not modelled")
    text = configs.get(RECORDED_STANDBYS)
    if text is None:
        return (0, 1, 2)
    if not (text.isascii() and text.isdigit() and len(text) < 3):
        raise _CannotAsk(Because.MALFORMED, f"{text[:20]!r} is no number of standbys")
    return (int(text),)


def _subtopologies(topology: StoredTopology, members: tuple[PastMember, ...]) -> tuple[PastSubtopology, ...]:
    """With as many tasks as the target has: every active task has an owner."""
    counts: dict[str, int] = {}
    seen: dict[str, int] = {}
    for one in members:
        for subtopology, partitions in one.given.active:
            seen[subtopology] = seen.get(subtopology, 0) + len(partitions)
            counts[subtopology] = max(counts.get(subtopology, 0), max(partitions, default=-1) + 1)
    known = {one.id for one in topology.subtopologies}
    wrong = [one for one, count in counts.items() if count > MOST_TASKS or count != seen[one] or one not in known]
    if wrong:
        raise _CannotAsk(Because.TOPICS, f"the target does not have each task of subtopology {wrong[0]} once")
    return tuple(PastSubtopology(one.id, counts.get(one.id, 0), bool(one.changelog_topics)) for one in topology.subtopologies)
