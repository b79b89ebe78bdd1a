"""A moment as documents have it: `2026-11-20T12:00:00Z`, always in UTC."""

from datetime import UTC, datetime

_LATEST_MS = 253_402_300_799_000


def to_second(moment: datetime) -> str:
    """Without its fraction of a second."""
    return _utc(moment, "seconds")


def to_millisecond(moment: datetime) -> str:
    """`2026-11-20T12:00:00.250Z`."""
    return _utc(moment, "milliseconds")


def exact(moment: datetime) -> str:
    """With microseconds if it has any."""
    return _utc(moment, "auto")


def of_broker(milliseconds: int) -> str:
    """Of Kafka's time: milliseconds since 1970. A record may say any: one before 1970 or after 9999 is the nearest that is not."""
    return to_millisecond(datetime.fromtimestamp(min(max(0, milliseconds), _LATEST_MS) / 1000, UTC))


def _utc(moment: datetime, timespec: str) -> str:
    return moment.astimezone(UTC).isoformat(timespec=timespec).replace("+00:00", "Z")
