"""The policy of a team: the limits of a rollout, and what happens when one is exceeded. `rules` checks an option against it."""

from datetime import UTC, datetime
from enum import StrEnum

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.times import Estimate
from holdfast.rollout.json import contracts, strict
from holdfast.rollout.json.codec import BOOLEAN, NAME, TEXT, TEXTS, choice, integer, items, names_of, nullable
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.policy import hours
from holdfast.rollout.policy.hours import Window
from holdfast.rollout.policy.learnt_times import NOTHING_LEARNT, LearntTimes
from holdfast.rollout.policy.rates import RateSource
from holdfast.rollout.policy.rules import CONVERGES, ONLY_IF_STATED, RULES

ACTS = (
    ActionName.STOP_CLIENT,
    ActionName.START_CLIENT,
    ActionName.RESTART_CLIENT,
    ActionName.WRITE_PROCESS_METADATA,
    ActionName.SET_CONFIG,
    ActionName.SET_CLIENT_CONFIG,
    ActionName.STOP_CLASSIC_CLIENTS,
    ActionName.START_MOVED_CLIENT,
)
"""The actions that Holdfast can carry out by itself, where the policy's `acts` names them."""

OF_STEPS = tuple(one for one in ActionName if one is not ActionName.SET_CLIENT_CONFIG)
"""The actions of steps."""

LONGEST_VALID_S = 7 * 24 * 3600
"""The longest lifetime of a plan, in seconds: later the group has changed too much."""


class Review(StrEnum):
    """When a person must review. `NEVER`: no reviewer is available, so whatever would need a review blocks the plan instead."""

    ALWAYS = "always"
    ON_A_WARNING = "on a warning"
    NEVER = "never"


MOST = 2**53
MOST_WINDOWS = 100
MOST_SILENCED = 1_000
LONGEST_STEP_S = 86_400
"""The longest start-up of a client that counts as one step of a rollout."""
LEAST_REBALANCES = 12
LEAST_SECONDS = 3_600
_SOMETIME = datetime(2026, 1, 1, tzinfo=UTC)

_LIMIT = integer(0, MOST)
_FIGURE = integer(1, MOST)
_STEP_S = integer(0, LONGEST_STEP_S)
_MAYBE_LIMIT = nullable(_LIMIT)
_MAYBE_FIGURE = nullable(_FIGURE)


def _has_words(reason: str) -> None:
    if not reason.strip():
        raise InvalidInput("why the finding is accepted is needed; an empty reason was found")


@record
class Silence:
    """A rule of the doctor of settings whose findings a team accepts, and why."""

    rule: str = member(NAME)
    reason: str = member(TEXT.checked(_has_words))


def _each_once(silenced: tuple[Silence, ...]) -> None:
    names = [one.rule for one in silenced]
    if len(dict.fromkeys(names)) < len(names):
        raise InvalidInput("a rule is given twice; once is enough")


def _means_a_moment(text: str) -> None:
    """Check the syntax. The moment itself is computed when a plan is made."""
    hours.deadline(text, _SOMETIME)


def _is_a_policy(value: object) -> None:
    contracts.refuse_another(value, "Policy")
    strict.refuse_secrets(value)


@record(
    version=strict.FORMAT_VERSION,
    first=_is_a_policy,
    defaults=True,
    about="The limits of a team. What is left out is Holdfast's own.",
)
class Policy:
    """The limits of a team. Times in seconds; percentages of all stateful tasks of the group.

    A new field needs its entry in `floor.STRICTER`: which of two values is the stricter one.
    """

    moved_percent_most: int = member(
        _LIMIT, "Percent of stateful tasks: those that leave untouched clients, beyond the share of a new client.", default=25
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
    restored_bytes_most: int | None = member(_MAYBE_LIMIT, "Bytes restored from changelogs. Null: no limit.", default=None)
    restore_records_per_second: int = member(
        _FIGURE, "Records per second that one client restores. The default is an assumption: measure yours.", default=10_000
    )
    restore_rate_source: RateSource = member(
        choice(RateSource),
        "Source of the restore speed. Left out: the policy if it states one, else an assumption.",
        default=RateSource.ASSUMED,
        unsaid=True,
    )
    restore_slowest: int | None = member(
        _MAYBE_FIGURE,
        "Lower bound of that speed. Null: by source (assumed: a fifth; stated: exact).",
        default=None,
    )
    restore_fastest: int | None = member(
        _MAYBE_FIGURE,
        "Upper bound of that speed. Null: by source (assumed: five times; stated: exact).",
        default=None,
    )
    restore_observations: int | None = member(
        _MAYBE_LIMIT, "Number of restores in which it was measured. Null: not measured.", default=None
    )
    start_up_s_least: int = member(
        _STEP_S,
        "Seconds from the start of a client's process until it joins the group, lower bound. An assumption.",
        default=1,
    )
    start_up_s: int = member(_STEP_S, "The same, usual value. An assumption.", default=5)
    start_up_s_most: int = member(_STEP_S, "The same, upper bound. An assumption.", default=30)
    start_up_observations: int | None = member(
        _MAYBE_LIMIT, "Number of restarts in which it was measured. Null: not measured.", default=None
    )
    between_steps_s_most: int = member(
        _STEP_S, "Seconds between the end of a step and the start of the next, upper bound.", default=15
    )
    copy_bytes_per_second: int | None = member(
        _MAYBE_FIGURE,
        "Bytes per second at which a state directory is copied. Null: unknown, as are figures that depend on it.",
        default=None,
    )
    bytes_per_record: int | None = member(
        _MAYBE_FIGURE,
        "Average size of a changelog record, for changelogs without a measured size. Null: unknown.",
        default=None,
    )
    copy_state_over_s: int = member(
        _LIMIT, "Seconds of task downtime above which copying a state directory is worth the manual work.", default=600
    )
    valid_for_s: int = member(
        integer(1, LONGEST_VALID_S), "Lifetime of a plan: seconds after its snapshot; a week at most.", default=3_600
    )
    moved_in_all_percent_most: int | None = member(
        _MAYBE_LIMIT, "Percent of stateful tasks that migrate for any reason. Null: no limit.", default=None
    )
    without_caught_up_copy_tasks_most: int | None = member(
        _MAYBE_LIMIT, "Tasks that may be unavailable at the same time. Null: no limit.", default=None
    )
    restored_bytes_per_hour_most: int | None = member(
        _MAYBE_LIMIT, "Bytes restored from changelogs in any one hour. Null: no limit.", default=None
    )
    disk_free_bytes_least: int | None = member(
        _MAYBE_LIMIT,
        "Bytes that must stay free on every client's disk. Null: only disks with known free space are checked.",
        default=None,
    )
    copies_on_one_client_percent_most: int | None = member(
        _MAYBE_LIMIT, "Copies of stateful tasks on one client, in percent of an even share. Null: no limit.", default=None
    )
    finish_before: str | None = member(
        nullable(TEXT.checked(_means_a_moment)),
        "The deadline: a time of day (06:00Z), a timestamp, or a time from now (90 min, 2 h). Null: no limit.",
        default=None,
    )
    windows: tuple[Window, ...] = member(
        items(codec_of(Window), at_most=MOST_WINDOWS, what="windows"),
        "When a rollout may run: from, to, and on which days (mon to sun). None: at any time.",
        default=(),
    )
    actions: tuple[str, ...] | None = member(
        nullable(names_of(OF_STEPS, "action")), "The actions that steps may use. Null: all.", default=None
    )
    acts: tuple[str, ...] = member(
        names_of(ACTS, "action that Holdfast can carry out"),
        "The actions that Holdfast may carry out by itself in a run (holdfast apply --run). None: a person does every step.",
        default=(),
        omit=True,  # plans of former versions keep their fingerprint
    )
    lag_most: int | None = member(
        _MAYBE_LIMIT,
        "Records that the group may lag behind, in all its partitions together, when a run acts. Null: no limit.",
        default=None,
        omit=True,
    )
    untouchable_hosts: tuple[str, ...] = member(TEXTS, "Hosts that no step may touch.", default=())
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
        "Rules whose failure blocks a plan. Left out: those whose limit this file states.",
        default=("forecast", CONVERGES, *ONLY_IF_STATED),
        unsaid=True,
    )
    exclude: tuple[str, ...] = member(TEXTS, "Options that you cannot use, by name.", default=())
    allow: tuple[str, ...] = member(TEXTS, "Options that are recommended only if they are listed here, by name.", default=())
    silenced: tuple[Silence, ...] = member(
        items(codec_of(Silence), at_most=MOST_SILENCED, what="silenced rules").checked(_each_once),
        "Rules of the doctor of settings (holdfast doctor --config) whose findings are accepted: rule and reason.",
        default=(),
        omit=True,  # as `acts`
    )
    learnt: LearntTimes = member(
        codec_of(LearntTimes),
        "Times learnt from the group's own past. Holdfast writes them into a plan's policy; leave them out.",
        default=NOTHING_LEARNT,
        omit=True,  # as `acts`
    )

    @property
    def restore_rate_says(self) -> str:
        """The source of the restore speed, and the number of measurements, in words."""
        count, says = self.restore_observations, self.restore_rate_source.says
        return says if count is None else f"{says}, {count} {'restore' if count == 1 else 'restores'} seen"

    @property
    def start_up_says(self) -> str:
        """The source of the start-up time, and the number of measurements, in words."""
        if self.start_up_observations is not None:
            return f"seen in {self.start_up_observations} restarts of this group"
        return "assumed: state yours" if self.start_up == Policy().start_up else "as your policy says"

    @property
    def slowest_restore(self) -> int:
        """The lower bound of the restore speed, in records per second."""
        if self.restore_slowest is not None:
            return max(1, min(self.restore_slowest, self.restore_records_per_second))
        return max(1, self.restore_records_per_second // self.restore_rate_source.off_by)

    @property
    def fastest_restore(self) -> int:
        """The upper bound of the restore speed, in records per second."""
        if self.restore_fastest is not None:
            return max(self.restore_fastest, self.restore_records_per_second)
        return self.restore_records_per_second * self.restore_rate_source.off_by

    @property
    def start_up(self) -> Estimate:
        """Seconds from the start of a client's process until it joins. A single stated figure adjusts the other two."""
        return Estimate(min(self.start_up_s_least, self.start_up_s), self.start_up_s, max(self.start_up_s_most, self.start_up_s))

    @property
    def between_steps(self) -> Estimate:
        """Seconds between the end of a step and the start of the next."""
        return Estimate(0, self.between_steps_s_most // 3, self.between_steps_s_most)
