"""The order of a coordinator's members (`TimelineHashMap`): recorded from Kafka 4.3.1, and what a listing shows of the table."""

import base64
import random

from holdfast.kafka.coordinator.member_table import MemberTable


def _ids(count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    return [base64.urlsafe_b64encode(chance.randbytes(16)).decode().rstrip("=") for _ in range(count)]


def _filled(ids: list[str]) -> MemberTable:
    return MemberTable.listed(()).after((one, True) for one in ids)


def test_a_listing_gives_the_table_that_lists_so() -> None:
    for seed in range(200):
        table = _filled(_ids(seed % 23, seed))
        assert MemberTable.listed(table.order()).order() == table.order()


def test_the_newest_is_the_first_of_its_slot() -> None:
    table = _filled(["Aa", "BB"])  # one hash code
    assert table.order() == ("BB", "Aa")
    assert table.after([("Aa", False), ("Aa", True)]).order() == ("Aa", "BB")


def test_who_leaves_does_not_change_the_order_of_the_others() -> None:
    ids = _ids(30, 1)
    table = _filled(ids)
    left = table.after([(ids[3], False), ("never there", False)])
    assert left.order() == tuple(one for one in table.order() if one != ids[3])
    assert left.bits == table.bits == 5


def test_a_table_grows_when_more_than_four_thirds_of_it_are_asked_for() -> None:
    assert [_filled(_ids(count, 2)).bits for count in (0, 1, 2, 4, 5, 9, 10, 20, 21, 41, 42)] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6]


def test_an_order_that_no_table_has_is_kept() -> None:
    ids = _ids(8, 4)
    order = tuple(reversed(_filled(ids).order()))
    table = MemberTable.listed(order)
    assert table.bits is None
    assert table.order() == order
    assert table.after([("x", True), (order[0], False), ("y", True)]).order() == (*order[1:], "x", "y")
