"""The entries of a store's column family `offsets`, and what a member reports from them."""

from holdfast.kafka import java, store_offsets
from holdfast.kafka.streams import reports
from holdfast.kafka.streams.group import Changelog, Task
from holdfast.kafka.streams.membership import Member
from holdfast.kafka.streams.reports import DiskCopy, KnownState
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition

A = ProcessId.parse("4b61083e-57d0-457d-951f-d06556c148ca")


def number(value: int) -> bytes:
    return value.to_bytes(8, "big", signed=True)


def test_the_last_hyphen_parts_topic_and_partition() -> None:
    kept = store_offsets.read([(b"my-app-store-changelog-12", number(3)), (b"a-0", number(-4)), (b"position", b"\x00" * 300)])

    assert kept.offsets == ((TopicPartition("a", 0), -4), (TopicPartition("my-app-store-changelog", 12), 3))
    assert kept.open is None


def test_status_says_whether_it_was_closed() -> None:
    assert store_offsets.read([(b"status", number(1))]).open is True
    assert store_offsets.read([(b"status", number(0))]).open is False


def test_a_sum_counts_the_last_record_and_nothing_where_the_offset_is_not_known() -> None:
    one, other = TopicPartition("a", 0), TopicPartition("b", 0)

    assert store_offsets.offset_sum(((one, 13), (other, 0))) == 15
    assert store_offsets.offset_sum(((one, -4), (other, 2))) == 3
    assert store_offsets.offset_sum(()) == 0
    assert store_offsets.offset_sum(((one, java.LONG_MAX), (other, 5))) == java.LONG_MAX


def test_a_copy_that_nobody_runs_is_reported_as_its_stores_have_it() -> None:
    task = Task(TaskId(1, 0), (TopicPartition("t", 0),), (Changelog("c", 0, 100),))
    assert dormant(task, DiskCopy(task.id, 40, in_stores=True, counts_last_record=True)) == {task.id: 40}
    assert dormant(task, DiskCopy(task.id, None, in_stores=True)) == {}


def dormant(task: Task, copy: DiskCopy) -> dict[TaskId, int]:
    """What the only member of a client reports that runs nothing and has this copy on its disk."""
    member = Member("m", A, 11, (), joined_owned=(), joined_sums=(), partitions=(), active=(), standby=())
    seen = KnownState((member,), (task,), {A: (copy,)}, {}, closed_copy_counts_last_record=True)
    (report,), _ = reports.infer(seen)
    return dict(report.task_offset_sums)
