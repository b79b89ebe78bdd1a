"""Task placement as tables: what each task is, who hands how much to whom, and a page of what is looked for."""

from dataclasses import replace

import pytest
from tests.harness.article import AFTER, group
from tests.harness.plans import NOON, REPLACE_FIRST, article_plan, planned

from holdfast.rollout.streams.plan import json as plan_json
from holdfast.web.kinds.streams import plan_view
from holdfast.web.kinds.streams.plan_view import view
from holdfast.web.kinds.streams.task_owners import about_tasks
from holdfast.web.parts.ownership import COLLATERAL, Picture
from holdfast.web.plan.task_table import MOST_HOSTS, OTHERS, PAGE_SIZE, matrix, select

from tests.unit.web.parts.pictures import of_moves  # isort: skip


def baseline() -> Picture:
    return next(one for one in view(article_plan(), NOON).pictures if one.name == "baseline")


@pytest.mark.thorough
def test_a_task_says_what_it_is() -> None:
    document = group(AFTER)
    document["tasks"]["1_0"]["changelogs"] = [["streams-wordcount-counts-changelog", 0, 2], ["repartition", 0, 2]]
    basis = planned(document, REPLACE_FIRST).basis

    assert about_tasks(basis)("1_0").startswith("subtopology 1, partition 0; reads repartition; stores ")
    assert "counts" in about_tasks(basis)("1_3"), "the tasks of a subtopology keep the same stores"
    assert about_tasks(basis)("0_2") == "subtopology 0, partition 2; reads input; stateless"
    assert about_tasks(basis)("9_9") == "subtopology 9, partition 9"


def test_a_plan_from_before_is_still_read() -> None:
    """It has no subtopologies, and its ID is the digest of what it says."""
    plan = article_plan()
    before = replace(plan, basis=replace(plan.basis, subtopologies=()))
    before = plan_json.with_id(before)
    written = plan_json.plan_to_json(before)

    assert "subtopologies" not in written["basis"]  # type: ignore[operator]
    assert plan_json.plan_from_json(written) == before
    assert about_tasks(before.basis)("1_0") == "subtopology 1, partition 0"


def test_the_matrix_adds_up_to_what_moves() -> None:
    found = matrix(baseline())

    assert found is not None
    assert sum(sum(counts) for _, counts in found.rows) == baseline().moved == 6
    assert matrix(view(article_plan(), NOON).pictures[0]) is None, "nothing moves the recommended way"


def test_of_many_hosts_the_rest_are_one_row() -> None:
    found = matrix(of_moves([(f"h{at}", f"h{(at + 1) % 40}", 40 - at) for at in range(40)]))

    assert found is not None
    assert len(found.rows) <= MOST_HOSTS + 1
    assert found.rows[-1][0] == found.columns[-1] == OTHERS
    assert sum(sum(counts) for _, counts in found.rows) == sum(range(1, 41))
    assert found.columns[:2] == ("h1 (h1)", "h2 (h2)")


def test_tasks_are_found_sorted_and_paged() -> None:
    about = about_tasks(article_plan().basis)
    everything, moves = select(baseline(), about), select(baseline(), about, moves_only=True, sort="why")

    assert (everything.found, everything.total, moves.found) == (6, 6, 6)
    assert [row.thing for row in everything.rows] == [f"1_{number}" for number in range(6)]
    assert moves.rows[0].how == COLLATERAL
    assert moves.rows[0].why == "collateral: its client stays"
    assert select(baseline(), about, "1_3").found == 1
    assert select(baseline(), about, "collateral client").found == 4
    assert select(baseline(), about, "no such thing", page=7).page == 1
    assert select(baseline(), about, sort="<script>").rows == everything.rows


def test_pages_are_bounded_and_numbers_are_sorted_as_numbers() -> None:
    many = of_moves([("a", "b", PAGE_SIZE + 20)])
    last = select(many, lambda _: "", page=99)

    assert (last.page, last.pages, len(last.rows)) == (2, 2, 20)
    assert [row.thing for row in select(many, lambda _: "").rows][:3] == ["0_0", "0_1", "0_2"]


def test_a_table_that_is_cut_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = view(article_plan(), NOON).timelines[-1]
    monkeypatch.setattr(plan_view, "MOST_ROUNDS", 1)
    cut = view(article_plan(), NOON).timelines[-1]

    assert (whole.rounds_cut, len(cut.rounds), cut.rounds_cut) == (0, 1, len(whole.rounds) - 1)
