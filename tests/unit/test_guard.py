"""What the guard of the benchmarks says of a measure; how long anything takes is for `python -m benchmarks.guard` to say."""

import json
from pathlib import Path

import pytest
from benchmarks import guard
from benchmarks.guard import Short, judge

NAME = "target/wide"


def measured(*ratios: float) -> Short:
    """Each try gives the next of `ratios`."""
    tries = iter(ratios)
    return Short("target", "wide", lambda: next(tries))


@pytest.mark.parametrize(
    ("ratios", "holds"),
    [
        ((1.4,), True),
        ((1.0,), True),
        ((0.92,), True),
        ((0.9, 0.5, 0.8), False),
        ((0.5, 0.92), True),
        ((0.5, 0.6, 0.99), True),
        ((0.5, 0.6, 0.7), False),
    ],
)
def test_a_tenth_slower_in_each_of_three_tries_is_slower(ratios: tuple[float, ...], holds: bool) -> None:
    one = judge(measured(*ratios), {NAME: 1.0})

    assert (one.name, one.ratio, one.holds) == (NAME, max(ratios), holds)


def test_what_was_never_recorded_does_not_pass() -> None:
    one = judge(measured(1.4), {})

    assert (one.times_as_long, one.holds) == (None, False)


def test_each_kind_of_machine_has_a_record_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "RECORD", tmp_path / "recorded.json")
    monkeypatch.setattr(guard, "machine", lambda: "one")
    guard.record({NAME: 1.2345, "start/help": 2})
    monkeypatch.setattr(guard, "machine", lambda: "another")
    assert guard.recorded_here() == {}
    guard.record({NAME: 3})
    guard.record({"start/help": 4})

    assert json.loads(guard.RECORD.read_text()) == {
        "one": {NAME: 1.23, "start/help": 2},
        "another": {NAME: 3, "start/help": 4},
    }


def test_everything_that_is_recorded_is_measured() -> None:
    names = {one.name for one in guard.shorts()}
    kept = json.loads(guard.RECORD.read_text())

    assert len(names) == len(guard.shorts())
    assert all(set(ratios) <= names for ratios in kept.values())


def test_a_measure_is_taken_in_a_process_of_its_own() -> None:
    seen: list[float] = []

    assert guard._apart_from_all(lambda: float(len(seen.append(1.0) or seen))) == 1.0  # type: ignore[func-returns-value]
    assert seen == []
