"""The policy of a team: the limits of a rollout, and what is to happen at them. `rules` holds a way against it."""

from dataclasses import dataclass
from enum import StrEnum

from holdfast.rollout.contract.times import Estimate
from holdfast.rollout.policy.hours import Window
from holdfast.rollout.policy.rates import RateSource

RULES = (
    "forecast",
    "converges",
    "moved-without-need",
    "moved",
    "without-caught-up-copy",
    "without-caught-up-copy-at-once",
    "time-to-stable",
    "finish-before",
    "windows",
    "rebalances",
    "restored-bytes",
    "restored-bytes-per-hour",
    "disk",
    "copies-on-one-client",
    "copied-in-time",
    "actions",
    "untouchable-hosts",
    "evidence",
)
"""In the order in which a review lists them. Those whose limit the policy does not state are left out."""

ONLY_IF_STATED = (
    "moved",
    "without-caught-up-copy-at-once",
    "finish-before",
    "windows",
    "restored-bytes-per-hour",
    "copies-on-one-client",
    "actions",
    "untouchable-hosts",
)
"""Rules without a limit of Holdfast's own: whoever states one means it, so they block."""


LONGEST_VALID_S = 7 * 24 * 3600
"""No policy lets a plan wait longer: what it was made for is another group by then."""


class Review(StrEnum):
    """When a person must look. `NEVER`: nobody is there to ask, so what would ask for a person stops the plan instead."""

    ALWAYS = "always"
    ON_A_WARNING = "on a warning"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Policy:
    """The limits of a team. Times in seconds; percentages of all stateful tasks of the group.

    A new field needs its entry in `policy_floor.STRICTER`: which of two values is the stricter one.
    """

    moved_percent_most: int = 25
    """Stateful tasks that leave clients which the change does not touch, beyond those that a new client must get."""
    without_caught_up_copy_s_most: int = 600
    """The longest that a task may stand still because nobody has its state."""
    time_to_stable_s_most: int | None = None
    """Seconds until the last rebalance is over. None: as `limits` has it for a group of that size."""
    rebalances_most: int | None = None
    """Beyond those of the change itself. None: as `limits` has it for a group of that size."""
    restored_bytes_most: int | None = None
    restore_records_per_second: int = 10_000
    """How fast one client restores. An assumption until you have measured yours: every time derived from it says so."""
    restore_rate_source: RateSource = RateSource.ASSUMED
    restore_slowest: int | None = None
    """The least that `restore_records_per_second` may really be, where it was measured. None: as its source says."""
    restore_fastest: int | None = None
    """The most that it may really be. None: as its source says."""
    restore_observations: int | None = None
    """How many restores it was measured in. None: it was not."""
    start_up_s_least: int = 1
    """What passes from the start of a client's process until it joins, at the least. An assumption until you state yours."""
    start_up_s: int = 5
    """The same as it usually is."""
    start_up_s_most: int = 30
    """The same at the most."""
    start_up_observations: int | None = None
    """In how many restarts it was seen. None: it was not."""
    between_steps_s_most: int = 15
    """What may pass after each step until the next one is begun."""
    copy_bytes_per_second: int | None = None
    """How fast a state directory is copied. None: nobody knows, so that what rests on it is not known either."""
    bytes_per_record: int | None = None
    """The average size of a changelog record, for changelogs that nobody measured. None: their bytes are not known."""
    copy_state_over_s: int = 600
    """A restore longer than this is worth the handwork of copying the whole state directory."""
    valid_for_s: int = 3_600
    """How long after it was made a plan may be applied; at most `LONGEST_VALID_S`."""
    moved_in_all_percent_most: int | None = None
    """Stateful tasks whose owner changes, for whatever reason."""
    without_caught_up_copy_tasks_most: int | None = None
    """Tasks that stand still at the same time."""
    restored_bytes_per_hour_most: int | None = None
    disk_free_bytes_least: int | None = None
    """What must stay free on every client's disk. None: nothing, and only disks of which it is known are looked at."""
    copies_on_one_client_percent_most: int | None = None
    """Copies of stateful tasks that one client holds on the way, in percent of an even share. 100: no more than that."""
    finish_before: str | None = None
    """A time of day, a moment, or a time from now: `hours.deadline` reads it."""
    windows: tuple[Window, ...] = ()
    """When a rollout may run, from its first step until the group is stable. None: at any time."""
    actions: tuple[str, ...] | None = None
    """The actions of steps that are allowed, by name. None: all."""
    untouchable_hosts: tuple[str, ...] = ()
    """Hosts on which no step may do anything."""
    review: Review = Review.ON_A_WARNING
    four_eyes: bool = False
    """Whether a person's approval counts only where somebody else asked for the plan. Whoever asked may still reject it."""
    blocking: tuple[str, ...] = ("forecast", "converges", *ONLY_IF_STATED)
    exclude: tuple[str, ...] = ()
    """Names of candidates that cannot be done here (say, no access to the hosts' disks)."""
    allow: tuple[str, ...] = ()
    """Names of candidates that are chosen only where somebody wants them: they cannot be undone, or lean on internals of Kafka."""

    @property
    def restore_rate_says(self) -> str:
        """Who says how fast a client restores, and how often that was seen."""
        count, says = self.restore_observations, self.restore_rate_source.says
        return says if count is None else f"{says}, {count} {'restore' if count == 1 else 'restores'} seen"

    @property
    def start_up_says(self) -> str:
        """Who says how long a client takes to start, and how often that was seen."""
        if self.start_up_observations is not None:
            return f"seen in {self.start_up_observations} restarts of this group"
        return "assumed: state yours" if self.start_up == Policy().start_up else "as your policy says"

    @property
    def slowest_restore(self) -> int:
        """Records a second, if the speed is as far off as it may be."""
        if self.restore_slowest is not None:
            return max(1, min(self.restore_slowest, self.restore_records_per_second))
        return max(1, self.restore_records_per_second // self.restore_rate_source.off_by)

    @property
    def fastest_restore(self) -> int:
        """The same in the other direction."""
        if self.restore_fastest is not None:
            return max(self.restore_fastest, self.restore_records_per_second)
        return self.restore_records_per_second * self.restore_rate_source.off_by

    @property
    def start_up(self) -> Estimate:
        """From the start of a client's process until it joins; one figure that is stated alone moves the others along."""
        return Estimate(min(self.start_up_s_least, self.start_up_s), self.start_up_s, max(self.start_up_s_most, self.start_up_s))

    @property
    def between_steps(self) -> Estimate:
        """From when a step is done until the next one is begun."""
        return Estimate(0, self.between_steps_s_most // 3, self.between_steps_s_most)


LEAST_REBALANCES = 12
LEAST_SECONDS = 3_600
