"""The views of a group and of the fleet: lags, orders of rows, what is not known."""

from pathlib import Path

from tests.harness.article import AFTER, A, C, group
from tests.harness.plans import NOON, read
from tests.harness.web_lake import WebLake, article, write_tables

from holdfast.web import fleet_view, group_view, overview
from holdfast.web.group_view import Recorded


def test_clients_stand_in_process_id_order_with_their_lags() -> None:
    document = group(AFTER)
    (consumer, *_) = document["clients"][A]["consumers"].values()
    consumer["task_offset_sums"] |= {"1_2": 3, "1_0": 2}
    found = group_view.view(read(document), Recorded(), NOON)

    assert [one.place for one in found.clients] == [1, 2, 3]
    assert [one.process_id for one in found.clients][:2] == [C, A]
    assert [(one.task, one.lag) for one in found.clients[1].copies] == [("1_2", 5), ("1_0", 0)]
    assert (found.clients[1].caught_up, found.clients[0].active) == (1, ("1_0", "1_3"))


def test_losses_are_read_from_the_tables_the_worst_first(tmp_path: Path) -> None:
    web = WebLake(tmp_path, NOON)
    write_tables(tmp_path, [web.snapshot(article()), web.snapshot(article("another"))], [])
    found = overview.group(str(tmp_path), "local", "streams-wordcount", NOON)

    assert len(found.losses) == 3
    assert [name for name, _, _ in found.losses[0].cells] == ["not replaced", "same ID", "fresh ID, likeliest", "fresh ID, worst"]
    assert [one.worst for one in found.losses] == sorted((one.worst for one in found.losses), reverse=True)


def test_the_fleet_by_risk_and_by_search(tmp_path: Path) -> None:
    web = WebLake(tmp_path, NOON)
    before = web.snapshot(article("drifted"), 60)
    after = web.snapshot(article("drifted") | {"clients": {one: two for one, two in before["clients"].items() if one != C}}, 1)
    after["leader_process_id"] = None
    write_tables(tmp_path, [web.snapshot(article()), web.snapshot(article("another"))], [(before, after)])
    everything, one = (overview.fleet(str(tmp_path), (), text, 1) for text in ("", "ANOTHER local"))

    assert dict(everything.counts) == {"clusters": 1, "groups": 2, "clients": 6, "stateful tasks": 24}
    assert ([risk.group_id for risk in one.risks], one.found) == (["another"], 1)
    assert [row["group_id"] for row in everything.changes] == ["drifted"]


def test_a_lake_without_tables_is_an_empty_fleet(tmp_path: Path) -> None:
    found = overview.fleet(str(tmp_path), (), "", 1)

    assert (found.day, found.risks, found.accuracy.percent) == ("", (), "none yet")


def test_of_each_group_the_worst_host() -> None:
    row = {"cluster": "c", "group_id": "g", "stateful_tasks": 10, "without_copy": 0, "hours": None}
    risks = fleet_view.risks_of([row | {"host": "a", "moved": 3}, row | {"host": "b", "moved": 7}, row | {"host": "c", "moved": 5}])

    assert [(one.host, one.share) for one in risks] == [("b", 700)]
