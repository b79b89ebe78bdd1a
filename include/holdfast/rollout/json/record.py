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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast, dataclass_transform, overload

from holdfast.rollout.json import shapes, strict, typed
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.record_codec import NEEDED, Check, Member, Omit, Record, fields_of, record_codec, written_codec
from holdfast.rollout.json.typed import Typed, TypedFields

T = TypeVar("T")
D = TypeVar("D")
_DECLARED = "json"
_CODEC = "__json__"
_MEMBERS = "__members__"
_DERIVED = "__derived__"


@overload
def member(codec: Codec[T], about: str = "", *, name: str | None = None, write: Callable[[Any], object] | None = None) -> T: ...
@overload
def member(codec: Codec[T], about: str = "", *, name: str | None = None, absent: D, omit: Omit = False) -> T | D: ...
@overload
def member(
    codec: Codec[T],
    about: str = "",
    *,
    name: str | None = None,
    default: D,
    needed: bool = False,
    omit: Omit = False,
    write: Callable[[Any], object] | None = None,
    unsaid: bool = False,
) -> T | D: ...
def member(
    codec: Codec[Any],
    about: str = "",
    *,
    name: str | None = None,
    default: Any = NEEDED,
    absent: Any = NEEDED,
    needed: bool = False,
    omit: Omit = False,
    write: Callable[[Any], object] | None = None,
    unsaid: bool = False,
) -> Any:
    """A field of a record.

    `about`: its description in the schema. `name`: in the JSON, where it has another one than in Python. Without a `default` the
    field must be in the document; with one it may be left out, unless it is `needed`: then the default is the constructor's
    alone. `absent`: what its absence from the document means, where the constructor has no default. `omit`: it is not written
    where the value is the default, or where that function of the record says so. `write`: writes it from the whole record, where
    its JSON holds what other fields have. `unsaid`: no value that a document could give means the same as the default.
    """
    missing = absent if default is NEEDED or needed else default
    declared = Member(codec, about, name, missing, omit, write=write, unsaid=unsaid)
    return dataclasses.field(default=dataclasses.MISSING if default is NEEDED else default, metadata={_DECLARED: declared})


def key(codec: Codec[T]) -> T:
    """The key under which the object is in a table (`keyed`). The first field of a record."""
    return cast("T", dataclasses.field(metadata={_DECLARED: Member(codec, key=True)}))


def spread(codec: Record[T]) -> T:
    """A field whose own JSON is an object; its fields are written among those of this one."""
    return cast("T", dataclasses.field(metadata={_DECLARED: Member(codec, spread=True)}))


def gathered(read: Callable[[object], T], default: T, *, decoded: Callable[[], Callable[[Any], T]] | None = None) -> T:
    """A field that is read from the JSON of another one, which writes it too (`member(…, write=…)`). `decoded` makes the function
    that takes it from the struct of the whole object (`typed.struct`); None: the whole is read as any JSON."""
    codec: Record[T] = fields_of(
        read,
        lambda value: {},  # noqa: ARG005 - the other field has written it
        dict,
        typed_fields=lambda: None if decoded is None else TypedFields({}, decoded()),
    )
    return dataclasses.field(default=default, metadata={_DECLARED: Member(codec, spread=True)})


def derived(codec: Codec[T], about: str = "", *, name: str | None = None) -> Callable[[Callable[[Any], T]], Callable[[Any], T]]:
    """A property of a record (`@property` is above it) that is written too, at its position in the class: what the other fields
    already contain, for readers of only the top of a document. A document in which it is not what they give is refused."""

    def declare(compute: Callable[[Any], T]) -> Callable[[Any], T]:
        setattr(compute, _DERIVED, Member(codec, about, name, derived=True))
        return compute

    return declare


def _declared(one: object) -> Member | None:
    """How an attribute of a class is in its JSON. None: it does not."""
    if isinstance(one, dataclasses.Field):
        return one.metadata.get(_DECLARED)
    return getattr(one.fget, _DERIVED, None) if isinstance(one, property) else None


@overload
def record(cls: type[T], /) -> type[T]: ...
@overload
def record(
    *,
    closed: bool = True,
    version: str | None = None,
    also: Mapping[str, Codec[Any]] | None = None,
    first: Check | None = None,
    contract: str | None = None,
    check: Check | None = None,
    defaults: bool = False,
    about: str = "",
) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(member, key, spread, gathered))
def record(cls: type[Any] | None = None, /, **how: Any) -> Any:
    """A frozen dataclass with a codec.

    `closed`: a field that is not declared is refused, with the nearest that is. `version`: the document carries this
    `format_version`. `also`: fields that may be there; they are checked and not kept. `first` sees the document before it is read,
    `check` the value that was read: both raise InvalidInput. `contract`: in place of `first`, the name of its own contract; a
    document of another one is refused. `defaults`: the schema says what the absence of a field means. `about`: its description.
    """

    def decorated(plain: type[Any]) -> type[Any]:
        own = {name: found for name, one in vars(plain).items() if (found := _declared(one)) is not None}
        members = getattr(plain, _MEMBERS, {}) | own
        made = dataclass(frozen=True, slots=True)(plain)
        setattr(made, _MEMBERS, members)
        setattr(made, _CODEC, record_codec(made, members, **how))
        return made

    return decorated if cls is None else decorated(cls)


def variant(
    cls: type[T], *, check: Check | None = None, either: tuple[str, ...] = (), defaults: bool = False, **absent: Any
) -> Record[T]:
    """The codec of a record in a place where the absence of some attributes means something else than in its constructor: `absent`
    (NEEDED: they must be there). It is left out of the JSON where it has the constructor's default. A `member` or the like there is
    another declaration of the field. `either`: one of these fields must be there.
    """
    members = cls.__dict__[_MEMBERS]
    members = members | {name: _meaning(name, members[name], meaning) for name, meaning in absent.items()}
    return record_codec(cls, members, check=check, either=either, defaults=defaults)


def _meaning(name: str, one: Member, meaning: object) -> Member:
    if isinstance(meaning, dataclasses.Field):
        return cast("Member", meaning.metadata[_DECLARED])
    usual = one.default
    return dataclasses.replace(one, default=meaning, omit=lambda value: getattr(value, name) == usual, unsaid=False)


def record_of(
    build: Callable[..., T],
    *,
    closed: bool = True,
    version: str | None = None,
    check: Check | None = None,
    either: tuple[str, ...] = (),
    defaults: bool = False,
    about: str = "",
    **fields: Any,
) -> Record[T]:
    """The codec of a value that does not know its JSON: its attributes by name, each a `member`, `key` or `spread`."""
    members = {name: field.metadata[_DECLARED] for name, field in fields.items()}
    how = {"closed": closed, "version": version, "check": check, "either": either, "defaults": defaults, "about": about}
    return record_codec(build, members, **how)  # type: ignore[arg-type]


def written_of(cls: type[T], *, version: str | None = None, about: str = "", **fields: Any) -> Record[T]:
    """The writer and the schema of a value in a document that Holdfast does not read: its attributes by name, each a `member` or
    `spread`, or other names with `member(…, write=…)`."""
    members = {name: field.metadata[_DECLARED] for name, field in fields.items()}
    unknown = [name for name, one in members.items() if one.write is None and not hasattr(cls, name)]
    assert not unknown, f"{cls.__name__} has no attribute {', '.join(unknown)}"
    return written_codec(members, version=version, about=about)


def codec_of(cls: type[T]) -> Record[T]:
    """The codec of a `record`."""
    return cast("Record[T]", cls.__dict__[_CODEC])


def keyed(codec: Record[T], *, at_least: int = 0, about: str = "") -> Codec[tuple[T, ...]]:
    """Records in an object, each under its `key`, in the order of the document."""
    assert codec.key is not None, "the record has no key"
    assert codec.read_under is not None, "the record has no key"
    read, write, (key_of, keys) = codec.read_under, codec.write, codec.key

    def decoded() -> Typed:
        found = codec.typed_fields()
        return typed.careful(lambda value: strict.each_entry(value, read)) if found is None else typed.keyed(keys.decoded(), found)

    return Codec(
        lambda value: strict.each_entry(value, read),
        lambda found: {keys.write(key_of(one)): write(one) for one in found},
        lambda: shapes.table(keys.shape(), codec.shape(), about, at_least=at_least),
        typed=decoded,
    )
