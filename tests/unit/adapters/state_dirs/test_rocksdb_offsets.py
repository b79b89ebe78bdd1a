"""Offsets inside RocksDB stores, read without touching them: one that Kafka Streams 4.3.1 closed, and others made here."""

import hashlib
import shutil
from pathlib import Path

import pytest
from rocksdict import Options, Rdict

from holdfast.adapters.deadline import Deadline
from holdfast.adapters.state_dirs import rocksdb_offsets
from holdfast.adapters.state_dirs.state_files import FsspecStateDirectories
from holdfast.errors import StatePathTrouble
from holdfast.kafka import store_offsets
from holdfast.kafka.vocabulary import TaskId, TopicPartition
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.disks.state_directory import StateDirectory, TaskDirectory

RECORDED = Path(__file__).parents[2] / "recorded" / "store-4.3.1"
"""`rocksdb/counts-store` of task 1_0 of a word count, closed cleanly with 14 records in its changelog."""
CHANGELOG = TopicPartition("wc-counts-store-changelog", 0)


def number(value: int) -> bytes:
    return value.to_bytes(8, "big", signed=True)


def a_store(folder: Path, entries: dict[bytes, bytes]) -> None:
    """A store with these entries next to its data, as a release from 4.3 on leaves it."""
    folder.mkdir(parents=True)
    store = Rdict(str(folder), options=Options(raw_mode=True))
    offsets = store.create_column_family("offsets", Options(raw_mode=True))
    for key, value in entries.items():
        offsets[key] = value
    offsets.close()
    store.close()


def everything(folder: Path) -> dict[str, tuple[str, int]]:
    return {
        str(file.relative_to(folder)): (hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_mtime_ns)
        for file in folder.rglob("*")
        if file.is_file()
    }


def state_directory(tmp_path: Path, store: str = "rocksdb/counts-store") -> Path:
    """`<state.dir>/<application.id>` with the recorded store in task 1_0."""
    directory = tmp_path / "app"
    shutil.copytree(RECORDED, directory / "1_0" / store)
    (directory / "kafka-streams-process-metadata").write_text('{"processId":"4b61083e-57d0-457d-951f-d06556c148ca"}')
    return directory


def read(directory: Path) -> tuple[StateDirectory, tuple[Unknown, ...]]:
    return FsspecStateDirectories(Deadline(60)).read(str(directory))


def the_task(directory: Path) -> TaskDirectory:
    (task,) = read(directory)[0].tasks
    return task


def test_what_kafka_streams_4_3_1_wrote() -> None:
    kept = store_offsets.read(rocksdb_offsets.read(RECORDED) or [])

    assert kept == store_offsets.StoreOffsets(((CHANGELOG, 13),), open=False)
    assert store_offsets.offset_sum(kept.offsets) == 14


def test_reading_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    directory = state_directory(tmp_path)
    before = everything(directory)

    task = the_task(directory)

    assert task == TaskDirectory(TaskId(1, 0), ((CHANGELOG, 13),), non_empty=True, stores=("counts-store",), offsets_in_stores=True)
    assert everything(directory) == before


def test_a_directory_that_may_not_be_written_is_read(tmp_path: Path) -> None:
    directory = state_directory(tmp_path)
    store = directory / "1_0" / "rocksdb" / "counts-store"
    for place in (*store.iterdir(), store):
        place.chmod(0o555)
    try:
        assert the_task(directory).checkpoint == ((CHANGELOG, 13),)
    finally:
        store.chmod(0o755)


def test_the_newest_segment_that_has_an_offset_counts(tmp_path: Path) -> None:
    directory = state_directory(tmp_path)
    changelog = b"app-windows-changelog-0"
    for start, offset in ((60_000, 3), (120_000, 8), (1_200_000, None)):
        entries = {b"status": number(0)} | ({} if offset is None else {changelog: number(offset)})
        a_store(directory / "1_0" / "windows" / f"windows.{start}", entries)

    task = the_task(directory)

    assert task.checkpoint == ((TopicPartition("app-windows-changelog", 0), 8), (CHANGELOG, 13))
    assert task.stores == ("counts-store", "windows")


def test_a_checkpoint_file_of_a_store_that_is_no_rocksdb(tmp_path: Path) -> None:
    directory = state_directory(tmp_path)
    (directory / "1_0" / ".checkpoint_lucene").write_text("0\n1\napp-lucene-changelog 0 7\n")

    assert the_task(directory).checkpoint == ((TopicPartition("app-lucene-changelog", 0), 7), (CHANGELOG, 13))


def test_a_checkpoint_of_the_whole_task_is_an_older_release_s_and_wins(tmp_path: Path) -> None:
    directory = state_directory(tmp_path)
    (directory / "1_0" / ".checkpoint").write_text("0\n1\nold-changelog 0 5\n")

    task = the_task(directory)

    assert (task.checkpoint, task.offsets_in_stores) == (((TopicPartition("old-changelog", 0), 5),), False)


def test_a_store_that_was_left_open_is_named(tmp_path: Path) -> None:
    directory = tmp_path / "app"
    a_store(directory / "1_0" / "rocksdb" / "s", {b"status": number(1), b"c-0": number(4)})

    found, unknown = read(directory)

    assert found.tasks[0].checkpoint == ((TopicPartition("c", 0), 4),)
    assert any("1_0/s" in one.what and "not closed cleanly" in one.reason for one in unknown)


def test_a_store_of_an_older_release_keeps_no_offsets(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    store = Rdict(str(folder), options=Options(raw_mode=True))
    store[b"key"] = b"value"
    store.close()

    assert rocksdb_offsets.read(folder) is None


@pytest.mark.parametrize(
    ("entries", "complaint"),
    [
        ({b"no partition": number(1)}, "topic"),
        ({b"topic-x": number(1)}, "topic"),
        ({b"topic-99999999999": number(1)}, "topic"),
        ({b"-1": number(1)}, "topic"),
        ({b"\xff\xfe-1": number(1)}, "not text"),
        ({b"topic-1": b"\x01"}, "1 bytes"),
        ({b"topic-1": number(-2)}, "offset -2"),
        ({b"status": b""}, "0 bytes"),
    ],
)
def test_what_no_kafka_streams_writes_is_named(tmp_path: Path, entries: dict[bytes, bytes], complaint: str) -> None:
    directory = tmp_path / "app"
    a_store(directory / "1_0" / "rocksdb" / "s", entries)

    found, unknown = read(directory)

    assert found.tasks[0].checkpoint is None
    assert any(complaint in one.reason for one in unknown)


@pytest.mark.parametrize("broken", ["MANIFEST-000005", "CURRENT"])
def test_a_broken_store_is_named_and_the_rest_is_read(tmp_path: Path, broken: str) -> None:
    directory = state_directory(tmp_path)
    (directory / "1_0" / "rocksdb" / "counts-store" / broken).write_bytes(b"no such thing\n")
    a_store(directory / "1_1" / "rocksdb" / "counts-store", {b"wc-counts-store-changelog-1": number(2)})

    found, unknown = read(directory)

    assert [task.checkpoint for task in found.tasks] == [None, ((TopicPartition("wc-counts-store-changelog", 1), 2),)]
    assert any("1_0" in one.what and "cannot be read" in one.reason for one in unknown)


def test_a_table_that_is_a_link_to_elsewhere_is_not_followed(tmp_path: Path) -> None:
    directory = state_directory(tmp_path)
    table = directory / "1_0" / "rocksdb" / "counts-store" / "000011.sst"
    elsewhere = tmp_path / "elsewhere.sst"
    table.rename(elsewhere)
    table.symlink_to(elsewhere)

    with pytest.raises(StatePathTrouble, match="cannot be read"):
        rocksdb_offsets.read(table.parent)
