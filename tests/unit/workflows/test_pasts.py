"""The past of groups, written into the lake by cluster, day, group and life; only the newest is there."""

from pathlib import Path

import pytest
from tests.unit.adapters.broker.test_recorded_groups import generations, put

from holdfast.adapters.broker.recorded_groups import Spool, spool
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.errors import StatePathTrouble
from holdfast.rollout.backtest import past_file
from holdfast.rollout.backtest.results import Given
from holdfast.workflows import pasts
from holdfast.workflows.collecting.collector import StatedByOperator
from holdfast.workflows.pasts import When

WHEN = When("a/b", "2026-11-21", "2026-11-22T00:10:00Z")
GIVEN = Given("3.9.1", changelogs=(("app-log", (1,)),), stopped=(("m-1", "2026-11-20T14:57:03Z"),))


def kept(lake: FsspecLake) -> list[str]:
    return sorted(str(path.relative_to(lake.url)) for path in Path(lake.url).rglob("*.records"))


def filled(past: Spool, *groups: str) -> None:
    for group_id in groups:
        for one in generations(3):
            put(past, group_id, one)


def test_each_life_of_each_group_is_a_file(tmp_path: Path) -> None:
    lake = FsspecLake(str(tmp_path))
    lake.write(("past", "cluster=a%2Fb", "day=2026-11-20", "group=old", "1.records"), b"old")
    lake.write(("past", "cluster=c", "day=2026-11-20", "group=other", "1.records"), b"of another cluster")
    with spool(lambda _: True) as past:
        filled(past, "one", "two")
        put(past, "two", None)
        filled(past, "two")
        found = pasts.keep(lake, WHEN, past, lambda _: GIVEN)

    place = "past/cluster=a%2Fb/day=2026-11-21"
    assert (found.files, found.left_out) == (3, ())
    assert kept(lake) == [
        f"{place}/group=one/1.records",
        f"{place}/group=two/1.records",
        f"{place}/group=two/2.records",
        "past/cluster=c/day=2026-11-20/group=other/1.records",
    ]
    header, entries, _ = past_file.read((tmp_path / place / "group=one" / "1.records").read_bytes())
    assert (header.cluster, header.group_id, header.read_at, header.given) == ("a/b", "one", WHEN.read_at, GIVEN)
    assert len([*entries()]) == 3


def test_the_older_past_is_there_until_the_newest_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that ends between two files leaves the last night's as they were; the next run of the day writes over what is there."""
    lake, older = FsspecLake(str(tmp_path)), "past/cluster=a%2Fb/day=2026-11-20/group=one/1.records"
    lake.write(tuple(older.split("/")), b"old")
    lake.write(("past", "cluster=a%2Fb", f"day={WHEN.day}", "group=gone", "1.records"), b"of an earlier run of the day")
    written = FsspecLake.write

    def full(self: FsspecLake, path: tuple[str, ...], content: bytes) -> None:
        if "group=two" in path:
            raise StatePathTrouble("no space left")
        written(self, path, content)

    with spool(lambda _: True) as past:
        filled(past, "one", "two")
        with monkeypatch.context() as broken:
            broken.setattr(FsspecLake, "write", full)
            with pytest.raises(StatePathTrouble):
                pasts.keep(lake, WHEN, past, lambda _: GIVEN)
        assert older in kept(lake)
        pasts.keep(lake, WHEN, past, lambda _: GIVEN)

    assert kept(lake) == [f"past/cluster=a%2Fb/day={WHEN.day}/group={one}/1.records" for one in ("one", "two")]
    assert not (tmp_path / "past" / "cluster=a%2Fb" / f"day={WHEN.day}" / "group=gone").exists()


def test_what_is_left_out_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pasts, "MOST_FILES", 1)
    with spool(lambda _: True) as past:
        past.note("partition 3")
        filled(past, "one", "two")
        found = pasts.keep(FsspecLake(str(tmp_path)), WHEN, past, lambda _: Given())

    assert found.files == 1
    assert found.left_out == ("partition 3", "groups after two: 1 files are written at most")


def test_what_a_connection_says_of_a_group_is_given() -> None:
    operator = StatedByOperator("3.9.1", {}, {"num.standby.replicas": 1}, broker_release="4.3.1")
    assert pasts.stated("app", operator) == Given("3.9.1", "4.3.1", (("num.standby.replicas", 1),))
    refused = StatedByOperator("no release", {}, {}, broker_release="4.3.1")
    assert pasts.stated("app", refused) == Given(broker_release="4.3.1")
