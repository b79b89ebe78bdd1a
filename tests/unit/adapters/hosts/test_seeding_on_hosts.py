"""Process IDs written by scripts: owners, links, locks, full disks, connections that break, and what killed writers leave."""

import json
import os
import shutil
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from holdfast.adapters.hosts import seed_scripts
from holdfast.adapters.hosts.local_shell import LocalShell
from holdfast.adapters.hosts.process_metadata import HostProcessMetadataFiles
from holdfast.adapters.hosts.shell import ScriptEnd, Shell
from holdfast.adapters.hosts.state_directories import Place
from holdfast.adapters.state_dirs.process_metadata import FILE_NAME
from holdfast.errors import HostTrouble, NotAllowed, StatePathTrouble
from holdfast.kafka.vocabulary import ProcessId

OURS = ProcessId.parse("bbb83e43-b1af-4b2d-a60a-94a7091684d0")
OTHER = ProcessId.parse("4b61083e-57d0-457d-951f-d06556c148ca")
ROOT = os.geteuid() == 0
SOMEBODY = 4711 if ROOT else os.geteuid()


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "it's a $(state) dir" / "wc"
    folder.mkdir(parents=True)
    return folder


def files(shell: Shell | None = None) -> HostProcessMetadataFiles:
    runs = shell or LocalShell()
    return HostProcessMetadataFiles({"x": lambda url: Place(runs, url.removeprefix("x://"), url[4:], "x")})


def write(folder: Path, replaces: ProcessId | None = None, shell: Shell | None = None) -> None:
    files(shell).write(f"x://{folder}", OURS, replaces)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def holds(folder: Path) -> str:
    return str(json.loads((folder / FILE_NAME).read_text())["processId"])


def having(folder: Path, tmp_path: Path, *without: str) -> LocalShell:
    """A host with the commands of this one but those."""
    commands = tmp_path / "commands"
    commands.mkdir()
    for name in (
        "stat",
        "dd",
        "rm",
        "ln",
        "link",
        "sync",
        "chown",
        "chmod",
        "ls",
        "head",
        "base64",
        "readlink",
        "cat",
        "id",
        "find",
    ):
        found = shutil.which(name)
        assert found is not None, name
        if name not in without:
            (commands / name).symlink_to(found)
    for name in ("flock", "perl", "python3"):
        found = shutil.which(name)
        if name not in without and found is not None:
            (commands / name).symlink_to(found)
    return LocalShell((str(shutil.which("sh")),), str(commands))


@pytest.mark.parametrize(
    ("folder", "file"), [(0o750, "0640"), (0o755, "0644"), (0o700, "0640"), (0o770, "0660"), (0o777, "0664"), (0o2750, "0640")]
)
def test_a_new_file_is_the_folder_s(state_dir: Path, folder: int, file: str) -> None:
    os.chown(state_dir, SOMEBODY, SOMEBODY if ROOT else -1)
    state_dir.chmod(folder)
    write(state_dir)
    found = (state_dir / FILE_NAME).stat()

    assert (found.st_uid, f"{stat.S_IMODE(found.st_mode):04o}") == (SOMEBODY, file)
    assert found.st_gid == state_dir.stat().st_gid
    assert names(state_dir) == {FILE_NAME}


@pytest.mark.parametrize("without", ["perl", "python3"])
def test_a_file_that_is_replaced_keeps_owner_mode_and_other_keys(state_dir: Path, tmp_path: Path, without: str) -> None:
    """With Python or Perl: under the client's lock, whose file is made as a client makes it."""
    place = state_dir / FILE_NAME
    place.write_text(f'{{"later": [1], "processId" : "{OTHER}"}} trailing')
    os.chown(place, SOMEBODY, SOMEBODY if ROOT else -1)
    place.chmod(0o604)
    write(state_dir, OTHER, having(state_dir, tmp_path, without))

    assert place.read_text() == f'{{"later": [1], "processId" : "{OURS}"}}'
    assert (place.stat().st_uid, stat.S_IMODE(place.stat().st_mode)) == (SOMEBODY, 0o604)
    assert ((state_dir / ".lock").stat().st_uid, (state_dir / ".lock").stat().st_size) == (SOMEBODY, 0)
    assert names(state_dir) == {FILE_NAME, ".lock"}


def test_without_python_and_perl_nothing_is_replaced(state_dir: Path, tmp_path: Path) -> None:
    (state_dir / FILE_NAME).write_text(f'{{"processId":"{OTHER}"}}')
    with pytest.raises(StatePathTrouble, match="needs python3 or perl on the host"):
        write(state_dir, OTHER, having(state_dir, tmp_path, "perl", "python3"))

    assert holds(state_dir) == str(OTHER)
    assert names(state_dir) - {".lock"} == {FILE_NAME}


@pytest.mark.parametrize("without", ["link", "flock", "nothing"])
def test_a_new_file_needs_few_commands(state_dir: Path, tmp_path: Path, without: str) -> None:
    write(state_dir, shell=having(state_dir, tmp_path, without, "perl", "python3"))

    assert holds(state_dir) == str(OURS)


@pytest.mark.parametrize("replaces", [None, OTHER])
def test_a_full_disk_is_named_and_leaves_what_was_there(state_dir: Path, tmp_path: Path, replaces: ProcessId | None) -> None:
    if replaces:
        (state_dir / FILE_NAME).write_text(f'{{"processId":"{replaces}"}}')
    shell = having(state_dir, tmp_path, "dd")
    full = tmp_path / "commands" / "dd"
    full.write_text('#!/bin/sh\n/bin/dd count=0 2>/dev/null\necho half >&3\nexec /bin/dd "$@" >/dev/full\n')
    full.chmod(0o755)
    with pytest.raises(StatePathTrouble, match=r"nothing can be written into .*No space left on device.*Nothing was written"):
        write(state_dir, replaces, shell)

    assert names(state_dir) == ({FILE_NAME} if replaces else set())
    assert not replaces or holds(state_dir) == str(OTHER)


class ActsBefore(LocalShell):
    """Something happens on the host between the look and the script that writes."""

    def __init__(self, act: str, *scripts: str) -> None:
        super().__init__()
        self.act, self.scripts, self.acted = act, scripts or (seed_scripts.CREATE, seed_scripts.REPLACE), False

    def run(
        self, script: str, arguments: tuple[str, ...] = (), *, stdin: bytes = b"", limit_s: float, most_bytes: int
    ) -> ScriptEnd:
        if script in self.scripts and not self.acted:
            self.acted = True
            super().run(self.act, arguments, limit_s=30, most_bytes=100)
        return super().run(script, arguments, stdin=stdin, limit_s=limit_s, most_bytes=most_bytes)


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (f'printf %s \'{{"processId":"{OTHER}"}}\' > "$1/{FILE_NAME}"', f"already holds process ID {OTHER}"),
        (f'mkdir "$1/{FILE_NAME}"', "is a folder; a file is needed"),
        (f'ln -s /etc/passwd "$1/{FILE_NAME}"', "is a symbolic link; a file is needed"),
        (f'mkfifo "$1/{FILE_NAME}"', "is a pipe"),
        ('mv "$1" "$1.old"; mkdir "$1"', "was replaced while"),
        ('mv "$1" "$1.old"; ln -s "$1.old" "$1"', "was replaced while"),
        ('ln -s /etc/passwd "$1/$3"', "nothing can be written into"),
        ('mkfifo "$1/$3"', "nothing can be written into"),
    ],
)
def test_what_others_put_there_is_neither_followed_nor_overwritten(state_dir: Path, act: str, said: str) -> None:
    passwd = Path("/etc/passwd").stat()
    with pytest.raises(StatePathTrouble, match=said):
        write(state_dir, shell=ActsBefore(act))
    now = Path("/etc/passwd").stat()

    assert (now.st_mode, now.st_uid, now.st_mtime_ns) == (passwd.st_mode, passwd.st_uid, passwd.st_mtime_ns)
    written = [file for folder in state_dir.parent.iterdir() if (file := folder / FILE_NAME).is_file() and not file.is_symlink()]
    assert not any(str(OURS) in file.read_text() for file in written)


@pytest.mark.parametrize(
    "act",
    [
        f'printf %s \'{{"processId":"{OURS}"}}\' > "$1/{FILE_NAME}"',
        f'rm "$1/{FILE_NAME}"',
        f'printf x >> "$1/{FILE_NAME}"; cp "$1/{FILE_NAME}" "$1/copy"; mv "$1/copy" "$1/{FILE_NAME}"',
    ],
)
def test_a_file_that_changes_meanwhile_is_looked_at_anew(state_dir: Path, act: str) -> None:
    (state_dir / FILE_NAME).write_text(f'{{"processId":"{OTHER}"}}')
    write(state_dir, OTHER, ActsBefore(act))

    assert holds(state_dir) == str(OURS)


HOLD = "import fcntl,sys; f=open(sys.argv[1],'wb'); fcntl.lockf(f,fcntl.LOCK_EX); print('held',flush=True); sys.stdin.read()"


@pytest.mark.parametrize("without", ["perl", "python3"])
def test_a_client_that_starts_just_now_keeps_its_file(state_dir: Path, tmp_path: Path, without: str) -> None:
    """Its lock is not there at the look, and held when the script would replace the file."""
    (state_dir / FILE_NAME).write_text(f'{{"processId":"{OTHER}"}}')
    shell = having(state_dir, tmp_path, without)
    command = [sys.executable, "-c", HOLD, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        run = shell.run

        def late(script: str, arguments: tuple[str, ...] = (), **given: object) -> ScriptEnd:
            if script == seed_scripts.REPLACE:
                os.link(tmp_path / "lock", state_dir / ".lock")
            return run(script, arguments, **given)  # type: ignore[arg-type]

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(shell, "run", late)
            with pytest.raises(StatePathTrouble, match="A running client holds"):
                write(state_dir, OTHER, shell)
        holder.communicate()
    assert holds(state_dir) == str(OTHER)


class Breaks(LocalShell):
    """The connection breaks when the script has that number of bytes of its input, or after it is done."""

    def __init__(self, after: int | None, *, back: bool = True) -> None:
        super().__init__()
        self.after, self.back, self.broken = after, back, False

    def run(
        self, script: str, arguments: tuple[str, ...] = (), *, stdin: bytes = b"", limit_s: float, most_bytes: int
    ) -> ScriptEnd:
        if self.broken and not self.back:
            raise HostTrouble("host: no answer", begun=False)
        if script not in (seed_scripts.CREATE, seed_scripts.REPLACE):
            return super().run(script, arguments, stdin=stdin, limit_s=limit_s, most_bytes=most_bytes)
        self.broken = True
        super().run(script, arguments, stdin=stdin[: self.after], limit_s=limit_s, most_bytes=most_bytes)
        raise HostTrouble("host: the connection broke", begun=True)


@pytest.mark.parametrize("replaces", [None, OTHER])
@pytest.mark.parametrize("after", [0, 5, 51])
def test_half_of_the_content_is_none(state_dir: Path, after: int, replaces: ProcessId | None) -> None:
    if replaces:
        (state_dir / FILE_NAME).write_text(f'{{"processId":"{replaces}"}}')
    before = (state_dir / FILE_NAME).read_text() if replaces else None
    with pytest.raises(StatePathTrouble, match=r"was not written\. host: the connection broke\. Nothing was written\."):
        write(state_dir, replaces, Breaks(after))

    assert names(state_dir) - {".lock"} == ({FILE_NAME} if before else set())
    assert before is None or (state_dir / FILE_NAME).read_text() == before


def test_a_write_whose_end_was_not_seen_is_found_done(state_dir: Path) -> None:
    write(state_dir, shell=Breaks(None))

    assert holds(state_dir) == str(OURS)


def test_a_host_that_stays_away_leaves_it_unknown(state_dir: Path) -> None:
    with pytest.raises(StatePathTrouble, match="It is unknown whether"):
        write(state_dir, shell=Breaks(None, back=False))


class BreaksAfter(LocalShell):
    """The connection breaks before the scripts of these numbers begin; the first one is 1."""

    def __init__(self, *broken: int) -> None:
        super().__init__()
        self._broken, self._number = broken, 0

    def run(
        self, script: str, arguments: tuple[str, ...] = (), *, stdin: bytes = b"", limit_s: float, most_bytes: int
    ) -> ScriptEnd:
        self._number += 1
        if self._number in self._broken:
            raise HostTrouble("the connection broke", begun=True)
        return super().run(script, arguments, stdin=stdin, limit_s=limit_s, most_bytes=most_bytes)


def test_a_connection_that_breaks_after_the_write_does_not_undo_it(state_dir: Path) -> None:
    """What is looked at after the write is looked at once more; who cannot look says that it was written."""
    write(state_dir, shell=BreaksAfter(3))
    assert holds(state_dir) == str(OURS)

    (state_dir / FILE_NAME).unlink()
    with pytest.raises(StatePathTrouble, match=r"was written\. .*It is unknown whether it was replaced since"):
        write(state_dir, shell=BreaksAfter(3, 4))
    assert holds(state_dir) == str(OURS)


def test_a_script_that_was_given_up_can_do_nothing_any_more(state_dir: Path, tmp_path: Path) -> None:
    """It is held up before the link; meanwhile its writer has given it up, and reports that nothing was written."""
    shell = having(state_dir, tmp_path, "link")
    slow = tmp_path / "commands" / "link"
    go = tmp_path / "go"
    slow.write_text(f'#!/bin/sh\nwhile [ ! -e "{go}" ]; do /bin/sleep 0.02; done\nexec /bin/ln "$1" "$2"\n')
    slow.chmod(0o755)

    class GivesUp(LocalShell):
        def run(
            self, script: str, arguments: tuple[str, ...] = (), *, stdin: bytes = b"", limit_s: float, most_bytes: int
        ) -> ScriptEnd:
            if script != seed_scripts.CREATE:
                return shell.run(script, arguments, stdin=stdin, limit_s=limit_s, most_bytes=most_bytes)

            def act() -> None:
                done.append(shell.run(script, arguments, stdin=stdin, limit_s=60, most_bytes=99))

            late.append(threading.Thread(target=act))
            late[0].start()
            until = time.monotonic() + 60
            while not (state_dir / arguments[2]).exists() or (state_dir / arguments[2]).stat().st_size == 0:
                assert time.monotonic() < until
                time.sleep(0.01)
            raise HostTrouble("host: the connection broke", begun=True)

    late: list[threading.Thread] = []
    done: list[ScriptEnd] = []
    with pytest.raises(StatePathTrouble, match="Nothing was written"):
        write(state_dir, shell=GivesUp())
    go.touch()
    late[0].join(60)

    assert done[0].status != 0
    assert names(state_dir) == set()


def test_leftovers_of_killed_writers_are_removed_and_nothing_else(state_dir: Path) -> None:
    left = f".{FILE_NAME}.0123456789abcdef.tmp"
    others = {
        f".{FILE_NAME}.0123456789abcdeX.tmp",
        f".{FILE_NAME}.x123456789abcdef.tmp",
        f".{FILE_NAME}.0123.tmp",
        ".other.0123456789abcdef.tmp",
    }
    for name in (left, *others):
        (state_dir / name).touch()
    linked = f".{FILE_NAME}.fedcba9876543210.tmp"
    (state_dir / linked).symlink_to("/etc/passwd")
    write(state_dir)

    assert names(state_dir) == {FILE_NAME, *others, linked}


def test_the_file_of_a_writer_that_lives_is_left(state_dir: Path) -> None:
    alive = state_dir / f".{FILE_NAME}.0123456789abcdef.tmp"
    alive.touch()
    with subprocess.Popen(["flock", str(alive), "cat"], stdin=subprocess.PIPE) as writer:
        limit = time.monotonic() + 60
        while subprocess.run(["flock", "-n", str(alive), "true"], check=False).returncode == 0:
            assert time.monotonic() < limit
        write(state_dir)
        assert alive.exists()
        writer.communicate()


def test_a_user_who_may_not_write_there(state_dir: Path) -> None:
    """Where the tests are root's, another user runs the scripts, and may not give the file to the folder's."""
    for place in (state_dir, *state_dir.parents):
        if place != Path("/tmp") and place.is_relative_to("/tmp"):
            place.chmod(0o755)
    as_another = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") if ROOT else ()
    shell = LocalShell((*as_another, "sh"))
    if ROOT:
        state_dir.chmod(0o777)
        with pytest.raises(NotAllowed, match=r"must belong to user and group 0:0 with mode 0664.*user 65534 may not"):
            write(state_dir, shell=shell)
        assert names(state_dir) == set()
    state_dir.chmod(0o555)
    with pytest.raises(StatePathTrouble, match=r"nothing can be written into .*Nothing was written"):
        write(state_dir, shell=shell)
    state_dir.chmod(0o755)
