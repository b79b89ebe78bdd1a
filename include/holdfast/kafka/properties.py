"""Java's `.properties` text, which Kafka's tools and applications take their settings from. Java: `java.util.Properties.load`."""

import re

from holdfast.errors import InvalidInput

_LINE_END = re.compile(r"\r\n|\r|\n")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|u|.|$)", re.DOTALL)
_KEY = re.compile(r"(?:[^\\:= \t\f]|\\.)*", re.DOTALL)
_SEPARATOR = re.compile(r"[ \t\f]*[:=]?[ \t\f]*")
_PLAIN = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_BLANKS = " \t\f"


def parse(text: str) -> dict[str, str]:
    """Keys and values; of a duplicate key the last one counts, as in Java. Raise InvalidInput for a broken `\\u` escape."""
    found: dict[str, str] = {}
    for line in _logical_lines(text):
        key = _KEY.match(line)
        assert key is not None, "an empty key matches"
        separator = _SEPARATOR.match(line, key.end())
        assert separator is not None, "no separator matches"
        found[_unescaped(key.group())] = _unescaped(line[separator.end() :])
    return found


_ESCAPED = str.maketrans({one: f"\\{one}" for one in "\\=:#! "} | {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f"})


def line(key: str, value: str) -> str:
    """A line that `parse` reads as this key and value."""
    return f"{key.translate(_ESCAPED)}={value.translate(_ESCAPED)}"


def _logical_lines(text: str) -> list[str]:
    """Lines without comments and blank ones; a line that ends in an odd number of backslashes goes on with the next one."""
    lines: list[str] = []
    unfinished: str | None = None
    for natural in _LINE_END.split(text):
        line = natural.lstrip(_BLANKS)
        if unfinished is None and (not line or line[0] in "#!"):
            continue
        whole = (unfinished or "") + line
        if (len(line) - len(line.rstrip("\\"))) % 2:
            unfinished = whole[:-1]
        else:
            lines.append(whole)
            unfinished = None
    return lines if unfinished is None else [*lines, unfinished]


def _unescaped(text: str) -> str:
    def meaning(match: re.Match[str]) -> str:
        escaped = match.group(1)
        if escaped == "u":
            raise InvalidInput("the properties contain an invalid \\u escape; four hexadecimal digits follow \\u")
        if len(escaped) == 5:
            return chr(int(escaped[1:], 16))
        return _PLAIN.get(escaped, escaped)

    return _ESCAPE.sub(meaning, text)
