"""Damaged RocksDB stores: each is read, or named with a reason, in a bounded time, and the caller continues."""

import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from holdfast.adapters.deadline import Deadline
from holdfast.adapters.state_dirs import folders, rocksdb_child, rocksdb_offsets
from holdfast.adapters.state_dirs.rocksdb_offsets import StoreReader
from holdfast.adapters.state_dirs.state_files import FsspecStateDirectories
from holdfast.errors import StatePathTrouble
from holdfast.kafka.vocabulary import TopicPartition

pytestmark = pytest.mark.starts

RECORDED = Path(__file__).parents[2] / "recorded" / "store-4.3.1"
MANIFEST = "MANIFEST-000005"
DAMAGED = int(os.environ.get("HOLDFAST_DAMAGED_STORES") or 40)
SEED = int(os.environ.get("HOLDFAST_CONFORMANCE_SEED") or random.SystemRandom().randrange(2**32))
METADATA = '{"processId":"4b61083e-57d0-457d-951f-d06556c148ca"}'

Records = list[tuple[int, bytes]]


def crc32c(data: bytes) -> int:
    remainder = 0xFFFFFFFF
    for byte in data:
        remainder ^= byte
        for _ in range(8):
            remainder = remainder >> 1 ^ (0x82F63B78 if remainder & 1 else 0)
    return remainder ^ 0xFFFFFFFF


def records(manifest: bytes) -> Records:
    """(type, payload) of each: after a checksum of four bytes, the length in two."""
    found, place = [], 0
    while place + 7 <= len(manifest):
        end = place + 7 + int.from_bytes(manifest[place + 4 : place + 6], "little")
        found.append((manifest[place + 6], manifest[place + 7 : end]))
        place = end
    return found


def manifest_of(these: Records) -> bytes:
    """With checksums that are right: damage that no checksum shows."""
    parts = []
    for kind, payload in these:
        crc = crc32c(bytes([kind]) + payload)
        masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
        parts.append(masked.to_bytes(4, "little") + len(payload).to_bytes(2, "little") + bytes([kind]) + payload)
    return b"".join(parts)


WHOLE = records((RECORDED / MANIFEST).read_bytes())
ENDLESS = manifest_of([(11, payload) if number == 4 else (kind, payload) for number, (kind, payload) in enumerate(WHOLE)])
"""One record is of a kind that rocksdict's native code tries to read for ever, with the interpreter in its hands."""
LIMIT_S = 4.0
"""On a busy machine a sound store opens well within it, and a thread that is let run is let run more often."""


def state_directory(tmp_path: Path, *tasks: str) -> Path:
    directory = tmp_path / "app"
    for task in tasks:
        shutil.copytree(RECORDED, directory / task / "rocksdb" / "counts-store")
    (directory / "kafka-streams-process-metadata").write_text(METADATA)
    return directory


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rocksdb_offsets, "STORE_LIMIT_S", LIMIT_S)


def children() -> list[psutil.Process]:
    return [one for one in psutil.Process().children(recursive=True) if "rocksdb_child" in " ".join(_command(one))]


def _command(process: psutil.Process) -> list[str]:
    """Empty: it has ended, as one of another test whose parent has not looked yet."""
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []


@pytest.mark.usefixtures("short")
def test_a_store_that_never_opens_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    directory = state_directory(tmp_path, "0_0", "1_0", "2_0")
    (directory / "1_0" / "rocksdb" / "counts-store" / MANIFEST).write_bytes(ENDLESS)
    ticks: list[int] = []
    stop = threading.Event()
    other = threading.Thread(target=lambda: [ticks.append(1) for _ in iter(lambda: stop.wait(0.05), True)])
    other.start()
    try:
        found, unknown = FsspecStateDirectories(Deadline(60)).read(str(directory))
    finally:
        stop.set()
        other.join()

    offsets = ((TopicPartition("wc-counts-store-changelog", 0), 13),)
    assert [task.checkpoint for task in found.tasks] == [offsets, None, offsets]
    assert [one.reason for one in unknown if f"opening it took longer than {LIMIT_S:g} s" in one.reason] != []
    assert len(ticks) > 5  # others kept the interpreter
    assert children() == []


def damage(chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """A file of the store as it might be found: bytes changed, cut, doubled; and a MANIFEST whose checksums are right."""
    name = chance.choice(("CURRENT", "OPTIONS-000009", "000010.sst", "000011.sst", MANIFEST, MANIFEST, MANIFEST))
    if name == MANIFEST and chance.random() < 0.7:
        these = list(WHOLE)
        for _ in range(chance.choice((1, 1, 3))):
            number = chance.randrange(len(these))
            these[number] = (these[number][0], _bent(chance, these[number][1]))
        yield name, manifest_of(these)
    else:
        yield name, _bent(chance, (RECORDED / name).read_bytes())


def _bent(chance: random.Random, data: bytes) -> bytes:
    place = chance.randrange(len(data)) if data else 0
    return chance.choice(
        (
            data[:place],
            data[:place] + bytes([chance.choice((0, 1, 127, 128, 255))]) + data[place + 1 :],
            data[:place] + b"\xff" * 9 + b"\x01" + data[place:],
            data[:place] + data[place + 8 :],
            data[:place] + data[place : place + 100] * 3 + data[place:],
            bytes(len(data)),
        )
    )


def test_every_damage_ends_in_an_answer_or_a_reason(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    with folders.opened(str(tmp_path)) as root, StoreReader(root.descriptor, limit_s=3_600) as reader:
        for number in range(DAMAGED):
            store = tmp_path / str(number)
            shutil.copytree(RECORDED, store)
            for name, content in damage(chance):
                (store / name).write_bytes(content)
            try:
                entries, said = reader.read(store.name), ""
            except StatePathTrouble as problem:
                entries, said = None, str(problem)
            assert entries is None or all(isinstance(part, bytes) for entry in entries for part in entry), SEED
            assert not said or "cannot be read" in said, SEED
            shutil.rmtree(store)
    assert children() == []


def test_what_is_no_file_is_left_alone(tmp_path: Path) -> None:
    for kind in ("pipe", "link", "folder"):
        store = tmp_path / kind
        shutil.copytree(RECORDED, store)
        (store / "CURRENT").unlink()
        if kind == "pipe":
            os.mkfifo(store / "CURRENT")
        elif kind == "link":
            (store / "CURRENT").symlink_to(RECORDED / "CURRENT")
        else:
            (store / "CURRENT").mkdir()
        with pytest.raises(StatePathTrouble, match="cannot be read"):
            rocksdb_offsets.read(store)


def test_a_link_in_place_of_a_store_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "store").symlink_to(RECORDED)
    with pytest.raises(StatePathTrouble, match="symbolic link"):
        rocksdb_offsets.read(tmp_path / "store")


@pytest.mark.parametrize(
    ("child", "said"),
    [
        ("import os; os.kill(os.getpid(), 6)", "ended by SIGABRT"),
        ("raise SystemExit(3)", "ended with status 3"),
        ("print('{}', flush=True); input(); print('no JSON', flush=True)", "returned invalid data"),
        ("print('{}', flush=True); input(); print('[' * 100000, flush=True)", "returned invalid data"),
        ("print('{}', flush=True); input(); print('{\"entries\": [[1, 2]]}', flush=True)", "returned invalid data"),
        ("print('{}', flush=True); input(); print('x' * 70_000_000, flush=True)", "more than"),
    ],
)
def test_a_reader_that_goes_wrong_is_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, child: str, said: str) -> None:
    popen = rocksdb_offsets.subprocess.Popen
    monkeypatch.setattr(rocksdb_offsets.subprocess, "Popen", lambda command, **options: popen([command[0], "-c", child], **options))
    with pytest.raises(StatePathTrouble, match=said):
        rocksdb_offsets.read(RECORDED)


def test_the_reader_has_no_secret_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__CORE__FERNET_KEY", "k")
    seen: list[dict[str, str]] = []
    popen = rocksdb_offsets.subprocess.Popen

    def watched(command: list[str], **options: object) -> object:
        seen.append(options["env"])  # type: ignore[arg-type]
        return popen(command, **options)

    monkeypatch.setattr(rocksdb_offsets.subprocess, "Popen", watched)
    assert rocksdb_offsets.read(RECORDED)
    assert "AIRFLOW__CORE__FERNET_KEY" not in seen[0]


def test_it_has_little_memory_and_time() -> None:
    assert rocksdb_child.MEMORY_BYTES <= 2 * 1024**3
    limits = "from holdfast.adapters.state_dirs import rocksdb_child as it; it._limit(1);"
    full = subprocess.run([sys.executable, "-c", f"{limits} bytes(it.MEMORY_BYTES)"], capture_output=True, check=False)
    assert b"MemoryError" in full.stderr
    endless = subprocess.run(
        [sys.executable, "-c", f"{limits} (1 << 400_000_000) ** 9"], capture_output=True, check=False, timeout=600
    )
    assert endless.returncode < 0 or b"MemoryError" in endless.stderr
