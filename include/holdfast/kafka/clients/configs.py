"""What each client of a Streams application is configured with: the application's properties, Streams' values, Kafka's defaults.

Java: `StreamsConfig.getMainConsumerConfigs`, `getRestoreConsumerConfigs`, `getGlobalConsumerConfigs`, `getProducerConfigs` and
`getAdminConfigs`, 2.6 to 4.3. The more specific prefix wins; a key without a prefix goes to every client that has it.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from holdfast.errors import InvalidInput
from holdfast.kafka.clients.defaults import TABLE
from holdfast.kafka.streams import config_check
from holdfast.kafka.streams.config_check import ConfigValue
from holdfast.kafka.streams.config_keys import MINORS


class Client(StrEnum):
    """Whose configuration, as the letters of `defaults`."""

    STREAMS = "S"
    MAIN = "M"
    RESTORE = "R"
    GLOBAL = "G"
    PRODUCER = "P"
    ADMIN = "A"
    PLAIN = "C"
    """A consumer of an application without Streams."""


STREAMS_PROTOCOL, CONSUMER_PROTOCOL = "streams", "consumer"
"""Values of `group.protocol` (KIP-1071, KIP-848), in lower case."""
_EXACTLY_ONCE = "E"
_COMMIT_INTERVAL = "commit.interval.ms"
_PREFIXES: Mapping[Client, tuple[str, ...]] = {
    Client.STREAMS: ("",),
    Client.MAIN: ("main.consumer.", "consumer.", ""),
    Client.RESTORE: ("restore.consumer.", "consumer.", ""),
    Client.GLOBAL: ("global.consumer.", "consumer.", ""),
    Client.PRODUCER: ("producer.", ""),
    Client.ADMIN: ("admin.", ""),
    Client.PLAIN: ("",),
}
"""The most specific first."""
_HOMES: Mapping[Client, str] = {
    Client.STREAMS: "S",
    Client.MAIN: "C",
    Client.RESTORE: "C",
    Client.GLOBAL: "C",
    Client.PRODUCER: "P",
    Client.ADMIN: "A",
    Client.PLAIN: "C",
}
_NOT_FROM_THE_APPLICATION = {"enable.auto.commit": "2.6", "allow.auto.create.topics": "4.2"}
"""Since which minor."""
_NOT_WITH_EXACTLY_ONCE = ("isolation.level", "enable.idempotence", "transactional.id")
_FIXED = {
    Client.MAIN: ("allow.auto.create.topics",),
    Client.RESTORE: ("auto.offset.reset", "group.id", "group.instance.id"),
    Client.GLOBAL: ("auto.offset.reset", "group.id", "group.instance.id"),
}
"""What Streams decides for these clients whatever the application says."""


@dataclass(frozen=True, slots=True)
class Configured:
    """`value` as ConfigDef has it; None: unknown, or refused by Kafka. `given_as`: the application's key, prefix included; None:
    Kafka's or Streams' own default."""

    value: ConfigValue
    given_as: str | None


@functools.cache
def _defaults(release: str) -> Mapping[tuple[str, str], str]:
    minor = _minor(release)
    found: dict[tuple[str, str], str] = {}
    for line in TABLE.splitlines():
        key, clients, first, last, *value = line.split(" ", 4)
        if MINORS.index(first) <= minor <= MINORS.index(last):
            found |= {(client, key): "".join(value) for client in clients}
    return found


@functools.cache
def _every_default() -> frozenset[tuple[str, str]]:
    return frozenset((line.split(" ")[0], "".join(line.split(" ", 4)[4:])) for line in TABLE.splitlines())


def is_a_default(key: str, value: ConfigValue) -> bool:
    """Whether some client of some release has this value for the key anyway. Of keys whose defaults are not recorded: no."""
    prefix = next((one for one in config_check.PREFIXES if key.startswith(one)), "")
    return (key.removeprefix(prefix), str(value).strip().lower()) in _every_default()


def exactly_once(properties: Mapping[str, ConfigValue]) -> bool:
    """Whether the application runs with exactly-once. Java: `StreamsConfigUtils.eosEnabled`."""
    return str(properties.get("processing.guarantee", "")).strip().startswith("exactly_once")


def of(release: str, client: Client, key: str, properties: Mapping[str, ConfigValue]) -> Configured | None:
    """A key of a client. None: the client of this release does not have it, or its default is not recorded."""
    form = config_check.form_of(release, key, _HOMES[client])
    if form is None:
        return None
    given_as = _given_as(release, client, key, properties)
    if given_as is not None:
        try:
            return Configured(config_check.parse(key, properties[given_as], form), given_as)
        except InvalidInput:
            return Configured(None, given_as)
    defaults, once = _defaults(release), exactly_once(properties)
    letter = _EXACTLY_ONCE if once and (client is Client.PRODUCER or key == _COMMIT_INTERVAL) else client.value
    if once and key == "isolation.level" and client in (Client.MAIN, Client.RESTORE, Client.GLOBAL):
        return Configured("read_committed", None)
    text = defaults.get((letter, key))
    return None if text is None else Configured(None if text == "null" else config_check.parse(key, text, form), None)


def _given_as(release: str, client: Client, key: str, properties: Mapping[str, ConfigValue]) -> str | None:
    if key in _FIXED.get(client, ()):
        return None
    for prefix in _PREFIXES[client]:
        if f"{prefix}{key}" in properties and not _is_taken_out(release, client, prefix, key, properties):
            return f"{prefix}{key}"
    return None


def _is_taken_out(release: str, client: Client, prefix: str, key: str, properties: Mapping[str, ConfigValue]) -> bool:
    """What Streams takes out of an application's properties, with a warning; behind the prefix of a single consumer from 4.2 on."""
    if client in (Client.STREAMS, Client.PLAIN, Client.ADMIN):
        return False
    if prefix.count(".") == 2 and (_minor(release) < MINORS.index("4.2") or key not in _NOT_FROM_THE_APPLICATION):
        return False
    if key in _NOT_FROM_THE_APPLICATION:
        return _minor(release) >= MINORS.index(_NOT_FROM_THE_APPLICATION[key])
    return key in _NOT_WITH_EXACTLY_ONCE and exactly_once(properties)


def _minor(release: str) -> int:
    return MINORS.index(".".join(release.split(".")[:2]))
