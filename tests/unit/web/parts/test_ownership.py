"""The picture of who owns what: the article's group, the baseline and the recommended option."""

from tests.harness.article import LAST, C
from tests.harness.plans import article_plan

from holdfast.web.kinds.streams.task_owners import task_picture
from holdfast.web.parts.ownership import Picture, Placement, Words, picture


def drawn(name: str) -> Picture:
    plan = article_plan()
    option = next(one for one in plan.candidates if one.name == name)
    assert option.worst is not None
    found = task_picture(plan, option, option.worst)
    assert found is not None
    return found


def test_plainly_every_task_moves_and_the_client_that_goes_is_shown() -> None:
    one = drawn("baseline")

    assert (one.moved, one.collateral, one.total, one.owners) == (6, 4, 6, 4)
    assert [(row.id, row.fate, row.place_now, row.place_then) for row in (one.rows[0], one.rows[-1])] == [
        (C, "goes", 1, None),
        (LAST, "comes", None, 3),
    ]
    assert {chip.how for chip in one.rows[0].now} == {"leaves"}
    assert [chip.how for row in one.rows[1:] for chip in row.then] == ["leaves"] * 2 + ["collateral"] * 4
    assert one.says == (
        "6 of 6 stateful tasks move: 2 whose client leaves and 4 collateral (the client stays)."
        " All move to the next client in process-ID order: the order shifts by one."
    )


def test_with_its_old_process_id_nothing_moves_and_the_hosts_are_named() -> None:
    one = drawn("copy-process-metadata")

    assert (one.moved, one.collateral, one.owners) == (0, 0, 3)
    assert (one.rows[0].name, one.rows[0].fate) == ("app-bbb8 → app-new", "returns")
    assert one.says == "No stateful task moves."
    assert {hop for _, hop, _, _ in one.hops} == {0}


def test_clients_stand_where_java_sorts_them() -> None:
    ids = [row.id[0] for row in drawn("baseline").rows]
    places = [row.at for row in drawn("baseline").rows]

    assert ids == ["b", "4", "7", "7"]
    assert places == sorted(places)
    assert 0 < places[0] < 500 < places[1]


def test_no_picture_where_nobody_knows_the_end() -> None:
    plan = article_plan()
    option = next(one for one in plan.candidates if one.name == "seed-process-id")
    assert option.worst is not None

    assert task_picture(plan, option, option.worst) is None


def dealt(before: str, after: str, now: str, then: str, **more: frozenset[str]) -> Picture:
    """A letter is an owner: the nth letter of `before` has thing n."""
    things = [str(number) for number in range(len(before))]
    names = {one: one for one in now + then}
    order = tuple(sorted(names))
    words = Words("partition", "consumer", "member ID")
    had, has = dict(zip(things, before, strict=True)), dict(zip(things, after, strict=True))
    return picture("way", "A way", Placement(words, had, has, tuple(now), tuple(then), order, names, **more))  # type: ignore[arg-type]


def test_a_shift_is_a_line_beside_that_of_what_stays() -> None:
    """b leaves, e joins: every member behind b hands over to the next one."""
    one = dealt("aabbccdd", "aaccddee", "abcd", "acde")

    assert one.hops == ((1, 0, 2, 0), (2, 1, 2, 1), (3, 1, 2, 2), (4, 1, 2, 2))
    assert "All move to the next consumer in member-ID order: the order shifts by one." in one.says


def test_a_shift_the_other_way_and_by_more() -> None:
    assert (
        "4 of them move to the previous consumer in member-ID order: the order shifts by one."
        in dealt("bcdea", "abcde", "abcde", "abcde").says
    )
    assert "3 of them move by +2 ranks in member-ID order: the order shifts." in dealt("abcde", "cdeab", "abcde", "abcde").says


def test_a_reshuffle_is_called_one() -> None:
    one = dealt("abcdef", "dafbec", "abcdef", "abcdef")

    assert (
        "5 of 6 partitions move: 5 collateral (the consumer stays). They move to 5 consumers at many ranks: a reshuffle."
        in one.says
    )


def test_what_only_follows_from_who_goes_needs_no_pattern() -> None:
    assert dealt("aabb", "aaaa", "ab", "a").says == "2 of 4 partitions move: 2 whose consumer leaves."
    assert dealt("aab", "aaa", "ab", "a").says == "1 of 3 partitions moves: 1 whose consumer leaves."


def test_what_leaves_a_consumer_that_comes_back_under_another_id_was_asked_for() -> None:
    one = dealt("aac", "acc", "ac", "ac", anew=frozenset("a"))

    assert ([row.fate for row in one.rows], one.moved, one.collateral) == (["anew", "stays"], 1, 0)
