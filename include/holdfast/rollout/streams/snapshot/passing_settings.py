"""Temporary settings: changed during a rollout and reset afterwards."""

from collections.abc import Callable
from dataclasses import dataclass

from holdfast.kafka.release import RELEASES, behaviour
from holdfast.kafka.streams.config import DEFAULTS
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

WARMUPS = "max.warmup.replicas"
WARMUPS_DEFAULT = DEFAULTS.max_warmup_replicas
PROBING = "probing.rebalance.interval.ms"
PROBING_DEFAULT = DEFAULTS.probing_rebalance_interval_ms
PROBING_LEAST = 60_000
"""Kafka refuses less."""
WARMUPS_PER_CLIENT_MOST = 4
"""How many warm-ups a client are asked for at most: each is a full restore, at the brokers' and the client's expense."""
RECOVERY_LAG = "acceptable.recovery.lag"
RECOVERY_LAG_DEFAULT = DEFAULTS.acceptable_recovery_lag
STANDBYS = "num.standby.replicas"
HIGH_AVAILABILITY = "HighAvailabilityTaskAssignor"
ASSIGNOR = "internal.task.assignor.class"
ASSIGNORS = "org.apache.kafka.streams.processor.internals.assignment"


@dataclass(frozen=True, slots=True)
class PassingSetting:
    """A setting that is another one while the change is made, and is put back. `value_for` None: it would not help."""

    key: str
    default: int | str
    value_for: Callable[[Snapshot], int | str | None]


def _warmups_for(snapshot: Snapshot) -> int | None:
    """The warm-ups to ask for while the window lasts; None where more would not help."""
    stateful = sum(task.stateful for task in snapshot.tasks)
    value = min(stateful, WARMUPS_PER_CLIENT_MOST * len(snapshot.clients))
    return value if value > number_set(snapshot, WARMUPS, WARMUPS_DEFAULT) and _warms_up(snapshot) else None


def _probing_for(snapshot: Snapshot) -> int | None:
    """The milliseconds between probing rebalances while the window lasts."""
    less = number_set(snapshot, PROBING, PROBING_DEFAULT) > PROBING_LEAST
    return PROBING_LEAST if less and _warms_up(snapshot) and any(task.stateful for task in snapshot.tasks) else None


def number_set(snapshot: Snapshot, key: str, default: int) -> int:
    """The value of a numeric setting, or its default."""
    had = dict(snapshot.config).get(key)
    return int(str(had)) if isinstance(had, int | str) and str(had).isdecimal() else default


def _warms_up(snapshot: Snapshot) -> bool:
    return snapshot.task_assignor in (None, HIGH_AVAILABILITY)


def _standbys_for(snapshot: Snapshot) -> int | None:
    """One standby where there are none, if there is a second client to keep it."""
    none_yet = number_set(snapshot, STANDBYS, 0) == 0 and any(task.stateful for task in snapshot.tasks)
    return 1 if none_yet and len(snapshot.clients) > 1 else None


def _assignor_for(snapshot: Snapshot) -> str | None:
    """The assignor that leaves tasks where they are, as this release calls it."""
    release = snapshot.kafka_release
    if not _warms_up(snapshot) or release is None or release not in RELEASES:
        return None
    if any(key in dict(snapshot.config) for key in (ASSIGNOR, "task.assignor.class")):
        return None
    name = "LegacyStickyTaskAssignor" if behaviour(release).public_task_assignor else "StickyTaskAssignor"
    return f"{ASSIGNORS}.{name}" if any(task.stateful for task in snapshot.tasks) else None


RAISED_WARMUPS = PassingSetting(WARMUPS, WARMUPS_DEFAULT, _warmups_for)
FIRST_STANDBYS = PassingSetting(STANDBYS, 0, _standbys_for)
SHORT_PROBING = PassingSetting(PROBING, PROBING_DEFAULT, _probing_for)
ANOTHER_ASSIGNOR = PassingSetting(ASSIGNOR, HIGH_AVAILABILITY, _assignor_for)
