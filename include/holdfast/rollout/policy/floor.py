"""The team's policy as the floor for the policy of a request, which can only be stricter, field by field.

`STRICTER` says for every field of a Policy what is stricter; a field without an entry fails a test. A request for a plan may
state a stricter value, add to what blocks, leave fewer options, actions and hours. A looser value is refused by its name: the plan
that would come of it is not the one that was meant.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, replace
from datetime import datetime, timedelta
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.rollout.policy import hours
from holdfast.rollout.policy.hours import DAYS, TimeOfDay, Window
from holdfast.rollout.policy.policy import LEAST_REBALANCES, LEAST_SECONDS, MOST_WINDOWS, Policy, Review
from holdfast.rollout.policy.rules import blocking_by
from holdfast.rollout.text.format import printable

DAY, WEEK = 24 * 60, 7 * 24 * 60
"""In minutes."""


class Looser(Exception):
    """What is wrong with a value, compared with the team's."""


Stricter = Callable[[Any, Any, datetime], Any]
"""From the team's value and that of the request to the one that counts. Raise Looser."""


def _by(rank: Callable[[Any], float]) -> Stricter:
    """The value of the request, if it does not rank higher."""

    def rule(team: Any, requested: Any, _now: datetime) -> Any:
        if rank(requested) > rank(team):
            raise Looser(f"{_shown(requested)} was asked for, the team's policy has {_shown(team)}")
        return requested

    return rule


def _or_no_limit(value: int | None) -> float:
    return float("inf") if value is None else value


def _by_size_of_group(least: int) -> Stricter:
    """A limit that goes by the size of the group where it is not stated: `least` for the smallest."""

    def rule(team: int | None, requested: int | None, _now: datetime) -> int | None:
        floor = least if team is None else team
        if team != requested and (requested is None or requested > floor):
            by_size = f"{least:,}, or more for a large group"
            raise Looser(f"{_shown(requested)} was asked for, the team's policy has {by_size if team is None else _shown(team)}")
        return requested

    return rule


def _the_team_s_alone(team: Any, requested: Any, _now: datetime) -> Any:
    """What is neither stricter nor looser: how fast things may go at best, and how often that was seen."""
    if requested != team:
        raise Looser(f"{_shown(requested)} was asked for, the team's policy has {_shown(team)}")
    return team


def _all_of_both(team: tuple[str, ...], requested: tuple[str, ...], _now: datetime) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*team, *requested)))


def _no_others(team: tuple[str, ...] | None, requested: tuple[str, ...] | None, _now: datetime) -> tuple[str, ...] | None:
    """None: all."""
    if team is None:
        return requested
    more = [name for name in requested or () if name not in team] if requested is not None else ["all"]
    if more:
        raise Looser(f"{_shown(tuple(more))} was asked for, the team's policy allows {_shown(team) if team else 'none'}")
    return requested


def _earlier(team: str | None, requested: str | None, now: datetime) -> str | None:
    """Which it is depends on the hour."""
    if team is None or requested is None:
        return team if requested is None else requested
    return min((team, requested), key=lambda text: hours.deadline(text, now))


def _windows_of_both(team: tuple[Window, ...], requested: tuple[Window, ...], _now: datetime) -> tuple[Window, ...]:
    """None named: any time."""
    if not team or not requested:
        return requested or team
    spans = {
        (max(first, second + shift) % WEEK, min(first + long, second + shift + wide) - max(first, second + shift))
        for first, long in _spans(team)
        for second, wide in _spans(requested)
        for shift in (-WEEK, 0, WEEK)
        if max(first, second + shift) < min(first + long, second + shift + wide)
    }
    if not spans:
        raise Looser(f"{_shown(requested)} has no hour in common with the team's {_shown(team)}")
    return _windows(spans)


def _spans(windows: tuple[Window, ...]) -> list[tuple[int, int]]:
    """When they open in a week of UTC, in minutes, and for how long."""
    found: dict[tuple[int, int], None] = {}
    for window in windows:
        opens, closes = _minute(window.opens), _minute(window.closes)
        long = (closes - opens - 1) % DAY + 1
        found |= {((DAYS.index(day) * DAY + opens) % WEEK, long): None for day in window.days or DAYS}
    return list(found)


def _minute(moment: TimeOfDay) -> int:
    """Of the day, in UTC: below 0 or above a day where it is another day there."""
    offset = moment.zone.utcoffset(None) or timedelta()
    return int(moment.text[:2]) * 60 + int(moment.text[3:5]) - int(offset.total_seconds()) // 60


def _windows(spans: Collection[tuple[int, int]]) -> tuple[Window, ...]:
    days: dict[tuple[str, str], list[int]] = {}
    for opens, long in sorted(spans):
        # A whole day from midnight to midnight is written in two forms: a window whose ends are the same text is none.
        closes = f"{_clock(opens + long)}{'+00:00' if long == DAY else 'Z'}"
        days.setdefault((f"{_clock(opens)}Z", closes), []).append(opens // DAY)
    if len(days) > MOST_WINDOWS:
        raise Looser(f"{len(days)} windows come of it; {MOST_WINDOWS} are allowed")
    return tuple(
        Window(TimeOfDay(opens), TimeOfDay(closes), () if len(on) == len(DAYS) else tuple(DAYS[day] for day in on))
        for (opens, closes), on in days.items()
    )


def _clock(minute: int) -> str:
    return f"{minute % DAY // 60:02}:{minute % 60:02}"


_LOWER = _by(_or_no_limit)
_HIGHER = _by(lambda value: -value)
STRICTER: Mapping[str, Stricter] = {
    "moved_percent_most": _LOWER,
    "without_caught_up_copy_s_most": _LOWER,
    "time_to_stable_s_most": _by_size_of_group(LEAST_SECONDS),
    "rebalances_most": _by_size_of_group(LEAST_REBALANCES),
    "restored_bytes_most": _LOWER,
    "restore_records_per_second": _LOWER,  # the slower, the longer everything takes
    "restore_rate_source": _by(lambda source: -source.off_by),  # the less sure, the slower it may be
    "restore_slowest": _LOWER,  # and see `tightened`: where none is stated it is as the source says
    "restore_fastest": _the_team_s_alone,
    "restore_observations": _the_team_s_alone,
    "start_up_s_least": _HIGHER,
    "start_up_s": _HIGHER,
    "start_up_s_most": _HIGHER,
    "start_up_observations": _the_team_s_alone,
    "learnt": _the_team_s_alone,
    "between_steps_s_most": _HIGHER,  # the longer, the later it ends
    "copy_bytes_per_second": _by(lambda speed: float("-inf") if speed is None else speed),  # none: unknown, so a person looks
    "bytes_per_record": _by(lambda size: -_or_no_limit(size)),  # the larger, the more bytes; none: unknown, so a person looks
    "copy_state_over_s": _LOWER,  # no limit, but a taste: copies are worth their work sooner
    "valid_for_s": _LOWER,
    "moved_in_all_percent_most": _LOWER,
    "without_caught_up_copy_tasks_most": _LOWER,
    "restored_bytes_per_hour_most": _LOWER,
    "disk_free_bytes_least": _by(lambda size: float("inf") if size is None else -size),
    "copies_on_one_client_percent_most": _LOWER,
    "finish_before": _earlier,
    "windows": _windows_of_both,
    "actions": _no_others,
    "acts": _no_others,
    "lag_most": _LOWER,
    "untouchable_hosts": _all_of_both,
    "review": _by([*Review].index),
    "four_eyes": _by(lambda wanted: not wanted),
    "blocking": _all_of_both,
    "exclude": _all_of_both,
    "allow": _no_others,
    "silenced": _no_others,
}
"""By field: the stricter of the team's value and the request's."""


def tightened(team: Policy, requested: Policy, stated: Collection[str], now: datetime) -> Policy:
    """The team's policy with what a request states on top. `stated`: the fields of the request's document.

    Raise InvalidInput that names every field that the request would loosen. A limit that it states blocks, as in a team's own.
    """
    found: dict[str, Any] = {}
    looser: list[str] = []
    for name in (field.name for field in fields(Policy)):
        value = getattr(requested, name)
        if name == "blocking" and name not in stated:
            value = blocking_by([limit for limit in stated if getattr(requested, limit, None) is not None])
        elif name not in stated:
            continue
        try:
            found[name] = STRICTER[name](getattr(team, name), value, now)
        except Looser as problem:
            looser.append(f"{name}: {problem}")
    merged = replace(team, **found)
    if not looser and merged.slowest_restore > team.slowest_restore:
        looser.append(f"restore_slowest: {merged.slowest_restore:,} comes of it, the team's policy has {team.slowest_restore:,}")
    if looser:
        raise InvalidInput(f"{'; '.join(looser)}. A request may only be stricter than the team's policy")
    usual = max(merged.start_up_s, merged.start_up_s_least)
    return replace(merged, start_up_s=usual, start_up_s_most=max(merged.start_up_s_most, usual))


def refuse_faster(assumed: float | None, team: Policy) -> None:
    """Raise InvalidInput where a Change assumes that copies are restored faster than the team's policy permits. `assumed`: records
    per second, `records_per_second` of its kind; None: nothing."""
    if assumed is not None and assumed > team.slowest_restore:
        raise InvalidInput(
            f"the change assumes {assumed:g} records a second, and the team's policy allows {team.slowest_restore:,} at most (its"
            " lower bound): a request may only be stricter. A measured speed belongs in the team's policy"
            " (restore_records_per_second)",
            "assume.catch_up",
        )


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return printable(", ".join(map(str, value)), 300) or "none"
    return "no limit" if value is None else printable(str(value).lower() if isinstance(value, bool) else str(value), 100)
