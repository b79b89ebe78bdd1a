"""What is remembered of a partition of `__consumer_offsets` that many groups share, when memory is short."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest
from tests.harness.kafka import streams_group_bytes

from holdfast.adapters.broker import consumer_offsets
from holdfast.adapters.broker.consumer_offsets import _Partition, _take
from holdfast.kafka.wire.streams_group_records import MemberMetadata, RecordValue, TargetMember, TargetMetadata
from holdfast.kafka.wire.streams_tasks import OwnedTasks
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.streams.snapshot.snapshot import Generation, GenerationMember


def generation(number: int, size: int) -> Generation:
    member = GenerationMember("m", "c", "/127.0.0.1", None, b"s" * (size // 2), b"a" * (size - size // 2))
    return Generation(number, "2026-11-20T12:00:00Z", "m", "stream", (member,))


def filled(*sizes: int) -> _Partition:
    """Four generations each of two groups, in turn."""
    found = _Partition()
    for number, size in enumerate(sizes, 1):
        for group_id in ("a", "b"):
            found.add(group_id, generation(number, size))
    return found


def numbers(found: _Partition, group_id: str) -> list[int]:
    return [one.number for one in found.history(group_id)[0]]


def test_all_of_it_while_there_is_room() -> None:
    found = filled(100, 100, 100, 100)

    assert (numbers(found, "a"), numbers(found, "b"), found.size) == ([1, 2, 3, 4], [1, 2, 3, 4], 800)
    assert found.history("a")[1] == ()
    assert found.history("c") == ((), ())


def test_the_newest_two_of_each_group_when_there_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumer_offsets, "_MOST_BYTES", 750)

    found = filled(100, 100, 100, 100)

    assert (numbers(found, "a"), numbers(found, "b")) == ([3, 4], [3, 4])
    assert found.size == 400
    (note,) = found.history("a")[1]
    assert note.reason.startswith("those up to 2 are left out")


def test_a_generation_that_is_written_again_counts_once() -> None:
    found = filled(100, 100)
    found.add("a", generation(1, 40))

    assert (numbers(found, "a"), found.size) == ([2, 1], 340)


def test_a_group_that_was_deleted_begins_anew() -> None:
    found = filled(100, 100)
    found.forget("a")
    found.forget("never there")

    assert (numbers(found, "a"), numbers(found, "b"), found.size) == ([], [1, 2], 200)


def record(
    kind: int, value: RecordValue | None, member: str | None = None, group_id: str = "shop", offset: int = 0
) -> SimpleNamespace:
    data = None if value is None else streams_group_bytes.record(value)
    return SimpleNamespace(key=streams_group_bytes.key(kind, group_id, member), value=data, timestamp=1000, offset=0)


def of_a_streams_group(group_id: str, epochs: int) -> list[SimpleNamespace]:
    """Its only member gets one task more with each epoch."""
    metadata = MemberMetadata(None, None, "c", "h", 1, 0, "p", None, ())
    found = [record(19, metadata, "m", group_id)]
    for epoch in range(epochs):
        target = TargetMember(OwnedTasks((("0", tuple(range(epoch + 1))),), (), ()))
        found += [record(21, target, "m", group_id), record(20, TargetMetadata(epoch, None), None, group_id)]
    return found


class TestStreamsGroups:
    def read(self, *records: SimpleNamespace, wanted: Callable[[str], bool] = lambda _: True) -> _Partition:
        found = _Partition()
        for one in records:
            _take(one, wanted, found)
        return found

    def test_have_their_recorded_targets(self) -> None:
        found = self.read(*of_a_streams_group("shop", 3), *of_a_streams_group("other", 1))
        assert [one.assignment_epoch for one in found.targets("shop")[0]] == [0, 1, 2]
        assert [len(one.members) for one in found.targets("other")[0]] == [1]
        assert found.targets("nobody") == ((), ())
        assert found.history("shop") == ((), ())
        assert found.bytes > 0

    def test_that_are_not_wanted_are_passed_over(self) -> None:
        assert not self.read(*of_a_streams_group("shop", 3), wanted="other".__eq__).replays

    def test_in_a_log_that_was_not_read_from_its_beginning_have_none(self) -> None:
        found = self.read(*of_a_streams_group("shop", 3))
        found.notes.append(Unknown("generations", "only the last 7 records were read"))
        targets, notes = found.targets("shop")
        assert (targets, notes) == ((), (Unknown("recorded_targets", "only the last 7 records were read"),))

    def test_with_a_record_that_cannot_be_read_say_so(self) -> None:
        broken = SimpleNamespace(key=streams_group_bytes.key(20, "shop"), value=b"\0\1", timestamp=1, offset=5)
        targets, (note,) = self.read(*of_a_streams_group("shop", 3), broken).targets("shop")
        assert targets == ()
        assert "the record at offset 5 of __consumer_offsets: version 1 of record 20" in note.reason

    def test_keep_their_newest_target_when_memory_is_short(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(consumer_offsets, "_MOST_TASKS", 8)
        found = self.read(*of_a_streams_group("shop", 3))
        assert [one.assignment_epoch for one in found.targets("shop")[0]] == [2]
        assert found.tasks == 4
