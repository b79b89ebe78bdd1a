"""The assignor's settings: Kafka's names, defaults and limits, release by release."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AssignorConfig:
    """The settings of the leader that decide an assignment, with Kafka's defaults. Java: `AssignorConfiguration`, 2.6 to 4.3."""

    num_standby_replicas: int = 0
    max_warmup_replicas: int = 2
    acceptable_recovery_lag: int = 10_000
    probing_rebalance_interval_ms: int = 600_000
    rack_aware_assignment_tags: tuple[str, ...] = ()
    rack_aware_assignment_strategy: str = "none"
    rack_aware_assignment_traffic_cost: int | None = None
    rack_aware_assignment_non_overlap_cost: int | None = None
    task_assignor: str = "HighAvailabilityTaskAssignor"
