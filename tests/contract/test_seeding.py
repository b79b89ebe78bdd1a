"""Seeding a process ID into a directory that others write into, too: owners and rights, other keys, links, starts, kills."""

import fcntl
import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast.adapters.state_dirs import folders, process_metadata
from holdfast.adapters.state_dirs.process_metadata import FILE_NAME, LocalProcessMetadataFiles
from holdfast.errors import HoldfastError, NotAllowed, StatePathTrouble
from holdfast.kafka.vocabulary import ProcessId

OURS = ProcessId.parse("bbb83e43-b1af-4b2d-a60a-94a7091684d0")
THIRD = ProcessId.parse("7d9f2c5e-41b8-4a06-9c3d-5e8f0b7a6d21")
OTHER = ProcessId.parse("4b61083e-57d0-457d-951f-d06556c148ca")


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "state dir" / "streams-wordcount"
    folder.mkdir(parents=True)
    return folder


SOMEBODY = 4711 if os.geteuid() == 0 else os.geteuid()
"""Whom the application runs as: another user, where the tests may give files away."""
HOLD_LOCK_AND_FIND_FILE = """
import fcntl, os, sys
folder = sys.argv[1]
lock = open(os.path.join(folder, '.lock'), 'wb')
fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
print('held', flush=True)
sys.stdin.read()
"""


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def whose(file: Path) -> tuple[int, int, str]:
    found = file.lstat()
    return found.st_uid, found.st_gid, f"{stat.S_IMODE(found.st_mode):04o}"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


class TestOwnerAndRights:
    """A file that the application cannot read is a client that does not start."""

    @pytest.mark.parametrize("mask", [0o022, 0o027, 0o077, 0o777])
    @pytest.mark.parametrize(
        ("folder", "file"), [(0o750, "0640"), (0o755, "0644"), (0o700, "0640"), (0o770, "0660"), (0o777, "0664"), (0o2750, "0640")]
    )
    def test_a_new_file_is_the_folder_s_whatever_our_umask_is(self, state_dir: Path, mask: int, folder: int, file: str) -> None:
        os.chown(state_dir, SOMEBODY, SOMEBODY if SOMEBODY == 4711 else -1)
        state_dir.chmod(folder)
        with umask(mask):
            LocalProcessMetadataFiles().write(str(state_dir), OURS)

        found = state_dir.stat()
        assert whose(state_dir / FILE_NAME) == (found.st_uid, found.st_gid, file)

    @pytest.mark.parametrize("mode", [0o640, 0o600, 0o664, 0o444])
    def test_a_replaced_file_keeps_its_own(self, state_dir: Path, mode: int) -> None:
        file = state_dir / FILE_NAME
        file.write_text(json.dumps({"processId": str(OTHER)}))
        os.chown(file, SOMEBODY, -1)
        file.chmod(mode)
        before = whose(file)
        with umask(0o027):
            LocalProcessMetadataFiles().write(str(state_dir), OURS, replaces=OTHER)

        assert whose(file) == before
        assert whose(state_dir / ".lock") == before  # made for the client that will take it
        assert LocalProcessMetadataFiles().read(str(state_dir)) == OURS

    def test_the_lock_file_of_the_client_is_left_as_it_is(self, state_dir: Path) -> None:
        lock = state_dir / ".lock"
        lock.touch()
        lock.chmod(0o604)
        LocalProcessMetadataFiles().write(str(state_dir), OTHER)
        before = (whose(lock), lock.stat().st_ino)
        LocalProcessMetadataFiles().write(str(state_dir), OURS, replaces=OTHER)

        assert (whose(lock), lock.stat().st_ino) == before

    def test_what_may_not_be_given_away_is_refused_before_anything_is_written(
        self, state_dir: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object) -> None:
            raise PermissionError(1, "Operation not permitted")

        belongs = process_metadata._Belongs(os.geteuid() + 1, os.getegid(), 0o640)
        monkeypatch.setattr(process_metadata._Belongs, "for_new_in", lambda _: belongs)
        monkeypatch.setattr(os, "fchown", refuse)
        with pytest.raises(NotAllowed, match=f"must belong to user {belongs.user}.* Nothing was written"):
            LocalProcessMetadataFiles().write(str(state_dir), OURS)
        assert names(state_dir) == set()


class TestWhatElseIsInTheFile:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ('{"processId":"%s","later":[1.10,{"x":null}]}', '{"processId":"%s","later":[1.10,{"x":null}]}'),
            ('\n{ "a" : "\\u00e4\\ud800" ,"processId": "%s" } trailing', '{ "a" : "\\u00e4\\ud800" ,"processId": "%s" }'),
            ('{"processId":null,"processId":"%s"}', '{"processId":"%s","processId":"%s"}'),
            ('{"\\u0070rocessId":"%s","a":{"processId":"x"}}', '{"\\u0070rocessId":"%s","a":{"processId":"x"}}'),
            ('\ufeff{"processId":"%s","n":12345678901234567890123}', '{"processId":"%s","n":12345678901234567890123}'),
        ],
    )
    def test_is_kept_letter_by_letter(self, state_dir: Path, before: str, after: str) -> None:
        (state_dir / FILE_NAME).write_text(before.replace("%s", str(OTHER)))

        LocalProcessMetadataFiles().write(str(state_dir), OURS, replaces=OTHER)

        assert (state_dir / FILE_NAME).read_text() == after.replace("%s", str(OURS))

    @pytest.mark.parametrize("text", ['{"processId":"S2EIPlfQRX2VH9BlVsFIyg=="}', '{"processId":" %s\\t"}', '{"processId":"%S"}'])
    def test_an_id_is_read_in_every_form_that_kafka_reads(self, state_dir: Path, text: str) -> None:
        (state_dir / FILE_NAME).write_text(text.replace("%s", str(OTHER)).replace("%S", str(OTHER).upper()))

        assert LocalProcessMetadataFiles().read(str(state_dir)) == OTHER
        LocalProcessMetadataFiles().write(str(state_dir), OURS, replaces=OTHER)
        assert LocalProcessMetadataFiles().read(str(state_dir)) == OURS


class TestPlacesThatAreNotWhatTheySeem:
    def test_a_link_in_place_of_the_folder_is_named_with_where_it_leads(self, state_dir: Path, tmp_path: Path) -> None:
        link = tmp_path / "link"
        link.symlink_to(state_dir)
        for act in (
            lambda: LocalProcessMetadataFiles().write(str(link), OURS),
            lambda: LocalProcessMetadataFiles().read(str(link)),
            lambda: LocalProcessMetadataFiles().write(f"file://{link}", OURS),
        ):
            with pytest.raises(StatePathTrouble, match=r"link is a symbolic link \(to '.*/state dir/streams-wordcount'\)"):
                act()
        assert names(state_dir) == set()

    def test_a_link_at_any_part_of_the_path_is_refused(self, state_dir: Path, tmp_path: Path) -> None:
        (tmp_path / "parent").symlink_to(state_dir.parent)
        with pytest.raises(StatePathTrouble, match="parent is a symbolic link"):
            LocalProcessMetadataFiles().write(str(tmp_path / "parent" / state_dir.name), OURS)
        assert names(state_dir) == set()

    @pytest.mark.parametrize("name", [FILE_NAME, ".lock"])
    @pytest.mark.parametrize("kind", ["pipe", "link", "folder", "socket"])
    def test_what_is_no_file_is_said_and_neither_followed_nor_waited_for(
        self, state_dir: Path, tmp_path: Path, name: str, kind: str
    ) -> None:
        place = state_dir / name
        elsewhere = tmp_path / "elsewhere"
        elsewhere.write_text(json.dumps({"processId": str(OTHER)}))
        if name == ".lock":
            (state_dir / FILE_NAME).write_text(json.dumps({"processId": str(OTHER)}))
        {
            "pipe": lambda: os.mkfifo(place),
            "link": lambda: place.symlink_to(elsewhere),
            "folder": place.mkdir,
            "socket": lambda: os.mknod(place, 0o600 | stat.S_IFSOCK),
        }[kind]()
        with pytest.raises(StatePathTrouble, match="a file is needed"):  # waiting for it would be without an end
            LocalProcessMetadataFiles().write(str(state_dir), OURS, replaces=OTHER)
        assert json.loads(elsewhere.read_text()) == {"processId": str(OTHER)}

    def test_a_folder_that_is_swapped_for_a_link_all_the_time_puts_nothing_elsewhere(self, state_dir: Path, tmp_path: Path) -> None:
        victim, aside, link = tmp_path / "victim", tmp_path / "aside", tmp_path / "link"
        victim.mkdir()
        stop = threading.Event()

        def swap() -> None:
            while not stop.is_set():
                link.symlink_to(victim)
                state_dir.rename(aside)
                link.rename(state_dir)
                state_dir.unlink()
                aside.rename(state_dir)

        hostile = threading.Thread(target=swap)
        hostile.start()
        written = 0
        try:
            for number in range(200):
                (state_dir if number % 2 else aside).joinpath(FILE_NAME).unlink(missing_ok=True)
                try:
                    LocalProcessMetadataFiles().write(str(state_dir), OURS)
                    written += 1
                except StatePathTrouble:
                    pass
        finally:
            stop.set()
            hostile.join()
        assert names(victim) == set()
        assert names(state_dir) <= {FILE_NAME}

    def test_a_path_that_no_file_system_has_is_refused(self) -> None:
        for path in ("", "a\0b", "/" + "x" * 5_000, "/x" * 3_000, "file://", "file://host/x", "file://[::1/x", "s3://[x"):
            with pytest.raises(StatePathTrouble):
                LocalProcessMetadataFiles().write(path, OURS)


class TestClientsThatStart:
    def test_one_that_starts_after_the_look_is_not_written_under(self, state_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It has its lock, found no file, and is about to make one."""
        holder: list[subprocess.Popen[str]] = []
        link = os.link

        def link_late(*arguments: object, **names: object) -> None:
            command = [sys.executable, "-c", HOLD_LOCK_AND_FIND_FILE, str(state_dir)]
            holder.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
            assert holder[0].stdout is not None
            assert holder[0].stdout.readline() == "held\n"
            link(*arguments, **names)  # type: ignore[arg-type]

        monkeypatch.setattr(os, "link", link_late)
        try:
            with pytest.raises(StatePathTrouble, match=r"running client \(process \d+\) .* started while the file was written"):
                LocalProcessMetadataFiles().write(str(state_dir), OURS)
        finally:
            holder[0].communicate("")

    def test_a_file_that_changes_after_the_look_is_looked_at_again(self, state_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        file = state_dir / FILE_NAME
        LocalProcessMetadataFiles().write(str(state_dir), OTHER)
        fill = process_metadata._fill

        def late(descriptor: int, content: bytes) -> None:
            fill(descriptor, content)
            file.write_text(json.dumps({"processId": str(THIRD)}))  # in place, as Kafka writes it

        monkeypatch.setattr(process_metadata, "_fill", late)
        with pytest.raises(StatePathTrouble, match=f"already holds process ID {THIRD}"):
            LocalProcessMetadataFiles().write(str(state_dir), OURS, replaces=OTHER)
        assert names(state_dir) == {FILE_NAME, ".lock"}

    def test_the_lock_is_let_go(self, state_dir: Path) -> None:
        LocalProcessMetadataFiles().write(str(state_dir), OTHER)
        LocalProcessMetadataFiles().write(str(state_dir), OURS, replaces=OTHER)
        with (state_dir / ".lock").open("r+b") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def test_a_file_system_that_does_not_answer_is_given_up(self, state_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        answers = threading.Event()
        status_of = folders.Folder.status_of
        monkeypatch.setattr(folders.Folder, "status_of", lambda folder, name: answers.wait() and status_of(folder, name))
        with pytest.raises(StatePathTrouble, match=r"not written within 0\.2 s.* Nothing was written"):
            LocalProcessMetadataFiles(limit_s=0.2).write(str(state_dir), OURS)
        answers.set()
        for thread in threading.enumerate():
            if thread.name == "holdfast-cluster-call":
                thread.join(10)
        assert names(state_dir) == set()  # nor later


class TestWhatAKilledWriterLeaves:
    KILLED = """
import os, sys
from holdfast.adapters.state_dirs import process_metadata as it
from holdfast.kafka.vocabulary import ProcessId
kill = lambda *_, **__: os.kill(os.getpid(), 9)
where, state_dir, ours, other = sys.argv[1:]
owner, name = {"fill": (it, "_fill"), "link": (os, "link"), "rename": (os, "rename"), "sync": (it.Folder, "sync")}[where]
setattr(owner, name, kill)
it.LocalProcessMetadataFiles().write(state_dir, ProcessId.parse(ours), ProcessId.parse(other))
"""

    @pytest.mark.parametrize("where", ["fill", "link", "rename", "sync"])
    def test_is_removed_by_the_next_one(self, state_dir: Path, where: str) -> None:
        if where == "rename":
            LocalProcessMetadataFiles().write(str(state_dir), OTHER)
        command = [sys.executable, "-c", self.KILLED, where, str(state_dir), str(OURS), str(OTHER)]
        assert subprocess.run(command, check=False).returncode == -9

        LocalProcessMetadataFiles().write(str(state_dir), OURS, replaces=OTHER)

        assert names(state_dir) <= {FILE_NAME, ".lock"}
        assert LocalProcessMetadataFiles().read(str(state_dir)) == OURS

    def test_only_what_is_ours_and_of_the_dead(self, state_dir: Path) -> None:
        left = state_dir / f".{FILE_NAME}.0123456789abcdef.tmp"
        left.write_text("{")
        living = state_dir / f".{FILE_NAME}.89abcdef01234567.tmp"
        foreign = [
            state_dir / f".{FILE_NAME}.tmp",
            state_dir / f".{FILE_NAME}.0123456789ABCDEF.tmp",
            state_dir / ".x.0123456789abcdef.tmp",
        ]
        for file in foreign:
            file.touch()
        with living.open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            LocalProcessMetadataFiles().write(str(state_dir), OURS)
            assert names(state_dir) == {FILE_NAME, living.name, *(file.name for file in foreign)}
        LocalProcessMetadataFiles().write(str(state_dir), OURS)
        assert not living.exists()

    def test_two_writers_at_once_do_not_take_each_other_for_dead(self, state_dir: Path) -> None:
        said: list[str] = []

        def write() -> None:
            for _ in range(30):
                try:
                    LocalProcessMetadataFiles().write(str(state_dir), OURS)
                except HoldfastError as refusal:
                    said.append(str(refusal))
                (state_dir / FILE_NAME).unlink(missing_ok=True)

        writers = [threading.Thread(target=write) for _ in range(3)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        # what the others did meanwhile: removed a file just written, or made another before each attempt
        assert all("right after the write" in one or "was changed by another process" in one for one in said), said
        assert names(state_dir) <= {FILE_NAME}
