"""How msgspec decodes a value: it parses and checks JSON in one go, in C, against types that codecs make of their declarations.

A codec's `Typed` accepts no more than its careful reader and gives equal values; it may refuse more, because what it refuses is
read again with care (`at_once`). So nothing here has a message. msgspec is imported when the first type is made.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import starmap
from typing import Annotated, Any, Literal, NamedTuple, Union

from holdfast.errors import InvalidInput
from holdfast.rollout.json import strict, unique_keys
from holdfast.rollout.json.frozen import maker

Build = Callable[[Any], Any]
_DEEPEST_UNTYPED = strict.DEEPEST_NESTING // 2
"""What has no type of its own is nowhere as deep in a document as this, so that the whole is within the limit."""


class Typed(NamedTuple):
    """`type`: what msgspec decodes. `build` makes the value of it, or raises HoldfastError; None: it is the value. `build_all`
    makes the values of several, where that is quicker than one after the other. `empty_is_empty`: of what is empty it makes ()."""

    type: Any
    build: Build | None = None
    build_all: Callable[[Iterable[Any]], Iterable[Any]] | None = None
    empty_is_empty: bool = False

    def then(self, build: Build) -> "Typed":
        first = self.build
        return Typed(self.type, build if first is None else lambda found: build(first(found)))


def careful(read: Callable[[object], Any]) -> Typed:
    """Any JSON, which the careful reader reads."""

    def build(found: object) -> Any:
        if unique_keys.count(found, _DEEPEST_UNTYPED) < 0:
            raise doubtful()
        return read(found)

    return Typed(Any, build)


def doubtful() -> InvalidInput:
    """For a value that the careful reader has to look at."""
    return InvalidInput("this is in doubt")


def text(least: int = 0) -> Typed:
    return Typed(Annotated[str, _meta(min_length=least or None, max_length=strict.LONGEST_TEXT)])


def integer(low: int, high: int) -> Typed:
    return Typed(Annotated[int, _meta(ge=low, le=high)])


def only(text: str) -> Typed:
    return Typed(Literal[text])


def nullable(one: Typed) -> Typed:
    build = one.build
    return Typed(_of(Union, one.type, None), build and (lambda found: None if found is None else build(found)))


def items(one: Typed, at_least: int = 0, at_most: int | None = None) -> Typed:
    build = one.build
    every = _of(Annotated, _of(tuple, one.type, ...), _meta(min_length=at_least or None, max_length=at_most))
    if build is None:
        return Typed(every)
    build_all = one.build_all or partial(map, build)
    return Typed(every, lambda found: tuple(build_all(found)), empty_is_empty=True)


def table(keys: Typed, values: Typed) -> Typed:
    """An object used as a map, as pairs."""
    key, value = keys.build or _as_it_is, values.build or _as_it_is
    every = _of(dict, keys.type, values.type)
    if values.build is None:
        return Typed(every, lambda found: tuple(zip(map(key, found), found.values(), strict=True)), empty_is_empty=True)
    return Typed(every, lambda found: tuple([(key(one), value(item)) for one, item in found.items()]), empty_is_empty=True)


def of_key(one: Typed) -> Typed:
    """Keys are text, whatever a codec makes of them."""
    return Typed(str, one.build) if one.type is Any else one


def row(build: Callable[..., Any], parts: tuple[Typed, ...]) -> Typed:
    """`build` makes the value of the parts."""
    every = _of(tuple, *(part.type for part in parts))
    if all(part.build is None for part in parts):
        if _is_named_tuple(build, len(parts)):
            return Typed(_bounded(build, tuple(part.type for part in parts)))
        make = maker(build)
        return Typed(every, lambda found: make(*found), partial(starmap, make))
    builds = [part.build or _as_it_is for part in parts]
    return Typed(every, lambda found: build(*[each(item) for each, item in zip(builds, found, strict=True)]))


def _is_named_tuple(build: Any, parts: int) -> bool:
    return isinstance(build, type) and issubclass(build, tuple) and len(getattr(build, "_fields", ())) == parts


_BOUNDED: dict[Any, tuple[Any, ...]] = {}
"""The types of the fields of named tuples that msgspec knows."""


def _bounded(kind: Any, types: tuple[Any, ...]) -> Any:
    """A named tuple, which msgspec makes itself: half of the time of one that Python makes of a tuple.

    It asks the class for the types of the fields when it first meets it, and keeps them in the class. So they are there with their
    bounds at that time only: the values of `holdfast.kafka` know nothing of JSON.
    """
    if kind not in _BOUNDED:
        import msgspec

        declared = kind.__annotations__
        kind.__annotations__ = dict(zip(kind._fields, types, strict=True))
        try:
            msgspec.json.Decoder(kind)
        finally:
            kind.__annotations__ = declared
        _BOUNDED[kind] = types
    assert _BOUNDED[kind] == types, f"{kind.__name__} has other bounds elsewhere"
    return kind


def _as_it_is(found: Any) -> Any:
    return found


def _of(kind: Any, *parts: Any) -> Any:
    """`kind[parts]`, of a type that is made at run time."""
    return kind[parts]


def _meta(**bounds: Any) -> Any:
    from msgspec import Meta

    return Meta(**bounds)


class TypedFields(NamedTuple):
    """An object's fields by their names in JSON, each with whether it must be there. `build` makes the value of a struct that has
    them, and of the key that the object is under, if it has one, as the codec of the key builds it."""

    fields: Mapping[str, tuple[Typed, bool]]
    build: Callable[..., Any]


def at(name: str) -> str:
    """The attribute of a struct that holds the field `name`."""
    return "at_" + re.sub(r"\W", "_", name)


def struct(fields: Mapping[str, tuple[Typed, bool]]) -> Any:
    """An object with these fields and no others. What is absent is UNSET, so that encoding it gives the fields that were there."""
    import msgspec

    return msgspec.defstruct(
        "Object",
        [
            (at(name), one.type, msgspec.NODEFAULT)
            if needed
            else (at(name), _of(Union, one.type, msgspec.UnsetType), msgspec.UNSET)
            for name, (one, needed) in fields.items()
        ],
        rename={at(name): name for name in fields},
        forbid_unknown_fields=True,
        kw_only=True,
        gc=False,
    )


def whole(one: TypedFields) -> Typed:
    return Typed(struct(one.fields), one.build)


def keyed(key: Typed, one: TypedFields) -> Typed:
    """Objects in an object, each under its key."""
    build, build_key = one.build, key.build
    every = _of(dict, key.type, struct(one.fields))
    if build_key is None:
        return Typed(every, lambda found: tuple(map(build, found.values(), found)), empty_is_empty=True)
    return Typed(every, lambda found: tuple(map(build, found.values(), map(build_key, found))), empty_is_empty=True)
