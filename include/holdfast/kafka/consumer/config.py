"""Consumer settings that matter in a rebalance: when a member is removed, how long it takes, where a reader continues.

Java: `ConsumerConfig`, with the defaults of each release; `group.initial.rebalance.delay.ms` is the broker's (`GroupConfig`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.kafka.consumer.release import behaviour, resets_by_duration


class Reset(StrEnum):
    """`auto.offset.reset`: where a reader goes on that finds no committed offset, or one that is out of range."""

    EARLIEST = "earliest"
    LATEST = "latest"
    NONE = "none"
    BY_DURATION = "by_duration"


@dataclass(frozen=True, slots=True)
class ConsumerConfig:
    """`given`: the settings that were given; the others are Kafka's defaults. `duration`: that of `by_duration`."""

    session_timeout_ms: int
    heartbeat_interval_ms: int
    max_poll_interval_ms: int
    initial_rebalance_delay_ms: int
    reset: Reset
    auto_commit: bool
    duration: str | None = None
    given: tuple[str, ...] = ()


SESSION_TIMEOUT = "session.timeout.ms"
HEARTBEAT_INTERVAL = "heartbeat.interval.ms"
MAX_POLL_INTERVAL = "max.poll.interval.ms"
INITIAL_DELAY = "group.initial.rebalance.delay.ms"
OFFSET_RESET = "auto.offset.reset"
AUTO_COMMIT = "enable.auto.commit"
KEYS = (SESSION_TIMEOUT, HEARTBEAT_INTERVAL, MAX_POLL_INTERVAL, INITIAL_DELAY, OFFSET_RESET, AUTO_COMMIT)

_DURATION = re.compile(
    r"by_duration:(P(?!$)(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d{1,9})?S)?)?)", re.ASCII | re.IGNORECASE
)


def read(release: str, settings: Mapping[str, object]) -> ConsumerConfig:
    """The settings as this release reads them; others are ignored.

    Raise InvalidInput for a value that Kafka refuses, Unsupported for a release that is not modelled.
    """
    line = behaviour(release)
    reset, duration = _reset(settings.get(OFFSET_RESET, "latest"), by_duration=resets_by_duration(release))
    config = ConsumerConfig(
        session_timeout_ms=_milliseconds(settings, SESSION_TIMEOUT, line.session_timeout_ms),
        heartbeat_interval_ms=_milliseconds(settings, HEARTBEAT_INTERVAL, 3_000),
        max_poll_interval_ms=_milliseconds(settings, MAX_POLL_INTERVAL, 300_000),
        initial_rebalance_delay_ms=_milliseconds(settings, INITIAL_DELAY, 3_000, least=0),
        reset=reset,
        auto_commit=_boolean(settings.get(AUTO_COMMIT, True)),
        duration=duration,
        given=tuple(key for key in KEYS if key in settings),
    )
    if config.heartbeat_interval_ms >= config.session_timeout_ms:
        raise InvalidInput(
            f"heartbeat.interval.ms ({config.heartbeat_interval_ms}) must be less than session.timeout.ms"
            f" ({config.session_timeout_ms}): the coordinator would drop every member",
            HEARTBEAT_INTERVAL,
        )
    return config


def _milliseconds(settings: Mapping[str, object], key: str, default: int, least: int = 1) -> int:
    value = settings.get(key, default)
    text = "" if isinstance(value, bool) else str(value).strip()
    if not text.isascii() or not text.isdecimal() or not least <= int(text[:20]) <= java.INT_MAX:
        raise InvalidInput(f"a number of milliseconds from {least} to {java.INT_MAX} is needed, {_shown(value)} was found", key)
    return int(text)


def _boolean(value: object) -> bool:
    text = str(value).strip().lower()
    if text not in ("true", "false"):
        raise InvalidInput(f"true or false is needed, {_shown(value)} was found", AUTO_COMMIT)
    return text == "true"


def _reset(value: object, *, by_duration: bool) -> tuple[Reset, str | None]:
    text = value.strip() if isinstance(value, str) else ""
    duration = _DURATION.fullmatch(text)
    if duration is not None and by_duration:
        return Reset.BY_DURATION, duration[1]
    known = [Reset.EARLIEST, Reset.LATEST, Reset.NONE]
    if text.lower() not in known:
        also = " or by_duration:<ISO 8601 duration>" if by_duration else ""
        raise InvalidInput(f"earliest, latest, none{also} is needed, {_shown(value)} was found", OFFSET_RESET)
    return Reset(text.lower()), None


def _shown(value: object) -> str:
    return ascii(value)[:100]
