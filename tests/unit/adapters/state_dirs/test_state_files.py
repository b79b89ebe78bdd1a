"""What a state directory may hold in addition to a task's checkpoint: locks, global stores, named topologies, and unknown
entries."""

import os
from pathlib import Path

import fsspec
import pytest
from tests.unit.adapters.state_dirs.test_file_locks import held_by_another

from holdfast.adapters.deadline import Deadline
from holdfast.adapters.state_dirs import state_trees
from holdfast.adapters.state_dirs.state_files import FsspecStateDirectories
from holdfast.errors import StatePathTrouble
from holdfast.kafka.vocabulary import TaskId, TopicPartition
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.disks.state_directory import Lock, StateDirectory

METADATA = '{"processId":"4b61083e-57d0-457d-951f-d06556c148ca"}'


def made(folder: Path, files: dict[str, str]) -> Path:
    """`<state.dir>/<application.id>` with these files and its process metadata."""
    root = folder / "app"
    for name, text in {"kafka-streams-process-metadata": METADATA, ".lock": "", **files}.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return root


def read(root: Path) -> tuple[StateDirectory, tuple[Unknown, ...]]:
    return FsspecStateDirectories(Deadline(30)).read(str(root))


def said(unknown: tuple[Unknown, ...], what: str) -> str:
    return " | ".join(one.reason for one in unknown if one.what.endswith(what))


class TestLocks:
    def test_who_runs_on_the_directory_and_on_a_task_is_said(self, tmp_path: Path) -> None:
        root = made(tmp_path, {"0_0/.lock": "", "0_0/rocksdb/s/x": "", "0_1/.lock": "", "0_2/rocksdb/s/x": ""})
        with held_by_another(root / ".lock") as client, held_by_another(root / "0_0" / ".lock") as thread:
            found, unknown = read(root)
            assert found.lock == Lock(held=True, pid=client.pid)
            assert [task.lock for task in found.tasks] == [Lock(held=True, pid=thread.pid), Lock(held=False), None]
            assert unknown == ()
        assert read(root)[0].lock == Lock(held=False)

    def test_a_url_of_the_local_disk_is_as_good_as_a_path(self, tmp_path: Path) -> None:
        root = made(tmp_path, {})
        with held_by_another(root / ".lock") as client:
            found, _ = FsspecStateDirectories(Deadline(30)).read(f"file://{root}")
        assert found.lock == Lock(held=True, pid=client.pid)

    def test_elsewhere_it_cannot_be_known(self, tmp_path: Path) -> None:
        fsspec.filesystem("memory").pipe_file(f"/{tmp_path.name}/app/.lock", b"")
        found, _ = FsspecStateDirectories(Deadline(30)).read(f"memory://{tmp_path.name}/app")
        assert found.lock is not None
        assert found.lock.held is None
        assert "over memory" in str(found.lock.reason)

    def test_a_link_that_leads_out_is_not_asked(self, tmp_path: Path) -> None:
        root = made(tmp_path, {})
        (tmp_path / "elsewhere").write_text("")
        (root / ".lock").unlink()
        (root / ".lock").symlink_to(tmp_path / "elsewhere")
        with held_by_another(tmp_path / "elsewhere"):
            found, _ = read(root)
        assert found.lock is not None
        assert (found.lock.held, found.lock.pid) == (None, None)
        assert "could lead out" in str(found.lock.reason)


class TestGlobalStores:
    def test_their_checkpoint_is_read_and_is_no_task_s(self, tmp_path: Path) -> None:
        found, unknown = read(made(tmp_path, {"global/.checkpoint": "0\n1\nprices 3 17\n", "global/rocksdb/prices/x": ""}))
        assert found.global_checkpoint == ((TopicPartition("prices", 3), 17),)
        assert (found.tasks, unknown) == ((), ())

    def test_those_of_4_3_that_are_no_rocksdb_have_files_of_their_own(self, tmp_path: Path) -> None:
        found, _ = read(made(tmp_path, {"global/.checkpoint_prices": "0\n1\nprices 3 17\n"}))
        assert found.global_checkpoint == ((TopicPartition("prices", 3), 17),)

    def test_a_broken_one_is_named(self, tmp_path: Path) -> None:
        found, unknown = read(made(tmp_path, {"global/.checkpoint": "0\n"}))
        assert found.global_checkpoint is None
        assert "second line" in said(unknown, "/global")

    def test_a_file_in_its_place_is_named(self, tmp_path: Path) -> None:
        found, unknown = read(made(tmp_path, {"global": "x"}))
        assert found.global_checkpoint is None
        assert said(unknown, "/global")


class TestNamedTopologies:
    def test_their_tasks_are_read_and_refused_by_name(self, tmp_path: Path) -> None:
        files = {
            "__orders__/0_1/.checkpoint": "0\n1\nlog 1 7\n",
            "__orders__/0_1/rocksdb/s/x": "",
            "__orders__/junk": "",
            "0_1/x": "",
        }
        found, unknown = read(made(tmp_path, files))

        ((name, (task,)),) = found.named_topologies
        assert (name, task.task_id, task.checkpoint) == ("orders", TaskId(0, 1), ((TopicPartition("log", 1), 7),))
        assert [(each.task_id, each.checkpoint) for each in found.tasks] == [(TaskId(0, 1), None)]
        assert "named topology 'orders'" in said(unknown, "/__orders__")
        assert "not modelled" in said(unknown, "/__orders__")

    def test_a_file_of_such_a_name_is_named(self, tmp_path: Path) -> None:
        found, unknown = read(made(tmp_path, {"__x__": "no directory"}))
        assert found.named_topologies == (("x", ()),)
        assert said(unknown, "/__x__")


class TestWhatNobodyKnows:
    def test_other_entries_are_listed_and_do_no_harm(self, tmp_path: Path) -> None:
        files = {"lost+found/x": "", "0_0.bak/.checkpoint": "0\n", "1_0/rocksdb/s/x": "", "notes.txt": "", "____": ""}
        found, unknown = read(made(tmp_path, files))
        assert found.others == ("0_0.bak", "____", "lost+found", "notes.txt")
        assert [task.task_id for task in found.tasks] == [TaskId(1, 0)]
        assert unknown == ()

    @pytest.mark.parametrize("name", ["2147483648_0", f"0_{'9' * 200}"])
    def test_a_number_that_no_task_has_is_named(self, tmp_path: Path, name: str) -> None:
        found, unknown = read(made(tmp_path, {f"{name}/.checkpoint": "0\n0\n"}))
        assert found.tasks == ()
        assert "no task has" in said(unknown, name)

    def test_a_second_spelling_of_a_task_is_named_and_not_read(self, tmp_path: Path) -> None:
        """Kafka parses 01_0 as task 1_0, and then looks into the directory 1_0."""
        files = {"01_0/.checkpoint": "0\n1\nold 0 99\n", "01_0/x": "", "1_0/.checkpoint": "0\n1\nlog 0 7\n", "1_0/x": ""}
        found, unknown = read(made(tmp_path, files))
        assert [task.checkpoint for task in found.tasks] == [((TopicPartition("log", 0), 7),)]
        assert "is called 1_0" in said(unknown, "01_0")

    def test_a_file_in_place_of_a_task_is_named(self, tmp_path: Path) -> None:
        found, unknown = read(made(tmp_path, {"0_0": "no directory", "1_0/x": ""}))
        assert [task.task_id for task in found.tasks] == [TaskId(1, 0)]
        assert said(unknown, "/0_0")


@pytest.mark.parametrize(
    ("url", "extra"),
    [("s3://b/x", "s3"), ("simplecache::sftp://h/x", "sftp"), ("http://h/x", "http"), ("/x", ""), ("no://h", "")],
)
def test_a_library_that_is_missing_is_named_with_its_extra(url: str, extra: str) -> None:
    assert (f"holdfast[{extra}]" in state_trees.extra_for(url)) if extra else state_trees.extra_for(url) == ""


class TestWhatIsUnreadable:
    @pytest.mark.parametrize("name", ["kafka-streams-process-metadata", "0_0/.checkpoint", "global/.checkpoint"])
    @pytest.mark.parametrize("kind", ["pipe", "link", "folder", "huge"])
    def test_what_is_no_file_is_named_and_neither_followed_nor_waited_for(self, tmp_path: Path, name: str, kind: str) -> None:
        root = made(tmp_path, {"0_0/.checkpoint": "0\n0\n", "0_0/rocksdb/s/x": "", "global/.checkpoint": "0\n0\n"})
        place, inside = root / name, root / "inside"
        inside.write_text("0\n1\nlog 0 7\n")
        place.unlink()
        {
            "pipe": lambda: os.mkfifo(place),
            "link": lambda: place.symlink_to(inside),
            "folder": place.mkdir,
            "huge": lambda: os.truncate(place, 2**40) if not place.touch() else None,
        }[kind]()
        found, unknown = read(root)
        assert said(unknown, name.removesuffix("/.checkpoint") if name.startswith("global") else name)
        assert len(found.tasks) == 1

    @pytest.mark.parametrize("link", ["app", "above"])
    def test_a_link_in_the_place_of_the_directory_is_named_with_where_it_leads(self, tmp_path: Path, link: str) -> None:
        victim = made(tmp_path / "victim", {})
        (tmp_path / "above").symlink_to(victim.parent)
        (tmp_path / "app").symlink_to(victim)
        asked = tmp_path / "app" if link == "app" else tmp_path / "above" / "app"
        for url in (str(asked), f"file://{asked}"):
            with pytest.raises(StatePathTrouble, match=rf"{link} is a symbolic link \(to '.*/victim"):
                FsspecStateDirectories(Deadline(30)).read(url)

    @pytest.mark.parametrize(
        "text", ["", "x", "0\n", "0\n2\nlog 0 1\n", "1\n0\n", "0\n1\nlog 0 x\n", "0\n1\nlog 0\n", "0\n-1\n", "0\n1\n\n"]
    )
    def test_a_broken_checkpoint_marks_its_task(self, tmp_path: Path, text: str) -> None:
        found, unknown = read(made(tmp_path, {"0_0/.checkpoint": text, "0_0/rocksdb/s/x": ""}))
        (task,) = found.tasks
        assert (task.checkpoint, task.unreadable) == (None, True)
        assert said(unknown, "0_0/.checkpoint")

    def test_an_empty_checkpoint_of_no_entries_is_whole(self, tmp_path: Path) -> None:
        (task,) = read(made(tmp_path, {"0_0/.checkpoint": "0\n0\n", "0_0/rocksdb/s/x": ""}))[0].tasks
        assert (task.checkpoint, task.unreadable) == ((), False)

    def test_stores_far_away_are_not_read_and_it_is_said(self, tmp_path: Path) -> None:
        fsspec.filesystem("memory").pipe_file(f"/{tmp_path.name}/app/0_0/rocksdb/s/CURRENT", b"x")
        (task,) = FsspecStateDirectories(Deadline(30)).read(f"memory://{tmp_path.name}/app")[0].tasks
        assert (task.checkpoint, task.unreadable) == (None, True)
