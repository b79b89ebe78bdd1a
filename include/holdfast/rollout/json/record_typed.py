"""How msgspec decodes an object: its fields as they are declared, and the function that makes the record of them."""

from collections.abc import Callable, Mapping
from typing import Any

from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.frozen import maker
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
    names: dict[str, Any] = {"UNSET": msgspec.UNSET, "build": maker(build), "check": check}
    lines: list[str] = []
    for number, (name, (codec, needed)) in enumerate(unkept.items()):
        fields[name] = codec.decoded(), needed
        names[f"also{number}"] = fields[name][0].build
        if names[f"also{number}"] is not None:
            lines.append(f"if one.{at(name)} is not UNSET: also{number}(one.{at(name)})")
    keyed = False
    found: list[str] = []
    for index, (attribute, one) in enumerate(members.items()):
        found.append(f"field{index}")
        if one.key:
            keyed = True
            found[-1] = "key"
            continue
        if one.spread:
            part = one.part.typed_fields()
            if part is None:
                return None
            fields |= part.fields
            names[f"build{index}"] = part.build
            lines.append(f"field{index} = build{index}(one)")
            continue
        name = one.name or attribute
        fields[name] = one.codec.decoded(), one.needed
        names |= {f"build{index}": fields[name][0].build, f"default{index}": one.default}
        lines += _lines_of(index, at(name), built=fields[name][0].build is not None, needed=one.needed)
    result = f"build({', '.join(found if order is None else [found[index] for index in order])})"
    lines += [f"return {result}"] if check is None else [f"result = {result}", "check(result)", "return result"]
    text = "\n    ".join((f"def made(one{', key' if keyed else ''}):", *lines))
    exec(text, names)  # noqa: S102 - made of the names of our own fields
    return TypedFields(fields, names["made"])


def _lines_of(index: int, attribute: str, *, built: bool, needed: bool) -> list[str]:
    """The code that takes a field from a struct."""
    value = f"build{index}(one.{attribute})" if built else f"one.{attribute}"
    if needed:
        return [f"field{index} = {value}"]
    return [
        f"field{index} = one.{attribute}",
        f"if field{index} is UNSET: field{index} = default{index}",
        *([f"else: field{index} = build{index}(field{index})"] if built else []),
    ]
