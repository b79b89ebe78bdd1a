"""A search in this process: the same pieces as anywhere else, reported one by one, and left alone where it is large."""

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from tests.harness.article import AFTER, C, Document, change, fleet, group
from tests.harness.plain_groups import group as plain_group
from tests.harness.plain_groups import member

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.rollout.kinds import distributed_search, search_progress
from holdfast.workflows import searching

DRAFT = ("drafts", "one")
REPLACE = {"replace_client": {"process_id": C, "by": {"process_id": None, "threads": 2}, "state": "empty"}}
READERS = plain_group({"a": member(0, 1, 2), "b": member(3, 4, 5)})
RESTARTS = [{"restart_consumer": {"member_id": name, "new_member_id": f"{name}2"}} for name in "ab"]
REPLACE_READER = {"replace_consumer": {"member_id": "a", "by": {"member_id": "x"}}}


def drafted(folder: Path, snapshot: Document, *events: object) -> FsspecLake:
    lake = FsspecLake(str(folder))
    lake.write((*DRAFT, "snapshot.json"), json.dumps(snapshot).encode())
    lake.write((*DRAFT, "change.json"), json.dumps(change(*events)).encode())
    return lake


def seconds() -> float:
    return 0.0


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("snapshot", "event"),
    [
        (group(AFTER), REPLACE),
        (READERS, REPLACE_READER),
    ],
    ids=["streams", "plain"],
)
def test_comes_to_the_same_as_anywhere_else(tmp_path: Path, snapshot: Document, event: object) -> None:
    lake = drafted(tmp_path, snapshot, event)
    texts = json.dumps(snapshot), json.dumps(change(event))
    options = distributed_search.candidates(*texts)

    assert not searching.is_done(lake, DRAFT)
    assert searching.search_here(lake, DRAFT, seconds)
    lines = lake.read((*DRAFT, "evaluations", "part-00000.txt"), 10**7).decode().splitlines()
    assert lines == [distributed_search.evaluation(texts[0], one) for one in options]
    told = searching.progress(lake, DRAFT)
    assert [(one.place, one.of) for one in told.done] == [(place, len(options)) for place in range(len(options))]
    assert told.titles == tuple(one.title for one in told.done)
    assert all(told.titles)
    assert searching.is_done(lake, DRAFT)


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    lake = drafted(tmp_path, group(AFTER), REPLACE)
    lake.write((*DRAFT, "evaluations", "part-00000-x.txt"), b"as Spark wrote it\n")

    assert searching.search_here(lake, DRAFT, seconds)
    assert lake.names((*DRAFT, "evaluations")) == ("part-00000-x.txt",)


def test_a_large_one_is_left_alone(tmp_path: Path) -> None:
    document, ids = fleet(60, 1_000, 2)
    by = {"replace_client": {"process_id": ids[1], "by": {"process_id": None, "threads": 2}, "state": "empty"}}
    lake = drafted(tmp_path, document, by)

    assert not searching.search_here(lake, DRAFT, seconds)
    assert lake.names((*DRAFT, "progress")) == ()


def test_one_that_takes_too_long_is_left_to_spark(tmp_path: Path) -> None:
    lake = drafted(tmp_path, group(AFTER), REPLACE)
    clock = count(0, 6)

    assert not searching.search_here(lake, DRAFT, lambda: float(next(clock)))
    assert not searching.is_done(lake, DRAFT)
    told = searching.progress(lake, DRAFT)
    assert (len(told.done), told.of) == (1, len(told.titles))
    assert told.of > 3, "all are announced"


@pytest.mark.parametrize("damage", ["none", "half", "of another option", "no JSON"])
def test_what_a_killed_attempt_has_done_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    """So the progress that the page shows is true after a kill. What is damaged is done again."""
    lake, done = drafted(tmp_path, READERS, *RESTARTS), []
    evaluator = distributed_search.evaluator

    def counted(snapshot: str) -> Callable[[str], str]:
        def one(candidate: str) -> str:
            if len(done) == 2:
                raise KeyboardInterrupt
            done.append(candidate)
            return evaluator(snapshot)(candidate)

        return one

    monkeypatch.setattr(distributed_search, "evaluator", counted)
    with pytest.raises(KeyboardInterrupt):
        searching.search_here(lake, DRAFT, seconds)
    assert [one.place for one in searching.progress(lake, DRAFT).done] == [0, 1]
    kept = [lake.read((*DRAFT, "forecasts", name), 10**7) for name in ("000.json", "001.json")]
    broken = {"none": kept[1], "half": kept[1][:-40], "of another option": kept[0], "no JSON": b"\xff"}[damage]
    lake.write((*DRAFT, "forecasts", "001.json"), broken)
    first, done[:] = [*done], [""] * 3
    assert searching.search_here(lake, DRAFT, seconds)

    texts = json.dumps(READERS), json.dumps(change(*RESTARTS))
    options = distributed_search.candidates(*texts)
    assert first == [*options[:2]]
    assert done[3:] == [*options[2 if damage == "none" else 1 :]]
    lines = lake.read((*DRAFT, "evaluations", "part-00000.txt"), 10**7).decode().splitlines()
    assert lines == [evaluator(texts[0])(one) for one in options]


def test_twelve_clients_with_72_tasks_are_small() -> None:
    document, ids = fleet(12, 72, 2)
    by = {"replace_client": {"process_id": ids[1], "by": {"process_id": None, "threads": 2}, "state": "empty"}}

    for event in (by, {"rolling_restart": {}}, {"add_client": {"process_id": None, "threads": 2}}):
        texts = json.dumps(document), json.dumps(change(event))
        assert searching.is_tried_here(*texts)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"place": -1, "of": 2, "title": "x", "milliseconds": 1}', b"\xff" * 9_000])
def test_half_a_line_is_left_out(tmp_path: Path, content: bytes) -> None:
    lake = FsspecLake(str(tmp_path))
    lake.write((*DRAFT, "progress", "000.json"), content)
    lake.write((*DRAFT, "progress", "001.json"), search_progress.written(1, 2, '{"name": "x"}', 0.5).encode())

    lake.write((*DRAFT, "progress", "options.json"), content)

    told = searching.progress(lake, DRAFT)
    assert ([(one.place, one.title, one.milliseconds) for one in told.done], told.titles, told.of) == ([(1, "x", 500)], (), 2)
