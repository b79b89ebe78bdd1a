"""A state directory read by a script: the same as the reader of local folders finds, whatever is in it."""

import base64
import fcntl
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rocksdict import Options, Rdict

from holdfast.adapters.deadline import Deadline
from holdfast.adapters.hosts import listing
from holdfast.adapters.hosts.listing import ListedFile, Listing
from holdfast.adapters.hosts.local_shell import LocalShell
from holdfast.adapters.hosts.remote_tree import lock_on
from holdfast.adapters.hosts.shell import ScriptEnd
from holdfast.adapters.hosts.state_directories import Place, StateDirectories
from holdfast.adapters.state_dirs.state_files import FsspecStateDirectories
from holdfast.errors import HoldfastError, HostTrouble, StatePathTrouble
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.disks.state_directory import Lock, StateDirectory

RECORDED = Path(__file__).parents[2] / "recorded" / "store-4.3.1"
PROCESS_ID = "4b61083e-57d0-457d-951f-d06556c148ca"
CHANGELOG = TopicPartition("wc-counts-store-changelog", 0)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Stores of 4.3 in task 1_0, a checkpoint in 0_1, broken files, links, strange names, a folder that may not be listed."""
    root = tmp_path / "it's a $(state) dir"
    for folder in ("0_1", "0_2", "7_7", "global", "__named__/0_0", "not kafka's"):
        (root / folder).mkdir(parents=True)
    shutil.copytree(RECORDED, root / "1_0/rocksdb/counts-store")
    (root / "kafka-streams-process-metadata").write_text(f'{{"processId":"{PROCESS_ID}"}}')
    (root / ".lock").touch()
    (root / "0_1/.checkpoint").write_text("0\n1\nwc 1 7\n")
    (root / "0_2/.checkpoint").write_text("0\n2\nwc 1 7\n")
    (root / "7_7/.checkpoint").symlink_to("/etc/hostname")
    (root / "8_8").symlink_to(tmp_path)
    (root / "9_9").write_text("a file")
    (root / "global/.checkpoint").write_bytes(b"0\n1\n\xff 0 1\n")
    (root / "__named__/0_0/.checkpoint").write_text("0\n1\n:end 0 1\n")
    for name in (":end", "-rf", "`id`", "Ünïcode", "\x1b[2J", "e 81a4 1 2 3 4 5"):
        (root / name).touch()
    return root


def by_script(*paths: Path, shell: LocalShell | None = None) -> list[tuple[StateDirectory, tuple[Unknown, ...]] | HoldfastError]:
    runs = shell or LocalShell()
    reader = StateDirectories(
        Deadline(60), {"x": lambda url: Place(runs, url.removeprefix("x://"), url[4:], "x", sees_locks=lambda: True)}
    )
    return [*reader.read_many([f"x://{path}" for path in paths]).values()]


def one(path: Path) -> tuple[StateDirectory, tuple[Unknown, ...]]:
    (found,) = by_script(path)
    assert not isinstance(found, HoldfastError), found
    return found


def without_fractions(found: StateDirectory) -> StateDirectory:
    """A script sees whole seconds; what is free on the disk changes."""
    files = tuple(replace(each, modified_at=(each.modified_at or "")[:19]) for each in found.files)
    return replace(found, files=files, free_bytes=None)


_OTHERS = (
    *("find", "stat", "cat", "head", "base64", "readlink", "dd", "ls"),
    *("ln", "mkdir", "mv", "rm", "setsid", "sleep", "timeout", "tr"),
)


def shell_of(kind: str, folder: Path) -> LocalShell:
    """With that `sh`, also for what the script starts; busybox has all the other commands too."""
    folder.mkdir()
    program = shutil.which(kind)
    assert program is not None, f"{kind} is needed (apt-get install {kind})"
    for name in ("sh",) if kind != "busybox" else ("sh", *_OTHERS):
        (folder / name).symlink_to(program)
    return LocalShell((str(folder / "sh"),), str(folder) if kind == "busybox" else f"{folder}:/usr/bin:/bin")


@pytest.mark.thorough
@pytest.mark.parametrize("shell", ["dash", "bash", "busybox"])
def test_the_same_as_on_a_local_disk(directory: Path, tmp_path: Path, shell: str) -> None:
    for task in range(9):  # more small files than are sent as one
        (directory / f"2_{task}").mkdir()
        (directory / f"2_{task}/.checkpoint").write_text(f"0\n1\nwc-{'x' * 400 * task} {task} 7\n")
    expected, said = FsspecStateDirectories(Deadline(60)).read(str(directory))
    (answer,) = by_script(directory, shell=shell_of(shell, tmp_path / "bin"))
    assert not isinstance(answer, HoldfastError), answer
    found, unknown = answer

    assert without_fractions(found) == without_fractions(replace(expected, url=found.url))
    assert [each.reason for each in unknown] == [each.reason for each in said]
    assert next(task for task in found.tasks if str(task.task_id) == "1_0").checkpoint == ((CHANGELOG, 13),)
    assert abs((found.free_bytes or 0) - (expected.free_bytes or 0)) < 1 << 30


@pytest.mark.thorough
def test_reading_changes_nothing(directory: Path) -> None:
    before = {path: path.lstat().st_mtime_ns for path in (directory, *directory.rglob("*"))}
    one(directory)

    assert {path: path.lstat().st_mtime_ns for path in (directory, *directory.rglob("*"))} == before


@pytest.mark.thorough
def test_tables_of_the_data_are_not_fetched(directory: Path) -> None:
    """A store whose data is in a table that is too large to be sent; its offsets are in a small one."""
    place = directory / "1_1/rocksdb/big"
    place.mkdir(parents=True)
    store = Rdict(str(place), options=Options(raw_mode=True))
    for number in range(300):
        store[f"{number}".encode()] = os.urandom(1000)
    store.flush()
    offsets = store.create_column_family("offsets", Options(raw_mode=True))
    offsets[b"app-big-changelog-1"] = (299).to_bytes(8, "big")
    offsets.flush()
    offsets.close()
    store.close()
    assert max(table.stat().st_size for table in place.glob("*.sst")) > listing.LARGEST_TABLE

    (answer,) = listing.fetch(LocalShell(), ((str(directory), "here"),), 30)
    assert isinstance(answer, Listing)
    assert {name for name in answer.contents if name.startswith("1_1") and name.endswith(".sst")} < set(answer.entries)
    found, _ = one(directory)
    (task,) = (task for task in found.tasks if str(task.task_id) == "1_1")
    assert task.checkpoint == ((TopicPartition("app-big-changelog", 1), 299),)


@pytest.mark.thorough
@pytest.mark.parametrize("damage", ["gone", "grown", "damaged"])
def test_offsets_that_cannot_be_read_are_no_offsets(directory: Path, damage: str) -> None:
    """The table of the family `offsets` is not there, too large to be sent, or has a wrong byte: never an empty answer."""
    table = directory / "1_0/rocksdb/counts-store/000010.sst"
    if damage == "gone":
        table.unlink()
    elif damage == "grown":
        table.write_bytes(table.read_bytes() + bytes(listing.LARGEST_TABLE))
    else:
        content = bytearray(table.read_bytes())
        content[40] ^= 0xFF
        table.write_bytes(content)
    found, unknown = one(directory)
    (task,) = (task for task in found.tasks if str(task.task_id) == "1_0")

    assert (task.checkpoint, task.unreadable) == (None, True)
    wanted = {"gone": "No such file", "grown": "1 of its tables were not sent", "damaged": "checksum"}[damage]
    assert any(wanted in each.reason for each in unknown), unknown


@pytest.mark.thorough
def test_a_lock_is_seen_and_not_taken(directory: Path) -> None:
    script = "import fcntl,sys; f=open(sys.argv[1],'r+b'); fcntl.lockf(f,fcntl.LOCK_EX); print('held',flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", script, str(directory / ".lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert one(directory)[0].lock == Lock(held=True, pid=holder.pid)
        holder.communicate()
    assert one(directory)[0].lock == Lock(held=False)
    with (directory / ".lock").open("wb") as free:
        fcntl.lockf(free, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_no_name_is_taken_for_a_line_of_the_answer(directory: Path) -> None:
    (directory / "1_0\n:locks\n").mkdir()
    (directory / "1_0\n:locks\n/.checkpoint").write_text("0\n1\nstolen 0 1\n")
    (directory / "0_1/a\nb").touch()
    (directory / "x:directory").touch()
    found, unknown = one(directory)

    assert "stolen" not in repr(found)
    assert any("a line end in them, which were not read: 2" in each.reason for each in unknown)


def test_a_directory_with_too_many_entries_is_refused_and_costs_itself_only(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MOST_ENTRIES", 300)
    monkeypatch.setattr(listing, "_LARGE", 1_000)  # answers are read one after the other
    crowded = tmp_path / "crowded"
    crowded.mkdir()
    for number in range(300):  # and the directory itself
        (crowded / f"0_{number}").touch()
    found = by_script(directory, crowded)

    assert [isinstance(one, StatePathTrouble) for one in found] == [False, True]
    assert "holds more than 300 entries" in str(found[1])


def test_a_folder_that_may_not_be_listed_is_named(directory: Path) -> None:
    """Root may list all: where the tests are root's, another user runs the script."""
    for place in (directory, *directory.parents):
        if place.is_relative_to("/tmp") and place != Path("/tmp"):
            place.chmod(0o755)
    as_another = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") if os.geteuid() == 0 else ()
    (directory / "0_1").chmod(0o700 if as_another else 0)
    (directory / "0_2/.checkpoint").chmod(0o600 if as_another else 0)
    (found,) = by_script(directory, shell=LocalShell((*as_another, "sh")))
    (directory / "0_1").chmod(0o700)
    assert not isinstance(found, HoldfastError), found

    reasons = {each.what.rpartition("/")[2]: each.reason for each in found[1]}
    assert "Permission denied" in reasons["0_1"]
    assert any("could not be opened (no permission)" in each.reason for each in found[1])


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("{}/link", r"symbolic link in it, and none is followed: give the path that it leads to, .*real$"),
        ("{}/link/below", r"symbolic link in it"),
        ("{}/gone", "there is no such directory"),
        ("{}/file", "there is no such directory"),
        ("{}/real/../real", "an absolute path without"),
        ("{}/real/", "an absolute path without"),
        ("{}//real", "an absolute path without"),
        ("{}/re\nal", "an absolute path without"),
        ("relative", "an absolute path without"),
    ],
)
def test_paths_that_are_refused_by_name(tmp_path: Path, path: str, said: str) -> None:
    (tmp_path / "real/below").mkdir(parents=True)
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("real")
    reader = StateDirectories(Deadline(60), {"x": lambda url: Place(LocalShell(), url.removeprefix("x://"), url, "x")})
    with pytest.raises(StatePathTrouble, match=said) as refused:
        reader.read(f"x://{path.format(tmp_path)}")
    assert str(refused.value).isprintable()


class Says(LocalShell):
    """A host that answers what it likes."""

    def __init__(self, answer: bytes | HostTrouble, *, after_token: bool = True) -> None:
        super().__init__()
        self.answer, self.after_token, self.asked = answer, after_token, 0

    def run(self, script: str, arguments: tuple[str, ...] = (), **_: object) -> ScriptEnd:  # noqa: ARG002 - it has its own mind
        self.asked += 1
        if isinstance(self.answer, HostTrouble):
            raise self.answer
        return ScriptEnd(0, (arguments[0].encode() + b"\n" if self.after_token else b"") + self.answer, b"no\x1b[2J")


FAR_FUTURE = b"e 81a4 5 8 9999999999999999999 1 1 ./0_1/.checkpoint\n:file ./0_1/.checkpoint\ns 1 1\nMAoxCg==\n:end\n"
LOCK_FILE = b"e 81a4 0 0 1 1 1 ./.lock\n:end\n"
HOSTILE = (
    b":directory\n:list\ne zz 1 1 1 1 1 .\ne 41ed 1 1 1 1\ne\n e 1\n:end\n",
    b":directory\n:list\ne 41ed 1 1 1 1 1 .\ne 81a4 5 8 99999999999999999999999 1 1 ./.lock\n:end\n",
    b":directory\n:list\ne 41ed 1 1 1 1 1 .\ne 41ed 1 1 1 1 1 ./0_1\n" + FAR_FUTURE,
    b":directory\n:list\ne 41ed 1 1 1 1 1 .\n:file ./../../etc/passwd\ns 1 1\n!!!!\n:space a b c\n:newlines 99999999999\n:end\n",
    b":directory\n:elsewhere\n/w==\n:end\n",
    b":directory\n:without \x1b[2J\n:end\n",
    b":directory\n:list\ne fffffffffffffffffff 5 8 1 1 1 .\n:end\n",
    b":directory\n:list\ne -8 5 8 1 1 1 .\n:end\n",
    b":directory\n:locks\n1: POSIX  ADVISORY  WRITE 9 08:01:" + b"9" * 5_000 + b" 0 EOF\n:list\ne 41ed 1 1 1 1 1 .\n" + LOCK_FILE,
    b":directory\n:locks\n1: POSIX  ADVISORY  WRITE 9 08:01:7 0 EOF\n:list\ne 41ed 1 1 1 1 1 .\ne 81a4 0 0 1 -5 7 ./.lock\n:end\n",
    b":directory\n:space 9999999999999999999 9999999999999999999 x\n:list\ne 41ed 1 1 1 1 1 .\n:end\n",
)


@pytest.mark.parametrize("answer", HOSTILE)
def test_what_a_hostile_host_says_is_refused_or_bounded(answer: bytes) -> None:
    reader = StateDirectories(Deadline(60), {"x": lambda url: Place(Says(answer), "/d", url, "x")})
    found = reader.read_many(["x://d"])["x://d"]

    if isinstance(found, HoldfastError):
        assert str(found).isprintable()
    else:
        assert found[0].process_id is None
        assert (found[0].free_bytes or 0) < 2**63


SENT = b"AAAA" + b"BB" + b"CCCCCC" + b"DDD"


def sent(before: tuple[int, ...], after: tuple[int, ...], data: bytes = SENT, identity: str = "8 {}") -> dict[str, bytes]:
    """What is kept of files a to d with these sizes, sent as one."""
    entries = "".join(f"e 81a4 {size} 8 1 8 {number} ./{'abcd'[number]}\n" for number, size in enumerate(before))
    names = "".join(f"n ./{one}\n" for one in "abcd"[: len(before)])
    stats = [
        "".join(f"{kind} {identity.format(number)} {size}\n" for number, size in enumerate(sizes))
        for kind, sizes in (("b", before), ("a", after))
    ]
    text = f":list\n{entries}:files\n{names}{stats[0]}{base64.b64encode(data).decode()}\n{stats[1]}:end\n"
    found = listing.read(text.encode(), "here")
    assert isinstance(found, Listing)
    return found.contents


A_TO_D = {"a": b"AAAA", "b": b"BB", "c": b"CCCCCC", "d": b"DDD"}


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ((4, 2, 6, 3), (4, 2, 6, 3), "abcd"),
        ((4, 2, 5, 3), (4, 2, 6, 3), "abcd"),  # one that grew, before it was read
        ((4, 2, 5, 3), (4, 2, 9, 3), "abcd"),  # and after
        ((3, 2, 6, 3), (4, 2, 6, 3), "abcd"),
        ((4, 2, 6, 1), (4, 2, 6, 3), "abcd"),
        ((4, 1, 5, 3), (4, 2, 6, 3), "ad"),  # where two did, it is unknown where the second begins
        ((3, 2, 6, 1), (4, 2, 6, 3), ""),
        ((4, 2, 6, 4), (4, 2, 6, 4), ""),
        ((4, 2, 6, 2), (4, 2, 6, 2), ""),
        ((9, 9, 9, 9), (9, 9, 8, 9), ""),
    ],
)
def test_files_that_are_sent_as_one_are_split_by_size(before: tuple[int, ...], after: tuple[int, ...], kept: str) -> None:
    assert sent(before, after) == {name: A_TO_D[name] for name in kept}


def test_a_file_that_is_another_one_than_the_listing_has_is_left_out() -> None:
    assert sent((4, 2, 6, 3), (4, 2, 6, 3), identity="9 {}") == {}


@pytest.mark.parametrize(
    "bad", [b"n ./a\n", b"b 8 0 4\n", b"b 8 0 x\na 8 0 4\n", b"n ./a\nb 8 0 99999999999999999999\na 8 0 4\nAAAA\n"]
)
def test_files_that_are_not_sent_whole_are_left_out(bad: bytes) -> None:
    found = listing.read(b":list\ne 81a4 4 8 1 8 0 ./a\n:files\n" + bad + b":end\n", "here")
    assert isinstance(found, Listing)
    assert found.contents == {}


@pytest.mark.parametrize("answer", [b"", b"welcome\n:directory\n:end\n", b":directory\n:list\n", b":directory\n:end\n" * 2])
def test_half_an_answer_is_none(answer: bytes) -> None:
    shell = Says(answer, after_token=b"wel" not in answer)
    reader = StateDirectories(Deadline(60), {"x": lambda url: Place(shell, "/d", url, "x")})
    with pytest.raises(StatePathTrouble, match=r"incomplete: no\\u001b\[2J"):
        reader.read("x://d")


def test_a_host_that_is_not_reached_is_asked_once_and_costs_its_own_only(directory: Path) -> None:
    silent = Says(HostTrouble("silent: no answer", begun=False))

    def reach(url: str) -> Place:
        shell, path = (silent, "/d") if "silent" in url else (LocalShell(), str(directory))
        return Place(shell, path + url[-1:] if shell is silent else path, url, "silent" if shell is silent else "here")

    urls = [f"x://silent/{number}" for number in range(10, 40)]
    found = StateDirectories(Deadline(60), {"x": reach}).read_many([*urls, "x://well"])

    assert silent.asked == 1
    assert all("silent: no answer" in str(found[url]) for url in urls)
    assert isinstance(found["x://well"], tuple)


@pytest.mark.parametrize(
    ("lines", "kind", "expected"),
    [
        (["1: POSIX  ADVISORY  WRITE 27916 fe:00:42 0 EOF"], "ext2/ext3", Lock(held=True, pid=27916)),
        (["1: OFDLCK ADVISORY  READ  -1 fe:00:42 0 EOF"], "xfs", Lock(held=True)),
        (
            ["1: FLOCK  ADVISORY  WRITE 7 fe:00:42 0 EOF", "2: -> POSIX  ADVISORY  WRITE 5 fe:00:42 0 EOF"],
            "xfs",
            Lock(held=False),
        ),
        (["1: POSIX  ADVISORY  WRITE 27916 fe:00:421 0 EOF", "", "x", "1: POSIX"], "xfs", Lock(held=False)),
    ],
)
def test_locks_as_linux_lists_them(lines: list[str], kind: str, expected: Lock) -> None:
    entry = ListedFile(0o100644, 0, 0, 0, (0xFE00, 42))

    assert lock_on(entry, Listing(locks=lines, file_system=kind), sees_all=True) == expected


@pytest.mark.parametrize(
    ("lines", "kind", "sees_all", "why"),
    [
        (None, "xfs", True, "no /proc/locks"),
        (["1: POSIX  ADVISORY  WRITE 27916 00:1f:42 0 EOF"], "btrfs", True, "on another device"),
        ([], "nfs", True, "other machines"),
        ([], "xfs", False, "container"),
    ],
)
def test_where_a_lock_may_be_hidden_it_is_unknown(lines: list[str] | None, kind: str, sees_all: bool, why: str) -> None:
    found = lock_on(ListedFile(0o100644, 0, 0, 0, (0xFE00, 42)), Listing(locks=lines, file_system=kind), sees_all=sees_all)

    assert found.held is None
    assert why in str(found.reason)
