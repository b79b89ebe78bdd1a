"""Times of day, in a policy's words: when a rollout may run, and when it must be over. No clock: `now` is an argument.

A time of day carries its offset from UTC (`22:00Z`, `06:00+01:00`): a policy that depended on where it is read would be no policy.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, timezone

from holdfast.errors import InvalidInput
from holdfast.rollout.json.codec import TEXT, Codec, names_of
from holdfast.rollout.json.record import member, record
from holdfast.rollout.json.strict import moment_of

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


DAYS_AHEAD = 8
"""A window that opens at all opens within a week."""

_CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])(Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])", re.ASCII)
_SPAN = re.compile(r"([1-9][0-9]{0,6}) ?(s|min|h)", re.ASCII)
_SECONDS = {"s": 1, "min": 60, "h": 3600}


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """`text` is what was written, such as `22:00Z`."""

    text: str

    def __post_init__(self) -> None:
        if not _CLOCK.fullmatch(self.text):
            raise InvalidInput(
                f"a time of day with its offset from UTC is needed, like '22:00Z' or '06:00+01:00'; not {self.text!r}"
            )

    def on(self, day: datetime) -> datetime:
        """That time on the day that `day` is there."""
        match = _CLOCK.fullmatch(self.text)
        assert match is not None, "checked when it was made"
        clock = time(int(match[1]), int(match[2]))
        return datetime.combine(day.astimezone(self.zone).date(), clock, self.zone)

    @property
    def zone(self) -> timezone:
        offset = self.text[5:]
        if offset == "Z":
            return UTC
        sign = -1 if offset[0] == "-" else 1
        return timezone(sign * timedelta(hours=int(offset[1:3]), minutes=int(offset[4:6])))


TIME_OF_DAY: Codec[TimeOfDay] = TEXT.to(TimeOfDay, lambda time: time.text).shaped(
    {"type": "string", "pattern": rf"^{_CLOCK.pattern}$"}
)


def _closes(window: "Window") -> None:
    if window.opens == window.closes:
        raise InvalidInput(f"the window opens and closes at {window.opens.text}; leave it out for one that is always open")


@record(check=_closes)
class Window:
    """From `opens` to the next `closes`, on the days (`mon` to `sun`; none named: all) on which it opens."""

    opens: TimeOfDay = member(TIME_OF_DAY, name="from")
    closes: TimeOfDay = member(TIME_OF_DAY, name="to")
    days: tuple[str, ...] = member(names_of(DAYS, "day of the week"), default=())

    def next_span(self, now: datetime) -> tuple[datetime, datetime] | None:
        """The span that `now` is in, or else the next one. None: it never opens."""
        for ahead in range(-1, DAYS_AHEAD):
            start = self.opens.on(now + timedelta(days=ahead))
            end = self.closes.on(start)
            if end <= start:
                end += timedelta(days=1)
            if now < end and (not self.days or DAYS[start.weekday()] in self.days):
                return start.astimezone(UTC), end.astimezone(UTC)
        return None

    def __str__(self) -> str:
        days = f"{','.join(self.days)} " if self.days else ""
        return f"{days}{self.opens.text} to {self.closes.text}"


def spans(windows: Iterable[Window], now: datetime) -> tuple[tuple[datetime, datetime], ...]:
    """The span of each window that is open now or opens next, in the order in which they open. Spans that touch are one."""
    found: list[tuple[datetime, datetime]] = []
    for start, end in sorted(span for span in (window.next_span(now) for window in windows) if span is not None):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def deadline(text: str, now: datetime) -> datetime:
    """What `finish_before` means at `now`: a time of day (the next one), a moment, or so long from now (`90 min`).

    Raise InvalidInput for anything else.
    """
    if match := _SPAN.fullmatch(text):
        return now + timedelta(seconds=int(match[1]) * _SECONDS[match[2]])
    if _CLOCK.fullmatch(text):
        moment = TimeOfDay(text).on(now)
        return (moment if moment > now else moment + timedelta(days=1)).astimezone(UTC)
    given = moment_of(text)
    if given is None:
        raise InvalidInput(
            "a time of day ('06:00Z'), a moment ('2026-11-22T06:00:00Z') or a time from now ('90 min', '2 h') is needed;"
            f" not {text[:100]!r}"
        )
    return given


def clock(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%MZ")
