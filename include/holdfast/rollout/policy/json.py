"""The JSON of policies. Closed: a limit that is not known would limit nothing, so it is refused with the nearest one that is."""

from collections.abc import Callable
from dataclasses import fields as fields_of
from datetime import UTC, datetime

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.json import contracts, strict
from holdfast.rollout.json.strict import FORMAT_VERSION, Fields, nullable, one_of, texts
from holdfast.rollout.policy import hours
from holdfast.rollout.policy.hours import DAYS, TimeOfDay, Window
from holdfast.rollout.policy.policy import LONGEST_VALID_S, RULES, Policy, Review
from holdfast.rollout.policy.rates import RateSource

MOST = 2**53
MOST_WINDOWS = 100
OPTIONAL_LIMITS = (
    "time_to_stable_s_most",
    "rebalances_most",
    "restored_bytes_most",
    "restore_slowest",
    "restore_fastest",
    "restore_observations",
    "start_up_observations",
    "copy_bytes_per_second",
    "bytes_per_record",
    "moved_in_all_percent_most",
    "without_caught_up_copy_tasks_most",
    "restored_bytes_per_hour_most",
    "disk_free_bytes_least",
    "copies_on_one_client_percent_most",
)
"""Limits that may be null: then there is none, or one that goes by the size of the group (`limits`)."""
AT_LEAST_ONE = (
    "restore_records_per_second",
    "restore_slowest",
    "restore_fastest",
    "copy_bytes_per_second",
    "bytes_per_record",
    "valid_for_s",
)
LIMITS_OF_RULES = {
    "moved_percent_most": "moved-without-need",
    "without_caught_up_copy_s_most": "without-caught-up-copy",
    "time_to_stable_s_most": "time-to-stable",
    "rebalances_most": "rebalances",
    "restored_bytes_most": "restored-bytes",
    "disk_free_bytes_least": "disk",
}
"""Whoever states one of these limits means it: its rule blocks then, unless `blocking` says which rules do."""
_SOMETIME = datetime(2026, 1, 1, tzinfo=UTC)


def policy_from_json(value: object) -> Policy:
    """Limits that are not given are the defaults of `Policy`."""
    default = Policy()
    contracts.refuse_another(value, "Policy")
    strict.refuse_secrets(value)
    fields = Fields(value)
    fields.need("format_version", strict.format_version)
    numbers = {
        field.name: fields.optional(field.name, _limit(field.name), getattr(default, field.name))
        for field in fields_of(Policy)
        if type(getattr(default, field.name)) is int or field.name in OPTIONAL_LIMITS
    }
    of_the_team = RateSource.POLICY if fields.has("restore_records_per_second") else default.restore_rate_source
    rate_source = fields.optional("restore_rate_source", one_of(RateSource), of_the_team)
    finish_before = fields.optional("finish_before", nullable(_deadline), default.finish_before)
    windows = fields.optional("windows", _windows, default.windows)
    actions = fields.optional("actions", nullable(_known_names(tuple(str(one) for one in ActionName), "action")), default.actions)
    untouchable_hosts = fields.optional("untouchable_hosts", texts, default.untouchable_hosts)
    review = fields.optional("review", one_of(Review), default.review)
    four_eyes = fields.optional("four_eyes", strict.boolean, default.four_eyes)
    stated = tuple(rule for limit, rule in LIMITS_OF_RULES.items() if fields.has(limit) and numbers[limit] is not None)
    blocking = fields.optional("blocking", _known_names(RULES, "rule"), (*default.blocking, *stated))
    exclude = fields.optional("exclude", texts, default.exclude)
    allow = fields.optional("allow", texts, default.allow)
    fields.finish(closed=True)
    return Policy(
        **numbers,
        restore_rate_source=rate_source,
        finish_before=finish_before,
        windows=windows,
        actions=actions,
        untouchable_hosts=untouchable_hosts,
        review=review,
        four_eyes=four_eyes,
        blocking=blocking,
        exclude=exclude,
        allow=allow,
    )


def _limit(name: str) -> Callable[[object], int | None]:
    least = 1 if name in AT_LEAST_ONE else 0

    def read(value: object) -> int | None:
        if value is None and name in OPTIONAL_LIMITS:
            return None
        return strict.integer(value, least, most_of(name))

    return read


def most_of(name: str) -> int:
    """The largest that a limit can be."""
    if name in ("start_up_s_least", "start_up_s", "start_up_s_most", "between_steps_s_most"):
        return LONGEST_STEP_S
    return LONGEST_VALID_S if name == "valid_for_s" else MOST


LONGEST_STEP_S = 86_400
"""What takes a client longer than a day to start is no step of a rollout."""


def _known_names(known: tuple[str, ...], what: str) -> Callable[[object], tuple[str, ...]]:
    def read(value: object) -> tuple[str, ...]:
        names = texts(value)
        for name in names:
            if name not in known:
                close = strict.nearest(name, known)
                raise InvalidInput(f"{strict.shown(name)} is no {what}{close}; known are: {', '.join(known)}")
        return names

    return read


def _deadline(value: object) -> str:
    """What it means shows only when a plan is made; that it means something shows here."""
    written = strict.text(value)
    hours.deadline(written, _SOMETIME)
    return written


def _windows(value: object) -> tuple[Window, ...]:
    found = strict.each(value, _window)
    if len(found) > MOST_WINDOWS:
        raise InvalidInput(f"{len(found)} windows were found; {MOST_WINDOWS} are allowed")
    return found


def _window(value: object) -> Window:
    fields = Fields(value)
    window = Window(
        opens=fields.need("from", _time_of_day),
        closes=fields.need("to", _time_of_day),
        days=fields.optional("days", _known_names(DAYS, "day of the week"), ()),
    )
    fields.finish(closed=True)
    if window.opens == window.closes:
        raise InvalidInput(f"the window opens and closes at {window.opens.text}; leave it out for one that is always open")
    return window


def _time_of_day(value: object) -> TimeOfDay:
    return TimeOfDay(strict.text(value))


def policy_to_json(policy: Policy) -> dict[str, object]:
    written: dict[str, object] = {"format_version": FORMAT_VERSION}
    for field in fields_of(policy):
        value = getattr(policy, field.name)
        written[field.name] = list(value) if isinstance(value, tuple) else value
    written["review"] = policy.review.value
    written["restore_rate_source"] = policy.restore_rate_source.value
    written["windows"] = [
        {"from": window.opens.text, "to": window.closes.text, "days": list(window.days)} for window in policy.windows
    ]
    return written
