"""The wire structures: what is written is read again, and no bytes whatever bring the readers down."""

import contextlib
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import MalformedBytes, Unsupported
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.kafka.wire import assignment_info, consumer_protocol, subscription_info
from holdfast.kafka.wire.assignment_info import NO_REBALANCE, AssignmentInfo
from holdfast.kafka.wire.buffer import decode_modified_utf8, encode_modified_utf8
from holdfast.kafka.wire.consumer_protocol import ConsumerProtocolAssignment, ConsumerProtocolSubscription
from holdfast.kafka.wire.subscription_info import SubscriptionInfo
from holdfast.kafka.wire.tasks import WireTask

ints = st.integers(0, 2**31 - 1)
longs = st.integers(-(2**63), 2**63 - 1)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
some = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
tasks = st.builds(TaskId, ints, ints)
partitions = st.lists(st.builds(TopicPartition, words, ints), max_size=6).map(tuple)


def lists_of(element: st.SearchStrategy) -> st.SearchStrategy:
    return st.lists(element, max_size=5).map(tuple)


@st.composite
def subscriptions(draw: st.DrawFn) -> SubscriptionInfo:
    version = draw(st.integers(1, 11))
    named = st.builds(WireTask, tasks, st.none() | words if version >= 10 else st.none())
    return SubscriptionInfo(
        version,
        draw(st.integers(version, 2**31 - 1)) if version >= 3 else -1,
        ProcessId.of(UUID(bytes=draw(st.binary(min_size=16, max_size=16)))),
        draw(st.none() | some) if version >= 2 else None,
        draw(lists_of(tasks)) if version <= 6 else (),
        draw(lists_of(tasks)) if version <= 6 else (),
        draw(lists_of(st.tuples(named, longs))) if version >= 7 else (),
        draw(st.integers(-128, 127)) if version >= 8 else 0,
        draw(ints) if version >= 9 else 0,
        draw(lists_of(st.tuples(words, words))) if version >= 11 else (),
    )


@st.composite
def assignments(draw: st.DrawFn) -> AssignmentInfo:
    version = draw(st.integers(1, 11))
    named = st.builds(WireTask, tasks, st.none() | some if version >= 10 else st.none())
    hosts = lists_of(st.tuples(st.tuples(words, ints), partitions))
    return AssignmentInfo(
        version,
        draw(st.integers(-1, 20)) if version >= 3 else -1,
        draw(lists_of(named)),
        draw(lists_of(st.tuples(named, partitions))),
        draw(hosts) if version >= 2 else (),
        draw(hosts) if version >= 6 else (),
        draw(ints) if version >= 4 else 0,
        draw(longs) if version >= 7 else NO_REBALANCE,
    )


@st.composite
def envelopes(draw: st.DrawFn) -> ConsumerProtocolSubscription:
    version = draw(st.integers(0, 3))
    return ConsumerProtocolSubscription(
        version,
        draw(lists_of(words)),
        draw(st.none() | st.binary(max_size=30)),
        draw(partitions) if version >= 1 else (),
        draw(st.integers(-1, 2**31 - 1)) if version >= 2 else -1,
        draw(st.none() | words) if version >= 3 else None,
    )


class TestWhatIsWrittenIsRead:
    @pytest.mark.thorough
    @given(subscriptions())
    def test_subscription_info(self, info: SubscriptionInfo) -> None:
        assert subscription_info.decode(subscription_info.encode(info)) == info

    @pytest.mark.thorough
    @given(assignments())
    def test_assignment_info_and_its_bytes(self, info: AssignmentInfo) -> None:
        data = assignment_info.encode(info)
        read = assignment_info.decode(data)
        assert read == info
        assert isinstance(read, AssignmentInfo)
        assert assignment_info.encode(read) == data

    @pytest.mark.thorough
    @given(envelopes())
    def test_subscription(self, subscription: ConsumerProtocolSubscription) -> None:
        assert consumer_protocol.decode_subscription(consumer_protocol.encode_subscription(subscription)) == subscription

    @given(st.integers(0, 3), partitions, st.none() | st.binary(max_size=30))
    def test_assignment(self, version: int, handed: tuple[TopicPartition, ...], user_data: bytes | None) -> None:
        assignment = ConsumerProtocolAssignment(version, handed, user_data)
        assert consumer_protocol.decode_assignment(consumer_protocol.encode_assignment(assignment)) == assignment

    @given(st.text())
    def test_modified_utf8_of_any_java_string(self, text: str) -> None:
        joined = text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")
        data = encode_modified_utf8(text)
        assert b"\0" not in data
        assert decode_modified_utf8(data) == joined


DECODERS = [
    subscription_info.decode,
    assignment_info.decode,
    consumer_protocol.decode_subscription,
    consumer_protocol.decode_assignment,
]


class TestHostileBytes:
    @pytest.mark.parametrize("decode", DECODERS)
    @given(data=st.binary(max_size=200))
    def test_any_bytes_are_a_value_or_refused(self, decode, data: bytes) -> None:
        with contextlib.suppress(MalformedBytes):
            assert decode(data) is not None

    @pytest.mark.thorough
    @given(subscriptions(), st.data())
    def test_a_report_that_ends_early_or_late_is_refused(self, info: SubscriptionInfo, data: st.DataObject) -> None:
        whole = subscription_info.encode(info)
        for broken in (whole[: data.draw(st.integers(0, len(whole) - 1))], whole + b"\0"):
            with pytest.raises(MalformedBytes):
                subscription_info.decode(broken)

    @pytest.mark.thorough
    @given(assignments(), st.data())
    def test_an_assignment_that_ends_early_or_late_is_refused(self, info: AssignmentInfo, data: st.DataObject) -> None:
        whole = assignment_info.encode(info)
        for broken in (whole[: data.draw(st.integers(0, len(whole) - 1))], whole + b"\0"):
            with pytest.raises(MalformedBytes):
                assignment_info.decode(broken)

    @pytest.mark.parametrize("count", [-1, -(2**31), 2**31 - 1, 1_000_000])
    def test_a_count_is_believed_only_when_so_many_can_follow(self, count: int) -> None:
        head = (11).to_bytes(4, "big") * 2
        report = head + bytes(16) + bytes(4) + count.to_bytes(4, "big", signed=True)
        with pytest.raises(MalformedBytes, match="task offset sums"):
            subscription_info.decode(report)
        with pytest.raises(MalformedBytes, match="active tasks"):
            assignment_info.decode(head + count.to_bytes(4, "big", signed=True))

    def test_a_newer_version_says_only_what_is_guaranteed(self) -> None:
        data = (12).to_bytes(4, "big") + (13).to_bytes(4, "big") + b"anything"
        assert subscription_info.decode(data) == subscription_info.FutureSubscription(12, 13)
        assert assignment_info.decode(data) == assignment_info.FutureAssignment(12, 13)

    @pytest.mark.parametrize(("version", "latest"), [(3, 2), (11, -1), (12, 11), (11, 0)])
    def test_a_member_supports_the_version_that_it_uses(self, version: int, latest: int) -> None:
        data = version.to_bytes(4, "big") + latest.to_bytes(4, "big", signed=True) + bytes(40)
        with pytest.raises(MalformedBytes, match=f"newer than {latest}"):
            subscription_info.decode(data)

    def test_half_a_surrogate_pair_is_a_question_mark_in_utf8(self) -> None:
        process_id = ProcessId.parse("4b61083e-57d0-457d-951f-d06556c148ca")
        info = SubscriptionInfo(11, 11, process_id, "a\ud800b", client_tags=(("k", "\ud83d\ude00\udc00"),))
        read = subscription_info.decode(subscription_info.encode(info))
        assert isinstance(read, SubscriptionInfo)
        assert read.user_endpoint == "a?b"
        assert read.client_tags == (("k", "😀?"),)

    def test_a_newer_envelope_is_read_as_far_as_it_is_known(self) -> None:
        known = ConsumerProtocolSubscription(3, ("in",), b"x", (TopicPartition("in", 1),), 7, "a")
        data = consumer_protocol.encode_subscription(known)
        newer = consumer_protocol.decode_subscription((9).to_bytes(2, "big") + data[2:] + b"appended later")
        assert newer == ConsumerProtocolSubscription(9, ("in",), b"x", (TopicPartition("in", 1),), 7, "a")

    def test_versions_that_are_not_known_are_not_written(self) -> None:
        process_id = ProcessId.parse("4b61083e-57d0-457d-951f-d06556c148ca")
        with pytest.raises(Unsupported, match="12"):
            subscription_info.encode(SubscriptionInfo(12, 12, process_id))
        with pytest.raises(Unsupported, match="12"):
            assignment_info.encode(AssignmentInfo(12))
        with pytest.raises(Unsupported, match="4"):
            consumer_protocol.encode_assignment(ConsumerProtocolAssignment(4, ()))


class TestNamedTopologies:
    def test_their_tasks_are_read_and_refused_by_name(self) -> None:
        info = SubscriptionInfo(
            11,
            11,
            ProcessId.parse("4b61083e-57d0-457d-951f-d06556c148ca"),
            task_offset_sums=((WireTask(TaskId(1, 0), "orders"), 5),),
        )
        with pytest.raises(Unsupported, match="orders"):
            info.offset_sums()

    def test_active_tasks_belong_to_partitions_in_topic_order(self) -> None:
        b0, a1, a0 = TopicPartition("b", 0), TopicPartition("a", 1), TopicPartition("a", 0)
        info = AssignmentInfo(11, 11, (WireTask(TaskId(0, 0)), WireTask(TaskId(0, 1)), WireTask(TaskId(0, 0))))
        assert info.active_partitions((b0, a1, a0)) == ((TaskId(0, 0), (a0, b0)), (TaskId(0, 1), (a1,)))
        with pytest.raises(Unsupported, match="3 active tasks for 2 partitions"):
            info.active_partitions((a0, a1))
