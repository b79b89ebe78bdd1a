"""A group's history as a picture, and two of its snapshots or plans compared."""

from pathlib import Path

import pytest
from tests.harness.article import LAST, C
from tests.harness.pages.web_lake import WebLake, article, replacement
from tests.harness.plans import NOON

from holdfast.errors import InvalidInput, StatePathTrouble
from holdfast.rollout.teams.sight import EVERYTHING
from holdfast.web import comparing
from holdfast.web.group_view import OrderChangeView
from holdfast.web.history import HEIGHT, MOST_BARS, WIDTH, bars
from holdfast.workflows import snapshots


def changed(hour: int, moved: int, collateral: int = 0) -> OrderChangeView:
    return OrderChangeView(f"2026-11-{1 + hour // 24:02d}T{hour % 24:02d}:00:00Z", (), (), moved, collateral)


def test_bars_stand_in_time_and_inside_the_picture() -> None:
    found = bars([changed(300, 40, 10), changed(0, 20, 0), changed(10, 0)])

    assert [one.count for one in found] == [20, 0, 40], "the oldest first"
    assert found[0].x == 0
    assert all(one.x >= 0 and one.x + one.width <= WIDTH and 0 <= one.collateral <= one.moved <= HEIGHT for one in found)
    assert (found[2].moved, found[2].collateral, found[0].moved) == (HEIGHT, HEIGHT // 4, HEIGHT // 2)
    assert found[2].says.endswith("40 tasks moved, 10 avoidable")
    assert bars([]) == ()
    assert bars([changed(5, 0, 9)])[0].collateral == 0, "no more than moved, whatever a table says"
    assert len(bars([changed(at, 1) for at in range(MOST_BARS + 9)])) == MOST_BARS


@pytest.mark.thorough
def test_two_plans_and_two_snapshots_are_compared(tmp_path: Path) -> None:
    web = WebLake(tmp_path, NOON)
    one = web.plan(article(), replacement(C, LAST, "app-3"), minutes=30)
    other = web.plan(article(), {"remove_client": {"process_id": C}}, minutes=5)
    newest, *_, oldest = snapshots.newest_first(web.lake, "local", "streams-wordcount")
    url = str(tmp_path)

    assert comparing.compared(url, one.plan_id, other.plan_id, EVERYTHING).lines
    assert comparing.compared(url, one.plan_id, one.plan_id, EVERYTHING).lines == ()
    assert comparing.compared(url, oldest, newest, EVERYTHING).kind.value == "snapshot"
    with pytest.raises(InvalidInput, match="two plans or two snapshots"):
        comparing.compared(url, one.plan_id, newest, EVERYTHING)
    with pytest.raises(InvalidInput, match="not a snapshot ID"):
        comparing.compared(url, "../../etc/passwd", "x", EVERYTHING)
    with pytest.raises(StatePathTrouble):
        comparing.compared(url, "0" * 16, one.plan_id, EVERYTHING)
