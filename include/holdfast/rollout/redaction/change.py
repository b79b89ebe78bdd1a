"""A Change without names: its JSON, field by field, each in the role that the field has in every kind of group's events."""

from collections.abc import Callable, Mapping
from typing import cast

from holdfast.errors import InvalidInput
from holdfast.rollout.json import strict
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.redaction import settings
from holdfast.rollout.redaction.found import Found, Role
from holdfast.rollout.redaction.names import Names
from holdfast.rollout.text.format import listed

_ROLES: Mapping[str, Role] = {
    "process_id": Role.PROCESS,
    "process_ids": Role.PROCESS,
    "new_process_id": Role.PROCESS,
    "new_process_ids": Role.PROCESS,
    "copied_from": Role.PROCESS,
    "late": Role.PROCESS,
    "member_id": Role.MEMBER,
    "new_member_id": Role.MEMBER,
    "member_ids": Role.MEMBER,
    "apart": Role.MEMBER,
    "client_id": Role.CLIENT,
    "group_instance_id": Role.INSTANCE,
    "instance_id": Role.INSTANCE,
    "subscription_regex": Role.PATTERN,
    "host": Role.HOST,
    "rack": Role.RACK,
    "replica_racks": Role.RACK,
    "user_endpoint": Role.ENDPOINT,
    "topic": Role.TOPIC,
    "subscription": Role.TOPIC,
    "partitions": Role.TOPIC,
    "changelogs": Role.TOPIC,
    "source_topics": Role.TOPIC,
    "repartition_source_topics": Role.TOPIC,
    "repartition_sink_topics": Role.TOPIC,
    "changelog_topics": Role.TOPIC,
}
"""The role of all texts in a field."""
_SETTINGS = frozenset(("config", "set_config"))
_ASSIGNORS = ("assignors", "assignor.class")
_LISTED = """
    format_version then wait state catch_up closed_copies dormant_copies offsets kafka_release broker_release
    assignors assignor id gives_up
"""
_VOCABULARY = frozenset(_LISTED.split())
"""Fields whose texts are words of the contract, releases, or Kafka's names of assignors: the change was read, so they are known."""
_Rename = Callable[[Role, str], str]


def take(found: Found, change: object) -> None:
    """The names in a Change's JSON that was read, and written with every client by its ID."""

    def add(role: Role, name: str) -> str:
        found.add(role, name)
        return name

    def of_settings(value: object) -> object:
        settings.take(found, _pairs(value))
        return value

    _walked(change, add, of_settings)


def redacted(change: object, names: Names) -> dict[str, object]:
    """The same with what stands for its names. Raise InvalidInput for a text in a field without a role, and for settings of which
    nothing can be shown."""
    found = _walked(change, names.of, lambda value: _settings(value, names))
    assert isinstance(found, dict), "a Change is an object"
    return found


def assignors(change: object) -> frozenset[str]:
    """Those that its events name, or set by their classes."""
    if isinstance(change, dict):
        given = [one for key, one in change.items() if key.endswith(_ASSIGNORS)]
        texts = [text for one in given for text in (one if isinstance(one, list) else [one]) if isinstance(text, str)]
        return frozenset(texts).union(*map(assignors, change.values()))
    return frozenset[str]().union(*map(assignors, change)) if isinstance(change, list) else frozenset()


def _walked(value: object, rename: _Rename, of_settings: Callable[[object], object]) -> object:
    if isinstance(value, list):
        return [_walked(one, rename, of_settings) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: _field(key, content, rename, of_settings) for key, content in value.items()}


def _field(key: str, content: object, rename: _Rename, of_settings: Callable[[object], object]) -> object:
    if key in _SETTINGS and isinstance(content, dict):
        return of_settings(content)
    if key == "client_tags" and isinstance(content, dict):
        return {rename(Role.TAG, tag): rename(Role.TAG_VALUE, str(value)) for tag, value in content.items()}
    if key == "subtopologies" and isinstance(content, dict):
        return {rename(Role.SUBTOPOLOGY, name): _walked(one, rename, of_settings) for name, one in content.items()}
    if key == "member_ids" and isinstance(content, dict):  # new ones by process, or by the old one
        return {
            rename(Role.MEMBER if isinstance(new, str) else Role.PROCESS, old): _named(Role.MEMBER, new, rename)
            for old, new in content.items()
        }
    if key in _ROLES:
        return _named(_ROLES[key], content, rename)
    if isinstance(content, str) and key not in _VOCABULARY:
        raise InvalidInput(
            f"the field {strict.shown(key)} of a change cannot be redacted: whether its text names something is unknown"
        )
    if isinstance(content, list) and key in _VOCABULARY:
        return content
    return _walked(content, rename, of_settings)


def _settings(value: object, names: Names) -> dict[str, ConfigValue]:
    given = _pairs(value)
    kept = dict(settings.redacted(given, names))
    if given and not kept:
        keys = listed([strict.shown(key) for key, _ in given])
        raise InvalidInput(
            f"an event sets {keys}, which Kafka does not have or which name something: take the event out of the change"
        )
    return kept


def _named(role: Role, content: object, rename: _Rename) -> object:
    if isinstance(content, str):
        return rename(role, content)
    if isinstance(content, list):
        return [_named(role, one, rename) for one in content]
    if isinstance(content, dict):
        return {rename(role, key): _named(role, one, rename) for key, one in content.items()}
    return content


def _pairs(value: object) -> tuple[tuple[str, ConfigValue], ...]:
    given = cast("dict[str, ConfigValue | list[str]]", value)
    return tuple((key, tuple(one) if isinstance(one, list) else one) for key, one in given.items())
