"""Whether Kafka has a key, and whether it would take a value: ConfigDef's own types and limits, from `config_keys`.

Java: `ConfigDef.parseType` and its validators, and how `StreamsConfig` hands prefixed keys to its clients. Kafka itself only warns
about keys that it does not know; here they are refused, because a misspelt key has no effect.
"""

import difflib
import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from holdfast import secrecy
from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.kafka.streams.config_keys import MINORS, TABLE

ConfigValue = str | int | float | bool | tuple[str, ...] | None

PREFIXES = {
    "main.consumer.": "C",
    "restore.consumer.": "C",
    "global.consumer.": "C",
    "consumer.": "C",
    "producer.": "P",
    "admin.": "A",
    "topic.": "T",
}
_PREFIX_OF_ALL = ("consumer.", "producer.", "admin.", "topic.")
_ANY_PREFIX = "client.tag."
_WHOLE = {"int": (-(2**31), java.INT_MAX), "long": (-(2**63), java.LONG_MAX), "short": (-(2**15), 2**15 - 1)}
_RANGE = re.compile(r"\[([^,\]]+),\.\.\.(?:,([^,\]]+))?\](?: or (-?\d+))?")
_OPTIONS = re.compile(r"(~)?\[(.*)\]")
_MOST_ITEMS = re.compile(r"items<=(\d+)")


@dataclass(frozen=True, slots=True)
class Form:
    """What a key is in the releases from one minor to another; `homes` are the letters of `config_keys`."""

    homes: str
    first: int
    last: int
    type: str
    valid: str


@functools.cache
def _forms() -> Mapping[str, tuple[Form, ...]]:
    number = {minor: position for position, minor in enumerate(MINORS)}
    found: dict[str, list[Form]] = {}
    for line in TABLE.splitlines():
        key, homes, first, last, kind, *valid = line.split(" ", 5)
        found.setdefault(key, []).append(Form(homes, number[first], number[last], kind, "".join(valid)))
    return {key: tuple(forms) for key, forms in found.items()}


def is_known(key: str) -> bool:
    """Whether any covered release has this key, alone or behind one of the prefixes of Streams."""
    return key.startswith(_ANY_PREFIX) or bool(_forms_of(key))


def has(release: str, key: str) -> bool:
    """Whether Streams of this release has this key of its own."""
    minor = _minor(release)
    return any("S" in form.homes and form.first <= minor <= form.last for form in _forms().get(key, ()))


def form_of(release: str, key: str, home: str) -> Form | None:
    """What a key is to Streams or to one of its clients (`homes` of `config_keys`) in this release. None: that has no such key."""
    minor = _minor(release)
    return next((form for form in _forms().get(key, ()) if home in form.homes and form.first <= minor <= form.last), None)


def known_keys() -> tuple[str, ...]:
    """Every key that some covered release has, without prefixes."""
    return tuple(_forms())


def in_release(release: str, key: str) -> bool:
    """Whether this release has the key, alone or behind one of the prefixes of Streams."""
    minor = _minor(release)
    return key.startswith(_ANY_PREFIX) or any(form.first <= minor <= form.last for form in _all_forms_of(key))


def releases_of(key: str) -> str:
    """The minor releases that have a known key: `2.6 to 4.1`."""
    forms = _all_forms_of(key)
    return f"{MINORS[min(form.first for form in forms)]} to {MINORS[max(form.last for form in forms)]}"


def takes(release: str, key: str, home: str | None = None) -> str:
    """What a known key takes in a release, in words. `home`: of the client with this letter alone."""
    minor = _minor(release)
    return " or ".join(dict.fromkeys(_limits(form) for form in _forms_of(key, home) if form.first <= minor <= form.last))


def home_of(key: str) -> str | None:
    """Of a key behind the prefix of a client that has it in no release: the key as the first of those that have it takes it."""
    prefix = next((one for one in PREFIXES if key.startswith(one)), None)
    if prefix is None or is_known(key):
        return None
    rest = key.removeprefix(prefix)
    homes = [form.homes for form in _forms().get(rest, ()) if form.homes != "I"]
    if not homes:
        return None
    return rest if "S" in homes[0] else next(f"{one}{rest}" for one in _PREFIX_OF_ALL if PREFIXES[one] in homes[0])


def secret_keys() -> tuple[str, ...]:
    """The keys whose values Kafka keeps secret (ConfigDef's type PASSWORD), without prefixes, sorted."""
    return tuple(sorted(key for key, forms in _forms().items() if any(form.type == "password" for form in forms)))


def is_secret(key: str) -> bool:
    """Whether Kafka keeps the value of a key secret (ConfigDef's type PASSWORD), or its name says that it is one."""
    return any(form.type == "password" for form in _forms_of(key)) or secrecy.is_secret_name(key)


def refuse_secrets(properties: Mapping[str, ConfigValue]) -> None:
    """Raise InvalidInput, by the key alone, for one whose value Kafka keeps secret (ConfigDef's type PASSWORD), or whose name says
    that it is one, and for a value that holds a secret whatever the key is."""
    for key, value in properties.items():
        shown = secrecy.redact(key)
        if is_secret(key):
            raise InvalidInput(f"{shown} holds a secret and does not affect assignments: leave it out")
        if secrecy.holds_secret(key) or secrecy.holds_secret(str(value)):
            raise InvalidInput(f"the value of {shown} holds a secret and does not affect assignments: leave it out")


def check(release: str, properties: Mapping[str, ConfigValue], home: str | None = None) -> None:
    """Raise InvalidInput for the first key that no covered release has, or value that this release would refuse. `home`: as the
    client with this letter alone takes it."""
    minor = _minor(release)
    for key, value in properties.items():
        if not is_known(key):
            near = difflib.get_close_matches(key, [*_forms()], n=3)
            hint = f"; did you mean {' or '.join(near)}?" if near else "."
            raise InvalidInput(f"no Kafka release has a configuration key {key!r}{hint}")
        for form in _forms_of(key, home):
            if form.first <= minor <= form.last:
                parse(key, value, form)


def accepts(release: str, key: str, value: ConfigValue) -> bool:
    """Whether some release has the key, and this one would take the value."""
    try:
        check(release, {key: value})
    except InvalidInput:
        return False
    return True


def value_of(release: str, key: str, properties: Mapping[str, ConfigValue]) -> ConfigValue:
    """What Streams of this release has for one of its own keys; None where it is not given, or not yet known to the release."""
    minor = _minor(release)
    form = next((form for form in _forms().get(key, ()) if "S" in form.homes and form.first <= minor <= form.last), None)
    return parse(key, properties[key], form) if form is not None and key in properties else None


def _minor(release: str) -> int:
    return MINORS.index(".".join(release.split(".")[:2]))


def parse(key: str, value: ConfigValue, form: Form) -> ConfigValue:
    """The value as ConfigDef would hold it. Raise InvalidInput, with Kafka's limit, where it would refuse it."""
    if value is None:
        if _RANGE.fullmatch(form.valid) or form.valid.startswith("non-"):
            raise InvalidInput(f"{key} is null; Kafka takes {_limits(form)}")
        return None
    parsed = _parsed(key, value, form)
    _validate(key, parsed, form)
    return parsed


def _all_forms_of(key: str) -> tuple[Form, ...]:
    """A key alone goes to every client that has it, whether Streams has it too or not."""
    return tuple(form for form in _forms().get(key, ()) if form.homes != "T") or _forms_of(key)


def _forms_of(key: str, home: str | None = None) -> tuple[Form, ...]:
    """A key alone is meant for Streams, or else for every client that has it; behind a prefix for that client."""
    alone = _forms().get(key, ())
    if home is not None:
        return tuple(form for form in alone if home in form.homes)
    if alone:
        streams = tuple(form for form in alone if "S" in form.homes)
        return streams or tuple(form for form in alone if form.homes != "T")
    for prefix, home in PREFIXES.items():
        if key.startswith(prefix):
            return tuple(form for form in _forms().get(key.removeprefix(prefix), ()) if home in form.homes)
    return ()


def _parsed(key: str, value: ConfigValue, form: Form) -> ConfigValue:
    found = _PARSERS.get(form.type, _text)(value)
    if found is None or (form.type in _WHOLE and not _fits_type(found, form)):
        raise InvalidInput(f"{key} is {value!r}; Kafka takes {_limits(form)}")
    return found


def _fits_type(number: ConfigValue, form: Form) -> bool:
    least, most = _WHOLE[form.type]
    return isinstance(number, int) and least <= number <= most


def _whole(value: ConfigValue) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,20}", value.strip()):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _boolean(value: ConfigValue) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _double(value: ConfigValue) -> float | None:
    if isinstance(value, str) and re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?", value.strip()):
        return float(value)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _list(value: ConfigValue) -> tuple[str, ...] | None:
    if isinstance(value, str):
        return tuple(re.split(r"\s*,\s*", value.strip())) if value.strip() else ()
    return tuple(str(part) for part in value) if isinstance(value, list | tuple) else None


def _text(value: ConfigValue) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    return None if isinstance(value, list | tuple) else str(value).strip()


_PARSERS: Mapping[str, Callable[[ConfigValue], ConfigValue]] = {
    "int": _whole,
    "long": _whole,
    "short": _whole,
    "boolean": _boolean,
    "double": _double,
    "list": _list,
}


def _validate(key: str, value: ConfigValue, form: Form) -> None:
    bounds = _RANGE.fullmatch(form.valid)
    options = _OPTIONS.fullmatch(form.valid)
    fits = True
    if bounds and isinstance(value, int | float):
        least, most, other = bounds.groups()
        fits = (float(least) <= value and (most is None or value <= float(most))) or (other is not None and value == int(other))
    elif options and isinstance(value, str):
        allowed = options[2].split(", ")
        fits = value.upper() in (each.upper() for each in allowed) if options[1] else value in allowed
        fits = fits or any(each.startswith("by_duration:") and value.startswith("by_duration:") for each in allowed)
    elif form.valid == "non-empty":
        fits = value != ""
    elif (most_items := _MOST_ITEMS.fullmatch(form.valid)) and isinstance(value, tuple):
        fits = len(value) <= int(most_items[1])
    if not fits:
        raise InvalidInput(f"{key} is {value!r}; Kafka takes {_limits(form)}")


def _limits(form: Form) -> str:
    """What a form takes, in words: `a whole number, 60000 or more`."""
    kind = {"int": "a whole number", "long": "a whole number", "short": "a whole number", "double": "a number"}.get(
        form.type, {"boolean": "true or false", "list": "a list"}.get(form.type, "a text")
    )
    bounds = _RANGE.fullmatch(form.valid)
    if bounds:
        least, most, other = bounds.groups()
        return f"{kind} from {least} to {most}" + (f", or {other}" if other else "") if most else f"{kind}, {least} or more"
    options = _OPTIONS.fullmatch(form.valid)
    if options:
        return f"one of {options[2]}"
    if form.type in _WHOLE:
        return f"{kind} from {_WHOLE[form.type][0]} to {_WHOLE[form.type][1]}"
    if most_items := _MOST_ITEMS.fullmatch(form.valid):
        return f"{kind} of {most_items[1]} items at most"
    return f"{kind}, {form.valid}" if form.valid else kind
