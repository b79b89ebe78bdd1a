"""The past of a group as a file: what is written is read, bounded; what is damaged is named."""

import random
from dataclasses import replace

import pytest
from tests.harness.kafka import recorded_rebalances, streams_group_bytes
from tests.harness.kafka.recorded_targets import WrittenGroup
from tests.unit.rollout.streams.backtest.test_group import group

from holdfast.errors import InvalidInput, MalformedBytes
from holdfast.rollout.backtest import past_file
from holdfast.rollout.backtest.entries import Frame
from holdfast.rollout.backtest.past_file import PastHeader
from holdfast.rollout.backtest.results import Given

HEADER = PastHeader(
    "here", "app", "2026-11-21T01:00:00Z", False, "3.9.1", None, (("max.warmup.replicas", 4),), (("app-log", (7, None)),)
)
AT = recorded_rebalances.STARTED_MS


def frames(count: int = 4) -> list[Frame]:
    """Of a group whose leader assigns."""
    found = recorded_rebalances.history(group(), count, random.Random(2))
    return [Frame(AT, recorded_rebalances.key("app"), recorded_rebalances.value(one, AT)) for one in found]


def of_broker() -> list[Frame]:
    written = WrittenGroup()
    for name in ("a", "b"):
        written.join(name, f"process-{name}")
    written.leave("a")
    return [
        Frame(
            one.written_at_ms,
            streams_group_bytes.key(one.key.kind, one.key.group_id, one.key.member_id),
            None if one.value is None else streams_group_bytes.record(one.value),  # type: ignore[arg-type]
        )
        for one in written.log
    ]


def test_what_is_written_is_read() -> None:
    content = past_file.written(HEADER, frames())
    assert content is not None
    header, entries, troubles = past_file.read(content)

    assert header == HEADER
    assert header.given == Given("3.9.1", None, (("max.warmup.replicas", 4),), (("app-log", (7, None)),))
    assert [one.number for one in entries()] == [one.number for one in entries()] == [1, 2, 3, 4]  # type: ignore[union-attr]
    assert not troubles


def test_what_the_brokers_said_is_read() -> None:
    said = replace(HEADER, brokers_newest="4.3", group_configs=(("streams.heartbeat.interval.ms", "1000"),))
    content = past_file.written(said, [])
    assert content is not None
    given = past_file.read(content)[0].given
    assert (given.brokers_newest, given.group_configs) == (said.brokers_newest, said.group_configs)


def test_the_oldest_are_left_out_where_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past_file, "MOST_RECORDS", 3)
    content = past_file.written(HEADER, frames())
    assert content is not None
    header, entries, _ = past_file.read(content)
    assert (header.left_out, [one.number for one in entries()]) == (1, [2, 3, 4])  # type: ignore[union-attr]

    monkeypatch.setattr(past_file, "MOST_BYTES", 1)
    content = past_file.written(HEADER, frames())
    assert content is not None
    assert past_file.read(content)[0].left_out == 4


def test_of_a_group_whose_broker_assigns_all_records_count(monkeypatch: pytest.MonkeyPatch) -> None:
    coordinated = PastHeader("here", "shop", HEADER.read_at, coordinated=True)
    content = past_file.written(coordinated, of_broker())
    assert content is not None
    assert len([*past_file.read(content)[1]()]) == len(of_broker())
    monkeypatch.setattr(past_file, "MOST_RECORDS", 3)
    assert past_file.written(coordinated, of_broker()) is None


def test_what_is_damaged_is_named() -> None:
    content = past_file.written(HEADER, frames())
    assert content is not None
    with pytest.raises(InvalidInput, match="a line of JSON is needed"):
        past_file.read(b"nothing")
    with pytest.raises(InvalidInput):
        past_file.read(b"{}\n")
    _, entries, troubles = past_file.read(content[:-3])
    with pytest.raises(MalformedBytes, match="ends too early"):
        list(entries())
    _, entries, troubles = past_file.read(past_file.written(HEADER, [Frame(AT, b"k", b"\x00")]) or b"")
    assert [*entries()] == []
    assert "GroupMetadataValue" in next(iter(troubles))
    for head in (b"\0" * 3, b"\0" * 8 + b"\xff" * 8):
        with pytest.raises(MalformedBytes):
            list(past_file.read((past_file.written(HEADER, []) or b"") + head)[1]())
