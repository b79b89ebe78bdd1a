"""Objects in JSON: a record declares each field once, and has its value, reader, writer and schema from that.

    @record
    class Phase:
        kind: PhaseKind = member(choice(PhaseKind))
        seconds: Estimate = member(ESTIMATE, "How long it takes.")
        rebalance: int | None = member(nullable(integer(1)), default=None)

is a frozen dataclass, and `codec_of(Phase)` reads, writes and describes its JSON. A value that must not know its JSON (those of
`holdfast.kafka`) is declared from outside with `record_of`. docs/decisions/0019-a-field-is-declared-once.md says why it is so.

The fields are written in the order in which they are declared. The type checker holds the codec of a field against its type.
"""

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Any, TypeVar, cast, dataclass_transform, overload

from holdfast.errors import InvalidInput
from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.codec import Codec, as_it_is
from holdfast.rollout.json.shapes import Shape

T = TypeVar("T")
D = TypeVar("D")
Omit = bool | Callable[[Any], bool]
Check = Callable[[Any], None]

_NEEDED = object()
"""In place of a default."""
_DECLARED = "json"
_CODEC = "__json__"


@dataclass(frozen=True, slots=True)
class Record(Codec[T]):
    """The codec of an object.

    `names`: the fields that it may have. `part` reads those of them that an object has, whatever others it has. `read_under`
    reads a key and the object that stands under it; `key`: how it is taken from the value, and its codec. `need`, `may`: the
    shapes of the fields; `rest`: what the schema says in addition.
    """

    write: Callable[[T], dict[str, object]]
    names: tuple[str, ...]
    part: Callable[[object], T]
    read_under: Callable[[str, object], T] | None
    key: tuple[Callable[[T], Any], Codec[Any]] | None
    need: Callable[[], dict[str, Shape]]
    may: Callable[[], dict[str, Shape]]
    rest: Callable[[], Shape]


@dataclass(frozen=True, slots=True)
class Member:
    """How a field is declared. `name`: in the JSON; None: as in Python. `key`: it is the key under which the object stands.
    `spread`: the fields of its own JSON stand among those of the object."""

    codec: Codec[Any]
    about: str = ""
    name: str | None = None
    default: Any = _NEEDED
    omit: Omit = False
    key: bool = False
    spread: bool = False

    @property
    def part(self) -> Record[Any]:
        assert isinstance(self.codec, Record), "only an object has fields to spread"
        return self.codec

    def shape(self) -> Shape:
        return self.codec.shape() | ({"description": self.about} if self.about else {})


# Declaring.


@overload
def member(codec: Codec[T], about: str = "", *, name: str | None = None) -> T: ...
@overload
def member(
    codec: Codec[T], about: str = "", *, name: str | None = None, default: D, needed: bool = False, omit: Omit = False
) -> T | D: ...
def member(
    codec: Codec[Any],
    about: str = "",
    *,
    name: str | None = None,
    default: Any = _NEEDED,
    needed: bool = False,
    omit: Omit = False,
) -> Any:
    """A field of a record.

    `about`: its description in the schema. `name`: in the JSON, where it has another one than in Python. Without a `default` the
    field must be in the document; with one it may be left out, unless it is `needed`: then the default is the constructor's
    alone. `omit`: it is not written where the value is the default, or where that function of the record says so.
    """
    declared = Member(codec, about, name, _NEEDED if needed else default, omit)
    return dataclasses.field(default=dataclasses.MISSING if default is _NEEDED else default, metadata={_DECLARED: declared})


def key(codec: Codec[T]) -> T:
    """The key under which the object stands in a table (`keyed`). The first field of a record."""
    return cast("T", dataclasses.field(metadata={_DECLARED: Member(codec, key=True)}))


def spread(codec: Record[T]) -> T:
    """A field whose own JSON is an object, the fields of which stand among those of this one."""
    return cast("T", dataclasses.field(metadata={_DECLARED: Member(codec, spread=True)}))


@overload
def record(cls: type[T], /) -> type[T]: ...
@overload
def record(
    *,
    closed: bool = True,
    version: str | None = None,
    also: Mapping[str, Codec[Any]] | None = None,
    first: Check | None = None,
    check: Check | None = None,
    about: str = "",
) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(member, key, spread))
def record(cls: type[Any] | None = None, /, **how: Any) -> Any:
    """A frozen dataclass with a codec.

    `closed`: a field that is not declared is refused, with the nearest that is. `version`: the document carries this
    `format_version`. `also`: fields that may be there; they are checked and not kept. `first` sees the document before it is read,
    `check` the value that was read: both raise InvalidInput. `about`: the description in the schema.
    """

    def decorated(plain: type[Any]) -> type[Any]:
        made = dataclass(frozen=True, slots=True)(plain)
        members = {one.name: one.metadata[_DECLARED] for one in dataclasses.fields(made) if _DECLARED in one.metadata}
        setattr(made, _CODEC, _codec(made, members, **how))
        return made

    return decorated if cls is None else decorated(cls)


def record_of(
    build: Callable[..., T], *, closed: bool = True, check: Check | None = None, about: str = "", **fields: Any
) -> Record[T]:
    """The codec of a value that does not know its JSON: its attributes by name, each a `member`, `key` or `spread`."""
    members = {name: field.metadata[_DECLARED] for name, field in fields.items()}
    return _codec(build, members, closed=closed, check=check, about=about)


def codec_of(cls: type[T]) -> Record[T]:
    """The codec of a `record`."""
    return cast("Record[T]", cls.__dict__[_CODEC])


def keyed(codec: Record[T], *, at_least: int = 0, about: str = "") -> Codec[tuple[T, ...]]:
    """Records in an object, each under its `key`, in the order of the document."""
    assert codec.key is not None, "the record has no key"
    assert codec.read_under is not None, "the record has no key"
    read, write, (key_of, keys) = codec.read_under, codec.write, codec.key
    return Codec(
        lambda value: strict.each_entry(value, read),
        lambda found: {keys.write(key_of(one)): write(one) for one in found},
        lambda: shapes.table(keys.shape(), codec.shape(), about, at_least=at_least),
    )


# Reading, writing, describing.


def _codec(
    build: Callable[..., T],
    members: Mapping[str, Member],
    *,
    closed: bool = True,
    version: str | None = None,
    also: Mapping[str, Codec[Any]] | None = None,
    first: Check | None = None,
    check: Check | None = None,
    about: str = "",
) -> Record[T]:
    unkept = {name: (codec, False) for name, codec in (also or {}).items()}
    if version is not None:
        unkept = {"format_version": (_version(version), True)} | unkept
    read = _reader(build, members, unkept, closed, first, check)
    keys = next(((attrgetter(attribute), one.codec) for attribute, one in members.items() if one.key), None)

    def read_under(key: str, value: object) -> T:
        assert keys is not None, "only a record with a key has one"
        try:
            given = keys[1].read(key)
        except InvalidInput as problem:
            strict.refuse((*strict.problems_of(problem), *_problems_of(lambda: read(value, (None,), True))))
            raise
        return read(value, (given,), True)

    need, may, rest = _shapes(members, unkept)
    return Record(
        read=lambda value: read(value, (), True),
        write=_writer(members, version),
        shape=lambda: (shapes.closed if closed else shapes.fields)(need(), may(), about) | rest(),
        names=_names(members, unkept),
        part=lambda value: read(value, (), False),
        read_under=read_under,
        key=keys,
        need=need,
        may=may,
        rest=rest,
    )


_Unkept = Mapping[str, tuple[Codec[Any], bool]]
"""Fields that are checked only, and whether they must be there."""


def _version(version: str) -> Codec[str]:
    major = int(version.partition(".")[0])
    return Codec(lambda value: strict.format_version(value, major), as_it_is, lambda: shapes.format_version(major))


def _problems_of(read: Callable[[], object]) -> tuple[InvalidInput, ...]:
    try:
        read()
    except InvalidInput as problem:
        return strict.problems_of(problem)
    return ()


def _names(members: Mapping[str, Member], unkept: _Unkept) -> tuple[str, ...]:
    """The fields of the object, in the order in which they are declared."""
    own = (one.part.names if one.spread else (one.name or attribute,) for attribute, one in members.items() if not one.key)
    names = (*(name for name, (_, needed) in unkept.items() if needed), *chain.from_iterable(own))
    names = (*names, *(name for name, (_, needed) in unkept.items() if not needed))
    assert len(frozenset(names)) == len(names), f"a field is declared twice: {names}"
    return names


def _reader(
    build: Callable[..., T],
    members: Mapping[str, Member],
    unkept: _Unkept,
    closed: bool,
    first: Check | None,
    check: Check | None,
) -> Callable[[object, tuple[object, ...], bool], T]:
    """Reads an object. Its arguments: the value; what is known before, which is its key; whether no other field may be there."""
    plan = tuple(
        (None if one.spread else one.name or attribute, one.part.part if one.spread else one.codec.read, one.default)
        for attribute, one in members.items()
        if not one.key
    )
    names = _names(members, unkept)
    known = frozenset(names)
    order = _order(build, tuple(members))

    def read(value: object, given: tuple[object, ...], whole: bool) -> T:
        if first is not None:
            first(value)
        content = strict.mapping(value)
        problems = _problems(content, unkept) if unkept else []
        found: list[object] = [*given]
        for part, reads, default in plan:
            try:
                if part is None:
                    found.append(reads(content))
                elif part in content:
                    found.append(reads(content[part]))
                elif default is _NEEDED:
                    problems.append(strict.missing(part))
                else:
                    found.append(default)
            except InvalidInput as problem:
                problems.extend(strict.problems_of(problem) if part is None else strict.under(part, problem))
        if closed and whole and not known.issuperset(content):
            problems.extend(strict.unknown_fields(content, names))
        if problems:
            strict.refuse(problems)
        result = build(*found) if order is None else build(*[found[index] for index in order])
        if check is not None:
            check(result)
        return result

    return read


def _problems(content: Mapping[str, object], unkept: _Unkept) -> list[InvalidInput]:
    problems: list[InvalidInput] = []
    for name, (codec, needed) in unkept.items():
        if name in content:
            try:
                codec.read(content[name])
            except InvalidInput as problem:
                problems.extend(strict.under(name, problem))
        elif needed:
            problems.append(strict.missing(name))
    return problems


def _order(build: Callable[..., object], attributes: tuple[str, ...]) -> tuple[int, ...] | None:
    """Which attribute each argument of the constructor is. None: they stand in the same order."""
    wanted = tuple(inspect.signature(build).parameters)[: len(attributes)]
    assert frozenset(wanted) == frozenset(attributes), f"{wanted} are the first arguments, {attributes} are declared"
    return None if wanted == attributes else tuple(attributes.index(name) for name in wanted)


def _writer(members: Mapping[str, Member], version: str | None) -> Callable[[T], dict[str, object]]:
    plan = tuple(
        (
            one.name or attribute,
            attrgetter(attribute),
            None if one.codec.write is as_it_is else one.codec.write,
            _omits(attribute, one),
            one.part.write if one.spread else None,
        )
        for attribute, one in members.items()
        if not one.key
    )

    def write(value: T) -> dict[str, object]:
        written: dict[str, object] = {} if version is None else {"format_version": version}
        for name, take, writes, omits, spreads in plan:
            if omits is not None and omits(value):
                continue
            part = take(value)
            if spreads is not None:
                written |= spreads(part)
            else:
                written[name] = part if writes is None else writes(part)
        return written

    return write


def _omits(attribute: str, one: Member) -> Callable[[Any], bool] | None:
    take, default = attrgetter(attribute), one.default
    if callable(one.omit):
        return one.omit
    return (lambda value: take(value) == default) if one.omit else None


def _shapes(
    members: Mapping[str, Member], unkept: _Unkept
) -> tuple[Callable[[], dict[str, Shape]], Callable[[], dict[str, Shape]], Callable[[], Shape]]:
    own = {one.name or attribute: one for attribute, one in members.items() if not one.key and not one.spread}
    parts = tuple(one.part for one in members.values() if one.spread)

    def need() -> dict[str, Shape]:
        found = {name: codec.shape() for name, (codec, needed) in unkept.items() if needed}
        found |= {name: one.shape() for name, one in own.items() if one.default is _NEEDED}
        for part in parts:
            found |= part.need()
        return found

    def may() -> dict[str, Shape]:
        found = {name: one.shape() for name, one in own.items() if one.default is not _NEEDED}
        for part in parts:
            found |= part.may()
        return found | {name: codec.shape() for name, (codec, needed) in unkept.items() if not needed}

    return need, may, lambda: {name: shape for part in parts for name, shape in part.rest().items()}
