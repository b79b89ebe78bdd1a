"""Kafka's queue of clients and its HashSets on arrays, against the models that the JVM is compared with."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.harness.examples import examples

from holdfast.kafka import java_hash
from holdfast.kafka.streams.compiled.hash_sets import in_hash_order
from holdfast.rollout.streams.forecast.compiled.packing import crowded

sys.path.insert(0, str(Path(__file__).parent))
from losses_both_ways import both, settled


@settings(max_examples=examples(300), deadline=None)
@given(
    codes=some.lists(some.integers(0, 2**32 - 1), min_size=1, max_size=120, unique=True),
    shift=some.sampled_from((0, 0, 4, 5)),
    chance=some.randoms(use_true_random=False),
)
def test_a_hash_set_has_its_members_in_javas_order(codes: list[int], shift: int, chance: object) -> None:
    codes = [(code << shift) & 0xFFFFFFFF for code in codes]  # the more of them meet in one bucket
    spread = np.array([java_hash.bits_of(code) for code in codes], np.int64)
    added = chance.sample(range(len(codes)), chance.randint(1, len(codes)))  # type: ignore[attr-defined]
    numbers = np.array([*added, *[-1] * (len(codes) - len(added))], np.int64)
    may_be_crowded = crowded(spread)

    fits = in_hash_order(numbers, len(added), spread, may_be_crowded, np.zeros(1 << 16, np.int64), np.zeros(len(codes), np.int64))

    if fits:
        assert numbers[: len(added)].tolist() == java_hash.hash_order(added, codes.__getitem__, lambda number: number)
    else:
        assert may_be_crowded.any()


def test_a_hash_set_that_would_grow_trees_is_refused() -> None:
    spread = np.array([16 * number for number in range(9)], np.int64)
    rooms = np.zeros(1 << 16, np.int64), np.zeros(9, np.int64)

    assert not in_hash_order(np.arange(9), 9, spread, crowded(spread), *rooms)
    assert in_hash_order(np.arange(9), 8, spread, crowded(spread), *rooms)


@pytest.mark.thorough
@pytest.mark.parametrize("number", [6, 26])
def test_a_loss_in_a_group_with_standbys_is_walked_as_one_by_one(number: int) -> None:
    """Many rebalances, in which clients wait where they should not (`ConstrainedPrioritySet`)."""
    snapshot = settled(number)

    equal, passed = both(snapshot, min(client.process_id for client in snapshot.clients))

    assert equal
    assert passed > 20
