"""Recorded targets of a consumer group, decided again: what is equal, what differs, and what the records do not show.

`tests/conformance/coordinator/consumer/test_consumer_group_records.py` has those of whole coordinators.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from holdfast.errors import MalformedBytes, Unsupported
from holdfast.kafka.coordinator.consumer import target
from holdfast.kafka.coordinator.consumer.group import Assignor, Group, Member, Owned, Topic
from holdfast.kafka.wire import consumer_group_records as wire
from holdfast.kafka.wire.consumer_group_records import (
    ById,
    ConsumerGroupMetadata,
    ConsumerMetadata,
    ConsumerRecordKey,
    ConsumerRecordValue,
    ConsumerTargetMember,
    ConsumerTargetMetadata,
    CurrentConsumer,
    SubscribedTopic,
    SubscribedTopics,
)
from holdfast.kafka.wire.consumer_group_records import ConsumerRecordKind as Kind
from holdfast.rollout.backtest.coordinated import ConsumerGroupRecord, Unreadable
from holdfast.rollout.backtest.judged import Because, Judged
from holdfast.rollout.backtest.results import Given, GroupBacktest
from holdfast.rollout.broker_consumer.backtest.past import PAST
from holdfast.rollout.broker_consumer.backtest.question import ConsumerTargetQuestion, PastConsumer, PastTopic
from holdfast.rollout.broker_consumer.backtest.replay import TargetReplay
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.kinds import mismatch_file

AT = 1_790_000_000_000
ORDERS, PAYMENTS = 7 << 100, 9 << 64
RELEASE = Given(broker_release="4.3.1")


class Log:
    """Records of a group as its coordinator writes them, and the target that it computes after each."""

    def __init__(
        self, assignor: str | None = None, *, java: int = 0, ids: tuple[int, int] = (ORDERS, PAYMENTS), **topics: int
    ) -> None:
        """`java`: 0 for a broker on Java 17, -1 for one on Java 19. `ids`: of `orders` and `payments`."""
        self.records: list[ConsumerGroupRecord] = []
        self.epoch = 1
        self._assignor, self._members, self.topics = assignor, dict[str, Member](), topics or {"orders": 6}
        self._ids = dict(zip(("orders", "payments"), ids, strict=True))
        self._java = java

    def put(self, kind: Kind, name: str | None, value: ConsumerRecordValue | Unreadable | None) -> None:
        self.records.append(ConsumerGroupRecord(ConsumerRecordKey(kind, "shop", name), value, AT + len(self.records)))

    def join(self, name: str, *topics: str, asks: str | None = None, classic: bool = False, instance: str | None = None) -> None:
        read = topics or tuple(self.topics)
        self._members[name] = Member(name, read, instance_id=instance)
        metadata = ConsumerMetadata(instance, None, "c", "/h", read, None, 300_000, asks or self._assignor, classic)
        self.put(Kind.MEMBER_METADATA, name, metadata)
        self._computes(name)

    def returns(self, old: str, new: str) -> None:
        """A static member, within its session: it takes its target over, and no target is computed."""
        self._members = {new if name == old else name: one for name, one in self._members.items()}
        self._members[new] = one = replace(self._members[new], member_id=new)
        for kind in (Kind.CURRENT_MEMBER, Kind.TARGET_MEMBER, Kind.MEMBER_METADATA):
            self.put(kind, old, None)
        metadata = ConsumerMetadata(one.instance_id, None, "c", "/h", one.subscription, None, 300_000, self._assignor, False)
        self.put(Kind.MEMBER_METADATA, new, metadata)
        self.put(Kind.TARGET_MEMBER, new, ConsumerTargetMember(self.by_id(one.target)))
        self.put(Kind.CURRENT_MEMBER, new, CurrentConsumer(self.epoch, 0, 0, (), ()))

    def leave(self, name: str) -> None:
        del self._members[name]
        for kind in (Kind.MEMBER_METADATA, Kind.TARGET_MEMBER, Kind.CURRENT_MEMBER):
            self.put(kind, name, None)
        self._computes(None)

    def _computes(self, by: str | None) -> None:
        self.epoch += 1
        self.put(Kind.GROUP_METADATA, None, ConsumerGroupMetadata(self.epoch))
        topics = tuple(Topic(name, self._ids[name], count) for name, count in self.topics.items())
        group = Group("4.3.1", Assignor(self._assignor or "uniform"), tuple(self._members.values()), topics)
        for name, owned in target.by_java(group)[self._java]:
            self._members[name] = replace(self._members[name], target=owned)
            self.put(Kind.TARGET_MEMBER, name, ConsumerTargetMember(self.by_id(owned)))
        self.put(Kind.TARGET_METADATA, None, ConsumerTargetMetadata(self.epoch, AT))
        if by is not None:
            self.put(Kind.CURRENT_MEMBER, by, CurrentConsumer(self.epoch, 0, 0, (), ()))

    def by_id(self, owned: Owned) -> ById:
        """In the order of the assignor's tables, which are smaller than those in which the coordinator keeps it."""
        return tuple((self._ids[topic], tuple(sorted(numbers, key=lambda one: one % 16))) for topic, numbers in owned)

    def named(self) -> None:
        """As releases up to 4.0 do."""
        topics = (SubscribedTopic(name, self._ids[name], count) for name, count in self.topics.items())
        self.put(Kind.PARTITION_METADATA, None, SubscribedTopics(tuple(topics)))


def three(**how: Any) -> Log:
    log = Log(**how)
    for name in ("a", "b", "c"):
        log.join(name)
    log.leave("b")
    return log


def judged(records: Iterable[ConsumerGroupRecord], given: Given = RELEASE) -> tuple[GroupBacktest, list[ConsumerTargetQuestion]]:
    found: list[ConsumerTargetQuestion] = []
    every = list(records)
    return PAST.backtest("shop", lambda: every, given, lambda question, _: found.append(question)), found


@pytest.mark.parametrize("assignor", [None, "uniform", "range"])
def test_what_was_recorded_is_decided_again(assignor: str | None) -> None:
    found, differ = judged(three(assignor=assignor).records)

    assert [one.number for one in found.rebalances] == [2, 3, 4, 5]
    assert not differ
    assert {one.judged for one in found.rebalances} <= {Judged.EQUAL, Judged.INFERRED}
    if assignor is not None:
        assert [one.judged for one in found.rebalances] == [Judged.EQUAL] * 4
        assert [one.assignor for one in found.scores] == [assignor]
    else:
        assert Because.SETTINGS in {because for one in found.rebalances for because in one.because}, "uniform is only the default"


def test_a_static_member_that_is_back_has_the_target_that_it_took_over() -> None:
    log = Log("uniform", orders=7)
    log.join("a", instance="host-a")
    log.returns("a", "x")
    log.join("b")

    found, differ = judged(log.records)
    assert not differ
    assert [one.judged for one in found.rebalances] == [Judged.EQUAL] * 2


@pytest.mark.parametrize("java", [0, -1])
def test_what_decides_is_the_order_in_which_the_coordinator_keeps_a_target(java: int) -> None:
    """On Java 17 the partitions 12 to 23 are in a table of 32 buckets, in that order; on Java 19 in one of 16, where 16 comes
    first, as it does in the record."""
    log = Log("uniform", java=java, orders=24)
    for name in ("a", "b", "c", "d"):
        log.join(name)

    found, differ = judged(log.records)
    assert not differ
    assert [one.judged for one in found.rebalances] == [Judged.EQUAL, Judged.EQUAL, Judged.INFERRED, Judged.EQUAL]
    assert found.rebalances[2].because == (Because.BROKER_JAVA,)


@pytest.mark.parametrize("ids", [(1 << 68, 2 << 68), (2 << 68, 1 << 68)])
def test_names_that_no_record_has_decide_where_topics_share_a_bucket(ids: tuple[int, int]) -> None:
    """Of one bucket the topic comes first whose name does."""
    log = three(assignor="uniform", ids=ids, orders=8, payments=3)

    found, differ = judged(log.records)
    assert not differ
    assert [one.because for one in found.rebalances] == [(), (), (), (Because.TOPICS,)]
    apart, _ = judged(three(assignor="uniform", orders=8, payments=3).records)
    assert [one.judged for one in apart.rebalances] == [Judged.EQUAL] * 4


def test_topics_that_are_gone_are_in_the_target_before() -> None:
    """They make the coordinator's table larger."""
    log = Log("uniform", orders=4, payments=3)
    log.join("a")
    log.topics = {"orders": 4}
    log.join("b", "orders", "payments")
    replay = TargetReplay(RELEASE)
    *_, question = filter(None, map(replay.take, log.records))
    assert isinstance(question, ConsumerTargetQuestion)
    assert {one.topic for one in question.members[0].target} == {"orders", f"{PAYMENTS:032x}"}
    assert PAST.judge(question).judged is Judged.EQUAL


def test_no_more_namings_are_tried_than_a_few() -> None:
    """Of topics of one bucket there may be many: IDs are only bytes in a record."""
    names = tuple(f"t{number:02}" for number in range(14))
    topics = tuple(PastTopic(name, number << 70, 2) for number, name in enumerate(names))
    members = tuple(PastConsumer(name, (), subscription=names) for name in "ab")
    releases, assignors = ("4.3.1",), (Assignor.UNIFORM,)
    question = ConsumerTargetQuestion(releases, 2, "2026-11-01T00:00:00Z", assignors, topics, members, names_known=False)

    assert PAST.judge(question).because == (Because.TOPICS,)
    assert PAST.judge(question).judged is Judged.NOT_JUDGED
    assert PAST.judge(replace(question, names_known=True)).judged is Judged.DIFFERENT


def test_another_target_is_different_and_can_be_sent() -> None:
    log = three(assignor="uniform")
    at = max(number for number, one in enumerate(log.records) if isinstance(one.value, ConsumerTargetMember))
    one, other = log.records[at - 1 : at + 1]
    log.records[at - 1 : at + 1] = [one._replace(value=other.value), other._replace(value=one.value)]

    found, differ = judged(log.records)
    assert found.rebalances[-1].judged is Judged.DIFFERENT
    (question,) = differ
    assert codec_of(ConsumerTargetQuestion).read(codec_of(ConsumerTargetQuestion).write(question)) == question
    sent = mismatch_file.sendable(question)
    assert sent is not None
    text = str(mismatch_file.to_json(sent.question))
    assert "orders" not in text
    assert mismatch_file.from_json(mismatch_file.to_json(sent.question)) == sent.question


def test_what_the_records_do_not_show_is_not_judged() -> None:
    others = Log(orders=6, payments=3)
    others.join("a", "orders")
    others.join("b", "orders", "payments")
    found, _ = judged(others.records)
    assert found.rebalances[-1].because == (Because.TOPICS,)

    named = Log(orders=6, payments=3)
    named.named()
    named.join("a", "orders")
    named.join("b", "orders", "payments")
    found, differ = judged(named.records)
    assert not differ
    assert found.rebalances[-1].judged in (Judged.EQUAL, Judged.INFERRED)

    custom = Log()
    custom.join("a", asks="mine")
    assert judged(custom.records)[0].rebalances[-1].because == (Because.ASSIGNOR,)
    classic = Log()
    classic.join("a", classic=True)
    assert judged(classic.records)[0].rebalances[-1].judged in (Judged.EQUAL, Judged.INFERRED), "it is assigned as others are"
    damaged = three()
    damaged.records[3] = damaged.records[3]._replace(value=Unreadable("bytes"))
    assert {one.because for one in judged(damaged.records)[0].rebalances} == {(Because.MALFORMED,)}


def test_compaction_leaves_nothing_to_judge_until_a_key_comes_again() -> None:
    log = three(assignor="uniform")
    last = {one.key: one for one in log.records}
    log.epoch += 5
    log.join("d")
    tail = log.records[len(log.records) - 8 :]

    found, differ = judged([*(one for one in last.values() if one.value is not None), *tail])
    assert not differ
    assert found.rebalances[0].because == (Because.PREVIOUS_TARGET,)


def test_releases_follow_from_the_moment_in_the_record() -> None:
    found, _ = judged(three(assignor="uniform").records, Given())
    assert found.rebalances[-1].tried == ("4.3.1", "4.4.0")
    old = [
        one._replace(value=ConsumerTargetMetadata(one.value.epoch, None)) if isinstance(one.value, ConsumerTargetMetadata) else one
        for one in three(assignor="uniform").records
    ]
    assert judged(old, Given())[0].rebalances[-1].tried == ("4.0.0", "4.2.1")
    assert judged(old, Given(brokers_newest="4.0"))[0].rebalances[-1].tried == ("4.0.0", "4.2.1")


@pytest.mark.parametrize("data", [b"\0", b"\0\0\1", b"\0\0" + b"\xff" * 20])
def test_bytes_that_are_no_record_are_refused(data: bytes) -> None:
    for kind in Kind:
        with pytest.raises(MalformedBytes):
            wire.decode_value(kind, data)
    with pytest.raises(Unsupported, match="version 1"):
        wire.decode_value(Kind.GROUP_METADATA, b"\0\1")
    assert wire.decode_key(b"\0\x11\0\1g") is None, "of a streams group"
