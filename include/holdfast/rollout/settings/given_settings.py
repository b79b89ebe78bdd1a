"""What is given of settings: twice, by a snapshot and by the application's properties; or as a place for something to fill in."""

import re
from collections.abc import Mapping

from holdfast.kafka.streams.config_check import ConfigValue
from holdfast.rollout.settings.subject import Settings

_PLACE = re.compile(
    r"\$\{[^}]{0,200}\}|\$\([^)]{0,200}\)|\{\{.{0,200}\}\}|\$[A-Za-z_][A-Za-z0-9_]{0,100}|%[A-Z][A-Z0-9_]{0,100}%|@[A-Za-z_.]{1,100}@"
    r"|\A<[A-Za-z][A-Za-z0-9_ .-]{0,100}>\Z"
)
_NESTED_CLASS = re.compile(r"(?:[a-z_]\w{0,100}\.){1,20}[A-Z]\w{0,100}(?:\$\w{1,100}){1,5}")
"""`org.example.Outer$Inner`: no variable of a shell."""
_TEMPORARY = ("java.io.tmpdir", "TMPDIR")
"""Places that a rule knows."""


def filled_in(properties: Mapping[str, str]) -> frozenset[str]:
    """The keys whose values have a place that something else fills in: a variable of the shell, of a template, of a provider."""
    return frozenset(
        key
        for key, value in properties.items()
        if _PLACE.search(value) and not _NESTED_CLASS.fullmatch(value.strip()) and not any(one in value for one in _TEMPORARY)
    )


def settings_of(
    config: tuple[tuple[str, ConfigValue], ...], properties: Mapping[str, str] | None, release: str | None
) -> tuple[Settings, tuple[str, ...]]:
    """The settings of a group: what a snapshot has, and over it the application's `properties` (None: not given); and the keys of
    which both say something, and not the same."""
    said = dict(properties or {})
    open_ones = filled_in(said)
    merged: dict[str, ConfigValue] = {key: value for key, value in (*config, *said.items()) if key not in open_ones}
    stated = {key: value for key, value in said.items() if key not in open_ones}
    return Settings(merged, properties is not None, release, open_ones), _differing(dict(config), stated)


def _differing(snapshot: Mapping[str, ConfigValue], properties: Mapping[str, str]) -> tuple[str, ...]:
    """The keys of which both say something, and not the same."""
    return tuple(sorted(key for key, value in snapshot.items() if key in properties and _text(value) != _text(properties[key])))


def _text(value: ConfigValue) -> str:
    if isinstance(value, list | tuple):
        return ",".join(str(one).strip() for one in value)
    return ",".join(part.strip() for part in str("" if value is None else value).lower().split(","))
