"""Strict reading of JSON: every value has one type, every problem has a path, and all problems are reported together.

A reader is a function `object -> value` that raises InvalidInput with a path relative to its input; the caller puts
its own key before that path. So paths cost nothing while all is well.
"""

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import nullcontext
from datetime import UTC, datetime
from difflib import get_close_matches
from enum import StrEnum
from itertools import islice
from typing import TypeVar, cast

from holdfast import secrecy
from holdfast.errors import InvalidDocument, InvalidInput, NotJson, Unsupported
from holdfast.kafka import java
from holdfast.kafka.garbage_collection import uncollected
from holdfast.rollout.json import unique_keys

FIRST_YEAR, LAST_YEAR = 1970, 9000
"""A moment in one of these can be compared with any other, and any time that a policy allows be added to it."""


def moment_of(text: str) -> datetime | None:
    """A moment in ISO 8601 with its offset, in UTC. None: it is none, or not one of the years that can be reckoned with."""
    try:
        given = datetime.fromisoformat(text)
        return given.astimezone(UTC) if given.tzinfo is not None and FIRST_YEAR <= given.year <= LAST_YEAR else None
    except (ValueError, OverflowError):
        return None


T = TypeVar("T")
S = TypeVar("S", bound=StrEnum)

FORMAT_VERSION = "1.0"
SMALL_DOCUMENT = 1024 * 1024
"""Up to here nothing can be expensive."""
LARGEST_DOCUMENT = 256 * 1024 * 1024
"""Characters or bytes. A group of 10,000 tasks and 1,000 clients is about 10 MiB."""
MOST_MEMORY = 1024 * 1024 * 1024
"""Bytes that reading a document may take, as its punctuation shows before it is read. The largest group there is (a million
partitions, each with its offsets) takes three quarters of it; one of 10,000 tasks and 1,000 clients a seventieth."""
A_ROW = 512 * 1024 * 1024
"""The same for one document among many that a Spark executor reads."""
MOST_PROBLEMS = 1_000
"""At most this many problems are reported in one list or object."""
_BYTES_EACH = (("{", 250), ("[", 90), (",", 60))
"""What an object, a list and any value more take in memory, at most. The first takes most."""
LARGE_DOCUMENT = 4 * 1024 * 1024
"""From here on reading is the larger part of the work."""
DEEPEST_NESTING = 64
LONGEST_TEXT = 32_767
"""Kafka's own strings have a 16-bit length."""

_FORMAT_VERSION = re.compile(r"(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})", re.ASCII)
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_.:@-]{1,300}", re.ASCII)


def loads(text: str | bytes, most_memory: int = MOST_MEMORY) -> object:
    """The document in `text` (bytes: UTF-8). Raise InvalidInput if it is not JSON, or has a key twice, NaN, or absurd measures.

    `most_memory`: how many bytes reading it may take, which is reckoned before it is read.
    """
    if len(text) > LARGEST_DOCUMENT:
        raise InvalidInput(f"the document has {len(text):,} characters; {LARGEST_DOCUMENT:,} are allowed")
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InvalidInput(f"the document is not UTF-8: byte {error.start} is {text[error.start]:#04x}") from None
    if len(text) > SMALL_DOCUMENT:
        needed = len(text) + sum(text.count(sign) * each for sign, each in _BYTES_EACH)
        if needed > most_memory:
            raise InvalidInput(
                f"reading the values of the document would take about {needed // 2**20:,} MiB of memory;"
                f" {most_memory // 2**20:,} MiB are allowed"
            )
    try:
        with uncollected() if len(text) > LARGE_DOCUMENT else nullcontext():
            document = unique_keys.parsed(text, DEEPEST_NESTING, _refuse_constant, _finite)
            if document is not unique_keys.IN_DOUBT:
                return document
            document = json.loads(
                text, object_pairs_hook=_object_without_duplicates, parse_constant=_refuse_constant, parse_float=_finite
            )
    except json.JSONDecodeError as error:
        raise NotJson(f"the document is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise InvalidInput(f"the document is nested too deeply; {DEEPEST_NESTING} levels are allowed") from None
    except ValueError:
        raise InvalidInput("the document holds an integer of thousands of digits; 64 bits are allowed") from None
    _refuse_deep_nesting(document)
    unique_keys.refuse_halves(text, document)
    return document


def is_large(content: bytes, most_memory: int) -> bool:
    """Whether `loads` would refuse a document for its measures, perhaps."""
    if len(content) <= SMALL_DOCUMENT or len(content) * (1 + _BYTES_EACH[0][1]) <= most_memory:
        return False
    needed = len(content) + sum(content.count(sign.encode()) * each for sign, each in _BYTES_EACH)
    return len(content) > LARGEST_DOCUMENT or needed > most_memory


def dumps(document: object, *, indent: int | None = None) -> str:
    """The text of a document: the same document always gives the same bytes (ASCII). Objects keep the order they were built in.

    The order of `clients` and `consumers` in a Snapshot carries meaning, so nothing is sorted here: the code that builds a document
    does.
    """
    separators = (",", ":") if indent is None else (",", ": ")
    return json.dumps(document, allow_nan=False, ensure_ascii=True, indent=indent, separators=separators)


def _object_without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: dict[str, None] = {}
        for key, _ in pairs:
            if key in seen:
                raise InvalidInput(f"the key {shown(key)} is given twice in one object")
            seen[key] = None
    return found


def _refuse_constant(name: str) -> object:
    raise InvalidInput(f"the document holds {name}, which is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise InvalidInput(f"the number {shown(text)} is too large")
    return number


def _refuse_deep_nesting(document: object) -> None:
    level: list[dict[str, object] | list[object]] = [document] if isinstance(document, dict | list) else []
    for _ in range(DEEPEST_NESTING):
        level = [
            child
            for value in level
            for child in (value.values() if type(value) is dict else value)
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return
    raise InvalidInput(f"the document is nested too deeply; {DEEPEST_NESTING} levels are allowed")


def shown(value: object) -> str:
    """`value` as a message may show it: one line, printable, short."""
    text = ascii(value) if isinstance(value, str | int | float | bool) or value is None else _kind(value)
    return text if len(text) <= 300 else f"{text[:200]}… ({len(text)} characters)"


def _kind(value: object) -> str:
    kinds: tuple[tuple[type, str], ...] = (
        (bool, "true or false"),
        (str, "a string"),
        (int, "an integer"),
        (float, "a number with a fraction"),
        (list, "a list"),
        (dict, "an object"),
    )
    return next((kind for type_, kind in kinds if isinstance(value, type_)), "null" if value is None else type(value).__name__)


def mismatch(needed: str, value: object) -> InvalidInput:
    found = shown(value) if isinstance(value, str | int | float) or value is None else _kind(value)
    return InvalidInput(f"{needed} is needed, {found} was found")


def under(key: str | int, problem: InvalidInput) -> tuple[InvalidInput, ...]:
    """The problems of `problem`, each with `key` before its path."""
    step = f"[{key}]" if isinstance(key, int) else step_of(key)
    return tuple(
        InvalidInput(one.problem, f"{step}{one.where}" if one.where.startswith("[") or not one.where else f"{step}.{one.where}")
        for one in problems_of(problem)
    )


def problems_of(problem: InvalidInput) -> tuple[InvalidInput, ...]:
    """One by one."""
    return problem.problems if isinstance(problem, InvalidDocument) else (problem,)


def step_of(key: str) -> str:
    """A key, as part of a path."""
    return key if _PLAIN_KEY.fullmatch(key) else shown(key)


def refuse(problems: Iterable[InvalidInput]) -> None:
    """Raise all problems as one, if there is any."""
    found = tuple(problems)
    if len(found) == 1:
        raise found[0]
    if found:
        raise InvalidDocument(found)


# Readers of one value.


def text(value: object) -> str:
    if not isinstance(value, str):
        raise mismatch("a string", value)
    if len(value) > LONGEST_TEXT:
        raise InvalidInput(f"a string of {len(value)} characters was found; {LONGEST_TEXT} are allowed")
    return value


def name(value: object) -> str:
    """A string that is not empty."""
    if not text(value):
        raise InvalidInput("a name is needed, an empty string was found")
    return text(value)


def boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise mismatch("true or false", value)
    return value


def integer(value: object, low: int, high: int) -> int:
    """An integer from `low` to `high`. JSON's `true` is none, and neither is 1.0."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise mismatch("an integer", value)
    if not low <= value <= high:
        raise InvalidInput(f"an integer from {low} to {high} is needed, {shown(value)} was found")
    return value


def offset(value: object) -> int:
    """An offset or a sum of offsets: a Java long that is not negative."""
    return integer(value, 0, java.LONG_MAX)


def instant(value: object) -> str:
    """A moment in ISO 8601 with its offset from UTC. It stays text: nothing here reckons with time."""
    if moment_of(text(value)) is None:
        raise InvalidInput(f"a moment like '2026-11-20T13:48:02Z' is needed, {shown(value)} was found")
    return text(value)


def nullable(read: Callable[[object], T]) -> Callable[[object], T | None]:
    """`read`, or None for null."""
    return lambda value: None if value is None else read(value)


# Readers of lists and objects.


def mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise mismatch("an object", value)
    return value


def sequence(value: object) -> list[object]:
    if not isinstance(value, list):
        raise mismatch("a list", value)
    return value


def each(value: object, read: Callable[[object], T]) -> tuple[T, ...]:
    """A list whose items `read` understands."""
    found: list[T] = []
    problems: list[InvalidInput] = []
    for index, item in enumerate(sequence(value)):
        try:
            found.append(read(item))
        except InvalidInput as problem:
            problems.extend(under(index, problem))
            if len(problems) >= MOST_PROBLEMS:
                break
    if problems:
        refuse(problems)
    return tuple(found)


def each_entry(value: object, read: Callable[[str, object], T]) -> tuple[T, ...]:
    """An object used as a map: `read` gets key and value of every entry, in the order of the document."""
    found: list[T] = []
    problems: list[InvalidInput] = []
    for key, item in mapping(value).items():
        try:
            found.append(read(key, item))
        except InvalidInput as problem:
            problems.extend(under(key, problem))
            if len(problems) >= MOST_PROBLEMS:
                break
    if problems:
        refuse(problems)
    return tuple(found)


def nearest(name: str, known: Iterable[str]) -> str:
    """` (did you mean 'x'?)` where a known name is close, else nothing."""
    close = get_close_matches(name[:100], list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def refuse_secrets(value: object) -> None:
    """Raise InvalidInput where a document that people write holds a secret: it is kept, and shown to all who may read plans."""
    found = secrecy.find(value)
    if found is not None:
        where, what = found
        raise InvalidInput(f"{what}, and decides nothing here: leave it out, with its value", where)


def missing(field: str) -> InvalidInput:
    return InvalidInput(f"the field {field!r} is missing")


def unknown_fields(fields: Iterable[str], known: Collection[str]) -> list[InvalidInput]:
    """A problem for each field that is unknown, with the nearest that is."""
    names, allowed = ", ".join(known), frozenset(known)
    return [
        InvalidInput(f"the field {shown(field)} is unknown{nearest(field, known)}; known are: {names}")
        for field in islice((one for one in fields if one not in allowed), MOST_PROBLEMS)
    ]


class Fields:
    """An object with named fields, read one by one. Call `finish` before using what was read: it raises what was wrong."""

    def __init__(self, value: object) -> None:
        self._fields = mapping(value)
        self._read: dict[str, None] = {}
        self._problems: list[InvalidInput] = []

    def need(self, field: str, read: Callable[[object], T]) -> T:
        """The field, which must be there. After a problem the result is None, whatever its type says, until `finish` raises."""
        self._read[field] = None
        if field not in self._fields:
            self._problems.append(missing(field))
            return cast("T", None)
        try:
            return read(self._fields[field])
        except InvalidInput as problem:
            self._problems.extend(under(field, problem))
            return cast("T", None)

    def optional(self, field: str, read: Callable[[object], T], default: T) -> T:
        """The field, or `default` where it is absent (or wrong: `finish` raises that)."""
        self._read[field] = None
        if field not in self._fields:
            return default
        try:
            return read(self._fields[field])
        except InvalidInput as problem:
            self._problems.extend(under(field, problem))
            return default

    def has(self, field: str) -> bool:
        return field in self._fields

    def finish(self, *, closed: bool = False) -> None:
        """Raise all problems. `closed`: unexpected fields are problems too."""
        if closed:
            self._problems.extend(unknown_fields(self._fields, self._read))
        refuse(self._problems)


def format_version(value: object, supported_major: int = 1) -> str:
    """Raise Unsupported for a major version that is not Holdfast's, InvalidInput for anything else."""
    match = _FORMAT_VERSION.fullmatch(value) if isinstance(value, str) else None
    if not match:
        raise mismatch('a format_version like "1.0"', value)
    if int(match[1]) != supported_major:
        raise Unsupported(
            f"format_version {shown(value)} is unknown; this Holdfast reads {supported_major}.x: recreate it, or update"
        )
    return match[0]


def one_of(kind: type[S]) -> Callable[[object], S]:
    """A reader of the values of an enumeration."""

    def read(value: object) -> S:
        try:
            return kind(text(value))
        except ValueError:
            known = ", ".join(repr(str(one)) for one in kind)
            raise InvalidInput(f"one of {known} is needed, {shown(value)} was found") from None

    return read


def texts(value: object) -> tuple[str, ...]:
    return each(value, text)
