"""Kafka's own defaults of the settings that a Snapshot may name."""

from collections.abc import Mapping

from holdfast.kafka.streams.config import DEFAULTS
from holdfast.rollout.json.kafka import ConfigValue

SETTINGS: Mapping[str, ConfigValue] = {
    "num.standby.replicas": DEFAULTS.num_standby_replicas,
    "max.warmup.replicas": DEFAULTS.max_warmup_replicas,
    "acceptable.recovery.lag": DEFAULTS.acceptable_recovery_lag,
    "probing.rebalance.interval.ms": DEFAULTS.probing_rebalance_interval_ms,
    "rack.aware.assignment.tags": DEFAULTS.rack_aware_assignment_tags,
    "rack.aware.assignment.strategy": DEFAULTS.rack_aware_assignment_strategy,
}
