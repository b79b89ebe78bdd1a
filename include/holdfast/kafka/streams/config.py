"""The assignor's settings: Kafka's names, defaults and limits, release by release."""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.errors import Unsupported
from holdfast.kafka.release import Behaviour, behaviour
from holdfast.kafka.streams import config_check
from holdfast.kafka.streams.config_check import ConfigValue

HIGH_AVAILABILITY = "HighAvailabilityTaskAssignor"
_HIGH_AVAILABILITY_CLASSES = (
    HIGH_AVAILABILITY,
    "org.apache.kafka.streams.processor.internals.assignment.HighAvailabilityTaskAssignor",
)


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
    task_assignor: str = HIGH_AVAILABILITY


def read(release: str, properties: Mapping[str, ConfigValue], task_assignor: str | None = None) -> AssignorConfig:
    """The settings that a leader of this release would use, its defaults where nothing is given.

    Raise InvalidInput for a key that no Kafka release has and a value that Kafka would refuse, Unsupported for an assignor or
    strategy that is not modelled. A key that another release has and this one does not know is ignored, as Kafka does.
    """
    line = behaviour(release)
    config_check.check(release, properties)
    _refuse_other_assignors(line, properties, task_assignor)

    def whole(key: str, default: int) -> int:
        value = config_check.value_of(release, key, properties)
        return default if value is None else int(str(value))

    tags = config_check.value_of(release, "rack.aware.assignment.tags", properties)
    strategy = config_check.value_of(release, "rack.aware.assignment.strategy", properties)
    if strategy not in (None, "none"):
        raise Unsupported(f"rack.aware.assignment.strategy is {strategy!r}: rack-aware assignment is not modelled yet.")
    defaults = AssignorConfig()
    return AssignorConfig(
        num_standby_replicas=whole("num.standby.replicas", defaults.num_standby_replicas),
        max_warmup_replicas=whole("max.warmup.replicas", defaults.max_warmup_replicas),
        acceptable_recovery_lag=whole("acceptable.recovery.lag", defaults.acceptable_recovery_lag),
        probing_rebalance_interval_ms=whole("probing.rebalance.interval.ms", defaults.probing_rebalance_interval_ms),
        rack_aware_assignment_tags=tags if isinstance(tags, tuple) else (),
    )


def _refuse_other_assignors(line: Behaviour, properties: Mapping[str, ConfigValue], task_assignor: str | None) -> None:
    """The public assignor wins over the internal one, and what is configured over what the group is said to use."""
    keys = (
        ("task.assignor.class", "internal.task.assignor.class") if line.public_task_assignor else ("internal.task.assignor.class",)
    )
    named = [(key, properties[key]) for key in keys if properties.get(key) not in (None, "")]
    where, assignor = named[0] if named else ("The group's task assignor", task_assignor or HIGH_AVAILABILITY)
    if assignor not in _HIGH_AVAILABILITY_CLASSES:
        raise Unsupported(f"{where} is {assignor}: only {HIGH_AVAILABILITY}, Kafka's default, is modelled.")
