"""The duration of a rollout: the two figures and their phases, in seconds. `timing.timeline` computes them.

Everything counts from the first action (the first client that is stopped, started or changed) and is in seconds.
"""

from dataclasses import dataclass
from enum import StrEnum

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.rollout.json.codec import BOOLEAN, COUNT, Codec, choice, integer, items, nullable, row
from holdfast.rollout.json.record import codec_of, member, record


@dataclass(frozen=True, slots=True)
class Estimate:
    """Between `low` and `high`, both included; `usual` where every part takes what it usually takes."""

    low: int
    usual: int
    high: int

    def __add__(self, other: "Estimate") -> "Estimate":
        return Estimate(self.low + other.low, self.usual + other.usual, self.high + other.high)


def _rising(one: Estimate) -> None:
    if not one.low <= one.usual <= one.high:
        raise InvalidInput("a range is needed: the least, the usual and the most, none smaller than the one before")


ESTIMATE: Codec[Estimate] = row(
    "a range is needed: the least, the usual and the most",
    Estimate,
    lambda one: [one.low, one.usual, one.high],
    *(COUNT, COUNT, COUNT),
    about="Seconds from the first action: [at least, usually, at most].",
).checked(_rising)
NO_TIME = Estimate(0, 0, 0)
METADATA_MAX_AGE_S = 300
"""`metadata.max.age.ms` of consumers that say nothing else: they hear of another number of partitions within it."""


@record
class TimedBatch:
    """Events that take effect together, as they take time, and how many of the forecast's rebalances follow from them.

    `starts`: clients that are started in it, at the same time; `restarts`: those of them that are stopped in it before.
    `noticed_s`: the session timeout that has to pass because a client ended without leaving. `stopped_s`: how long the application
    is unavailable on purpose. `refresh_s`: how long consumers may take to see that a topic has grown. `unseen`: static members that
    return before the group notices. `away`: members leave, and come back after a rebalance without them.
    """

    rebalances: int = member(COUNT, "That follow from it.")
    starts: int = member(COUNT, "Clients that are started in it.", default=0, needed=True)
    noticed_s: int = member(COUNT, "The session timeout that has to pass.", default=0, needed=True)
    stopped_s: int = member(COUNT, default=0, needed=True)
    refresh_s: int = member(COUNT, default=0, needed=True)
    unseen: bool = member(BOOLEAN, "Static members that return before the group notices.", default=False, needed=True)
    restarts: int = member(COUNT, "Of the clients that are started, those that are stopped in it before.", default=0, omit=True)
    away: bool = member(BOOLEAN, "Members leave, and come back after a rebalance without them.", default=False, omit=True)

    @property
    def of_the_change(self) -> int:
        """How many of the rebalances no other course of the same events would spare."""
        return min(self.rebalances, 1 + self.away)


class PhaseKind(StrEnum):
    """What passes in a phase."""

    START_UP = "client start-up"
    RESTART = "client restart"
    SESSION_TIMEOUT = "session timeout"
    STOPPED = "application stopped"
    REFRESH = "metadata refresh"
    REBALANCE = "rebalance"
    PROBING = "probing interval"
    FURTHER = "further rebalances"
    BETWEEN_STEPS = "between steps"
    NEXT_RESTART = "next restart"
    RESTORE = "restore"


@record
class Phase:
    """One after the other. `rebalance`: the number, from 1, of the one that this phase is, or leads to; None: of none."""

    kind: PhaseKind = member(choice(PhaseKind))
    seconds: Estimate = member(ESTIMATE)
    rebalance: int | None = member(nullable(integer(1, java.INT_MAX)), default=None, needed=True)


class ConditionKind(StrEnum):
    COPIED_IN_TIME = "copied in time"


@record(about="The other figures hold only if it is met.")
class Condition:
    """Figures hold only if this many state directories are copied within `within_s` after their clients stopped.

    `tasks`, `records` and `size` (bytes; None: unknown) are what they hold. `met`: by the copy speed that the policy states;
    None: unknown. `otherwise_…`: the same figures where the copy comes too late (None: never, or unknown).
    """

    kind: ConditionKind = member(choice(ConditionKind))
    within_s: int = member(COUNT)
    directories: int = member(COUNT)
    tasks: int = member(COUNT)
    records: int = member(COUNT)
    size: int | None = member(nullable(COUNT), name="bytes")
    met: bool | None = member(nullable(BOOLEAN), "By the copy speed that the policy states; null: unknown.")
    otherwise_rebalancing_ends: Estimate | None = member(nullable(ESTIMATE))
    otherwise_restored: Estimate | None = member(nullable(ESTIMATE))
    otherwise_downtime_s: int = member(COUNT)


def _without_phases(times: "Times") -> bool:
    return not times.phases


@record(about="Duration from the first action.")
class Times:
    """`rebalancing_ends`: when the last rebalance is over; `restored`: when no client restores any more, standby copies included.
    None: never.

    `rebalances`: when each is complete. Phases and rebalances are kept of the recommended option and of the baseline. Under a
    `condition` all figures hold only if it is met.
    """

    rebalancing_ends: Estimate | None = member(nullable(ESTIMATE), "When the last rebalance is over. Null: never.")
    restored: Estimate | None = member(nullable(ESTIMATE), "When all state is restored, standby copies included. Null: never.")
    condition: Condition | None = member(nullable(codec_of(Condition)), default=None)
    phases: tuple[Phase, ...] = member(
        items(codec_of(Phase)),
        "One after the other; `rebalance`: the number of the one that it is or leads to.",
        default=(),
        omit=True,
    )
    rebalances: tuple[Estimate, ...] = member(items(ESTIMATE), "When each is complete.", default=(), omit=_without_phases)
    more_probing: int = member(
        COUNT, "Probing rebalances, at the most, that come in addition because warm-ups still restore.", default=0, omit=True
    )

    @property
    def certain(self) -> bool:
        return self.condition is None or self.condition.met is True


@record
class EffortCounts:
    """What has to be done: clients that are restarted where they are, steps that people do, state directories that are copied, and
    process-metadata files that are written. A client that comes, goes or is replaced is a step, not a restart."""

    restarts: int = member(COUNT, "Clients that are restarted where they are.")
    manual_steps: int = member(COUNT, "Steps that people do.")
    copies: int = member(COUNT, "State directories that are copied.")
    files: int = member(COUNT, "Process-metadata files that are written.", default=0, needed=True)
