"""What people say about a plan: kept once each, in order, bounded, without secrets; other files there do no harm."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes.lake import MemoryLake
from tests.harness.plans import article_plan

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.errors import InvalidInput, StatePathTrouble
from holdfast.rollout.journal.comment import Comment
from holdfast.workflows import comments
from holdfast.workflows import plan as plans


@pytest.fixture
def lake() -> MemoryLake:
    made = MemoryLake()
    plans.keep(made, article_plan())
    return made


@pytest.fixture
def said() -> Comment:
    return Comment(article_plan().plan_id, "bob", "2026-11-20T12:00:00Z", "Why not on Sunday?\nThen nobody is at work.")


def test_they_are_kept_in_order(lake: MemoryLake, said: Comment) -> None:
    other = replace(said, by="ann", text="On Sunday the batch runs.")
    comments.add(lake, said)
    comments.add(lake, other)

    assert comments.read(lake, said.plan_id) == comments.Comments((said, other), 0)
    assert comments.read(lake, "0" * 16) == comments.Comments((), 0)


@pytest.mark.parametrize("text", ["", " \n", "x" * (comments.LONGEST + 1), "the password=oPen5esame", "s3://key:oPen5esame@bucket"])
def test_what_is_empty_too_long_or_secret_is_refused(lake: MemoryLake, said: Comment, text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        comments.add(lake, replace(said, text=text))

    assert "oPen5esame" not in str(refused.value)
    assert comments.read(lake, said.plan_id).all == ()


def test_there_is_an_end_to_them(lake: MemoryLake, said: Comment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comments, "MOST", 2)
    comments.add(lake, said)
    comments.add(lake, said)

    with pytest.raises(InvalidInput, match="2 comments; no more are kept"):
        comments.add(lake, said)


def test_of_a_plan_that_there_is(lake: MemoryLake, said: Comment) -> None:
    with pytest.raises(StatePathTrouble):
        comments.add(lake, replace(said, plan_id="0" * 16))


def test_what_is_no_comment_is_counted_and_the_rest_shown(lake: MemoryLake, said: Comment) -> None:
    comments.add(lake, said)
    comments.add(lake, said)
    folder = ("plans", said.plan_id, comments.FOLDER)
    lake.write((*folder, "00001.json"), b"[")
    lake.write((*folder, "00003.json"), lake.read((*folder, "00002.json"), 10**6).replace(said.plan_id.encode(), b"0" * 16))
    lake.write((*folder, "notes.json"), b"x")

    assert comments.read(lake, said.plan_id) == comments.Comments((said,), 2)


@pytest.mark.thorough
def test_of_many_at_once_none_is_lost(tmp_path: Path, said: Comment) -> None:
    lake = FsspecLake(str(tmp_path))
    plans.keep(lake, article_plan())
    texts = [f"comment {number}" for number in range(6)]
    with ThreadPoolExecutor(6) as people:
        list(people.map(lambda text: comments.add(lake, replace(said, text=text)), texts))

    assert sorted(one.text for one in comments.read(lake, said.plan_id).all) == texts
