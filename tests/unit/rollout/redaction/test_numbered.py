"""Other names in the same order, with the same hash codes."""

import random

from hypothesis import given
from hypothesis import strategies as st

from holdfast.kafka import java
from holdfast.rollout.redaction.numbered import with_hash_codes


@given(st.lists(st.text(), unique=True, max_size=12))
def test_order_and_hash_codes_are_kept_and_nothing_else(names: list[str]) -> None:
    found = with_hash_codes("member", names)

    assert sorted(names, key=java.string_order) == sorted(names, key=lambda one: found[one])
    assert all(java.string_hash(found[one]) == java.string_hash(one) for one in names)
    assert all(one.isascii() and one.isprintable() and one.startswith("member-") for one in found.values())


def test_many_names_are_as_many() -> None:
    chance = random.Random(2)
    names = [f"{chance.getrandbits(128):032x}" for _ in range(300)]
    found = with_hash_codes("process", names)

    assert len(set(found.values())) == 300
    assert len({len(one) for one in found.values()}) == 1
