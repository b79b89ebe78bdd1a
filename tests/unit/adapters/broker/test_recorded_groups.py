"""Records of `__consumer_offsets` in a file of this machine: group by group, each rebalance once, as it was written first."""

import pickle
import random
from dataclasses import replace
from pathlib import Path

import pytest
from tests.harness.kafka import recorded_rebalances, streams_group_bytes
from tests.unit.rollout.streams.backtest.test_group import group

from holdfast.adapters.broker import recorded_groups
from holdfast.adapters.broker.recorded_groups import Spool, SpooledGroup, spool
from holdfast.errors import ClusterTrouble, MalformedBytes
from holdfast.kafka.wire import group_metadata
from holdfast.kafka.wire.streams_group_records import GroupMetadata, RecordKind, RecordValue, TargetMetadata
from holdfast.rollout.backtest.coordinated import CoordinatorRecord, Unreadable
from holdfast.rollout.backtest.generation import Generation

AT = recorded_rebalances.STARTED_MS


def generations(count: int) -> list[Generation]:
    return list(recorded_rebalances.history(group(), count, random.Random(2)))


def rebalances(group: SpooledGroup) -> list[Generation]:
    return [one for one in group.entries() if isinstance(one, Generation)]


def numbers(group: SpooledGroup) -> list[int]:
    return [one.number for one in rebalances(group)]


def put(past: Spool, group_id: str, found: Generation | None) -> None:
    value = None if found is None else recorded_rebalances.value(found, AT)
    past.take(recorded_rebalances.key(group_id), value, AT)
    past.file.flush()


def test_groups_that_share_a_partition_are_told_apart() -> None:
    found = generations(6)
    with spool(lambda one: one != "unwanted") as past:
        for one in found:
            for group_id in ("a", "unwanted", "b"):
                put(past, group_id, one)
        first, second = past.groups

        assert [first.group_id, second.group_id] == ["a", "b"]
        assert first.records == second.records == 6
        assert numbers(first) == [one.number for one in found]
        assert rebalances(second)[0].members == found[0].members
        again = pickle.loads(pickle.dumps(first))
        assert numbers(again) == [one.number for one in found]
        folder = Path(past.path).parent
    assert not folder.exists()


def test_a_rebalance_that_is_written_again_is_as_it_was_first() -> None:
    """A static member that comes back replaces what it had sent before: the leader did not see that."""
    (one,) = generations(1)
    later = replace(one, members=tuple(replace(member, subscription=b"later") for member in one.members))
    with spool(lambda _: True) as past:
        put(past, "a", one)
        put(past, "a", later)

        assert [each.members[0].subscription for each in rebalances(past.groups[0])] == [one.members[0].subscription]


def test_a_group_that_was_deleted_and_came_again_is_another_one() -> None:
    first, second, third = generations(3)
    with spool(lambda _: True) as past:
        put(past, "a", second)
        put(past, "a", None)
        put(past, "a", first)
        put(past, "b", third)
        put(past, "b", first)  # compaction has taken the record between

        assert [(one.group_id, one.records) for one in past.groups] == [("a", 1), ("a", 1), ("b", 1), ("b", 1)]


def test_a_record_without_assignments_is_no_rebalance() -> None:
    (one,) = generations(1)
    empty = replace(one, members=tuple(replace(member, assignment=b"") for member in one.members))
    with spool(lambda _: True) as past:
        put(past, "a", empty)

        assert list(past.groups[0].entries()) == []


def test_a_record_that_cannot_be_read_is_named_and_the_others_are_read() -> None:
    first, second = generations(2)
    with spool(lambda _: True) as past:
        put(past, "a", first)
        past.take(recorded_rebalances.key("a"), recorded_rebalances.value(second, AT)[:-3], AT)
        past.file.flush()

        (found,) = past.groups
        assert numbers(found) == [first.number]
        (trouble,) = found.unreadable()
        assert "GroupMetadataValue" in trouble


def stored(past: Spool, kind: RecordKind, value: RecordValue | bytes | None, group_id: str = "shop") -> None:
    name = "m" if kind in (RecordKind.MEMBER_METADATA, RecordKind.TARGET_MEMBER, RecordKind.CURRENT_MEMBER) else None
    data = value if value is None or isinstance(value, bytes) else streams_group_bytes.record(value)
    past.take(streams_group_bytes.key(kind, group_id, name), data, AT)
    past.file.flush()


def test_all_records_of_a_group_whose_broker_assigns_in_the_order_of_the_log() -> None:
    metadata, target = GroupMetadata(2, 0, 0, None), TargetMetadata(2, None)
    with spool(lambda one: one == "shop") as past:
        stored(past, RecordKind.TARGET_MEMBER, None)  # of a group that is gone
        stored(past, RecordKind.GROUP_METADATA, metadata)
        stored(past, RecordKind.GROUP_METADATA, metadata, "another")
        stored(past, RecordKind.TARGET_METADATA, target)
        stored(past, RecordKind.TARGET_METADATA, b"\0\7")
        stored(past, RecordKind.GROUP_METADATA, None)
        stored(past, RecordKind.GROUP_METADATA, metadata)
        first, second = past.groups

        found = [one for one in first.entries() if isinstance(one, CoordinatorRecord)]
        assert [one.value for one in found[:2]] == [metadata, target]
        assert isinstance(found[2].value, Unreadable)
        assert [(one.key.kind, one.value) for one in found[3:]] == [(RecordKind.GROUP_METADATA, None)]
        assert first.unreadable() == (found[2].value.why,)
        assert [one.value for one in second.entries() if isinstance(one, CoordinatorRecord)] == [metadata]


def test_too_much_for_the_disk_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_groups, "MOST_BYTES", 100)
    (one,) = generations(1)
    with spool(lambda _: True) as past, pytest.raises(ClusterTrouble, match="Give one group with --group"):
        put(past, "a", one)


def test_the_generation_is_read_without_the_members() -> None:
    (one,) = generations(1)
    assert group_metadata.generation_of(recorded_rebalances.value(one, AT)) == 1
    with pytest.raises(MalformedBytes):
        group_metadata.generation_of(b"\x00")
