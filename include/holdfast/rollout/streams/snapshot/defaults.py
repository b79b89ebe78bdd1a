"""Kafka's own defaults of the settings that a Snapshot may name."""

from collections.abc import Mapping

from holdfast.kafka.streams.config import AssignorConfig

_ASSIGNOR = AssignorConfig()
SETTINGS: Mapping[str, object] = {
    "num.standby.replicas": _ASSIGNOR.num_standby_replicas,
    "max.warmup.replicas": _ASSIGNOR.max_warmup_replicas,
    "acceptable.recovery.lag": _ASSIGNOR.acceptable_recovery_lag,
    "probing.rebalance.interval.ms": _ASSIGNOR.probing_rebalance_interval_ms,
    "rack.aware.assignment.tags": list(_ASSIGNOR.rack_aware_assignment_tags),
    "rack.aware.assignment.strategy": _ASSIGNOR.rack_aware_assignment_strategy,
}
