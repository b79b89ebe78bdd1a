"""`.properties` text, with the answers of java.util.Properties."""

import pytest

from holdfast.errors import InvalidInput
from holdfast.kafka import properties


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a=b\nc:d\ne f\n", {"a": "b", "c": "d", "e": "f"}),
        ("  # no\n! no\n\n a = b = c \n", {"a": "b = c "}),
        ("a=one, \\\n   two\\\n\n", {"a": "one, two"}),
        ("a=x\\\\\nb=y", {"a": "x\\", "b": "y"}),
        ("key\\ with\\:signs\\= = v", {"key with:signs=": "v"}),
        ("a=\\u00e4\\t\\q", {"a": "ä\tq"}),
        ("a\nb=\n", {"a": "", "b": ""}),
        ("a=1\r\na=2\r", {"a": "2"}),
        ("a=b\\", {"a": "b"}),
        ("", {}),
    ],
)
def test_is_read_as_java_reads_it(text: str, found: dict[str, str]) -> None:
    assert properties.parse(text) == found


def test_a_broken_escape_is_refused() -> None:
    with pytest.raises(InvalidInput, match="hexadecimal"):
        properties.parse("a=\\u12g4")


@pytest.mark.parametrize(
    ("key", "value"),
    [("a", "1"), ("a b", " c "), ("a=b:c", "d=e"), ("#a", "!b"), ("a", "b\\c\nd\te\rf\fg"), ("a", ""), ("", "a"), ("é", "\u202e")],
)
def test_a_line_is_read_as_what_it_was_made_of(key: str, value: str) -> None:
    assert properties.parse(properties.line(key, value)) == {key: value}
