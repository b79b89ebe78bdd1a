"""Process-metadata files, fake and real; and what only a disk can show: whole or not at all, and never under a running client."""

import fcntl
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes.process_metadata import MemoryProcessMetadataFiles

from holdfast.adapters.hosts.local_shell import LocalShell
from holdfast.adapters.hosts.process_metadata import HostProcessMetadataFiles
from holdfast.adapters.hosts.state_directories import Place
from holdfast.adapters.state_dirs.process_metadata import FILE_NAME, LocalProcessMetadataFiles
from holdfast.errors import StatePathTrouble
from holdfast.kafka.vocabulary import ProcessId
from holdfast.ports import ProcessMetadataFiles

OURS = ProcessId.parse("bbb83e43-b1af-4b2d-a60a-94a7091684d0")
THIRD = ProcessId.parse("7d9f2c5e-41b8-4a06-9c3d-5e8f0b7a6d21")
OTHER = ProcessId.parse("4b61083e-57d0-457d-951f-d06556c148ca")
HOLD_LOCK = """
import fcntl, sys
lock = open(sys.argv[1], 'wb')
fcntl.lockf(lock, fcntl.LOCK_EX)
print('held', flush=True)
sys.stdin.read()
"""


@pytest.fixture(params=["fake", "local", "host"])
def files(request: pytest.FixtureRequest, state_dir: Path) -> ProcessMetadataFiles:
    if request.param == "fake":
        return MemoryProcessMetadataFiles({str(state_dir): None})
    if request.param == "host":
        return OnAHost()
    return LocalProcessMetadataFiles()


class OnAHost:
    """By scripts, which run on this machine."""

    def __init__(self) -> None:
        self._files = HostProcessMetadataFiles({"here": lambda url: Place(LocalShell(), url.removeprefix("here://"), url, "here")})

    def read(self, state_dir: str) -> ProcessId | None:
        return self._files.read(f"here://{state_dir}")

    def write(self, state_dir: str, process_id: ProcessId, replaces: ProcessId | None = None) -> None:
        self._files.write(f"here://{state_dir}", process_id, replaces)

    def remove(self, state_dir: str, process_id: ProcessId) -> None:
        self._files.remove(f"here://{state_dir}", process_id)


REAL = pytest.mark.parametrize("real", [LocalProcessMetadataFiles, OnAHost])


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "state dir" / "streams-wordcount"
    folder.mkdir(parents=True)
    return folder


def test_what_was_written_is_read(files: ProcessMetadataFiles, state_dir: Path) -> None:
    assert files.read(str(state_dir)) is None

    files.write(str(state_dir), OURS)

    assert files.read(str(state_dir)) == OURS


def test_writing_the_same_again_is_nothing(files: ProcessMetadataFiles, state_dir: Path) -> None:
    files.write(str(state_dir), OURS)
    files.write(str(state_dir), OURS)

    assert files.read(str(state_dir)) == OURS


def test_another_id_is_never_overwritten(files: ProcessMetadataFiles, state_dir: Path) -> None:
    files.write(str(state_dir), OTHER)

    with pytest.raises(StatePathTrouble, match="already holds process ID 4b61083e"):
        files.write(str(state_dir), OURS)
    assert files.read(str(state_dir)) == OTHER


def test_an_id_that_is_known_to_be_there_is_replaced(files: ProcessMetadataFiles, state_dir: Path) -> None:
    files.write(str(state_dir), OTHER)

    files.write(str(state_dir), OURS, replaces=OTHER)
    files.write(str(state_dir), OURS, replaces=OTHER)

    assert files.read(str(state_dir)) == OURS
    with pytest.raises(StatePathTrouble, match=f"already holds process ID {OURS}, not {OTHER}"):
        files.write(str(state_dir), THIRD, replaces=OTHER)


def test_a_directory_that_is_not_there_is_not_made(files: ProcessMetadataFiles, state_dir: Path) -> None:
    with pytest.raises(StatePathTrouble, match="is not a directory"):
        files.write(str(state_dir / "missing"), OURS)

    assert files.read(str(state_dir / "missing")) is None


def test_what_was_written_is_removed(files: ProcessMetadataFiles, state_dir: Path) -> None:
    files.write(str(state_dir), OURS)

    files.remove(str(state_dir), OURS)
    files.remove(str(state_dir), OURS)
    files.remove(str(state_dir / "missing"), OURS)

    assert files.read(str(state_dir)) is None
    files.write(str(state_dir), OTHER)
    with pytest.raises(StatePathTrouble, match=f"holds process ID {OTHER}, not {OURS}"):
        files.remove(str(state_dir), OURS)
    assert files.read(str(state_dir)) == OTHER


def test_the_file_is_what_kafka_writes(state_dir: Path) -> None:
    LocalProcessMetadataFiles().write(f"file://{str(state_dir).replace(' ', '%20')}", OURS)

    assert json.loads((state_dir / FILE_NAME).read_text()) == {"processId": str(OURS)}
    assert [path.name for path in state_dir.iterdir()] == [FILE_NAME]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"{}", b'{"processId": null}', b'{"processId": "x"}', b"[]", b"\xff", b" " * 70_000, b"[" * 60_000]
)
@REAL
def test_a_broken_file_is_trouble_and_stays(real: Callable[[], ProcessMetadataFiles], state_dir: Path, content: bytes) -> None:
    (state_dir / FILE_NAME).write_bytes(content)

    with pytest.raises(StatePathTrouble):
        real().write(str(state_dir), OURS)
    assert (state_dir / FILE_NAME).read_bytes() == content


@REAL
def test_nothing_is_written_or_removed_under_a_running_client(real: Callable[[], ProcessMetadataFiles], state_dir: Path) -> None:
    """The lock that Java holds, held by another process."""
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            HOLD_LOCK,
            str(state_dir / ".lock"),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StatePathTrouble, match=rf"running client \(process {holder.pid}\)"):
            real().write(str(state_dir), OURS)
        assert not (state_dir / FILE_NAME).exists()
        (state_dir / FILE_NAME).write_text(json.dumps({"processId": str(OURS)}))
        with pytest.raises(StatePathTrouble, match=rf"running client \(process {holder.pid}\)"):
            real().remove(str(state_dir), OURS)
    finally:
        holder.communicate("")
    assert real().read(str(state_dir)) == OURS

    real().remove(str(state_dir), OURS)
    assert not (state_dir / FILE_NAME).exists()
    real().write(str(state_dir), OURS)

    assert real().read(str(state_dir)) == OURS


@REAL
def test_a_left_over_lock_file_does_not_matter(real: Callable[[], ProcessMetadataFiles], state_dir: Path) -> None:
    with (state_dir / ".lock").open("wb") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        fcntl.lockf(lock, fcntl.LOCK_UN)

    real().write(str(state_dir), OURS)

    assert real().read(str(state_dir)) == OURS


def test_a_remote_directory_is_refused() -> None:
    with pytest.raises(StatePathTrouble, match="ssh:// or a kubernetes:// URL only"):
        LocalProcessMetadataFiles().write("s3://bucket/state", OURS)
