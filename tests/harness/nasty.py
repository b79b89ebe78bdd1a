"""Hostile JSON documents: generated from the published schemas, real ones damaged in all kinds, and text that is hardly JSON.

The same `random.Random` gives the same documents.
"""

import copy
import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

from tests.harness.kafka.wire_samples import mutant

from holdfast.rollout.json.strict import dumps

Document = dict[str, Any]
Path = tuple[str | int, ...]

NUMBERS: tuple[object, ...] = (
    0, -0.0, 1, -1, 2, 7, 100, 10_000, 10_001, 65_535, 2**31 - 1, 2**31, -(2**31), 2**53, 2**63 - 1, 2**63, -(2**63), 2**64, 10**25,
    0.5, 1e-9, 5e-324, -1e-300, 1e12, 1e15, 1e308, -1e308, 1.5e300, True, False,
)  # fmt: skip
HOSTILE = (
    "",
    " ",
    "\0",
    "a\0b",
    "\x1b[2J\x1b]0;x\x07",
    "\u200b",
    "app\u200b-1",
    "\u202egro\u202c",
    "\u2066x\u2069",
    "\ufeffx",
    "x\u00ad",
    "\U000e0041\U000e0042",
    "\ud800",
    "x\udfff",
    "\u0085",
    "\u2028\u2029",
    "\x7f",
    "\r\n",
    "\t",
    "@team",
    "#1",
    "GH-1",
    "org/repo#2",
    "<script>alert(1)</script>",
    "<!-- x",
    "]]>",
    "&amp;",
    "{{7*7}}",
    "{% raw %}",
    "%s%n",
    "`x`",
    "|",
    "| a | b |",
    "](javascript:x)",
    "http://x.example/",
    "www.x.example",
    "../../etc/passwd",
    "/dev/full",
    "~root",
    "-rf",
    "--help",
    "'; DROP TABLE x;--",
    "null",
    "1e999",
    "٣",
    "\uff11",
    "½",
    "İ",
    "ß",
    "\U0001d7d8_0",
    "\U0001f600",
    "e\u0301" * 40,
    "\u0300" * 60,
    "NaN",
    "Infinity",
    "9" * 400,
    "x" * 300,
    "語" * 300,
    "0_0",
    "1_0",
    "00_00",
    "0_" + "9" * 30,
    "a__0_0",
    "-1_0",
    "2026-11-20T13:48:02Z",
    "9999-12-31T23:59:59-23:59",
    "0001-01-01T00:00:00+23:59",
    "2026-02-30T00:00:00Z",
    "2026-11-20T13:48:60Z",
    "2026-W47-5T00:00:00Z",
    "20261120T134802Z",
    "24:00Z",
    "4b61083e-57d0-457d-951f-d06556c148ca",
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "7fffffff-ffff-ffff-7fff-ffffffffffff",
    "80000000-0000-0000-8000-000000000000",
    "1-1-1-1-1",
    "2.6.1",
    "3.9.1",
    "4.3.1",
    "9.9.9",
    "1.0",
    "1.999999",
    "2.0",
    "0.9",
    "01.0",
    "sha256:0",
    "stable",
    "rebalance",
    "copied_from",
    "streams-classic",
    "consumer-classic",
)
KEYS = ("format_version", "plan_id", "events", "clients", "consumers", "tasks", "score", "__proto__", "", "\0", "@", "x" * 200)


class Nasty:
    """What is drawn by one chance. `huge`: how long a text or list may become that is long on purpose."""

    def __init__(self, chance: random.Random, huge: int = 20_000) -> None:
        self._chance = chance
        self._huge = huge

    def text(self) -> str:
        one = self._chance.choice(HOSTILE)
        return one * self._chance.choice((1, 1, 1, 1, 2, 9)) if len(one) < 50 else one

    def value(self, depth: int = 2) -> object:
        """Anything that JSON can say."""
        match self._chance.randrange(8 if depth else 5):
            case 0 | 1:
                return self._chance.choice(NUMBERS)
            case 2 | 3:
                return self.text()
            case 4:
                return self._chance.choice((None, [], {}, "x" * self._huge, [None] * (self._huge // 100), [[]], [{}]))
            case 5:
                return [self.value(depth - 1) for _ in range(self._chance.randint(0, 4))]
            case 6:
                return {self.text(): self.value(depth - 1) for _ in range(self._chance.randint(0, 4))}
            case _:
                return self._deep()

    def _deep(self) -> object:
        value: object = self.text()
        for _ in range(self._chance.choice((5, 63, 64, 65, 300))):
            value = [value] if self._chance.random() < 0.5 else {"x": value}
        return value

    def of(self, shape: Document, depth: int = 6) -> object:
        """A value of a JSON Schema, most of it valid."""
        if self._chance.random() < 0.01:
            return self.value()
        if "enum" in shape:
            return self._chance.choice(shape["enum"])
        if "const" in shape:
            return shape["const"]
        for several in ("anyOf", "oneOf"):
            if several in shape:
                return self.of(self._chance.choice(shape[several]), depth)
        kinds = shape.get("type", "object" if "properties" in shape else "string")
        kind = self._chance.choice(kinds) if isinstance(kinds, list) else kinds
        match kind:
            case "object":
                return self._object(shape, depth)
            case "array":
                return self._array(shape, depth)
            case "integer" | "number":
                return self._number(shape, whole=kind == "integer")
            case "boolean":
                return self._chance.random() < 0.5
            case "null":
                return None
            case _:
                return self._named(shape)

    def _object(self, shape: Document, depth: int) -> Document:
        made: Document = {}
        for name, one in shape.get("properties", {}).items():
            if name in shape.get("required", ()) or self._chance.random() < 0.5:
                made[name] = self.of(one, depth - 1)
        more = shape.get("additionalProperties")
        if isinstance(more, dict) and depth > 0:
            for _ in range(self._chance.choice((0, 1, 2, 3))):
                made[str(self._named(shape.get("propertyNames", {})))] = self.of(more, depth - 1)
        return made

    def _array(self, shape: Document, depth: int) -> list[object]:
        made = [self.of(one, depth - 1) for one in shape.get("prefixItems", ())]
        if isinstance(shape.get("items"), dict) and depth > 0:
            made += [self.of(shape["items"], depth - 1) for _ in range(self._chance.choice((0, 1, 1, 2, 3)))]
        return made

    def _number(self, shape: Document, *, whole: bool) -> object:
        low, high = shape.get("minimum", shape.get("exclusiveMinimum", 0)), shape.get("maximum", 10**6)
        if self._chance.random() < 0.4:
            return self._chance.choice((low, high))
        found = self._chance.uniform(low, min(high, low + self._chance.choice((3, 100, 10**6))))
        return int(found) if whole else found

    def _named(self, shape: Document) -> object:
        pattern = str(shape.get("pattern", ""))
        if "{1,8}(-" in pattern:
            return self._chance.choice(
                (
                    "4b61083e-57d0-457d-951f-d06556c148ca",
                    "7156cef1-307e-49c0-a5bb-0f11d26a4933",
                    "bbb83e43-b1af-4b2d-a60a-94a7091684d0",
                )
            )
        if pattern.startswith("^[0-9]+_"):
            return f"{self._chance.randint(0, 2)}_{self._chance.randint(0, 6)}"
        if pattern.startswith("^1"):
            return "1.0"
        if "[01][0-9]" in pattern:
            return self._chance.choice(("00:00Z", "23:59+14:00", "12:30-11:00"))
        if "ISO 8601" in str(shape.get("description", "")):
            return self._chance.choice(
                (
                    "2026-11-20T13:48:02Z",
                    "9999-12-31T23:59:59-23:59",
                    "0001-01-01T00:00:00+23:59",
                    "2026-11-22T08:00:00.123456+01:00",
                )
            )
        return self.text() or "x"

    def broken(self, document: object, others: Sequence[object] = ()) -> object:
        """The document with one to four things wrong, some of them taken from other documents."""
        found = copy.deepcopy(document)
        for _ in range(self._chance.choice((1, 1, 1, 2, 3, 4))):
            found = self._broken_once(found, others)
        return found

    def _broken_once(self, document: object, others: Sequence[object]) -> object:
        path = self._chance.choice(list(places(document)))
        if not path:
            return document if self._chance.random() < 0.9 else self.value()
        inside: Any = at(document, path[:-1])
        key = path[-1]
        match self._chance.randrange(9):
            case 0:
                del inside[key]
            case 1 | 2:
                inside[key] = self.value()
            case 3:
                inside[key] = self._chance.choice(NUMBERS)
            case 4:
                inside[key] = self.text()
            case 5 if isinstance(inside, list):
                inside[key:key] = [copy.deepcopy(inside[key])] * self._chance.choice((1, 1, 2, 300))
            case 5 | 6 if isinstance(inside, dict):
                inside[self._chance.choice((*KEYS, self.text(), f"{key}x"))] = inside.pop(key)
            case 7 if others:
                other = self._chance.choice(others)
                inside[key] = copy.deepcopy(at(other, self._chance.choice(list(places(other)))))
            case _:
                inside[key] = copy.deepcopy(at(document, self._chance.choice(list(places(document)))))
        return document

    def content(self, document: object) -> bytes:
        """The document as bytes: mostly its JSON, now and then what is hardly JSON any more."""
        written = json.dumps(document).encode()
        match self._chance.randrange(20):
            case 0:
                return mutant(self._chance, written[:20_000])
            case 1:
                return written.replace(b"1", self._chance.choice((b"NaN", b"Infinity", b"1e999", b"-0", b"1" * 5_000)), 1)
            case 2:
                return (
                    self._chance.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\0", b" " * 9, b"[" * 2_000, b'{"a":' * 2_000)) + written
                )
            case 3:
                return written.replace(b'": ', b'": {}, "', 1)
            case _:
                return written


def places(value: object, path: Path = ()) -> Iterator[Path]:
    """Of a large list or object some entries stand for all."""
    yield path
    children: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        children = list(value.items())[:60]
    elif isinstance(value, list):
        children = list(enumerate(value))[:12]
    if len(path) < 12:
        for key, child in children:
            yield from places(child, (*path, key))


def at(document: object, path: Path) -> Any:
    found: Any = document
    for key in path:
        found = found[key]
    return found


def with_its_digest(plan: object) -> object:
    """A plan under the ID of its content, as an attacker would write it who knows how IDs are made."""
    if not isinstance(plan, dict) or "plan_id" not in plan:
        return plan
    rest = {key: value for key, value in plan.items() if key != "plan_id"}
    try:
        digest = hashlib.sha256(dumps(rest).encode("ascii")).hexdigest()[:16]
    except (ValueError, RecursionError):
        return plan
    return plan | {"plan_id": digest}
