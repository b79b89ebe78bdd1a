"""How msgspec decodes an object: its fields as they are declared, and the function that makes the record of them."""

from collections.abc import Callable, Mapping
from typing import Any

from holdfast.rollout.json import frozen
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.typed import Typed, TypedFields, at


def typed_fields(
    build: Callable[..., Any],
    members: Mapping[str, Any],
    unkept: Mapping[str, tuple[Codec[Any], bool]],
    order: tuple[int, ...] | None,
    check: Callable[[Any], None] | None,
) -> TypedFields | None:
    """`members`: each a `record_codec.Member`. None: a part of the record is read from its whole JSON, as any JSON is.

    The function is written out as code, as readers and writers are (docs/decisions/0019-a-field-is-declared-once.md)."""
    import msgspec

    fields: dict[str, tuple[Typed, bool]] = {}
    names: dict[str, Any] = {"UNSET": msgspec.UNSET, "build": build, "check": check}
    lines: list[str] = []
    for number, (name, (codec, needed)) in enumerate(unkept.items()):
        fields[name] = codec.decoded(), needed
        names[f"also{number}"] = fields[name][0].build
        if names[f"also{number}"] is not None:
            lines.append(f"if one.{at(name)} is not UNSET: also{number}(one.{at(name)})")
    keyed = False
    found: dict[str, str] = {}
    for index, (attribute, one) in enumerate(members.items()):
        if one.key:
            keyed = True
            found[attribute] = "key"
        elif one.spread:
            part = one.part.typed_fields()
            if part is None:
                return None
            fields |= part.fields
            names[f"build{index}"] = part.build
            found[attribute] = f"build{index}(one)"
        else:
            name = one.name or attribute
            decoded = fields[name] = one.codec.decoded(), one.needed
            names |= {f"build{index}": decoded[0].build, f"default{index}": one.default}
            found[attribute] = _value(index, at(name), decoded[0], one)
    lines += _made(build, found, names, order)
    lines += ["return result"] if check is None else ["check(result)", "return result"]
    text = "\n    ".join((f"def made(one{', key' if keyed else ''}):", *lines))
    exec(text, names)  # noqa: S102 - made of the names of our own fields
    return TypedFields(fields, names["made"])


def _made(build: Callable[..., Any], found: Mapping[str, str], names: dict[str, Any], order: tuple[int, ...] | None) -> list[str]:
    """The code that makes the record of its fields. `names` gets what it needs."""
    if not frozen.is_plain(build):
        values = [*found.values()]
        return [f"result = build({', '.join(values if order is None else [values[index] for index in order])})"]
    names |= frozen.names_of(build)
    lines = ["result = new(filled)", *(f"result.{attribute} = {value}" for attribute, value in found.items())]
    for attribute, default in frozen.defaults_of(build).items():
        if attribute not in found:
            names[f"other_{attribute}"] = default
            lines.append(f"result.{attribute} = other_{attribute}")
    return [*lines, "result.__class__ = frozen"]


def _value(index: int, attribute: str, decoded: Typed, one: Any) -> str:
    """The code that takes a field from a struct."""
    if decoded.build is None:
        return f"one.{attribute}" if one.needed else f"default{index} if (value := one.{attribute}) is UNSET else value"
    if decoded.empty_is_empty and (one.needed or one.default == ()):
        return f"build{index}(value) if (value := one.{attribute}) else ()"  # what is UNSET is false
    if one.needed:
        return f"build{index}(one.{attribute})"
    return f"default{index} if (value := one.{attribute}) is UNSET else build{index}(value)"
