"""The configs of a streams group (`org.apache.kafka.coordinator.group.GroupConfig`, 4.2.0 to 4.4.0), and which of them decide."""

from collections.abc import Mapping
from typing import cast

STANDBYS = "streams.num.standby.replicas"
RECORDED_STANDBYS = "num.standby.replicas"
"""What the record of a group calls it (`LastAssignmentConfigs`)."""
SESSION_TIMEOUT = "streams.session.timeout.ms"
HEARTBEAT_INTERVAL = "streams.heartbeat.interval.ms"
INITIAL_DELAY = "streams.initial.rebalance.delay.ms"
ASSIGNMENT_INTERVAL = "streams.assignment.interval.ms"
RACK_TAGS = "streams.rack.aware.assignment.tags"
ASSIGNOR = "streams.assignor.name"

DEFAULTS = {
    SESSION_TIMEOUT: 45_000,
    HEARTBEAT_INTERVAL: 5_000,
    STANDBYS: 0,
    INITIAL_DELAY: 3_000,
    ASSIGNMENT_INTERVAL: 1_000,
    "streams.task.offset.interval.ms": 60_000,
    "streams.num.warmup.replicas": 2,
    "streams.acceptable.recovery.lag": 10_000,
}
"""Of those that are numbers. A broker may have other defaults."""
LONGEST_INTERVAL_MS, MOST_STANDBYS = 15_000, 2
"""`group.streams.max.assignment.interval.ms` and `group.streams.max.standby.replicas`, where the brokers have no others."""
NUMBERS = frozenset(DEFAULTS)
GROUP_KEYS = (*DEFAULTS, "streams.assignor.offload.enable", RACK_TAGS, ASSIGNOR)


def number_of(config: Mapping[str, object], key: str) -> int:
    """A config that is a number; one that is not set, or null, is Kafka's default."""
    text = str(config.get(key))
    return int(text) if text.isascii() and text.isdigit() else DEFAULTS[key]


def decides(config: Mapping[str, object]) -> tuple[str, str]:
    """What of the configs is handed to the assignor: when it changes, the group's epoch is raised."""
    tags = config.get(RACK_TAGS) or ()
    return str(number_of(config, STANDBYS)), tags if isinstance(tags, str) else ",".join(map(str, cast("tuple[object, ...]", tags)))
