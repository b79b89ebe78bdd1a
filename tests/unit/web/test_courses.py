"""Counts over time as pictures: on the pages of a group and of the fleet."""

from pathlib import Path
from typing import Any

import pytest
from tests.harness.pages.web_lake import WebLake, article, write_past, write_tables
from tests.harness.plans import NOON

from holdfast.rollout.teams.sight import EVERYTHING
from holdfast.web import courses, overview, templating
from holdfast.web.courses import HEIGHT, MOST_COLUMNS, WIDTH, Point


def at(hour: int) -> str:
    return f"2026-11-{1 + hour // 24:02d}T{hour % 24:02d}:00:00Z"


def row(hour: int, generation: int | None, lag: int | None = None, behind: int | None = None) -> dict[str, Any]:
    return {"captured_at": at(hour), "generation": generation, "lag": lag, "copies_behind": behind}


def test_columns_stand_in_time_and_inside_the_picture() -> None:
    found = courses.course("Lag", "record", [Point(at(30), 0), Point(at(0), 20), Point(at(10), 40)], max)

    assert found is not None
    assert [one.says for one in found.columns] == [
        "2026-11-01 00:00: 20 records", "2026-11-01 10:00: 40 records", "2026-11-02 06:00: 0 records",
    ]  # fmt: skip
    assert [one.height for one in found.columns] == [HEIGHT // 2, HEIGHT, 0]
    assert all(one.x >= 0 and one.x + one.width <= WIDTH for one in found.columns)
    assert (found.most, found.last, found.since, found.until) == (40, 0, "2026-11-01", "2026-11-02")
    assert courses.course("Lag", "record", [], max) is None


@pytest.mark.parametrize(("together", "total"), [(sum, 600), (max, MOST_COLUMNS)])
def test_many_points_share_columns_and_none_is_lost(together: Any, total: int) -> None:
    found = courses.course("x", "record", [Point(at(hour), 1) for hour in range(600)], together)

    assert found is not None
    assert len(found.columns) == len(found.table) == MOST_COLUMNS
    assert sum(count for _, count in found.table) == total


def test_a_group_rebalanced_between_snapshots_of_which_the_generation_is_known() -> None:
    rebalances, lag = courses.of_group([row(9, 12, 7), row(0, 5), row(3, None, 9), row(4, 9), row(12, 1), row(14, 1)])

    assert [count for _, count in rebalances.table] == [4, 3, 0, 0], "a group that began anew did not rebalance backwards"
    assert [count for _, count in lag.table] == [9, 7]
    assert courses.of_group([row(0, None)]) == ()


def test_the_fleet_is_counted_by_day_over_all_clusters() -> None:
    counts = {"quarantined": 0, "rebalances": None, "lag": None}
    clusters = [counts | {"day": "2026-11-02", "groups": 3, "rebalances": 2}, counts | {"day": "2026-11-02", "groups": 4},
                counts | {"day": "2026-11-01", "groups": 5}]  # fmt: skip
    changes = [{"day": "2026-11-01", "moved": 6, "moved_between_survivors": None}, {"day": "2026-11-01", "moved": 1,
                "moved_between_survivors": 1}]  # fmt: skip
    found = {one.name: [count for _, count in one.table] for one in courses.of_fleet(clusters, changes)}

    assert found == {
        "Groups": [5, 7],
        "Rebalances": [2],
        "Moved by changes of the process-ID order": [7, 0],
        "Of these avoidable": [1, 0],
    }


@pytest.mark.thorough
def test_the_pages_have_them(tmp_path: Path) -> None:
    web = WebLake(tmp_path, NOON)
    document = web.snapshot(article())
    write_tables(tmp_path, [document], [])
    write_past(tmp_path, document, 9)

    group = overview.group(str(tmp_path), "local", "streams-wordcount", NOON)
    assert [one.name.split()[0] for one in group.courses] == ["Rebalances", "Lag", "Records"]
    assert len(group.courses[0].table) == 9 - 1
    fleet = overview.fleet(str(tmp_path), (), "", 1, "", NOON, EVERYTHING)
    assert len(fleet.trend[0].table) == 9 + 1
    assert [row["day"] for row in fleet.changes] == [], "the changes of former days are in the trend alone"


def test_names_in_a_picture_are_escaped() -> None:
    found = courses.course("<b>x", "record", [Point(at(0), 1)], max)
    shown = templating.environment().get_template("parts.html").module.course_picture(found)

    assert "<b>x" not in str(shown).replace("<b>&lt;b&gt;x", "")
