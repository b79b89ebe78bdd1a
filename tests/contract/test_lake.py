"""Every lake keeps the promises of `ports.Lake`: the fake, a local folder, and an object store (fsspec's in memory)."""

import secrets
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes.lake import MemoryLake

from holdfast.adapters.lake import FsspecLake
from holdfast.errors import InvalidInput, StatePathTrouble
from holdfast.ports import Lake

PLACE = ("a", "b", "c.json")
LAKES: dict[str, Callable[[Path], Lake]] = {
    "fake": lambda _: MemoryLake(),
    "local folder": lambda folder: FsspecLake(str(folder / "a lake")),
    "file URL": lambda folder: FsspecLake(f"file://{folder}/lake"),
    "object store": lambda _: FsspecLake(f"memory://lake-{secrets.token_hex(4)}"),
}


@pytest.fixture(params=LAKES.values(), ids=LAKES.keys())
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Lake:
    made: Lake = request.param(tmp_path)
    return made


def test_what_was_written_is_read(lake: Lake) -> None:
    lake.write(("plans", "0123", "plan.json"), b'{"a": 1}')

    assert lake.read(("plans", "0123", "plan.json"), limit=100) == b'{"a": 1}'
    assert lake.exists(("plans", "0123", "plan.json"))


def test_a_second_write_takes_the_place_of_the_first(lake: Lake) -> None:
    lake.write(("plans", "note"), b"a long first version")
    lake.write(("plans", "note"), b"second")

    assert lake.read(("plans", "note"), limit=100) == b"second"
    assert lake.names(("plans",)) == ("note",)


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
    """Whoever may write into the lake shall not read what else there is on the machine that shows it."""
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
    """The place of the file is a folder: the rename fails after the bytes were written beside it."""
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


@pytest.mark.parametrize("url", ["s3://user:secret@bucket/lake", "sftp://someone@host/lake"])
def test_a_url_with_credentials_is_refused_without_repeating_them(url: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        FsspecLake(url)

    assert "secret" not in str(refusal.value)


def test_an_unknown_protocol_is_trouble() -> None:
    with pytest.raises(StatePathTrouble, match="cannot be opened"):
        FsspecLake("nosuchprotocol://x")
