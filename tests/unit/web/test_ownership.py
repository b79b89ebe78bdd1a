"""The picture of who owns what: the article's group, drawn plainly and as recommended."""

from tests.harness.article import LAST, C
from tests.harness.plans import article_plan

from holdfast.web.ownership import Picture, picture


def drawn(name: str) -> Picture:
    plan = article_plan()
    way = next(one for one in plan.candidates if one.name == name)
    assert way.worst is not None
    found = picture(plan, way, "A way", way.worst)
    assert found is not None
    return found


def test_plainly_every_task_moves_and_the_client_that_goes_is_shown() -> None:
    one = drawn("plainly")

    assert (one.moved, one.needless, one.stateful, one.clients) == (6, 4, 6, 4)
    assert [(row.process_id, row.fate, row.place_now, row.place_then) for row in (one.rows[0], one.rows[-1])] == [
        (C, "goes", 1, None),
        (LAST, "comes", None, 3),
    ]
    assert {chip.how for chip in one.rows[0].now} == {"asked"}
    assert [chip.how for row in one.rows[1:] for chip in row.then] == ["asked"] * 2 + ["needless"] * 4
    assert one.dots == ()


def test_with_its_old_process_id_nothing_moves_and_the_hosts_are_named() -> None:
    one = drawn("copy-process-metadata")

    assert (one.moved, one.needless, one.clients) == (0, 0, 3)
    assert (one.rows[0].name, one.rows[0].fate) == ("app-bbb8 → app-new", "returns")


def test_clients_stand_where_java_sorts_them() -> None:
    ids = [row.process_id[0] for row in drawn("plainly").rows]
    places = [row.at for row in drawn("plainly").rows]

    assert ids == ["b", "4", "7", "7"]
    assert places == sorted(places)
    assert 0 < places[0] < 500 < places[1]


def test_no_picture_where_nobody_knows_the_end() -> None:
    plan = article_plan()
    way = next(one for one in plan.candidates if one.name == "seed-process-id")
    assert way.worst is not None

    assert picture(plan, way, "A way", way.worst) is None
