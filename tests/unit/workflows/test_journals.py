"""A journal that is read while a run adds to it."""

from collections.abc import Callable

import pytest
from tests.fakes.lake import MemoryLake

from holdfast.ports import LakePath
from holdfast.rollout.journal.journal import JournalEntry, JournalEvent
from holdfast.workflows import journals

PLAN = "3ab16d9280bf5305"


class WrittenTo(MemoryLake):
    """Something happens before the call with this number."""

    def __init__(self) -> None:
        super().__init__()
        self.happens: dict[int, Callable[[], object]] = {}
        self.calls = 0

    def _called(self) -> None:
        self.calls += 1
        happens = self.happens.pop(self.calls, None)
        if happens is not None:
            happens()

    def names(self, folder: LakePath) -> tuple[str, ...]:
        self._called()
        return super().names(folder)

    def read(self, path: LakePath, limit: int) -> bytes:
        self._called()
        return super().read(path, limit)


@pytest.mark.parametrize("entries", [0, 2])
def test_an_entry_that_comes_meanwhile_breaks_nothing(entries: int) -> None:
    """Whenever it comes: a page showed that the journal was broken."""
    for call in range(1, 4 + entries):
        lake = WrittenTo()
        journals.begin(lake, PLAN, journals.NO_KEYS)
        lake.write(("plans", PLAN, "approval.json"), b"{}")
        for number in range(entries):
            _add(lake, number)
        lake.calls, lake.happens = 0, {call: lambda lake=lake: _add(lake, entries)}
        found = journals.read(lake, PLAN)

        assert found.broken is None, call
        assert len(found.journal.entries) in (entries, entries + 1)


def _add(lake: WrittenTo, number: int) -> None:
    entry = JournalEntry("2026-11-23T14:57:00Z", str(number + 1), JournalEvent.BEGUN, "holdfast", "")
    journals.append(lake, journals.read(lake, PLAN), entry)
