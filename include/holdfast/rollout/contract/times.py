"""How long a rollout takes, as values: two figures and the phases that they are made of. `timeline` works them out.

Everything counts from the first act (the first client that is stopped, started or changed) and is in seconds.
"""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Estimate:
    """Between `low` and `high`, both included; `usual` where every part takes what it usually takes."""

    low: int
    usual: int
    high: int

    def __add__(self, other: "Estimate") -> "Estimate":
        return Estimate(self.low + other.low, self.usual + other.usual, self.high + other.high)


NO_TIME = Estimate(0, 0, 0)
METADATA_MAX_AGE_S = 300
"""`metadata.max.age.ms` of consumers that say nothing else: they hear of another number of partitions within it."""


@dataclass(frozen=True, slots=True)
class Act:
    """Events that take effect together, as they take time, and how many of the forecast's rebalances follow from them.

    `starts`: clients that are started in it, at the same time. `noticed_s`: the session time-out that has to pass because a client
    ended without leaving. `stopped_s`: how long the application stands still on purpose. `refresh_s`: how long consumers may take
    to see that a topic has grown. `unseen`: static members that return before the group notices.
    """

    rebalances: int
    starts: int = 0
    noticed_s: int = 0
    stopped_s: int = 0
    refresh_s: int = 0
    unseen: bool = False


class PhaseKind(StrEnum):
    """What passes in a phase."""

    START_UP = "client start-up"
    SESSION_TIMEOUT = "session timeout"
    STOPPED = "application stopped"
    REFRESH = "metadata refresh"
    REBALANCE = "rebalance"
    PROBING = "probing interval"
    FURTHER = "further rebalances"
    BETWEEN_STEPS = "between steps"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True)
class Phase:
    """One after the other. `rebalance`: the number, from 1, of the one that this phase is, or leads to; None: of none."""

    kind: PhaseKind
    seconds: Estimate
    rebalance: int | None = None


class ConditionKind(StrEnum):
    COPIED_IN_TIME = "copied in time"


@dataclass(frozen=True, slots=True)
class Condition:
    """Figures hold only if so many state directories are copied within `within_s` after their clients stopped.

    `tasks`, `records` and `size` (bytes; None: not known) are what they hold. `met`: by the copy speed that the policy states;
    None: not known. `otherwise_…`: the same figures where the copy comes too late (None: never, or not known).
    """

    kind: ConditionKind
    within_s: int
    directories: int
    tasks: int
    records: int
    size: int | None
    met: bool | None
    otherwise_rebalancing_ends: Estimate | None
    otherwise_restored: Estimate | None
    otherwise_downtime_s: int


@dataclass(frozen=True, slots=True)
class Times:
    """`rebalancing_ends`: when the last rebalance is over; `restored`: when no client restores any more, standby copies included.
    None: never.

    `rebalances`: when each is complete. Phases and rebalances are kept of the recommended option and of the baseline. Under a
    `condition` all figures hold only if it is met.
    """

    rebalancing_ends: Estimate | None
    restored: Estimate | None
    phases: tuple[Phase, ...] = ()
    rebalances: tuple[Estimate, ...] = ()
    condition: Condition | None = None

    @property
    def certain(self) -> bool:
        return self.condition is None or self.condition.met is True


@dataclass(frozen=True, slots=True)
class EffortCounts:
    """What has to be done: clients that are restarted where they are, steps that people do, state directories that are copied, and
    process-metadata files that are written. A client that comes, goes or is replaced is a step, not a restart."""

    restarts: int
    manual_steps: int
    copies: int
    files: int = 0
