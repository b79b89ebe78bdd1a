"""The configs of a consumer group whose broker assigns (`org.apache.kafka.coordinator.group.GroupConfig`, 4.0.0 to 4.4.0). None of
them decides a target: they say when it is computed."""

from collections.abc import Mapping

SESSION_TIMEOUT = "consumer.session.timeout.ms"
HEARTBEAT_INTERVAL = "consumer.heartbeat.interval.ms"
ASSIGNMENT_INTERVAL = "consumer.assignment.interval.ms"

LONGEST_INTERVAL_MS = 15_000
"""`group.consumer.max.assignment.interval.ms`, where the brokers have no other."""
DEFAULTS = {SESSION_TIMEOUT: 45_000, HEARTBEAT_INTERVAL: 5_000, ASSIGNMENT_INTERVAL: 1_000}
"""A broker may have other defaults."""
GROUP_KEYS = (*DEFAULTS, "consumer.assignor.offload.enable")


def number_of(config: Mapping[str, object], key: str) -> int:
    """One that is not set, or null, is Kafka's default."""
    text = str(config.get(key))
    return int(text) if text.isascii() and text.isdigit() else DEFAULTS[key]
