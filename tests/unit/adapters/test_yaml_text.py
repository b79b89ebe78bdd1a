"""What YAML may say, and that no more than JSON could: everything else is refused with a sentence."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as some

from holdfast.adapters import yaml_text
from holdfast.errors import HoldfastError, InvalidInput
from holdfast.rollout.json.strict import dumps


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: [x, 'y', null, ~, true]\nc: {d: -3}\n", {"a": 1, "b": ["x", "y", None, None, True], "c": {"d": -3}}),
        (
            "at: 22:00\nday: 2026-11-22\nyes: no\non: off\nversion: 1.0",
            {"at": "22:00", "day": "2026-11-22", "yes": "no", "on": "off", "version": "1.0"},
        ),
        ("truest: falsely\nnullify: 0x10\noctal: 017", {"truest": "falsely", "nullify": "0x10", "octal": "017"}),
        ("", None),
        ('{"a":\t[1.5, "\\u00e9"]}', {"a": [1.5, "é"]}),
        ("{a: 1}", {"a": 1}),
        ("# nothing but a remark\na:", {"a": None}),
    ],
)
def test_what_json_can_say_is_read(text: str, value: object) -> None:
    assert yaml_text.loads(text) == value
    assert yaml_text.loads(text.encode()) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: &x [1]\nb: *x", "line 1 has an anchor or an alias"),
        ("a: *x", "line 1 has an anchor or an alias"),
        ("a: !!python/object/apply:os.system ['true']", "line 1 has a tag"),
        ("a: !!timestamp 2026-11-22", "line 1 has a tag"),
        ("a: 1\nb: 2\na: 3", "the key 'a' is given twice in one object (again in line 3)"),
        ('{"a": 1, "a": 2}', "the key 'a' is given twice"),
        ("1: x", "a key that is not text"),
        ("[a]: x\n", "a key that is not text"),
        ("? [a]\n: x", "a key that is not text"),
        ("a: 1\n---\nb: 2", "not YAML"),
        ("a: [1", "not YAML"),
        ("\tb: 1", "not YAML"),
        ("a: \x00", "not YAML"),
        ("a: " + "9" * 5_000, "thousands of digits"),
        ("[" * 70 + "]" * 70, "nested too deeply"),
        ("- " * 60 + "x", "nested too deeply"),
        ("[x, " * 60 + "]" * 60, "nested too deeply"),
        ("#" * (yaml_text.LARGEST + 1), "are allowed"),
    ],
)
def test_more_than_json_can_say_is_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        yaml_text.loads(text)

    assert said in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_what_is_not_utf_8_is_refused() -> None:
    with pytest.raises(InvalidInput, match="not UTF-8"):
        yaml_text.loads(b"a: \xff")


json_values = some.recursive(
    some.none() | some.booleans() | some.integers(-(2**63), 2**63) | some.text(max_size=5),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@pytest.mark.thorough
@given(json_values)
def test_json_is_read_as_json(value: object) -> None:
    assert yaml_text.loads(dumps({"a": value})) == {"a": value}


@given(some.text(alphabet="a1: -[]{}&*!|>'\"\n#,?%@`~", max_size=60))
def test_anything_else_is_a_value_or_a_refusal(text: str) -> None:
    with suppress(HoldfastError):
        assert dumps(yaml_text.loads(text))
