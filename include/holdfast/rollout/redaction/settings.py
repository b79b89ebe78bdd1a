"""The settings of a group without what names something: keys and values that Kafka has are kept, the others are left out.

A value that decides and cannot be shown is replaced by one that is refused too: no Kafka release takes it.
"""

import re
from collections.abc import Collection, Iterable

from holdfast.kafka.consumer import config as consumer_config
from holdfast.kafka.coordinator.config_keys import GROUP_KEYS
from holdfast.kafka.coordinator.consumer import config_keys as of_consumers
from holdfast.kafka.coordinator.consumer import migration
from holdfast.kafka.streams import config_check
from holdfast.kafka.streams.config import DECIDING
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.redaction.found import Found, Role
from holdfast.rollout.redaction.names import Names

Settings = tuple[tuple[str, ConfigValue], ...]
REPLACED = "redacted"
_TAGS = "rack.aware.assignment.tags"
_NUMBER = re.compile(r"[+-]?[0-9]{1,20}(?:\.[0-9]{1,20})?|true|false|by_duration:P[0-9DTHMS.]{1,40}", re.ASCII | re.IGNORECASE)
_KAFKAS_CLASS = re.compile(r"org\.apache\.kafka\.[A-Za-z0-9_.$]{1,200}", re.ASCII)
_PUBLIC = """
    none all -1 earliest latest at_least_once exactly_once exactly_once_beta exactly_once_v2 optimize no_optimization
    reuse.ktable.source.topics merge.repartition.topics single.store.self.join classic streams consumer range
    roundrobin sticky cooperative-sticky uniform read_committed read_uncommitted compact delete compact,delete
    delete,compact plaintext ssl sasl_plaintext sasl_ssl min_traffic balance_subtopology rocksdb in_memory
    use_all_dns_ips resolve_canonical_bootstrap_servers_only bidirectional upgrade downgrade disabled
"""
_WORDS = frozenset(_PUBLIC.split())
_KAFKAS_ASSIGNORS = """
    HighAvailabilityTaskAssignor StickyTaskAssignor LegacyStickyTaskAssignor FallbackPriorTaskAssignor
"""
_ASSIGNORS = frozenset(_KAFKAS_ASSIGNORS.split())
_KEYS = frozenset((*consumer_config.KEYS, *GROUP_KEYS, *of_consumers.GROUP_KEYS, *migration.BROKER_KEYS))


def take(found: Found, settings: Settings) -> None:
    """The names in them: the keys of tags."""
    for key, value in settings:
        if key.endswith(_TAGS):
            found.add(Role.TAG, *_listed(value))


def redacted(settings: Settings, names: Names) -> Settings:
    return tuple((key, value) for key, value in _kept(settings, names))


def assignor(name: str | None) -> str | None:
    """One of Kafka's, by the name or the class that it has; another one by a name that is refused too."""
    return name if name is None or name in _ASSIGNORS or _KAFKAS_CLASS.fullmatch(name) else REPLACED


def is_public(key: str) -> bool:
    """Whether it is a key of Kafka's."""
    return key in _KEYS or (config_check.is_known(key) and not key.startswith("client.tag.") and not config_check.is_secret(key))


def _kept(settings: Settings, names: Names) -> Iterable[tuple[str, ConfigValue]]:
    for key, value in settings:
        if not is_public(key):
            continue
        if key.endswith(_TAGS):
            tags = names.each(Role.TAG, _listed(value))
            yield key, (",".join(tags) if isinstance(value, str) else tags)
        elif _is_public_value(value):
            yield key, value
        elif key in DECIDING:
            yield key, REPLACED


def _is_public_value(value: ConfigValue) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_public_text, value))
    return _is_public_text(value) if isinstance(value, str) else True


def _is_public_text(value: str) -> bool:
    text = value.strip()
    lists: Collection[str] = [one.strip() for one in text.split(",")]
    return all(
        not one or one.lower() in _WORDS or _NUMBER.fullmatch(one) is not None or _KAFKAS_CLASS.fullmatch(one) is not None
        for one in lists
    )


def _listed(value: ConfigValue) -> tuple[str, ...]:
    texts = value.split(",") if isinstance(value, str) else value if isinstance(value, tuple) else ()
    return tuple(one.strip() for one in map(str, texts))
