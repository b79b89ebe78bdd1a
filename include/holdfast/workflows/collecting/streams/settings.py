"""Inputs that the broker does not have for a group: release, assignor settings, changelogs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from holdfast.errors import InvalidInput, Unsupported
from holdfast.kafka.consumer.config import SESSION_TIMEOUT
from holdfast.kafka.release import RELEASES, behaviour
from holdfast.kafka.streams import config as assignor_config
from holdfast.kafka.streams import config_check
from holdfast.kafka.topology_description import Described
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.streams.scene.outage import HEARTBEAT
from holdfast.rollout.streams.snapshot import defaults
from holdfast.rollout.streams.snapshot.snapshot import Stores

DEFAULT_TASK_ASSIGNOR = assignor_config.HIGH_AVAILABILITY.value
_CONSUMER_PREFIXES = ("main.consumer.", "consumer.", "")
"""In the order in which they win. Java: `StreamsConfig.getMainConsumerConfigs`."""
ASSIGNOR_KEYS = (
    *assignor_config.DECIDING,
    "state.cleanup.delay.ms",
    "processing.guarantee",
    "topology.optimization",
)
"""All that a snapshot takes from an application's properties, in addition to session timeout and heartbeat: the rest may be secret,
and decides nothing."""

MAY_BE_EMPTY = ("rack.aware.assignment.tags",)
"""Lists: `key=` sets them to nothing, which is not the same as not saying them."""
_NUMBER = re.compile(r"[+-]?[0-9]{1,19}", re.ASCII)
_CLEANUP_DELAY_MS = 600_000


@dataclass(frozen=True, slots=True)
class GroupSettings:
    """What is known of an application. `config` holds assignor settings under Kafka's names; `changelogs` (subtopology, topic),
    the topic "" where the subtopology has none. `described`: the application's own topology, empty where it is not given."""

    kafka_release: str | None = None
    config: tuple[tuple[str, ConfigValue], ...] = ()
    changelogs: tuple[tuple[int, str], ...] = ()
    unknown: tuple[Unknown, ...] = field(default=())
    stores: Stores | None = None
    described: tuple[Described, ...] = ()

    @property
    def cleanup_delay_ms(self) -> int:
        """How old a closed copy gets before Kafka's cleaner deletes it."""
        given = dict(self.config).get("state.cleanup.delay.ms")
        return given if isinstance(given, int) else _CLEANUP_DELAY_MS

    @property
    def transactional(self) -> bool:
        """Whether the application runs with exactly-once, so that end offsets count the markers of transactions."""
        return str(dict(self.config).get("processing.guarantee", "")).startswith("exactly_once")

    @property
    def reuses_sources(self) -> bool | None:
        """Whether a table's source topic may be its changelog; None: not given.

        Java: `StreamsConfig.verifyTopologyOptimizationConfigs`.
        """
        given = dict(self.config).get("topology.optimization")
        if given is None:
            return None
        words = [word.strip() for word in str(given).split(",")]
        return "all" in words or "reuse.ktable.source.topics" in words

    @property
    def task_assignor(self) -> str:
        given = dict(self.config)
        named = given.get("task.assignor.class") or given.get("internal.task.assignor.class")
        return str(named).rpartition(".")[2] if named else DEFAULT_TASK_ASSIGNOR


def read(
    group_id: str,
    kafka_release: str | None,
    application: Mapping[str, str],
    overrides: Mapping[str, ConfigValue],
    changelogs: tuple[str, ...] = (),
) -> GroupSettings:
    """Settings from an application's properties and single ones that win over them, Kafka's defaults for the rest.

    Each default is named in `unknown`. Raise InvalidInput for a key that Kafka has not, a value that it would refuse, or the
    properties of another application; Unsupported for a release that is not covered.
    """
    other = application.get("application.id", group_id)
    if other != group_id:
        raise InvalidInput(f"the properties are those of the application {other!r}; the group is {group_id!r}", "application.id")
    given: dict[str, ConfigValue] = {
        key: application[key] for key in ASSIGNOR_KEYS if application.get(key) or (key in application and key in MAY_BE_EMPTY)
    }
    for key in (SESSION_TIMEOUT, HEARTBEAT):
        found = [text for prefix in _CONSUMER_PREFIXES if (text := application.get(f"{prefix}{key}"))]
        given |= {key: found[0]} if found else {}
    values = {
        key: () if key in MAY_BE_EMPTY and not str(value).strip() else _value(value)
        for key, value in sorted((given | dict(overrides)).items())
    }
    unknown: list[Unknown] = []
    if kafka_release is None:
        unknown.append(Unknown("kafka_release", "not given, and the broker does not know it; give --kafka-release"))
    else:
        behaviour(kafka_release)
    try:
        assignor_config.read(kafka_release or RELEASES[-1], values, None)
    except Unsupported as refusal:
        unknown.append(Unknown("config", str(refusal)))
    if str(values.get("processing.guarantee", "")).startswith("exactly_once"):
        unknown.append(
            Unknown(
                "clients",
                "processing.guarantee is exactly-once: end offsets count transaction markers, so that a copy that has caught up is "
                "one behind for each changelog. If acceptable.recovery.lag is that small, warm-ups never count as caught up",
            )
        )
    for key, default in defaults.SETTINGS.items():
        if key not in values and config_check.has(kafka_release or RELEASES[-1], key):
            values[key] = default
            shown = "none" if default == () else default
            unknown.append(Unknown(f"config.{key}", f"not given; assumed to be Kafka's default, {shown}"))
    if "task.assignor.class" not in values and "internal.task.assignor.class" not in values:
        unknown.append(Unknown("task_assignor", f"not given; assumed to be Kafka's default, {DEFAULT_TASK_ASSIGNOR}"))
    return GroupSettings(kafka_release, tuple(sorted(values.items())), _changelogs(changelogs), tuple(unknown))


def _value(value: ConfigValue) -> ConfigValue:
    if isinstance(value, str):
        return int(value) if _NUMBER.fullmatch(value.strip()) else value.strip()
    if value is None or isinstance(value, int | float):
        return value
    return tuple(value)  # a list, where the settings came as JSON


def _changelogs(given: tuple[str, ...]) -> tuple[tuple[int, str], ...]:
    found = []
    for text in given:
        subtopology, _, topic = text.partition("=")
        if "=" not in text or not re.fullmatch(r"0|[1-9][0-9]{0,8}", subtopology):
            raise InvalidInput(
                f"{text!r} is not SUBTOPOLOGY=TOPIC, such as 1=wordcount-counts-store-changelog, or SUBTOPOLOGY= for none",
                "--changelog",
            )
        found.append((int(subtopology), topic))
    return tuple(found)
