"""The policy of a team: the limits of a rollout, and what is to happen at them. `rules` holds a way against it."""

from datetime import UTC, datetime
from enum import StrEnum

from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.times import Estimate
from holdfast.rollout.json import contracts, strict
from holdfast.rollout.json.codec import BOOLEAN, TEXT, TEXTS, choice, integer, items, names_of, nullable
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.policy import hours
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


MOST = 2**53
MOST_WINDOWS = 100
LONGEST_STEP_S = 86_400
"""What takes a client longer than a day to start is no step of a rollout."""
LEAST_REBALANCES = 12
LEAST_SECONDS = 3_600
_SOMETIME = datetime(2026, 1, 1, tzinfo=UTC)

_LIMIT = integer(0, MOST)
_FIGURE = integer(1, MOST)
_STEP_S = integer(0, LONGEST_STEP_S)
_MAYBE_LIMIT = nullable(_LIMIT)
_MAYBE_FIGURE = nullable(_FIGURE)


def _means_a_moment(text: str) -> None:
    """What it means shows only when a plan is made; that it means something shows here."""
    hours.deadline(text, _SOMETIME)


def _is_a_policy(value: object) -> None:
    contracts.refuse_another(value, "Policy")
    strict.refuse_secrets(value)


@record(version=strict.FORMAT_VERSION, first=_is_a_policy, about="The limits of a team. What is left out is Holdfast's own.")
class Policy:
    """The limits of a team. Times in seconds; percentages of all stateful tasks of the group.

    A new field needs its entry in `policy_floor.STRICTER`: which of two values is the stricter one.
    """

    moved_percent_most: int = member(
        _LIMIT, "Stateful tasks, in percent, that leave untouched clients beyond what a new client must get.", default=25
    )
    without_caught_up_copy_s_most: int = member(
        _LIMIT, "Seconds that a task may be unavailable because no client has a caught-up copy.", default=600
    )
    time_to_stable_s_most: int | None = member(
        _MAYBE_LIMIT,
        f"Seconds until the last rebalance is over. Null: {LEAST_SECONDS:,}, or twice the probing intervals that one client's share"
        " of the tasks takes, whichever is more; the seconds of the change's own steps come on top.",
        default=None,
    )
    rebalances_most: int | None = member(
        _MAYBE_LIMIT,
        f"Rebalances beyond those that the requested change causes by itself. Null: {LEAST_REBALANCES}, or two for each probing"
        " rebalance that one client's share of the tasks takes and two more, whichever is more.",
        default=None,
    )
    restored_bytes_most: int | None = member(_MAYBE_LIMIT, "Bytes read back from changelogs. Null: no limit.", default=None)
    restore_records_per_second: int = member(
        _FIGURE, "How fast one client restores: an assumption until you have measured yours.", default=10_000
    )
    restore_rate_source: RateSource = member(
        choice(RateSource),
        "Where the restore speed comes from. Left out: the policy where it states one, else an assumption.",
        default=RateSource.ASSUMED,
    )
    restore_slowest: int | None = member(
        _MAYBE_FIGURE,
        "The least that this speed may really be. Null: as its source says (assumed: a fifth; stated: exact).",
        default=None,
    )
    restore_fastest: int | None = member(
        _MAYBE_FIGURE,
        "The most that this speed may really be. Null: as its source says (assumed: five times; stated: exact).",
        default=None,
    )
    restore_observations: int | None = member(_MAYBE_LIMIT, "How many restores it was measured in. Null: it was not.", default=None)
    start_up_s_least: int = member(
        _STEP_S,
        "Seconds from the start of a client's process until it joins the group, at the least: an assumption.",
        default=1,
    )
    start_up_s: int = member(_STEP_S, "The same as it usually is: an assumption until you state yours.", default=5)
    start_up_s_most: int = member(_STEP_S, "The same at the most: an assumption.", default=30)
    start_up_observations: int | None = member(
        _MAYBE_LIMIT, "In how many restarts the start-up was seen. Null: it was not.", default=None
    )
    between_steps_s_most: int = member(_STEP_S, "Seconds that may pass after each step until the next one is begun.", default=15)
    copy_bytes_per_second: int | None = member(
        _MAYBE_FIGURE,
        "How fast a state directory is copied. Null: not known, and so are the figures that depend on it.",
        default=None,
    )
    bytes_per_record: int | None = member(
        _MAYBE_FIGURE,
        "The average size of a changelog record where the changelog is not measured. Null: not known.",
        default=None,
    )
    copy_state_over_s: int = member(
        _LIMIT, "Seconds of downtime above which copying a whole disk is worth the manual work.", default=600
    )
    valid_for_s: int = member(
        integer(1, LONGEST_VALID_S), "Seconds after its snapshot for which a plan may be applied; a week at most.", default=3_600
    )
    moved_in_all_percent_most: int | None = member(
        _MAYBE_LIMIT, "Stateful tasks, in percent, that migrate for any reason. Null: no limit.", default=None
    )
    without_caught_up_copy_tasks_most: int | None = member(
        _MAYBE_LIMIT, "Tasks that may be unavailable at the same time. Null: no limit.", default=None
    )
    restored_bytes_per_hour_most: int | None = member(
        _MAYBE_LIMIT, "Bytes read back from changelogs in any one hour. Null: no limit.", default=None
    )
    disk_free_bytes_least: int | None = member(
        _MAYBE_LIMIT,
        "Bytes that must stay free on every client's disk. Null: none, and only disks that were seen count.",
        default=None,
    )
    copies_on_one_client_percent_most: int | None = member(
        _MAYBE_LIMIT, "Copies of stateful tasks on one client, in percent of an even share. Null: no limit.", default=None
    )
    finish_before: str | None = member(
        nullable(TEXT.checked(_means_a_moment)),
        "A time of day (06:00Z), a moment, or a time from now (90 min, 2 h). Null: no limit.",
        default=None,
    )
    windows: tuple[Window, ...] = member(
        items(codec_of(Window), at_most=MOST_WINDOWS, what="windows"),
        "When a rollout may run: from, to, and on which days (mon to sun). None: at any time.",
        default=(),
    )
    actions: tuple[str, ...] | None = member(
        nullable(names_of(ActionName, "action")), "The actions that steps may ask for. Null: all.", default=None
    )
    untouchable_hosts: tuple[str, ...] = member(TEXTS, "Hosts on which no step may do anything.", default=())
    review: Review = member(
        choice(Review),
        "When a person must review. Never: a plan that needs review is blocked.",
        default=Review.ON_A_WARNING,
    )
    four_eyes: bool = member(
        BOOLEAN,
        "Whether a person other than the requester must approve a plan. The requester may reject it.",
        default=False,
    )
    blocking: tuple[str, ...] = member(
        names_of(RULES, "rule"),
        "Rules whose failure stops a plan; left out: those whose limit this file states.",
        default=("forecast", "converges", *ONLY_IF_STATED),
    )
    exclude: tuple[str, ...] = member(TEXTS, "Options that are not possible here, by name.", default=())
    allow: tuple[str, ...] = member(TEXTS, "Options that are recommended only if they are listed here, by name.", default=())

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
