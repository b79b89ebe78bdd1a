"""Every reader of state directories keeps the promises of its port: the fake, a local folder, a URL, an object store."""

from collections.abc import Callable, Mapping
from pathlib import Path

import fsspec
import pytest
from tests.fakes.cluster import FakeStateDirectories

from holdfast.adapters.deadline import Deadline
from holdfast.adapters.hosts.local_shell import LocalShell
from holdfast.adapters.hosts.state_directories import Place, StateDirectories
from holdfast.adapters.state_dirs.state_files import FsspecStateDirectories, public_url
from holdfast.errors import StatePathTrouble
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.ports import StateDirectoryReader
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.disks.state_directory import StateDirectory, TaskDirectory

A = ProcessId.parse("4b61083e-57d0-457d-951f-d06556c148ca")
LOG = "wc-counts-changelog"
FILES = {
    "kafka-streams-process-metadata": f'{{"processId":"{A}"}}',
    ".lock": "",
    "0_0/.lock": "",
    "1_0/.checkpoint": f"0\n1\n{LOG} 0 7\n",
    "1_0/rocksdb/counts/000001.sst": "x",
    "1_0/by-day/by-day.1795219200000/CURRENT": "x",
    "1_0/counts.position": "x",
    "1_1/rocksdb/counts/000001.sst": "x",
    "1_10/.checkpoint": f"0\n2\n{LOG} 10 7\n",
    "global/.checkpoint": "0\n0\n",
}


def _local(folder: Path, files: Mapping[str, str]) -> tuple[StateDirectoryReader, str]:
    root = folder / "state dir" / "wc"
    for name, text in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return FsspecStateDirectories(Deadline(30)), str(root)


def _url(folder: Path, files: Mapping[str, str]) -> tuple[StateDirectoryReader, str]:
    reader, root = _local(folder, files)
    return reader, f"file://{root}"


def _memory(folder: Path, files: Mapping[str, str]) -> tuple[StateDirectoryReader, str]:
    store = fsspec.filesystem("memory")
    root = f"/{folder.name}/wc"
    for name, text in files.items():
        store.pipe_file(f"{root}/{name}", text.encode())
    return FsspecStateDirectories(Deadline(30)), f"memory://{root}"


def _host(folder: Path, files: Mapping[str, str]) -> tuple[StateDirectoryReader, str]:
    """By scripts, which run on this machine."""
    _, root = _local(folder, files)

    def reach(url: str) -> Place:
        return Place(LocalShell(), url.removeprefix("here://"), url, "this host", sees_locks=lambda: True)

    return StateDirectories(Deadline(60), {"here": reach}), f"here://{root}"


def _fake(folder: Path, files: Mapping[str, str]) -> tuple[StateDirectoryReader, str]:
    """Knows one directory, the one of FILES, and none without files."""
    if not files:
        return FakeStateDirectories(), "/gone"
    tasks = (
        TaskDirectory(TaskId(0, 0), None, non_empty=False),
        TaskDirectory(TaskId(1, 0), ((TopicPartition(LOG, 0), 7),), non_empty=True, stores=("by-day", "counts")),
        TaskDirectory(TaskId(1, 1), None, non_empty=True, stores=("counts",)),
        TaskDirectory(TaskId(1, 10), None, non_empty=False),
    )
    unknown = (Unknown("state_directories./fake/1_10/.checkpoint", "the checkpoint announces 2 entries and has 1"),)
    return FakeStateDirectories({"/fake": (StateDirectory("/fake", A, tasks=tasks), unknown)}), "/fake"


READERS: dict[str, Callable[[Path, Mapping[str, str]], tuple[StateDirectoryReader, str]]] = {
    "fake": _fake,
    "local folder": _local,
    "file URL": _url,
    "object store": _memory,
    "host": _host,
}


@pytest.fixture(params=READERS.values(), ids=READERS.keys())
def make(request: pytest.FixtureRequest) -> Callable[[Path, Mapping[str, str]], tuple[StateDirectoryReader, str]]:
    return request.param


def test_tasks_process_id_and_what_is_broken(make, tmp_path: Path) -> None:
    reader, url = make(tmp_path, FILES)
    found, unknown = reader.read(url)

    assert found.process_id == A
    assert [(str(task.task_id), task.checkpoint, task.non_empty, task.stores) for task in found.tasks] == [
        ("0_0", None, False, ()),
        ("1_0", ((TopicPartition(LOG, 0), 7),), True, ("by-day", "counts")),
        ("1_1", None, True, ("counts",)),
        ("1_10", None, False, ()),
    ]
    assert len(unknown) == 1
    assert unknown[0].what.endswith("1_10/.checkpoint")
    assert "announces 2 entries and has 1" in unknown[0].reason


def test_a_directory_that_is_not_there_is_refused(make, tmp_path: Path) -> None:
    reader, url = make(tmp_path, {})
    with pytest.raises(StatePathTrouble, match="no such directory"):
        reader.read(url)


class TestTheRealReader:
    """What the fake has no files for."""

    def read(self, folder: Path, files: Mapping[str, str]) -> tuple[StateDirectory, tuple[Unknown, ...]]:
        reader, url = _local(folder, files)
        return reader.read(url)

    def test_files_come_with_their_size_and_time(self, tmp_path: Path) -> None:
        found, _ = self.read(tmp_path, FILES)
        assert {file.path: file.size for file in found.files} == {
            "kafka-streams-process-metadata": 52,
            "1_0/.checkpoint": 28,
            "1_10/.checkpoint": 29,
            "global/.checkpoint": 4,
        }
        assert all(file.modified_at and file.modified_at.endswith("Z") for file in found.files)

    @pytest.mark.parametrize(
        ("content", "said"),
        [("", "not JSON"), ("{}", "no process ID"), ('{"processId": "x"}', "not a UUID")],
        ids=["empty", "none", "bad"],
    )
    def test_broken_process_metadata_is_said(self, tmp_path: Path, content: str, said: str) -> None:
        found, unknown = self.read(tmp_path, FILES | {"kafka-streams-process-metadata": content})
        assert found.process_id is None
        assert any(said in each.reason and "new" in each.reason for each in unknown)

    def test_no_process_metadata_is_said(self, tmp_path: Path) -> None:
        files = {name: text for name, text in FILES.items() if name != "kafka-streams-process-metadata"}
        found, unknown = self.read(tmp_path, files)
        assert found.process_id is None
        assert "its client is unknown" in unknown[0].reason

    def test_links_that_lead_out_are_not_followed(self, tmp_path: Path) -> None:
        _, root = _local(tmp_path, FILES)
        secret = tmp_path / "secret"
        secret.mkdir()
        (secret / ".checkpoint").write_text("0\n1\nstolen 0 1\n")
        Path(root, "9_0").symlink_to(secret)
        Path(root, "1_0", ".checkpoint").unlink()
        Path(root, "1_0", ".checkpoint").symlink_to(secret / ".checkpoint")
        found, unknown = FsspecStateDirectories(Deadline(30)).read(root)
        assert "stolen" not in repr(found)
        assert sum("could lead out" in each.reason for each in unknown) == 2

    def test_an_absurdly_large_file_is_not_read(self, tmp_path: Path) -> None:
        found, unknown = self.read(tmp_path, FILES | {"1_0/.checkpoint": "0\n1\n" + "x" * 2_000_000})
        assert found.tasks[1].checkpoint is None
        assert any("larger than" in each.reason for each in unknown)

    def test_a_file_in_place_of_the_directory_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        with pytest.raises(StatePathTrouble, match="no such directory"):
            FsspecStateDirectories(Deadline(30)).read(str(tmp_path / "file"))

    def test_an_unknown_kind_of_url_is_refused_without_its_password(self) -> None:
        with pytest.raises(StatePathTrouble) as refused:
            FsspecStateDirectories(Deadline(30)).read("nosuch://me:topsecret@host/x")
        assert "topsecret" not in str(refused.value)
        assert refused.value.__cause__ is None

    @pytest.mark.parametrize(
        ("url", "shown"),
        [
            ("sftp://me:secret@host:22/state/wc", "sftp://host:22/state/wc"),
            ("s3://bucket/wc?token=secret#x", "s3://bucket/wc"),
            ("/var/state/wc", "/var/state/wc"),
            ("file:///var/state/w@c", "file:///var/state/w@c"),
            ("file:/var/wc?token=secret", "file:/var/wc"),
            ("s3://me:secret@[::1/wc?token=secret", "s3://[::1/wc"),
        ],
    )
    def test_what_is_shown_of_a_url_has_no_secret(self, url: str, shown: str) -> None:
        assert public_url(url) == shown
