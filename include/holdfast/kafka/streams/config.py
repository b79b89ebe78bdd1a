"""The assignor's settings: Kafka's names, defaults and limits, release by release."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from holdfast.errors import CannotPredict, Unsupported
from holdfast.kafka.release import Behaviour, behaviour
from holdfast.kafka.streams import config_check
from holdfast.kafka.streams.config_check import ConfigValue


class TaskAssignor(StrEnum):
    """The task assignors that are modelled, by what they are called here: the names of their classes changed in 3.8 (KIP-924)."""

    HIGH_AVAILABILITY = "HighAvailabilityTaskAssignor"
    STICKY = "the internal StickyTaskAssignor"
    FALLBACK_PRIOR = "FallbackPriorTaskAssignor"
    PUBLIC_STICKY = "the public StickyTaskAssignor"


HIGH_AVAILABILITY = TaskAssignor.HIGH_AVAILABILITY
"""Kafka's default."""
_INTERNAL = "org.apache.kafka.streams.processor.internals.assignment."
_PUBLIC_STICKY = "org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor"


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
    task_assignor: TaskAssignor = TaskAssignor.HIGH_AVAILABILITY

    @property
    def goes_by_lags_alone(self) -> bool:
        """Kafka's default assignor, and no racks."""
        return self.task_assignor is TaskAssignor.HIGH_AVAILABILITY and self.rack_aware_assignment_strategy == "none"


DECIDING = (
    "num.standby.replicas",
    "max.warmup.replicas",
    "acceptable.recovery.lag",
    "probing.rebalance.interval.ms",
    "rack.aware.assignment.tags",
    "rack.aware.assignment.strategy",
    "rack.aware.assignment.traffic_cost",
    "rack.aware.assignment.non_overlap_cost",
    "internal.task.assignor.class",
    "task.assignor.class",
)
"""The settings that `AssignorConfig` is read from: what a leader's decision depends on."""
DEFAULTS = AssignorConfig()
"""Kafka's own, the same in every release covered. One that a release changes belongs into its line (`kafka.release`)."""


def read(release: str, properties: Mapping[str, ConfigValue], task_assignor: str | None = None) -> AssignorConfig:
    """The settings that a leader of this release would use, its defaults where nothing is given.

    Raise InvalidInput for a key that no Kafka release has and a value that Kafka would refuse, Unsupported for an assignor that is
    not modelled. A key that another release has and this one does not know is ignored, as Kafka does.
    """
    line = behaviour(release)
    config_check.check(release, properties)

    def whole(key: str, default: int) -> int:
        value = config_check.value_of(release, key, properties)
        return default if value is None else int(str(value))

    def cost(key: str) -> int | None:
        value = config_check.value_of(release, key, properties)
        return None if value is None else int(str(value))

    tags = config_check.value_of(release, "rack.aware.assignment.tags", properties)
    strategy = config_check.value_of(release, "rack.aware.assignment.strategy", properties)
    return AssignorConfig(
        num_standby_replicas=whole("num.standby.replicas", DEFAULTS.num_standby_replicas),
        max_warmup_replicas=whole("max.warmup.replicas", DEFAULTS.max_warmup_replicas),
        acceptable_recovery_lag=whole("acceptable.recovery.lag", DEFAULTS.acceptable_recovery_lag),
        probing_rebalance_interval_ms=whole("probing.rebalance.interval.ms", DEFAULTS.probing_rebalance_interval_ms),
        rack_aware_assignment_tags=tags if isinstance(tags, tuple) else (),
        rack_aware_assignment_strategy=DEFAULTS.rack_aware_assignment_strategy if strategy is None else str(strategy),
        rack_aware_assignment_traffic_cost=cost("rack.aware.assignment.traffic_cost"),
        rack_aware_assignment_non_overlap_cost=cost("rack.aware.assignment.non_overlap_cost"),
        task_assignor=_task_assignor(line, properties, task_assignor),
    )


def _task_assignor(line: Behaviour, properties: Mapping[str, ConfigValue], named: str | None) -> TaskAssignor:
    """The public assignor wins over the internal one, and what is configured over the `named` one of the group."""
    public = properties.get("task.assignor.class") if line.public_task_assignor else None
    if public == _PUBLIC_STICKY:
        return TaskAssignor.PUBLIC_STICKY
    if public not in (None, ""):
        raise Unsupported(
            f"task.assignor.class is {public}: of the public task assignors (KIP-924) only {_PUBLIC_STICKY} is modelled."
        )
    internal = properties.get("internal.task.assignor.class")
    classes = _classes(line)
    if internal not in (None, ""):
        found = classes.get(str(internal).removeprefix(_INTERNAL)) if str(internal).startswith(_INTERNAL) else None
        if found is None:
            known = ", ".join(f"{_INTERNAL}{name}" for name in classes)
            raise Unsupported(
                f"internal.task.assignor.class is {internal}. Modelled for {line.releases[-1]} and similar releases: {known}."
            )
        return found
    if named == _PUBLIC_STICKY and line.public_task_assignor:
        return TaskAssignor.PUBLIC_STICKY
    simple = (named or TaskAssignor.HIGH_AVAILABILITY).removeprefix(_INTERNAL)
    if simple == "StickyTaskAssignor" and line.public_task_assignor:
        raise CannotPredict(
            "The group's task assignor is given as StickyTaskAssignor, a name of two classes from 3.8 on. Give the full class"
            " name as internal.task.assignor.class (…LegacyStickyTaskAssignor) or task.assignor.class."
        )
    if simple not in classes:
        raise Unsupported(
            f"The group's task assignor is {named}. Modelled for {line.releases[-1]} and similar releases: {', '.join(classes)}."
        )
    return classes[simple]


def _classes(line: Behaviour) -> Mapping[str, TaskAssignor]:
    """What the internal assignors' classes are called."""
    return {
        "HighAvailabilityTaskAssignor": TaskAssignor.HIGH_AVAILABILITY,
        "LegacyStickyTaskAssignor" if line.public_task_assignor else "StickyTaskAssignor": TaskAssignor.STICKY,
        "FallbackPriorTaskAssignor": TaskAssignor.FALLBACK_PRIOR,
    }
