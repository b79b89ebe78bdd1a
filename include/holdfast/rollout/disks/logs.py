"""The bytes that restoring a task reads from the brokers: its changelogs' sizes there, in proportion to offsets.

An estimate. A log that is read whole has its full size; where only the end of it is lacking, its records are assumed to be
as large as the others. Compaction leaves fewer records than offsets, so that it is the records that are an upper bound.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T", bound=Hashable)
"""A task, as its kind of group names it."""


@dataclass(frozen=True, slots=True)
class TaskLogs:
    """All changelogs of one task together: bytes, and the offsets between where they begin and where they end."""

    size: int
    offsets: int

    def to_restore(self, records: int) -> int:
        """The bytes of the given number of records at the end of the logs, rounded up; no more than the logs have."""
        return self.size if records >= self.offsets else -(-self.size * records // self.offsets)


def to_restore(logs: Mapping[T, TaskLogs], records: Mapping[T, int]) -> int | None:
    """The bytes of these records of these tasks; None where one of them was not measured."""
    lacking = [(task, number) for task, number in records.items() if number]
    return sum(logs[task].to_restore(number) for task, number in lacking) if all(task in logs for task, _ in lacking) else None


def total_or_none(sizes: Iterable[int | None]) -> int | None:
    """The sum; None where one of them is unknown."""
    found = list(sizes)
    known = [size for size in found if size is not None]
    return sum(known) if len(known) == len(found) else None
