"""Records 3 to 8 and 16 of one group, in the order of the log, as questions: one a recorded target.

What compaction leaves: below some offset the last record of each key, from there on all. So once a key is seen a second time,
everything after the first of the two is there, and what the records add up to is what the coordinator had.

Targets name topics by ID. Releases up to 4.0 record the names (record 4); later ones do not. Where all members are subscribed
alike, which ID is which name's decides only an order (`namings`); where they are not, it decides more.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from holdfast.errors import CannotPredict
from holdfast.kafka.coordinator import member_table
from holdfast.kafka.coordinator.consumer.group import Assignor
from holdfast.kafka.coordinator.consumer.release import LINES
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.kafka.wire.consumer_group_records import (
    ById,
    ConsumerGroupMetadata,
    ConsumerMetadata,
    ConsumerRecordKey,
    ConsumerRecordKind,
    ConsumerTargetMember,
    ConsumerTargetMetadata,
    ResolvedExpression,
    SubscribedTopics,
)
from holdfast.rollout.backtest import recorded_targets
from holdfast.rollout.backtest.coordinated import ConsumerGroupRecord, Unreadable
from holdfast.rollout.backtest.judged import Because
from holdfast.rollout.backtest.results import Given
from holdfast.rollout.backtest.static_returns import StaticReturns
from holdfast.rollout.broker_consumer.backtest.question import (
    MOST_PARTITIONS,
    ConsumerTargetQuestion,
    Partitions,
    PastConsumer,
    PastExpression,
    PastTopic,
)
from holdfast.rollout.json import instants

FIRST_EPOCH = 2
"""The highest of a group that has just been created, in every release (1 up to 4.2): nothing was removed before it."""


class Untold(NamedTuple):
    """A recorded target that cannot be asked about. `releases`: those that may have computed it."""

    epoch: int
    computed_at: str
    because: Because
    detail: str
    releases: tuple[str, ...]


class _CannotAsk(CannotPredict):
    def __init__(self, because: Because, detail: str) -> None:
        super().__init__(detail)
        self.because = because


@dataclass(slots=True)
class _Member:
    metadata: ConsumerMetadata
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
    _seen: set[ConsumerRecordKey] = field(default_factory=set)
    _group: ConsumerGroupMetadata | None = None
    """None: there is none yet, or none any more. Classic members that are written then are those that it takes over, in the order
    in which it goes through them: that in which they were added is unknown."""
    _topics: SubscribedTopics | None = None
    _members: dict[str, _Member] = field(default_factory=dict)
    _most: int = 0
    _current: set[str] = field(default_factory=set)
    """Members that were given something, or nothing, before."""
    _expressions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _targets: dict[str, ById] = field(default_factory=dict)
    _coming: dict[str, ById] = field(default_factory=dict)
    """What was written of a target whose record 6 follows."""
    _returns: StaticReturns = field(default_factory=StaticReturns)
    _heirs: set[str] = field(default_factory=set)
    """Static members that are back: the record of a target that follows is the one that they take over."""
    _replaced: dict[str, str] = field(default_factory=dict)
    """Those since the last target, and in whose places."""

    def take(self, record: ConsumerGroupRecord) -> ConsumerTargetQuestion | Untold | None:
        """None: no target is complete with it."""
        key, value = record.key, record.value
        self._note(key)
        if isinstance(value, Unreadable):
            self._broken = value.why
        elif isinstance(value, ConsumerTargetMetadata):
            return self._target(value, record.written_at_ms)
        elif key.kind is ConsumerRecordKind.REGULAR_EXPRESSION:
            self._expressions.pop(key.name or "", None)
            if isinstance(value, ResolvedExpression):
                self._expressions[key.name or ""] = value.topics
        elif key.kind is ConsumerRecordKind.PARTITION_METADATA:
            self._topics = value if isinstance(value, SubscribedTopics) else None
        elif key.name is not None:
            self._of_member(key.kind, key.name, record)
        elif isinstance(value, ConsumerGroupMetadata):
            if self._group is None and value.epoch <= FIRST_EPOCH:
                self.from_the_start = self._whole = True
            self._group = value
            self._returns.epoch_raised()
            self._heirs.clear()
        elif key.kind is ConsumerRecordKind.GROUP_METADATA:
            self._group = None
        return None

    def _note(self, key: ConsumerRecordKey) -> None:
        if not self._whole:
            self._whole = key in self._seen
            self._seen.add(key)
            if self._whole:
                self._seen.clear()

    def _of_member(self, kind: ConsumerRecordKind, name: str, record: ConsumerGroupRecord) -> None:
        value = record.value
        if isinstance(value, ConsumerMetadata):
            before = self._members.get(name)
            taken_over = value.classic and self._group is None
            self._members[name] = _Member(value, order_known=before is None and self._whole and not taken_over)
            self._most = max(self._most, len(self._members))
            old = self._returns.written(name, value.instance_id)
            if old is not None:
                self._heirs.add(name)
                self._replaced[name] = old
        elif isinstance(value, ConsumerTargetMember):
            (self._targets if name in self._heirs else self._coming)[name] = value.target
            self._heirs.discard(name)
        elif kind is ConsumerRecordKind.CURRENT_MEMBER:
            (self._current.discard if value is None else self._current.add)(name)
        elif kind is ConsumerRecordKind.MEMBER_METADATA:
            self._members.pop(name, None)
            self._returns.removed(name)
        else:
            self._targets.pop(name, None)
            self._coming.pop(name, None)

    def _target(self, value: ConsumerTargetMetadata, written_at_ms: int) -> ConsumerTargetQuestion | Untold | None:
        before, after = self._targets, self._targets | self._coming
        self._targets, self._coming = after, {}
        if value.epoch < 0:
            return None
        computed_at = instants.of_broker(value.timestamp_ms if value.timestamp_ms is not None else written_at_ms)
        tried = recorded_targets.fitting(LINES, self.given, value.timestamp_ms)
        try:
            return self._asked(value.epoch, computed_at, tried, before, after)
        except _CannotAsk as refusal:
            return Untold(value.epoch, computed_at, refusal.because, str(refusal), tried)
        finally:
            self._replaced.clear()

    def _asked(
        self, epoch: int, computed_at: str, tried: tuple[str, ...], before: dict[str, ById], after: dict[str, ById]
    ) -> ConsumerTargetQuestion | None:
        if not self._members:
            return None  # nothing is decided for a group without members
        if self._broken is not None:
            raise _CannotAsk(Because.MALFORMED, self._broken)
        if not self._whole or self._members.keys() != after.keys():
            raise _CannotAsk(Because.PREVIOUS_TARGET, "compaction has removed a part of what the target followed from")
        if not tried:
            raise _CannotAsk(Because.RELEASE, "no covered release writes such records")
        new = [name for name in self._members if name not in self._current]
        if len(new) > 1 or (new and new[0] != next(reversed(self._members))):
            raise _CannotAsk(Because.MEMBER_ORDER, f"{len(new)} members were never given anything before it")
        recorded = self._recorded_names(after)
        names = self._any_names(after) if recorded is None else recorded
        return ConsumerTargetQuestion(
            releases=tried,
            epoch=epoch,
            computed_at=computed_at,
            assignors=self._assignors(),
            topics=tuple(PastTopic(names[one], one, count) for one, count in _counts(after).items()),
            members=tuple(self._member(name, names, before, after) for name in self._members),
            expressions=tuple(PastExpression(regex, topics) for regex, topics in self._expressions.items()),
            newcomer=bool(new),
            returned=self._returned(),
            most_members=self._most,
            names_known=recorded is not None,
        )

    def _returned(self) -> int:
        *others, last = self._members
        return member_table.filled(others, last, self._replaced[last]).most if last in self._replaced else 0

    def _assignors(self) -> tuple[Assignor, ...]:
        """That which most of those ask for that ask for one. Without any, or as many for both: each."""
        votes = Counter(one.metadata.assignor for one in self._members.values() if one.metadata.assignor)
        most = [name for name, count in votes.items() if count == max(votes.values())]
        if any(name not in set(Assignor) for name in most):
            raise _CannotAsk(Because.ASSIGNOR, f"most members ask for {min(most)[:40]!r}, which is not covered")
        return tuple(map(Assignor, most)) or tuple(Assignor)

    def _recorded_names(self, after: dict[str, ById]) -> dict[int, str] | None:
        """The name of each topic of the target, by its ID. None: the records do not have all of them."""
        known = {one.id: one.name for one in self._topics.topics} if self._topics is not None else {}
        wanted = _counts(after)
        return {one: known[one] for one in wanted} if wanted.keys() <= known.keys() else None

    def _any_names(self, after: dict[str, ById]) -> dict[int, str]:
        """Names that its topics may have."""
        wanted = _counts(after)
        read = [self._reads(one.metadata) for one in self._members.values()]
        if len(set(read)) > 1 or len(read[0]) < len(wanted):
            raise _CannotAsk(Because.TOPICS, "members are subscribed differently, and the names of the topics are not recorded")
        return dict(zip(wanted, sorted(read[0]), strict=False))

    def _reads(self, one: ConsumerMetadata) -> frozenset[str]:
        return frozenset(one.subscription).union(self._expressions.get(one.regex or "", ()))

    def _member(self, name: str, names: dict[int, str], before: dict[str, ById], after: dict[str, ById]) -> PastConsumer:
        one = self._members[name]
        return PastConsumer(
            member_id=name,
            given=_partitions(after[name], names),
            target=_partitions(before.get(name, ()), names),
            subscription=one.metadata.subscription,
            regex=one.metadata.regex or None,
            instance_id=one.metadata.instance_id,
            order_known=one.order_known,
        )


def _partitions(owned: ById, names: dict[int, str]) -> Partitions:
    """In the order of the record. Topics that are not in the new target do not exist any more, or no member reads them: they count
    in the size of a table, and are named by their IDs."""
    return tuple(TopicPartition(names.get(topic) or f"{topic:032x}", number) for topic, numbers in owned for number in numbers)


def _counts(after: dict[str, ById]) -> dict[int, int]:
    """How many partitions each topic has, by its ID: every partition has one owner."""
    counts: Counter[int] = Counter()
    last: dict[int, int] = {}
    for owned in after.values():
        for topic, numbers in owned:
            if numbers:
                counts[topic] += len(set(numbers))
                last[topic] = max(last.get(topic, 0), *numbers)
    if any(last[one] + 1 != count or count > MOST_PARTITIONS for one, count in counts.items()):
        raise _CannotAsk(Because.TOPICS, "the target does not have each partition of a topic once")
    return dict(counts)
