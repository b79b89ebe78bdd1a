"""A placement compared with the rounds of a forecast, and its words."""

from dataclasses import replace

import pytest

from holdfast.rollout.contract.batches import Batch, Wait
from holdfast.rollout.execution.parts import at_rest
from holdfast.rollout.execution.rounds import (
    MOST_DIFFERENCES,
    Agrees,
    NotCompared,
    RoundCompared,
    RoundsOfBatch,
    WhoRunsWhat,
    compare,
    not_compared,
)
from holdfast.rollout.execution.rounds_words import sentence
from holdfast.rollout.facts.differences import Differs

BEFORE = WhoRunsWhat({"1_0": "a", "1_1": "b", "0_0": "a"}, {})
MIDDLE = WhoRunsWhat({"1_0": "a", "1_1": "b", "0_0": "c"}, {"1_0": ("c",)})
END = WhoRunsWhat({"1_0": "c", "1_1": "b", "0_0": "a"}, {"1_1": ("a",)})
COURSE = RoundsOfBatch(BEFORE, (MIDDLE, END), anywhere=frozenset({"0_0"}), disks={"1_1": ("a",)})


def at(**owners: str) -> WhoRunsWhat:
    return replace(END, owners={**END.owners, **{f"1_{task[1:]}": client for task, client in owners.items()}})


def test_every_round_is_known_by_its_placement() -> None:
    found = [compare(one, (COURSE,), None) for one in COURSE.every]

    assert [(one.agrees, one.round, one.rounds) for one in found] == [
        (Agrees.BETWEEN, 0, 2),
        (Agrees.AS_FORECAST, 1, 2),
        (Agrees.AS_FORECAST, 2, 2),
    ]
    assert compare(BEFORE, (RoundsOfBatch(BEFORE, ()),), None).agrees is Agrees.AS_FORECAST


def test_at_rest_only_the_end_will_do() -> None:
    assert compare(END, (COURSE,), True).agrees is Agrees.AS_FORECAST
    found = compare(MIDDLE, (COURSE,), True)
    assert found.agrees is Agrees.DIFFERENT
    assert [(one.kind, one.of, one.expected, one.found) for one in found.differences] == [
        (Differs.OWNER, "0_0", ("a",), ("c",)),
        (Differs.OWNER, "1_0", ("c",), ("a",)),
        (Differs.STANDBYS, "1_0", (), ("c",)),
        (Differs.STANDBYS, "1_1", ("a",), ()),
    ]
    assert compare(replace(END, copies=None), (COURSE,), True).agrees is Agrees.AS_FORECAST, "copies are unknown"
    nowhere = compare(WhoRunsWhat({"1_0": "c", "1_1": "b"}), (COURSE,), True)
    assert [(one.of, one.found) for one in nowhere.differences] == [("0_0", ())]


def test_the_nearest_end_is_named() -> None:
    other = RoundsOfBatch(BEFORE, (replace(END, owners={"1_0": "b", "1_1": "a", "0_0": "b"}),))

    assert [one.of for one in compare(at(_0="a"), (other, COURSE), True).differences] == ["1_0"]
    assert compare(END, (other, COURSE), True).agrees is Agrees.AS_FORECAST


@pytest.mark.parametrize("pending", [None, False])
def test_between_rounds_a_task_may_be_where_anything_of_it_is(pending: bool | None) -> None:
    for fine in (at(_0="a", _1="a"), at(_1="a"), WhoRunsWhat({"1_0": "a", "0_0": "x"}), WhoRunsWhat({"1_0": "c", "unknown": "x"})):
        assert compare(fine, (COURSE,), pending).agrees is Agrees.BETWEEN
    found = compare(at(_0="x"), (COURSE,), pending)
    assert found.agrees is Agrees.DIFFERENT
    assert [(one.of, one.expected, one.found) for one in found.differences] == [("1_0", ("a", "c"), ("x",))]


def test_what_the_forecast_leaves_open_is_not_compared() -> None:
    open_ = replace(END, open=frozenset({"1_0"}))

    for settled in (None, True):
        assert compare(at(_0="x"), (RoundsOfBatch(BEFORE, (open_,)),), settled).agrees is not Agrees.DIFFERENT


def test_where_the_group_was_not_at_rest_before_too_much_is_possible() -> None:
    found = compare(at(_0="x"), (replace(COURSE, earlier=(BEFORE,)),), False)

    assert (found.agrees, found.why) == (Agrees.NOT_COMPARED, NotCompared.GOING_ON)
    assert compare(at(_0="x"), (replace(COURSE, earlier=(BEFORE,)),), True).agrees is Agrees.DIFFERENT


def test_differences_are_bounded() -> None:
    many = RoundsOfBatch(BEFORE, (WhoRunsWhat({f"1_{number}": "a" for number in range(100)}),))
    found = compare(WhoRunsWhat({f"1_{number}": "x" for number in range(100)}), (many,), True)

    assert len(found.differences) == MOST_DIFFERENCES
    assert sentence(found).endswith("And 17 more.")


def test_words() -> None:
    assert sentence(RoundCompared(Agrees.AS_FORECAST, 2, 3)) == "rebalance 2 of 3: as forecast."
    assert sentence(RoundCompared(Agrees.AS_FORECAST, 0, 0)) == "as forecast: no rebalance."
    assert sentence(compare(at(_0="x"), (COURSE,), None)) == "Task 1_0 is on x; forecast: a c."
    assert sentence(compare(BEFORE, (COURSE,), None)).startswith("between two rebalances")
    for why in NotCompared:
        assert sentence(not_compared(why)).startswith("the placement was not compared: ")
    assert sentence(not_compared(NotCompared.MEMBERS, "One left.")).endswith("One left.")


def test_how_many_batches_are_over_when_the_group_is_last_at_rest() -> None:
    waits = (Wait.STABLE, Wait.REBALANCE, Wait.STABLE, Wait.REBALANCE, None)

    assert [at_rest([Batch((), one) for one in waits[:count]]) for count in range(1, 6)] == [0, 1, 1, 3, 3]
