"""The codecs of objects: how the fields of a record, as they are declared (`record`), are read, written and described."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple, NoReturn, TypeVar

from holdfast.errors import InvalidInput
from holdfast.rollout.json import contracts, shapes, strict, typed
from holdfast.rollout.json.codec import Codec, as_it_is
from holdfast.rollout.json.record_typed import typed_fields
from holdfast.rollout.json.shapes import Shape
from holdfast.rollout.json.typed import Typed, TypedFields

T = TypeVar("T")
Omit = bool | Callable[[Any], bool]
Check = Callable[[Any], None]
NEEDED = object()
"""In place of a default."""


@dataclass(frozen=True, slots=True)
class Record(Codec[T]):
    """The codec of an object.

    `names`: the fields that it may have. `part` reads those of them that an object has, whatever others it has. `read_under`
    reads a key and the object that is under it; `key`: how it is taken from the value, and its codec. `need`, `may`: the
    shapes of the fields; `rest`: what the schema says in addition. `typed_fields`: how msgspec decodes the fields; None: it cannot.
    """

    write: Callable[[T], dict[str, object]]
    names: tuple[str, ...]
    part: Callable[[object], T]
    read_under: Callable[[str, object], T] | None
    key: tuple[Callable[[T], Any], Codec[Any]] | None
    need: Callable[[], dict[str, Shape]]
    may: Callable[[], dict[str, Shape]]
    rest: Callable[[], Shape]
    typed_fields: Callable[[], TypedFields | None] = field(default=lambda: None, kw_only=True)

    def decoded(self) -> Typed:
        found = self.typed_fields()
        return typed.careful(self.read) if found is None else typed.whole(found)


@dataclass(frozen=True, slots=True)
class Member:
    """How a field is declared. `name`: in the JSON; None: as in Python. `key`: the key of the object in a table.
    `spread`: the fields of its own JSON are among those of the object. `write`, `unsaid`: see `member`. `derived`: see
    `record.derived`."""

    codec: Codec[Any]
    about: str = ""
    name: str | None = None
    default: Any = NEEDED
    omit: Omit = False
    key: bool = False
    spread: bool = False
    write: Callable[[Any], object] | None = None
    derived: bool = False
    unsaid: bool = False

    @property
    def needed(self) -> bool:
        return self.default is NEEDED

    @property
    def part(self) -> Record[Any]:
        assert isinstance(self.codec, Record), "only an object has fields to spread"
        return self.codec

    def shape(self, *, defaults: bool = False) -> Shape:
        default = {"default": self.codec.write(self.default)} if defaults and not self.unsaid else {}
        return self.codec.shape() | ({"description": self.about} if self.about else {}) | default


def fields_of(
    read: Callable[[object], T],
    write: Callable[[T], dict[str, object]],
    need: Callable[[], dict[str, Shape]],
    may: Callable[[], dict[str, Shape]] = dict,
    rest: Callable[[], Shape] = dict,
    typed_fields: Callable[[], TypedFields | None] = lambda: None,
) -> Record[T]:
    """One value in several fields of an object, to be `spread` in a record. `read` sees the whole object."""
    return Record(
        read=read,
        write=write,
        shape=lambda: shapes.closed(need(), may()) | rest(),
        names=(*need(), *may()),
        part=read,
        read_under=None,
        key=None,
        need=need,
        may=may,
        rest=rest,
        typed_fields=typed_fields,
    )


def record_codec(
    build: Callable[..., T],
    members: Mapping[str, Member],
    *,
    closed: bool = True,
    version: str | None = None,
    also: Mapping[str, Codec[Any]] | None = None,
    first: Check | None = None,
    contract: str | None = None,
    check: Check | None = None,
    either: tuple[str, ...] = (),
    defaults: bool = False,
    about: str = "",
) -> Record[T]:
    """`either`: one of these fields must be there, whichever; a message about it names the first. The rest: see `record`."""
    unkept = {name: (codec, False) for name, codec in (also or {}).items()}
    if version is not None:
        unkept = {"format_version": (_version(version), True)} | unkept
    if contract is not None:
        first = partial(contracts.refuse_another, needed=contract)
    read = _reader(build, members, unkept, _Rules(closed, either, first, check))
    keys = next(((attrgetter(attribute), one.codec) for attribute, one in members.items() if one.key), None)

    def read_under(key: str, value: object) -> T:
        assert keys is not None, "only a record with a key has one"
        try:
            given = keys[1].read(key)
        except InvalidInput as problem:
            strict.refuse((*strict.problems_of(problem), *_problems_of(lambda: read(value, _NO_KEY, True))))
            raise
        return read(value, (given,), True)

    need, may, rest = _shapes(members, unkept, either, defaults=defaults)
    names = _names(members, unkept)
    known = first is None or (contract is not None and contracts.is_no_other(names, contract))
    untyped = bool(either) or not known or any(one.derived for one in members.values())
    return Record(
        read=lambda value: read(value, (), True),
        write=_writer(members, version),
        shape=lambda: (shapes.closed if closed else shapes.fields)(need(), may(), about) | rest(),
        names=names,
        part=lambda value: read(value, (), False),
        read_under=read_under,
        key=keys,
        need=need,
        may=may,
        rest=rest,
        typed_fields=lambda: None if untyped else typed_fields(build, members, unkept, _order(build, tuple(members)), check),
    )


def written_codec(members: Mapping[str, Member], *, version: str | None, about: str) -> Record[Any]:
    """See `record.written_of`."""
    unkept = {} if version is None else {"format_version": (_version(version), True)}
    need, may, rest = _shapes(members, unkept, (), defaults=False)
    written = fields_of(_unread, _writer(members, version), need, may, rest)
    return replace(written, shape=lambda: shapes.fields(need(), may(), about) | rest())


def _unread(value: object) -> NoReturn:
    raise AssertionError(f"a document that is only written is read: {strict.shown(value)}")


_NO_KEY: tuple[object, ...] = (None,)
"""The object is read for its problems only: its key is wrong."""
_Unkept = Mapping[str, tuple[Codec[Any], bool]]
"""Fields that are checked only, and whether they must be there."""


def _version(version: str) -> Codec[str]:
    major = int(version.partition(".")[0])
    return Codec(
        lambda value: strict.format_version(value, major),
        as_it_is,
        lambda: shapes.format_version(major),
        typed=lambda: typed.text().then(lambda value: strict.format_version(value, major)),
    )


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


class _Rules(NamedTuple):
    """What an object is held to as a whole: see `record`, `record_codec`."""

    closed: bool
    either: tuple[str, ...]
    first: Check | None
    check: Check | None


def _reader(
    build: Callable[..., T],
    members: Mapping[str, Member],
    unkept: _Unkept,
    rules: _Rules,
) -> Callable[[object, tuple[object, ...], bool], T]:
    """Reads an object. Its arguments: the value; what is known before, which is its key; whether no other field may be there.

    Written out as code, as the writer is: objects are what a document has most of."""
    kept = [(attribute, one) for attribute, one in members.items() if not (one.key or one.derived)]
    order = _order(build, tuple(attribute for attribute, one in members.items() if not one.derived))
    derived = _derived(members)
    permitted = _names(members, unkept)
    unkept = {**unkept, **{name: (codec, True) for name, codec in derived.values()}}
    closed, either, first, check = rules
    names: dict[str, Any] = {
        "build": build,
        "InvalidInput": InvalidInput,
        "strict": strict,
        "first": first,
        "check": check,
        "permitted": frozenset(permitted),
        "names": permitted,
        "problems_of": lambda content: _problems(content, unkept, either),
        "contradictions": lambda result, content: strict.refuse(_contradictions(result, content, derived)),
        "no_key": _NO_KEY,
    }
    lines = [] if first is None else ["first(value)"]
    lines += ["content = value if type(value) is dict else strict.mapping(value)"]
    lines += [f"problems = {'problems_of(content)' if unkept or either else '[]'}"]
    for index, (attribute, one) in enumerate(kept):
        names |= {f"read{index}": one.part.part if one.spread else one.codec.read, f"default{index}": one.default}
        lines += _lines_of(index, one, one.name or attribute)
    if closed:
        lines += ["if whole and not permitted.issuperset(content): problems += strict.unknown_fields(content, names)"]
    lines += ["if problems: strict.refuse(problems)", "if given is no_key: return None"]
    found = [f"field{index}" for index in range(len(kept))]
    keyed = len(found) < len(members) - len(derived)
    every = ["given[0]", *found] if keyed else found
    lines += [f"result = build({', '.join(['*given', *found] if order is None else [every[index] for index in order])})"]
    lines += ["check(result)"] if check is not None else []
    lines += ["contradictions(result, content)"] if derived else []
    text = "\n    ".join(("def read(value, given, whole):", *lines, "return result"))
    exec(text, names)  # noqa: S102 - made of the names of our own fields
    read: Callable[[object, tuple[object, ...], bool], T] = names["read"]
    return read


def _lines_of(index: int, one: Member, name: str) -> list[str]:
    """The code that reads a field, or adds its problems."""
    if one.spread:
        return [
            f"try: field{index} = read{index}(content)",
            "except InvalidInput as problem: problems += strict.problems_of(problem)",
        ]
    read = f"read{index}(content[{name!r}])"
    absent = f"    problems.append(strict.missing({name!r}))" if one.default is NEEDED else f"    field{index} = default{index}"
    return [
        f"if {name!r} in content:",
        f"    try: field{index} = {read}",
        f"    except InvalidInput as problem: problems += strict.under({name!r}, problem)",
        "else:",
        absent,
    ]


def _derived(members: Mapping[str, Member]) -> dict[str, tuple[str, Codec[Any]]]:
    return {attribute: (one.name or attribute, one.codec) for attribute, one in members.items() if one.derived}


def _contradictions(
    value: object, content: Mapping[str, object], derived: Mapping[str, tuple[str, Codec[Any]]]
) -> Iterator[InvalidInput]:
    for attribute, (name, codec) in derived.items():
        expected = getattr(value, attribute)
        if codec.read(content[name]) != expected:
            found, requested = (strict.shown(one) for one in (content[name], codec.write(expected)))
            yield InvalidInput(f"{found} was found, and the other fields give {requested}", name)


def _problems(content: Mapping[str, object], unkept: _Unkept, either: tuple[str, ...]) -> list[InvalidInput]:
    problems: list[InvalidInput] = []
    for name, (codec, needed) in unkept.items():
        if name in content:
            try:
                codec.read(content[name])
            except InvalidInput as problem:
                problems.extend(strict.under(name, problem))
        elif needed:
            problems.append(strict.missing(name))
    if either and not any(name in content for name in either):
        problems.append(strict.missing(either[0]))
    return problems


def _order(build: Callable[..., object], attributes: tuple[str, ...]) -> tuple[int, ...] | None:
    """The attribute of each argument of the constructor. None: they are in the same order."""
    own = (
        tuple(one.name for one in fields(build) if one.init) if is_dataclass(build) else tuple(inspect.signature(build).parameters)
    )
    wanted = own[: len(attributes)]
    assert frozenset(wanted) == frozenset(attributes), f"{wanted} are the first arguments, {attributes} are declared"
    return None if wanted == attributes else tuple(attributes.index(name) for name in wanted)


def _writer(members: Mapping[str, Member], version: str | None) -> Callable[[T], dict[str, object]]:
    """Written out as code, as `dataclass` does for constructors: a loop over the fields takes a third longer (decision 19)."""
    names: dict[str, Any] = {}
    lines: list[str] = []
    literal = [] if version is None else [f"'format_version': {version!r}"]
    for index, (attribute, one) in enumerate(members.items()):
        names |= {f"_codec{index}": one.codec.write, f"_write{index}": one.write, f"_omit{index}": one.omit}
        names |= {f"_default{index}": one.default}
        own = f"value.{attribute}" if one.codec.write is as_it_is else f"_codec{index}(value.{attribute})"
        content = own if one.write is None else f"_write{index}(value)"
        put = f"written |= {content}" if one.spread else f"written[{one.name or attribute!r}] = {content}"
        if one.key:
            continue
        if callable(one.omit):
            lines.append(f"if not _omit{index}(value): {put}")
        elif one.omit:
            single = one.default is None or isinstance(one.default, bool | Enum)
            is_written = f"value.{attribute} {'is not' if single else '!='} _default{index}"
            lines.append(f"if {is_written}: {put}")
        elif lines or one.spread:
            lines.append(put)
        else:
            literal.append(f"{one.name or attribute!r}: {content}")
    text = "\n    ".join(("def write(value):", f"written = {{{', '.join(literal)}}}", *lines, "return written"))
    exec(text, names)  # noqa: S102 - made of the names of our own fields
    written: Callable[[T], dict[str, object]] = names["write"]
    return written


def _shapes(
    members: Mapping[str, Member], unkept: _Unkept, either: tuple[str, ...], *, defaults: bool
) -> tuple[Callable[[], dict[str, Shape]], Callable[[], dict[str, Shape]], Callable[[], Shape]]:
    own = {one.name or attribute: one for attribute, one in members.items() if not one.key and not one.spread}
    parts = tuple(one.part for one in members.values() if one.spread)

    def need() -> dict[str, Shape]:
        found = {name: codec.shape() for name, (codec, needed) in unkept.items() if needed}
        found |= {name: one.shape() for name, one in own.items() if one.default is NEEDED}
        for part in parts:
            found |= part.need()
        return found

    def may() -> dict[str, Shape]:
        found = {name: one.shape(defaults=defaults) for name, one in own.items() if one.default is not NEEDED}
        for part in parts:
            found |= part.may()
        return found | {name: codec.shape() for name, (codec, needed) in unkept.items() if not needed}

    one_of_them = {"anyOf": [{"required": [name]} for name in either]} if either else {}
    return need, may, lambda: {name: shape for part in parts for name, shape in part.rest().items()} | one_of_them
