"""Texts and UUIDs that have a wanted hash code. What Java's hash codes are, tests/conformance holds against a JVM."""

import random
from uuid import UUID

import pytest

from holdfast.kafka import java
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.redaction import same_hash

CODES = (0, 1, -1, 2**31 - 1, -(2**31), *(random.Random(1).randrange(-(2**31), 2**31) for _ in range(20)))


@pytest.mark.parametrize("code", CODES)
def test_a_tail_gives_a_text_any_hash_code(code: int) -> None:
    found = same_hash.tail("topic-07-", code)

    assert java.string_hash(f"topic-07-{found}") == code
    assert len(found) == same_hash.TAIL
    assert set(found) <= set(same_hash.LETTERS)
    assert same_hash.tail("topic-07-", code) == found, "the same every time"


@pytest.mark.parametrize("code", CODES)
def test_a_random_end_gives_a_member_id_any_hash_code(code: int) -> None:
    found = same_hash.uuid_text("client-01-", "4b618000", code)

    assert java.string_hash(f"client-01-{found}") == code
    assert found.startswith("4b618000-")
    assert str(UUID(found)) == found
    assert UUID(found).version == 4


@pytest.mark.parametrize("seed", range(20))
def test_a_process_id_has_both_hash_codes_of_another(seed: int) -> None:
    other = ProcessId.of(UUID(int=random.Random(seed).getrandbits(128)))
    found = same_hash.process_id(str(other)[:8], *same_hash.codes_of(other))

    assert same_hash.codes_of(ProcessId.parse(found)) == same_hash.codes_of(other)
    assert found[:8] == str(other)[:8]
    assert found != str(other)
    assert UUID(found).version == 4
