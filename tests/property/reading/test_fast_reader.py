"""Does what is read at once equal what is read with care, for valid documents, damaged ones and odd ones?"""

import json
import random
import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from benchmarks import synthetic_streams
from hypothesis import given
from hypothesis import strategies as some
from tests.harness.examples import examples
from tests.harness.plain_groups import group, member
from tests.property.test_codec import documents, put_somewhere, snapshots

from holdfast.errors import HoldfastError
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT as STREAMS_GROUP
from holdfast.rollout.json import strict
from holdfast.rollout.json.fast_reader import IN_DOUBT, TextReader
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds import registry
from holdfast.rollout.streams.snapshot.json import SNAPSHOT, TEXTS, snapshot_to_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

ROOT = Path(__file__).parents[3]
RECORDED = (ROOT / "examples/streams-wordcount/snapshot.json", *sorted((ROOT / "tests/unit/recorded").glob("streams-*.json")))
ODD = (
    *("1.0", "1e2", "-0", "-1", "-2", "-3", "true", "null", "NaN", "1e400", "9223372036854775808", "-9223372036854775809", "1.5"),
    *('""', '"x"', '"0_1"', '"01_1"', '"a__0_1"', '"\\ud800"', '"\\u0022:"', '"\\":"', '"é\x7f"', '" :"', "[]", "{}", "[null]"),
    *('["input",-1]', '["input",0,0]', '["",0]', '{"a":1}', '{"0_0":-1}', '{"0_0":-3}', '{"a":{"a":1,"a":2}}', "[" * 40 + "]" * 40),
    *("[" * 70 + "]" * 70, '"2.0"', '"1.1"', f'"{"x" * 32_768}"', '"streams"', '"Stable"', '"AAA="', '{"held":null,"held":null}'),
)

OTHER_NAMES = ('"new"', '"owned"', '"plan_id"', '"')


def _agree(text: str | bytes, reader: TextReader[Snapshot] = TEXTS) -> bool:
    """Whether it was read at once. Then the careful reader must read it, as an equal value of equal types."""
    found = reader.at_once(text)
    if found is IN_DOUBT:
        return False
    expected = SNAPSHOT.read(strict.loads(text))
    assert found == expected
    assert repr(found) == repr(expected)
    return True


@pytest.mark.thorough
@given(snapshots(), some.booleans())
def test_a_valid_document_is_read_at_once_and_alike(snapshot: Snapshot, blanks: bool) -> None:
    document = snapshot_to_json(snapshot)
    text = json.dumps(document, indent=1, ensure_ascii=False) if blanks else dumps(document)

    read = _agree(text)

    certain = blanks or not any(sign in text for sign in (" :", "\\u0022", "\\u003a"))
    assert read or (blanks and any(f"{blank}:" in text for blank in " \t\n\r")) or not certain


def _pieces(text: str) -> list[tuple[int, int]]:
    """Where values and keys begin and end in compact JSON, roughly."""
    signs = [index for index, sign in enumerate(text) if sign in '{}[],:"']
    return list(pairwise(signs))


def _damaged(text: str, chance: random.Random) -> str:
    first, last = chance.choice(_pieces(text))
    match chance.randrange(7):
        case 0:  # another value, or a part of one
            return text[: first + 1] + chance.choice(ODD) + text[last:]
        case 1:  # something less
            return text[:first] + text[first + chance.choice((1, last - first)) :]
        case 2:  # something twice
            return text[:last] + text[first:last] + text[last:]
        case 3:  # one more sign
            return text[:first] + chance.choice('{}[],:"\\ 0-.e\n\x00\x7fé\ud800') + text[first:]
    name, value = chance.choice(_entries(text))
    at = text.index(f"{name}:") + len(name) + 1
    match chance.randrange(3):
        case 0:  # a key twice, in one object or two
            return text[: at - len(name) - 1] + f"{name}{chance.choice(('', '', ' '))}:{value}," + text[at - len(name) - 1 :]
        case 1:  # an odd value of a known field
            return text[:at] + chance.choice(ODD) + text[at + len(value) :]
    return text.replace(f"{name}:", f"{chance.choice(OTHER_NAMES)}:", 1)


def _entries(text: str) -> list[tuple[str, str]]:
    """Every key with its value, as they are in compact JSON."""
    found: list[tuple[str, str]] = []

    def look(value: object) -> None:
        if isinstance(value, dict):
            found.extend((json.dumps(key), json.dumps(one, separators=(",", ":"))) for key, one in value.items())
        for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            look(one)

    look(json.loads(text))
    return found


@pytest.mark.thorough
@given(snapshots(), some.integers(0, 2**32))
def test_a_damaged_document_is_never_read_otherwise(snapshot: Snapshot, seed: int) -> None:
    chance = random.Random(seed)
    text = dumps(snapshot_to_json(snapshot))
    for _ in range(20):
        damaged = _damaged(text, chance)
        for _ in range(chance.randrange(2)):
            damaged = _damaged(damaged, chance) if _is_json(damaged) else damaged
        _agree(damaged)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.thorough
@given(snapshots(), documents, some.data())
def test_a_document_with_anything_put_into_it_is_read_alike(snapshot: Snapshot, anything: object, data: some.DataObject) -> None:
    document: object = json.loads(json.dumps(snapshot_to_json(snapshot)))
    put_somewhere(anything, document, data)
    _agree(json.dumps(document))


def _groups() -> dict[str, Callable[[], object]]:
    found: dict[str, Callable[[], object]] = {path.name: partial(json.loads, path.read_text()) for path in RECORDED}
    found["consumer"] = lambda: group({"a": member(0, 1, 2), "b": member(3, 4, generation=None)})
    found["streams"] = lambda: STREAMS_GROUP.write(synthetic_streams.pair(3, 7)[1])
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("name", _groups())
def test_groups_of_every_kind_are_read_alike_whole_and_damaged(name: str) -> None:
    document = _groups()[name]()
    chance = random.Random(name)
    text = json.dumps(document, separators=(",", ":"))
    texts = [text, *(_damaged(text, chance) for _ in range(examples(200)))]

    assert [_answer(one, _in_text) for one in texts] == [_answer(one, _with_care) for one in texts]
    assert registry.decider_of(document).snapshot_at_once(text, strict.MOST_MEMORY) is not IN_DOUBT


def _answer(text: str, read: Callable[[str], object]) -> str:
    try:
        return repr(read(text))
    except HoldfastError as refusal:
        return f"{type(refusal).__name__}: {refusal}"


def _in_text(text: str) -> object:
    return registry.snapshot_in(text)[1]


def _with_care(text: str) -> object:
    document = strict.loads(text)
    return registry.decider_of(document).snapshot_from_json(document)


@pytest.mark.parametrize(
    "text",
    [
        '{"a" :1}',
        '{"config":{"a":1,"a":1}}',
        '{"config":{"a":"\\u0022:","a":1}}',
        '{"config":{"a":"\\"\\u003a","a":1}}',
        '{"config":{"a":"\\u0022:","a":"\\":"}}',
    ],
)
def test_a_key_that_is_given_twice_is_in_doubt(text: str) -> None:
    whole = dumps(_smallest() | {"config": {}}).replace('"config":{}', text[1:-1])

    assert TEXTS.at_once(whole) is IN_DOUBT


def _smallest() -> dict[str, object]:
    return {"format_version": "1.0", "group_id": "app", "protocol": "streams-classic", "tasks": {}, "clients": {}}


def test_what_would_take_too_much_memory_is_in_doubt() -> None:
    text = dumps(_smallest() | {"config": {str(number): [] for number in range(100_000)}})

    assert TEXTS.at_once(text) is not IN_DOUBT
    assert TEXTS.at_once(text, 1_000_000) is IN_DOUBT


def test_without_msgspec_every_document_is_read_with_care(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "msgspec", None)
    reader = TextReader(SNAPSHOT)
    text = dumps(_smallest())

    assert reader.at_once(text) is IN_DOUBT
    assert reader.read(text) == TEXTS.at_once(text)
