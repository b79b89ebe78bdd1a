"""Records 17 and 19 to 23 of a group, replayed: its targets, and none that compaction left incomplete."""

import base64
from dataclasses import replace

import pytest
from tests.harness.kafka.described_groups import owned

from holdfast.kafka.wire import streams_group_records as records
from holdfast.kafka.wire.streams_group_records import (
    GroupMetadata,
    MemberMetadata,
    RecordKey,
    RecordKind,
    RecordValue,
    TargetMember,
    TargetMetadata,
)
from holdfast.rollout.broker_streams.snapshot import recorded
from holdfast.rollout.broker_streams.snapshot.recorded import RecordedTarget, Replay
from holdfast.rollout.json.record import codec_of

WRITTEN = 1_790_000_000_000
METADATA = MemberMetadata(None, None, "c", "h", 1, 0, "p1", None, ())


def replayed(*script: tuple[RecordKind, str | None, RecordValue | None]) -> Replay:
    replay = Replay()
    for kind, name, value in script:
        replay.take(RecordKey(kind, "shop", name), value, WRITTEN)
    return replay


def joins(name: str, process: str = "p1") -> tuple[RecordKind, str, RecordValue]:
    return RecordKind.MEMBER_METADATA, name, replace(METADATA, process_id=process)


def gets(name: str, *partitions: int) -> tuple[RecordKind, str, RecordValue]:
    return RecordKind.TARGET_MEMBER, name, TargetMember(owned((("0", partitions),)))


def target(epoch: int, timestamp_ms: int | None = None) -> tuple[RecordKind, None, RecordValue]:
    return RecordKind.TARGET_METADATA, None, TargetMetadata(epoch, timestamp_ms)


def left(kind: RecordKind, name: str | None) -> tuple[RecordKind, str | None, None]:
    return kind, name, None


def shown(replay: Replay) -> list[tuple[int, dict[str, tuple[int, ...]]]]:
    return [
        (one.assignment_epoch, {member.member_id: sum((each[1] for each in member.active), ()) for member in one.members})
        for one in replay.targets
    ]


def test_each_target_with_the_members_that_it_had() -> None:
    found = replayed(
        joins("a"), gets("a", 1, 0), target(2), joins("b", "p2"), gets("b", 1), gets("a", 0), target(3),
        left(RecordKind.TARGET_MEMBER, "a"), left(RecordKind.MEMBER_METADATA, "a"), gets("b", 0, 1), target(4),
    )  # fmt: skip
    assert shown(found) == [(2, {"a": (0, 1)}), (3, {"a": (0,), "b": (1,)}), (4, {"b": (0, 1)})]
    assert [member.process_id for member in found.targets[1].members] == ["p1", "p2"]


def test_when_and_with_what_it_was_computed() -> None:
    config = (RecordKind.GROUP_METADATA, None, GroupMetadata(1, 0, 0, (("num.standby.replicas", "1"),)))
    before, after = replayed(joins("a"), gets("a", 0), target(2), config, target(3, 1000)).targets
    assert (before.computed_at, before.config) == ("2026-09-21T14:13:20.000Z", ())
    assert (after.computed_at, after.config) == ("1970-01-01T00:00:01.000Z", (("num.standby.replicas", "1"),))
    assert codec_of(RecordedTarget).read(codec_of(RecordedTarget).write(after)) == after


def test_a_target_of_which_compaction_took_a_member_is_left_out() -> None:
    """The record of a's first target is gone, for a later one replaced it."""
    assert shown(replayed(joins("a"), joins("b"), gets("b", 1), target(2), gets("a", 0), target(3))) == [
        (3, {"b": (1,), "a": (0,)})
    ]


def test_a_member_that_left_before_it_had_a_target_is_missing_from_none() -> None:
    script = (joins("b"), gets("b", 1), target(2), joins("a"), left(RecordKind.TARGET_MEMBER, "a"))
    assert shown(replayed(*script, left(RecordKind.MEMBER_METADATA, "a"), target(3))) == [(2, {"b": (1,)}), (3, {"b": (1,)})]


def test_a_tombstone_for_a_member_that_is_gone_voids_all_before() -> None:
    gone = left(RecordKind.TARGET_MEMBER, "a")
    assert shown(replayed(joins("b"), gets("b", 1), target(2), gone, gets("b", 0, 1), target(3))) == [(3, {"b": (0, 1)})]


def test_a_group_that_was_deleted_counts_anew() -> None:
    found = replayed(
        joins("a"), gets("a", 0), target(7), left(RecordKind.GROUP_METADATA, None), joins("b"), gets("b", 0), target(2)
    )
    assert shown(found) == [(2, {"b": (0,)})]


def test_tombstones_of_what_is_not_there_and_odd_epochs_change_nothing() -> None:
    found = replayed(
        left(RecordKind.MEMBER_METADATA, "x"), left(RecordKind.TARGET_METADATA, None), left(RecordKind.TOPOLOGY, None), target(-1)
    )
    assert found.targets == ()


def test_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [step for epoch in range(30) for step in (gets("a", *range(epoch + 1)), target(epoch))]
    found = replayed(joins("a"), *many)
    assert [one.assignment_epoch for one in found.targets] == list(range(10, 30))
    monkeypatch.setattr(recorded, "MOST_TASKS", 80)
    assert [one.assignment_epoch for one in found.targets] == [28, 29]
    monkeypatch.setattr(recorded, "MOST_TASKS", 5)
    assert [one.assignment_epoch for one in found.targets] == [29]  # one in any case
    assert (found.keep_the_newest(), len(found.targets)) == (31, 1)


def test_what_kafka_stored() -> None:
    """The records of `tests/unit/kafka/wire/test_streams_groups.py`, in the order in which 4.3.1 wrote them."""
    stored = (
        ("ABMABHNob3AAAm0x", "AAAAAAdjbGllbnQUbG9jYWxob3N0LzEyNy4wLjAuMQAEk+AAAAAAA3Ax/wEA"),
        ("ABUABHNob3AAAm0x", "AAACAjADAAAAAAAAAAEAAQEA"),
        ("ABQABHNob3A=", "AAAAAAACAQAIAAAAAAAAA+g="),
    )
    replay = Replay()
    for key, value in stored:
        decoded = records.decode_key(base64.b64decode(key))
        assert decoded is not None
        replay.take(decoded, records.decode_value(decoded.kind, base64.b64decode(value)), WRITTEN)
    (found,) = replay.targets
    assert (found.assignment_epoch, found.computed_at, found.members[0].process_id) == (2, "1970-01-01T00:00:01.000Z", "p1")
