"""Codecs of values of several kinds: which one it is, the document says in a field of its own."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from holdfast.errors import InvalidInput
from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.record_codec import Record, fields_of
from holdfast.rollout.json.shapes import Shape

T = TypeVar("T")
U = TypeVar("U")


def tagged(tag: str, content: str, kinds: Callable[[], Mapping[str, Codec[Any]]], kind_of: Callable[[T], str]) -> Record[T]:
    """`{tag: "kind", content: {…}}`, to be `spread` in a record: one field says the kind, the other holds the value.

    `kinds`: the codecs by kind, asked for when a value is read, written or described."""

    def read(value: object) -> T:
        fields = strict.mapping(value)
        problems = [strict.missing(field) for field in (tag, content) if field not in fields]
        kind, known = fields.get(tag), kinds()
        if tag in fields and not (isinstance(kind, str) and kind in known):
            problems.append(InvalidInput(f"one of {', '.join(known)} is needed, {strict.shown(kind)} was found", tag))
        strict.refuse(problems)
        try:
            found: T = known[str(kind)].read(fields[content])
        except InvalidInput as problem:
            strict.refuse(strict.under(content, problem))
            raise
        return found

    def write(value: T) -> dict[str, object]:
        kind = kind_of(value)
        return {tag: str(kind), content: kinds()[kind].write(value)}

    def need() -> dict[str, Shape]:
        return {tag: shapes.one_of(kinds()), content: {"type": "object"}}

    def rest() -> Shape:
        return {
            "allOf": [
                {"if": {"properties": {tag: {"const": str(kind)}}}, "then": {"properties": {content: codec.shape()}}}
                for kind, codec in kinds().items()
            ]
        }

    return fields_of(read, write, need, rest=rest)


def where_there(names: tuple[str, ...], kind: type[T], codec: Codec[T], otherwise: Codec[U], about: str) -> Codec[T | U]:
    """An object that is a `kind` where one of these fields is there, and another value where none is."""

    def read(value: object) -> T | U:
        fields = strict.mapping(value)
        return codec.read(value) if any(name in fields for name in names) else otherwise.read(value)

    def write(value: Any) -> object:
        return codec.write(value) if isinstance(value, kind) else otherwise.write(value)

    def shape() -> Shape:
        required: list[Shape] = [{"required": [name]} for name in names]
        sign = required[0] if len(required) == 1 else {"anyOf": required}
        return {"description": about, "if": sign, "then": codec.shape(), "else": otherwise.shape()}

    return Codec(read, write, shape)
