"""What is beyond doubt is decoded by msgspec; what is not is left to the careful reader (tests/property compares them)."""

import json

import pytest

from holdfast.errors import InvalidInput
from holdfast.rollout.json.codec import (
    BOOLEAN,
    COUNT,
    NAME,
    TEXT,
    Codec,
    as_it_is,
    choice,
    integer,
    items,
    nullable,
    row,
    table,
)
from holdfast.rollout.json.fast_reader import IN_DOUBT, TextReader
from holdfast.rollout.json.record import codec_of, derived, gathered, key, keyed, member, record, spread
from holdfast.rollout.streams.snapshot.snapshot import Stores


def _even(number: int) -> None:
    if number % 2:
        raise InvalidInput("an even number is needed")


@record
class _Size:
    width: int = member(COUNT)
    height: int = member(COUNT.checked(_even), default=0)


@record(also={"note": TEXT})
class _Box:
    name: str = key(NAME)
    open: bool = member(BOOLEAN)
    size: _Size = spread(codec_of(_Size))
    stores: Stores | None = member(nullable(choice(Stores)), default=None)
    pairs: tuple[tuple[str, int], ...] = member(table(NAME, integer(-5, 5)), default=(), name="the pairs")


@record(contract="Boxes", version="1.0")
class _Boxes:
    boxes: tuple[_Box, ...] = member(keyed(codec_of(_Box)))
    points: tuple[tuple[int, str | None], ...] = member(
        items(row("a point", lambda *parts: parts, list, COUNT, nullable(TEXT)), at_most=2), default=()
    )
    lines: tuple[tuple[tuple[str, ...], ...], ...] = member(
        items(row("lines", lambda *parts: parts, list, items(NAME.to(str.upper, str.lower)))), default=()
    )
    anything: object = member(Codec(lambda value: value, as_it_is, dict), default=None)


BOXES = codec_of(_Boxes)
VALID = '{"format_version":"1.0","boxes":{"a":{"open":true,"width":3%s}}%s}'


def _read(text: str) -> object:
    found = TextReader(BOXES).at_once(text)
    assert TextReader(BOXES).at_once(text.encode()) == found
    return found


@pytest.mark.parametrize(
    ("inside", "after"),
    [
        ("", ""),
        (',"height":4,"stores":"mixed","the pairs":{"b":-5,"c":5}', ""),
        (',"stores":null,"note":"new"', ',"points":[[1,null],[2,"x"]],"lines":[[["a"]],[[]]]'),
        ("", ',"anything":{"a":[1,2.5,null,"\\u00e9"]}'),
        ("", ',\n "points": []'),
        (',"note":"é \\":"', ""),
    ],
)
def test_a_valid_document_is_decoded_as_it_would_be_read(inside: str, after: str) -> None:
    text = VALID % (inside, after)

    found = _read(text)

    assert found is not IN_DOUBT
    assert found == TextReader(BOXES).read(text) == BOXES.read(json.loads(text))


@pytest.mark.parametrize(
    ("inside", "after", "problem"),
    [
        (',"height":3', "", "an even number"),
        (',"height":true', "", "an integer is needed, True"),
        (',"note":3', "", "a string is needed"),
        (',"stores":"somewhere"', "", "one of 'persistent'"),
        (',"the pairs":{"b":6}', "", "from -5 to 5"),
        (',"the pairs":{"":1}', "", "a name is needed"),
        (',"the pairs":{"b":1,"b":2}', "", "is given twice"),
        (',"width":3', "", "is given twice"),
        (',"colour":1', "", "'colour' is unknown"),
        ("", ',"points":[[1,null],[2,"x"],[3,"y"]]', "3 items were found"),
        ("", ',"points":[[1]]', "a point"),
        ("", ',"lines":[[[""]]]', "a name is needed"),
        ("", ',"anything":' + "[" * 70 + "]" * 70, "nested too deeply"),
        ("", ',"anything":"\ud800"', "not Unicode"),
        ("", ',"anything":NaN', "NaN"),
        ("", "]", "not JSON"),
    ],
)
def test_what_is_wrong_is_left_to_the_careful_reader(inside: str, after: str, problem: str) -> None:
    text = VALID % (inside, after)

    assert TextReader(BOXES).at_once(text) is IN_DOUBT
    with pytest.raises(InvalidInput, match=problem):
        TextReader(BOXES).read(text)


def test_what_is_only_odd_is_left_to_the_careful_reader_too() -> None:
    deep = VALID % ("", ',"anything":' + "[" * 40 + "]" * 40)

    assert TextReader(BOXES).at_once(deep) is IN_DOUBT
    assert isinstance(TextReader(BOXES).read(deep), _Boxes)


@record
class _Sum:
    numbers: tuple[int, ...] = member(items(COUNT))

    @property
    @derived(COUNT)
    def total(self) -> int:
        return sum(self.numbers)


@record
class _Gathered:
    number: int = member(COUNT)
    twice: int = gathered(lambda value: 2 * value["number"], default=0)  # type: ignore[index]


@record(first=repr)
class _First:
    part: _Gathered = spread(codec_of(_Gathered))


@pytest.mark.parametrize(
    ("cls", "text"), [(_Sum, '{"numbers":[1,2],"total":3}'), (_Gathered, '{"number":4}'), (_First, '{"number":4}')]
)
def test_what_is_read_from_a_whole_object_is_parsed_at_once_and_read_with_care(cls: type, text: str) -> None:
    reader = TextReader(codec_of(cls))

    assert reader.at_once(text) == reader.read(text) == codec_of(cls).read(json.loads(text))


def test_records_in_a_table_of_which_one_is_read_with_care() -> None:
    @record
    class Named:
        name: str = key(NAME)
        part: _Gathered = spread(codec_of(_Gathered))

    assert TextReader(keyed(codec_of(Named))).at_once('{"a":{"number":1}}') == (Named("a", _Gathered(1, 2)),)
