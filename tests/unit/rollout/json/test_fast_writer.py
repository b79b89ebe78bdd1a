"""What msgspec writes is what `strict.dumps` writes."""

import json
import random
import sys
from enum import StrEnum

import pytest

from holdfast.rollout.broker_streams.target.target import ASSIGNMENT as TARGET
from holdfast.rollout.consumer.forecast.assignment_json import ASSIGNMENT as OF_CONSUMERS
from holdfast.rollout.json import fast_writer, strict
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.streams.forecast.assignment_json import ASSIGNMENT

SIGNS = (*map(chr, range(0x80)), "\x80", "é", "\u2028", "\ud800", "😀")


class _Colour(StrEnum):
    RED = "red"


def test_texts_with_any_sign_are_written_alike() -> None:
    chance = random.Random(5)
    texts = [*SIGNS, *("".join(chance.choices(SIGNS[:0x7F], k=5)) for _ in range(2_000))]
    for text in texts:
        document = {text: [text, {"a": text}]}
        assert fast_writer.dumps(document) == strict.dumps(document)


@pytest.mark.parametrize(
    "value",
    [None, True, False, 0, -1, 2**63 - 1, 2**64 - 1, -(2**63), 2**64, -(2**63) - 1, 10**40, (), [], {}, [[], {}], _Colour.RED],
)
def test_values_are_written_alike(value: object) -> None:
    assert fast_writer.dumps({"a": value}) == strict.dumps({"a": value})


def test_without_msgspec_it_is_written_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "msgspec", None)
    fast_writer._encoder.cache_clear()
    try:
        assert fast_writer.dumps({"a": [1]}) == '{"a":[1]}'
    finally:
        fast_writer._encoder.cache_clear()


@pytest.mark.parametrize("codec", [ASSIGNMENT, OF_CONSUMERS, TARGET])
def test_no_assignment_holds_a_number_with_a_fraction(codec: Codec[object]) -> None:
    assert '"number"' not in json.dumps(codec.shape())
