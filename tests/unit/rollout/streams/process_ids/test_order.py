"""Is the order of process IDs Kafka's, and is every statement about it right?"""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.conformance.streams import groups, random_groups
from tests.harness.article import AFTER, BEFORE, LAST, A, B, C, change, group
from tests.harness.examples import examples

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.kafka.release import LINES
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.process_ids import chances, order
from holdfast.rollout.streams.snapshot.json import snapshot_from_json

ids = some.uuids().map(ProcessId.of)
PA, PB, PC, PLAST = (ProcessId.parse(one) for one in (A, B, C, LAST))


def test_the_first_digit_8_comes_before_7() -> None:
    assert [order.rank_among((PA, PB, PC), one) for one in (PC, PA, PB)] == [0, 1, 2]
    assert order.misleading((PC, PA, PB))
    assert not order.misleading((PA, PB))


@given(ids, ids)
def test_ranks_are_in_kafkas_order(one: ProcessId, other: ProcessId) -> None:
    assert (order.point(one) < order.point(other)) == (one < other)
    assert order.at_point(order.point(one)) == one


@pytest.mark.thorough
@given(some.lists(ids, min_size=1, max_size=8, unique=True), some.integers(0, 8), some.integers(1, 4))
def test_an_id_between_two_others_stands_between_them(present: list[ProcessId], place: int, count: int) -> None:
    lower, upper, _ = order.gaps(present)[min(place, len(present))]
    seeded = order.evenly_between(lower, upper, count)

    assert list(seeded) == sorted(seeded)
    assert len(set(seeded)) == count
    assert {order.rank_among(present, one) for one in seeded} == {min(place, len(present))}


def test_a_seed_looks_like_any_random_id() -> None:
    assert order.between(PC, PA).uuid.version == 4
    assert order.between(None, None).uuid.version == 4


def test_there_may_be_no_room() -> None:
    nextdoor = order.at_point(order.point(PA) + 1)

    with pytest.raises(InvalidInput, match="no room"):
        order.between(PA, nextdoor)
    assert order.between(PA, order.at_point(order.point(PA) + 2)) == nextdoor


@pytest.mark.thorough
@given(some.lists(ids, max_size=8, unique=True))
def test_the_shares_of_all_gaps_sum_to_one(present: list[ProcessId]) -> None:
    assert sum((share for _, _, share in order.gaps(present)), Fraction(0)) == 1


@pytest.mark.thorough
@given(some.lists(ids, max_size=4, unique=True), some.integers(0, 3))
def test_the_chances_of_fresh_ids_sum_to_one(present: list[ProcessId], fresh: int) -> None:
    requested = change_from_json({"format_version": "1.0", "events": [{"add_client": {"process_id": None, "threads": 1}}] * fresh})
    options = chances.chances(tuple(present), requested)

    assert sum((option.probability for option in options), Fraction(0)) == 1
    assert len(
        {
            tuple(sorted((*present, *option.process_ids), key=order.point).index(one) for one in option.process_ids)
            for option in options
        }
    ) == len(options)


class TestOrderChanges:
    def test_the_first_replaced_by_one_that_sorts_last(self) -> None:
        before = snapshot_from_json(group(AFTER))
        after = snapshot_from_json(group({A: AFTER[A], B: AFTER[B], LAST: ((), ())}))

        found = order.order_changes(before, after)

        assert (found.joined, found.left) == ((PLAST,), (PC,))
        assert found.shifted == (PA, PB)
        assert len(found.moved) == 6
        assert {str(move.task) for move in found.moved_between_survivors} == {"1_1", "1_4"}
        assert found.text_order_misleads
        ((lost, seed),) = found.seeds
        assert lost == PC
        assert seed < PA

    def test_the_same_ids_change_nothing(self) -> None:
        before, after = (snapshot_from_json(group(threads)) for threads in (AFTER, dict(reversed(AFTER.items()))))

        found = order.order_changes(before, after)

        assert (found.joined, found.left, found.shifted, found.moved, found.seeds) == ((), (), (), (), ())

    def test_a_change_that_is_only_meant(self) -> None:
        before = snapshot_from_json(group(AFTER))
        by = {"process_id": LAST, "threads": 2}
        requested = change_from_json(change({"replace_client": {"process_id": C, "by": by}}))
        chance = change_from_json(change({"replace_client": {"process_id": C, "by": by | {"process_id": None}}}))

        assert len(order.order_changes_by(before, requested).moved) == 6
        with pytest.raises(InvalidInput, match="new random process IDs"):
            order.order_changes_by(before, chance)

    def test_a_client_more(self) -> None:
        found = order.order_changes(snapshot_from_json(group(BEFORE)), snapshot_from_json(group(AFTER)))

        assert found.joined == (PC,)
        assert {str(move.task) for move in found.moved} == {"1_0", "1_1", "1_2", "1_3"}


@pytest.mark.thorough
@settings(max_examples=examples(25), deadline=None)
@given(seed=some.integers(0, 2**32), release=some.sampled_from([line.releases[-1] for line in LINES]))
def test_targets_by_rank_are_those_that_the_leader_decides(seed: int, release: str) -> None:
    group = groups.group_of(random_groups.random_case(seed, release), release)
    targets = order.Targets()
    for clients in (group.clients, group.clients[1:] or group.clients, group.clients):
        changed = replace(group, clients=clients, leader_process_id=None)
        try:
            wanted: object = order.target(changed)
        except HoldfastError as refusal:
            wanted = type(refusal), str(refusal)
        try:
            found: object = targets.of(changed)
        except HoldfastError as refusal:
            found = type(refusal), str(refusal)
        assert found == wanted
