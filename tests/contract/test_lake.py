"""Every lake keeps the promises of `ports.Lake`: the fake, a local folder, an object store (fsspec's in memory), two S3 servers."""

import errno
import os
import secrets
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from tests.fakes.lake import MemoryLake
from tests.harness.s3.servers import S3Server

from holdfast.adapters import temporary
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.errors import InvalidInput, StatePathTrouble, Unsupported
from holdfast.ports import Lake

PLACE = ("a", "b", "c.json")
LAKES: dict[str, Callable[[Path], Lake]] = {
    "fake": lambda _: MemoryLake(),
    "local folder": lambda folder: FsspecLake(str(folder / "a lake")),
    "file URL": lambda folder: FsspecLake(f"file://{folder}/lake"),
    "object store": lambda _: FsspecLake(f"memory://lake-{secrets.token_hex(4)}"),
}
OTHERS = os.environ.get("HOLDFAST_TEST_LAKES", "").split()
"""URLs of further stores, which `bin/test-object-stores` starts."""
LAKES |= {url: lambda _, url=url: FsspecLake(f"{url}/lake-{secrets.token_hex(4)}") for url in OTHERS}
S3_SERVERS = ("s3proxy", "s3mock")


def made(name: str, request: pytest.FixtureRequest, folder: Path) -> Lake:
    if name in LAKES:
        return LAKES[name](folder)
    server: S3Server = request.getfixturevalue(name)
    return FsspecLake(server.address())


@pytest.fixture(params=[*LAKES, *S3_SERVERS])
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Lake:
    return made(request.param, request, tmp_path)


@pytest.fixture(params=[*LAKES, "s3proxy"])
def exclusive_lake(request: pytest.FixtureRequest, tmp_path: Path) -> Lake:
    """S3Mock looks, then writes: of two puts at the same moment both are taken, which no client can find out."""
    return made(request.param, request, tmp_path)


@pytest.fixture(params=S3_SERVERS)
def s3(request: pytest.FixtureRequest) -> S3Server:
    server: S3Server = request.getfixturevalue(request.param)
    return server


def test_what_was_written_is_read(lake: Lake) -> None:
    lake.write(("plans", "0123", "plan.json"), b'{"a": 1}')

    assert lake.read(("plans", "0123", "plan.json"), limit=100) == b'{"a": 1}'
    assert lake.exists(("plans", "0123", "plan.json"))


def test_a_second_write_takes_the_place_of_the_first(lake: Lake) -> None:
    lake.write(("plans", "note"), b"a long first version")
    lake.write(("plans", "note"), b"second")

    assert lake.read(("plans", "note"), limit=100) == b"second"
    assert lake.names(("plans",)) == ("note",)


def test_a_file_is_created_only_where_there_is_none(lake: Lake) -> None:
    assert lake.create(("plans", "0123", "1.json"), b"first")
    assert not lake.create(("plans", "0123", "1.json"), b"second")
    assert not lake.create(("plans", "0123", "1.json"), b"first")
    assert lake.read(("plans", "0123", "1.json"), limit=100) == b"first"

    lake.write(("plans", "0123", "1.json"), b"third")
    lake.remove(("plans", "0123", "1.json"))
    assert lake.create(("plans", "0123", "1.json"), b"fourth")
    assert lake.names(("plans", "0123")) == ("1.json",)


def test_of_many_who_create_at_once_one_does(exclusive_lake: Lake) -> None:
    def create(number: int) -> bytes | None:
        content = b"%d" % number * 1_000
        return content if exclusive_lake.create(("plans", "one"), content) else None

    with ThreadPoolExecutor(8) as pool:
        won = [content for content in pool.map(create, range(24)) if content is not None]
    assert won == [exclusive_lake.read(("plans", "one"), limit=10_000)]


def test_what_is_not_there_is_trouble_to_read_and_nothing_to_list(lake: Lake) -> None:
    with pytest.raises(StatePathTrouble, match="nothing"):
        lake.read(("plans", "nothing"), limit=100)

    assert not lake.exists(("plans", "nothing"))
    assert lake.names(("plans",)) == ()


def test_a_folder_is_no_file(lake: Lake) -> None:
    lake.write(("plans", "0123", "plan.json"), b"{}")

    assert not lake.exists(("plans", "0123"))


def test_a_file_is_removed_or_a_folder_with_all_that_is_in_it(lake: Lake) -> None:
    for name in ("1.json", "2.json"):
        lake.write(("snapshots", "day=1", name), b"{}")
        lake.write(("snapshots", "day=11", name), b"{}")

    lake.remove(("snapshots", "day=1", "1.json"))
    assert lake.names(("snapshots", "day=1")) == ("2.json",)
    lake.remove(("snapshots", "day=1"))
    lake.remove(("snapshots", "nothing"))

    assert not lake.exists(("snapshots", "day=1", "2.json"))
    assert lake.names(("snapshots", "day=11")) == ("1.json", "2.json")


def test_nothing_outside_is_removed(lake: Lake) -> None:
    for path in (("..",), ("snapshots", ".."), ("snapshots", ""), ("a/b",)):
        with pytest.raises(InvalidInput):
            lake.remove(path)


def test_reading_is_bounded(lake: Lake) -> None:
    lake.write(("big",), b"x" * 11)

    assert lake.read(("big",), limit=11) == b"x" * 11
    with pytest.raises(StatePathTrouble, match="10 bytes"):
        lake.read(("big",), limit=10)


def test_names_are_sorted_and_one_level_deep(lake: Lake) -> None:
    for name in ("b", "a", "c"):
        lake.write(("snapshots", "cluster=x", name, "deep"), b"")

    assert lake.names(("snapshots", "cluster=x")) == ("a", "b", "c")
    assert lake.names(("snapshots",)) == ("cluster=x",)


@pytest.mark.parametrize("segment", ["..", ".", "", "a/b", "/etc", "a\\b", ".hidden", "a\0b", "a\nb", "é", "x" * 241])
def test_no_path_leads_out(lake: Lake, segment: str) -> None:
    with pytest.raises(InvalidInput):
        lake.write(("plans", segment, "plan.json"), b"{}")
    with pytest.raises(InvalidInput):
        lake.read((segment,), limit=1)


@pytest.mark.parametrize("link", ["a", "a/b", "a/b/c.json"], ids=lambda link: f"{link.count('/') + 1} down")
def test_no_symbolic_link_is_followed(tmp_path: Path, link: str) -> None:
    """A user who may write into the lake must not read other files of the machine that shows it."""
    outside = tmp_path / "outside"
    (outside / "a" / "b").mkdir(parents=True)
    (outside / "a" / "b" / "c.json").write_text("secret")
    place = tmp_path / "lake" / link
    place.parent.mkdir(parents=True)
    place.symlink_to(outside / link)
    lake = FsspecLake(str(tmp_path / "lake"))

    for ask in (
        lambda: lake.read(PLACE, 100),
        lambda: lake.write(PLACE, b"x"),
        lambda: lake.create(PLACE, b"x"),
        lambda: lake.exists(PLACE),
        lambda: lake.remove(PLACE),
    ):
        with pytest.raises(InvalidInput, match="is a symbolic link"):
            ask()
    assert (outside / "a" / "b" / "c.json").read_text() == "secret"


def test_the_lake_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "lake").symlink_to(tmp_path / "elsewhere")
    lake = FsspecLake(str(tmp_path / "lake"))
    lake.write(PLACE, b"x")

    assert lake.read(PLACE, 100) == b"x"


def test_a_local_write_leaves_nothing_beside(tmp_path: Path) -> None:
    lake = FsspecLake(str(tmp_path))
    lake.write(("plans", "plan.json"), b"{}")

    assert [path.name for path in (tmp_path / "plans").iterdir()] == ["plan.json"]


def test_a_local_write_that_fails_keeps_what_was_there(tmp_path: Path) -> None:
    """The place of the file is a folder: the rename fails after the bytes were written next to it."""
    lake = FsspecLake(str(tmp_path))
    lake.write(("plans", "plan.json", "kept"), b"kept")

    with pytest.raises(StatePathTrouble):
        lake.write(("plans", "plan.json"), b"{}")
    assert [path.name for path in (tmp_path / "plans").iterdir()] == ["plan.json"]
    assert lake.read(("plans", "plan.json", "kept"), limit=10) == b"kept"


def test_unfinished_files_are_not_listed(tmp_path: Path) -> None:
    (tmp_path / ".plan.json.abcd.tmp").write_bytes(b"half")
    (tmp_path / "plan.json").write_bytes(b"{}")

    assert FsspecLake(str(tmp_path)).names(("missing",)) == ()
    assert FsspecLake(str(tmp_path.parent)).names((tmp_path.name,)) == ("plan.json",)


@pytest.mark.parametrize("url", ["s3://user:secret@bucket/lake", "sftp://someone@host/lake", "s3://user:secret@[::1/lake"])
def test_a_url_with_credentials_is_refused_without_repeating_them(url: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        FsspecLake(url)

    assert "secret" not in str(refusal.value)


def test_an_unknown_protocol_is_trouble() -> None:
    with pytest.raises(StatePathTrouble, match="cannot be opened"):
        FsspecLake("nosuchprotocol://x")


@pytest.fixture
def elsewhere() -> FsspecLake:
    """A file system that offers no more than fsspec's least: looking, then writing."""
    lake = FsspecLake(f"memory://lake-{secrets.token_hex(4)}")
    lake._objects._protocols = ("elsewhere",)
    return lake


def test_where_nothing_is_safe_nothing_is_created(elsewhere: FsspecLake) -> None:
    with pytest.raises(Unsupported, match="over elsewhere files cannot be created exclusively"):
        elsewhere.create(PLACE, b"x")
    assert not elsewhere.exists(PLACE)


def test_an_object_store_that_overlooks_the_condition_is_found_out(elsewhere: FsspecLake, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere._objects._protocols = ("gs",)
    put = elsewhere._files.pipe_file
    monkeypatch.setattr(elsewhere._files, "pipe_file", lambda place, content, **_: put(place, content))
    with pytest.raises(Unsupported, match="ignores the condition of a put"):
        elsewhere.create(PLACE, b"x")


def test_a_disk_without_hard_links_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuses)
    with pytest.raises(Unsupported, match="has no hard links"):
        FsspecLake(str(tmp_path)).create(PLACE, b"x")
    assert leftovers(tmp_path) == []


def leftovers(folder: Path) -> list[str]:
    return [str(path) for path in folder.rglob("*") if temporary.is_temporary(path.name)]


def test_where_no_lock_is_seen_leftovers_go_by_age(elsewhere: FsspecLake) -> None:
    files, root = elsewhere._files, elsewhere._root
    young, old = (f"{root}/a/{temporary.name_for('c.json')}" for _ in range(2))
    for name in (young, old, f"{root}/a/foreign.tmp"):
        files.pipe_file(name, b"half")
    files.store[old].modified -= timedelta(hours=2)
    elsewhere.write(PLACE, b"x")

    assert sorted(name for name in files.store if name.startswith(f"{root}/")) == sorted(
        [young, f"{root}/a/foreign.tmp", f"{root}/a/b/c.json"]
    )


@pytest.mark.parametrize("method", ["write", "create"])
def test_killed_between_any_two_file_operations_the_next_run_leaves_nothing(tmp_path: Path, method: str) -> None:
    """A process dies at its n-th operation on files, for every n; another one, elsewhere in the lake, tidies up."""
    survived = False
    for deadline in range(1, 100):
        lake = tmp_path / str(deadline)
        if dies_at(deadline, lambda: getattr(FsspecLake(str(lake)), method)(PLACE, b"content")):  # noqa: B023 - called at once
            found = leftovers(lake) if lake.exists() else []
            assert len(found) <= 1
            content = (lake / "a" / "b" / "c.json").read_bytes() if (lake / "a" / "b" / "c.json").exists() else b"content"
            assert content == b"content"
            FsspecLake(str(lake)).write(("a", "another"), b"")
            assert leftovers(lake) == []
            continue
        survived = True
        break
    assert survived
    assert deadline > 5


def dies_at(deadline: int, act: Callable[[], object]) -> bool:
    """Run in a child that is killed before its n-th operation on files. Whether it was."""
    child = os.fork()
    if child == 0:
        count = [0]

        def watch(event: str, _: tuple[object, ...]) -> None:
            if event in {"open", "os.rename", "os.link", "os.remove", "os.mkdir", "fcntl.flock", "os.scandir"}:
                count[0] += 1
                if count[0] >= deadline:
                    os._exit(9)

        sys.addaudithook(watch)
        try:
            act()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 9
