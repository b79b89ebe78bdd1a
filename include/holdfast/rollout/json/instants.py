"""A moment as documents have it: `2026-11-20T12:00:00Z`, always in UTC."""

from datetime import UTC, datetime


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
    """Of Kafka's time: milliseconds since 1970."""
    return to_millisecond(datetime.fromtimestamp(milliseconds / 1000, UTC))


def _utc(moment: datetime, timespec: str) -> str:
    return moment.astimezone(UTC).isoformat(timespec=timespec).replace("+00:00", "Z")
