"""What the rules of every kind of consumer group found, and their limits, in words: (found, limit) of each."""

from collections.abc import Iterable

from holdfast.rollout.contract.policy_measures import Measured
from holdfast.rollout.offsets import warning_words
from holdfast.rollout.offsets.positions import OffsetWarning
from holdfast.rollout.text.format import duration, many


def reads_on(one: Measured, warnings: Iterable[OffsetWarning]) -> tuple[str, str]:
    unknown = int((one.most or 0) - (one.least or 0))
    reason = f"committed offset unknown: {many(unknown, 'partition')}" if unknown else "no data is skipped"
    found = " ".join(map(warning_words.sentence, warnings))
    return found or reason, "no consumer skips data, or stops for lack of an offset"


def partition_downtime(one: Measured) -> tuple[str, str]:
    limit = f"{duration(int(one.limit or 0))} usually"
    return "unknown" if one.most is None else longest(one.usual or 0, one.most), limit


def longest(usual: float, most: float) -> str:
    """`none`, `3 s`, `3 s usually, 5 min at most`."""
    if not most:
        return "none"
    return _duration(usual) if usual == most else f"{_duration(usual)} usually, {_duration(most)} at most"


def read_twice(records: int | None) -> str:
    """`at most 20 records that were read but not committed`, `nothing`."""
    if records is None:
        return "unknown: committed offsets are unknown"
    return f"at most {many(records, 'record')} that were read but not committed" if records else "nothing"


def _duration(seconds: float) -> str:
    return f"{seconds:g} s" if seconds < 60 else duration(round(seconds))
