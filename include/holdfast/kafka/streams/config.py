"""The assignor's settings: Kafka's names, defaults and limits, release by release."""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.errors import InvalidInput, Unsupported
from holdfast.kafka import java
from holdfast.kafka.release import Behaviour, behaviour

HIGH_AVAILABILITY = "HighAvailabilityTaskAssignor"
_HIGH_AVAILABILITY_CLASSES = (
    HIGH_AVAILABILITY,
    "org.apache.kafka.streams.processor.internals.assignment.HighAvailabilityTaskAssignor",
)

ConfigValue = str | int | float | bool | tuple[str, ...] | None


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
    _refuse_other_assignors(line, properties, task_assignor)
    tags = _list(properties, "rack.aware.assignment.tags") if line.client_tags else ()
    strategy = properties.get("rack.aware.assignment.strategy", "none") if line.rack_aware else "none"
    if tags:
        raise Unsupported(f"rack.aware.assignment.tags is {', '.join(tags)}: standbys spread by client tags are not modelled yet.")
    if strategy != "none":
        raise Unsupported(f"rack.aware.assignment.strategy is {strategy!r}: rack-aware assignment is not modelled yet.")
    return AssignorConfig(
        num_standby_replicas=_number(properties, "num.standby.replicas", 0, -(2**31), java.INT_MAX),
        max_warmup_replicas=_number(properties, "max.warmup.replicas", 2, 1, java.INT_MAX),
        acceptable_recovery_lag=_number(properties, "acceptable.recovery.lag", 10_000, 0, java.LONG_MAX),
        probing_rebalance_interval_ms=_number(properties, "probing.rebalance.interval.ms", 600_000, 60_000, java.LONG_MAX),
    )


def _refuse_other_assignors(line: Behaviour, properties: Mapping[str, ConfigValue], task_assignor: str | None) -> None:
    keys = ["internal.task.assignor.class"]
    if line.public_task_assignor:
        keys.insert(0, "task.assignor.class")
    for key in keys:
        named = properties.get(key)
        if named is not None and named != "":
            if named not in _HIGH_AVAILABILITY_CLASSES:
                raise Unsupported(f"{key} is {named}; only {HIGH_AVAILABILITY} is modelled.")
            return
    if task_assignor is not None and task_assignor not in _HIGH_AVAILABILITY_CLASSES:
        raise Unsupported(f"The group's task assignor is {task_assignor}; only {HIGH_AVAILABILITY} is modelled.")


def _number(properties: Mapping[str, ConfigValue], key: str, default: int, least: int, most: int) -> int:
    value = properties.get(key, default)
    try:
        number = int(value.strip()) if isinstance(value, str) else value
    except ValueError:
        number = None
    if isinstance(number, bool) or not isinstance(number, int):
        raise InvalidInput(f"{key} is {value!r}; Kafka takes a whole number from {least} to {most}")
    if not least <= number <= most:
        raise InvalidInput(f"{key} is {number}; Kafka takes {least} to {most}")
    return number


def _list(properties: Mapping[str, ConfigValue], key: str) -> tuple[str, ...]:
    value = properties.get(key)
    if value is None:
        return ()
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, tuple | list):
        raise InvalidInput(f"{key} is {value!r}; Kafka takes a list")
    return tuple(part.strip() for part in parts if part.strip())
