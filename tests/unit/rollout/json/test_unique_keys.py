"""What is parsed without a hook is what a hook would have found nothing wrong with."""

import json
import random

import pytest

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.rollout.json import strict, unique_keys

PIECES = ("a", "b", ":", "a:", '":', '\\":', '"', "é", "\\", "x y")


def _value(chance: random.Random, depth: int) -> str:
    """JSON with odd texts, blanks at odd places and keys that may be given twice."""
    kind = chance.randrange(5) if depth else chance.randrange(3)
    blank = chance.choice(("", "", "", " ", "\n", "\t", "\r"))
    if kind == 0:
        return str(chance.randrange(10))
    if kind <= 2:
        return _text(chance)
    if kind == 3:
        return f"[{','.join(_value(chance, depth - 1) for _ in range(chance.randrange(3)))}]"
    entries = (f"{_text(chance)}{blank}:{_value(chance, depth - 1)}" for _ in range(chance.randrange(4)))
    return f"{{{','.join(entries)}}}"


def _text(chance: random.Random) -> str:
    written = json.dumps("".join(chance.choices(PIECES, k=chance.randrange(3))), ensure_ascii=chance.random() < 0.5)
    return written.replace(":", "\\u003a") if chance.random() < 0.1 else written


def _has_a_key_twice(text: str) -> bool:
    twice = []
    json.loads(text, object_pairs_hook=lambda pairs: twice.append(len(dict(pairs)) < len(pairs)))
    return any(twice)


def test_a_key_that_is_given_twice_is_found_whatever_else_is_in_the_document() -> None:
    chance = random.Random(11)
    twice = quick = 0
    for _ in range(4_000):
        text = _value(chance, 4)
        if _has_a_key_twice(text):
            twice += 1
            with pytest.raises(InvalidInput, match="is given twice in one object"):
                strict.loads(text)
        else:
            assert strict.loads(text) == json.loads(text)
            quick += _parsed(text) is not unique_keys.IN_DOUBT
    assert twice > 100
    assert quick > 1_000


def _parsed(text: str) -> object:
    return unique_keys.parsed(text, 64, parse_constant=float, parse_float=float)


@pytest.mark.parametrize("text", ['{"a":1,"b":[{"a":"2026-11-20T02:00:00Z"},"é"]}', '{\n  "a": {"b": 1.5}\n}', "[]", "3"])
def test_what_is_written_by_programs_is_beyond_doubt(text: str) -> None:
    assert _parsed(text) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"a" :1}',
        '{"a":":"}',
        '{"a":1,"a":1}',
        '{"\\ud800":1}',
        "[" * 65 + "]" * 65,
        "[" * 100_000,
        '{"a":}',
        '{"a":' + "1" * 5_000 + "}",
    ],
)
def test_what_is_in_doubt_is_left_to_the_slower_reader(text: str) -> None:
    assert _parsed(text) is unique_keys.IN_DOUBT


def test_the_first_problem_of_a_text_is_the_one_that_is_told() -> None:
    with pytest.raises(HoldfastError, match="'a' is given twice"):
        strict.loads('{"b":{"a":1,"a":2},"c":NaN}')
    with pytest.raises(HoldfastError, match="NaN"):
        strict.loads('{"c":NaN,"a":1,"a":2}')
