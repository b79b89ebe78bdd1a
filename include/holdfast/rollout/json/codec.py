"""Values in JSON: a codec reads one strictly, writes it, and says its JSON Schema. `record` makes codecs of whole objects.

A reader raises InvalidInput with a path relative to what it was given; what is written is read back as the same value, and valid.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from itertools import chain
from operator import attrgetter
from typing import Any, Generic, TypeVar

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.rollout.json import shapes, strict, typed
from holdfast.rollout.json.shapes import Shape
from holdfast.rollout.json.typed import Typed

T = TypeVar("T")
U = TypeVar("U")
K = TypeVar("K")
S = TypeVar("S", bound=StrEnum)


def as_it_is(value: object) -> object:
    """The writer of what is JSON already."""
    return value


@dataclass(frozen=True, slots=True)
class Codec(Generic[T]):
    """One value in JSON. `shape` is made only when a schema is asked for, `typed` when the first text is decoded at once; None: as
    any JSON, which `read` reads."""

    read: Callable[[object], T]
    write: Callable[[T], object]
    shape: Callable[[], Shape]
    typed: Callable[[], Typed] | None = field(default=None, kw_only=True)

    def decoded(self) -> Typed:
        """How msgspec decodes it."""
        return typed.careful(self.read) if self.typed is None else self.typed()

    def checked(self, check: Callable[[T], None]) -> "Codec[T]":
        """The same, of which `check` raises InvalidInput where a value that was read is none. Its schema cannot say so."""

        def checked(found: T) -> T:
            check(found)
            return found

        def read(value: object) -> T:
            return checked(self.read(value))

        return Codec(read, self.write, self.shape, typed=self._then(checked))

    def shaped(self, shape: Shape) -> "Codec[T]":
        """The same with another schema."""
        return Codec(self.read, self.write, lambda: shape, typed=self.typed)

    def described(self, about: str) -> "Codec[T]":
        """The same with a description in the schema."""
        return Codec(self.read, self.write, lambda: self.shape() | {"description": about}, typed=self.typed)

    def to(self, build: Callable[[T], U], back: Callable[[U], T]) -> "Codec[U]":
        """Another value in the same JSON. `build` may raise InvalidInput."""
        read, write = self.read, self.write
        return Codec(lambda value: build(read(value)), lambda value: write(back(value)), self.shape, typed=self._then(build))

    def _then(self, build: Callable[[T], U]) -> Callable[[], Typed] | None:
        own = self.typed
        return None if own is None else lambda: own().then(build)


TEXT: Codec[str] = Codec(strict.text, as_it_is, shapes.text, typed=typed.text)
NAME: Codec[str] = Codec(strict.name, as_it_is, shapes.name, typed=lambda: typed.text(1))
BOOLEAN: Codec[bool] = Codec(strict.boolean, as_it_is, shapes.boolean, typed=lambda: Typed(bool))
COUNT: Codec[int] = Codec(strict.offset, as_it_is, shapes.count, typed=lambda: typed.integer(0, java.LONG_MAX))
INSTANT: Codec[str] = Codec(strict.instant, as_it_is, lambda: shapes.INSTANT, typed=lambda: typed.text().then(strict.instant))


def integer(low: int, high: int = java.LONG_MAX) -> Codec[int]:
    return Codec(
        lambda value: strict.integer(value, low, high),
        as_it_is,
        lambda: shapes.integer(low, high),
        typed=lambda: typed.integer(low, high),
    )


def number(needed: str, low: float, high: float | None = None, *, above: bool = False) -> Codec[float]:
    """A number from `low` to `high` (None: any); `above`: more than `low`. `needed` says so in the message."""

    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or value < low or (above and value == low):
            raise strict.mismatch(needed, value)
        if high is not None and value > high:
            raise strict.mismatch(needed, value)
        return value

    bounds: Shape = {"exclusiveMinimum" if above else "minimum": low} | ({} if high is None else {"maximum": high})
    return Codec(read, as_it_is, lambda: {"type": "number"} | bounds)


SECONDS = number("a number of seconds, 0 or more", 0)
PROBABILITY: Codec[float] = number("a number from 0 to 1", 0, 1).to(float, float)


def choice(kind: type[S], *, among: Sequence[S] | None = None) -> Codec[S]:
    """The values of an enumeration (`among`: those of them that are written)."""
    return Codec(strict.one_of(kind), _value, lambda: shapes.one_of(kind if among is None else among))


_value: Callable[[Enum], object] = attrgetter("_value_")
"""`value`, which is a property, and a slow one."""


def only(text: str, what: str) -> Codec[str]:
    """One text and no other. `what` it is, as the message has it."""

    def read(value: object) -> str:
        if value != text:
            raise strict.mismatch(f"the {what} {text!r}", value)
        return text

    return Codec(read, as_it_is, lambda: shapes.one_of((text,)))


def either(kind: type[S], needed: str | None = None) -> Codec[S]:
    """The same of a few values. `needed`: as the message has them; None: `"this" or "that"`."""
    needed = needed or " or ".join(f'"{one}"' for one in kind)

    def read(value: object) -> S:
        try:
            return kind(strict.text(value))
        except ValueError:
            raise strict.mismatch(needed, value) from None

    return Codec(read, _value, lambda: shapes.one_of(kind))


def names_of(names: Iterable[str], what: str) -> Codec[tuple[str, ...]]:
    """Names that are known. The message about another one has the nearest."""
    known = tuple(map(str, names))

    def read(value: object) -> tuple[str, ...]:
        found = TEXTS.read(value)
        for name in found:
            if name not in known:
                close = strict.nearest(name, known)
                raise InvalidInput(f"{strict.shown(name)} is no {what}{close}; known are: {', '.join(known)}")
        return found

    return Codec(read, list, lambda: shapes.items(shapes.one_of(known)))


def nullable(codec: Codec[T]) -> Codec[T | None]:
    """The same, or null, which is None."""
    read, write = codec.read, codec.write
    writes = as_it_is if write is as_it_is else lambda value: None if value is None else write(value)
    return Codec(
        lambda value: None if value is None else read(value),
        writes,
        lambda: shapes.nullable(codec.shape()),
        typed=lambda: typed.nullable(codec.decoded()),
    )


def items(codec: Codec[T], *, at_least: int = 0, at_most: int | None = None, what: str = "items") -> Codec[tuple[T, ...]]:
    """A list. `what`: its items, as the message has them where there are too few or too many."""
    read, write = codec.read, codec.write

    def reads(value: object) -> tuple[T, ...]:
        length = len(strict.sequence(value))
        if at_most is not None and length > at_most:
            raise InvalidInput(f"{length:,} {what} were found; {at_most:,} are allowed")
        found = strict.each(value, read)
        if length < at_least:
            raise InvalidInput(f"{length:,} {what} were found; {at_least} {what} or more are needed")
        return found

    bounded = at_least or at_most is not None
    writes: Callable[[Any], object] = list if write is as_it_is else lambda found: [write(one) for one in found]
    most = {} if at_most is None else {"maxItems": at_most}
    return Codec(
        reads if bounded else lambda value: strict.each(value, read),
        writes,
        lambda: shapes.items(codec.shape(), at_least=at_least) | most,
        typed=lambda: typed.items(codec.decoded(), at_least, at_most),
    )


TEXTS = items(TEXT)
NAMES = items(NAME)


def table(keys: Codec[K], values: Codec[T]) -> Codec[tuple[tuple[K, T], ...]]:
    """An object used as a map, as pairs in the order of the document. A key is written as its text."""
    read_key, read, write_key, write = keys.read, values.read, keys.write, values.write
    return Codec(
        lambda value: strict.each_entry(value, lambda key, item: (read_key(key), read(item))),
        lambda pairs: {write_key(key): write(item) for key, item in pairs},
        lambda: shapes.table(keys.shape(), values.shape()),
        typed=lambda: typed.table(typed.of_key(keys.decoded()), values.decoded()),
    )


def row(needed: str, build: Callable[..., T], parts: Callable[[T], list[Any]], *codecs: Codec[Any], about: str = "") -> Codec[T]:
    """A list of as many values as there are codecs. `build` makes the value of them (it may raise InvalidInput), `parts` takes them
    from it again; `needed` says what the list is, in the message."""

    reads, writes = tuple(codec.read for codec in codecs), tuple(codec.write for codec in codecs)

    def read(value: object) -> T:
        if not isinstance(value, list) or len(value) != len(reads):
            raise strict.mismatch(needed, value)
        try:
            found = [read(item) for read, item in zip(reads, value, strict=True)]
        except InvalidInput:
            strict.refuse(chain.from_iterable(_problems(index, *pair) for index, pair in enumerate(zip(reads, value, strict=True))))
            raise
        return build(*found)

    def write(value: T) -> object:
        return [write(part) for write, part in zip(writes, parts(value), strict=True)]

    return Codec(
        read,
        parts if all(one is as_it_is for one in writes) else write,
        lambda: shapes.row(*(codec.shape() for codec in codecs), about=about),
        typed=lambda: typed.row(build, tuple(codec.decoded() for codec in codecs)),
    )


def _problems(index: int, read: Callable[[object], object], item: object) -> tuple[InvalidInput, ...]:
    try:
        read(item)
    except InvalidInput as problem:
        return strict.under(index, problem)
    return ()
