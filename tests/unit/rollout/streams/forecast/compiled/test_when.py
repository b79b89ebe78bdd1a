"""When a walk is worth it: that depends on what the process has worked out so far, and on the group."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.harness.article import fleet

from holdfast.kafka.streams.compiled import jit
from holdfast.rollout.streams.forecast.compiled import walks
from holdfast.rollout.streams.snapshot import groups
from holdfast.rollout.streams.snapshot.json import snapshot_from_json


def rebalance_us(clients: int, tasks: int) -> float:
    document, _ = fleet(clients, tasks, 1)
    group = groups.group_of(snapshot_from_json(document))
    return walks.rebalance_us(group, sum(task.stateful for task in group.tasks))


@pytest.fixture(autouse=True)
def _a_new_process_with_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "is_installed", lambda: True)
    monkeypatch.setattr(walks, "_is_kept", lambda: True)
    monkeypatch.setattr(walks, "_THIS", walks._Process())


def rebalances_until_due(one: float) -> int:
    return next(number for number in range(10**6) if walks.is_due(number, one))


def test_a_process_does_about_a_second_of_work_without_it() -> None:
    small = rebalance_us(3, 12)

    assert 2_000 < rebalances_until_due(small) < 4_000  # of 322 µs each


def test_it_does_twenty_times_as_much_where_the_machine_code_is_still_to_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    small = rebalance_us(3, 12)
    kept = rebalances_until_due(small)
    monkeypatch.setattr(walks, "_is_kept", lambda: False)
    monkeypatch.setattr(walks, "_THIS", walks._Process())

    assert 19 * kept < rebalances_until_due(small) < 21 * kept


def test_once_it_is_there_a_large_group_walks_at_once_and_a_small_one_after_some_rebalances() -> None:
    large, small = rebalance_us(30, 400), rebalance_us(3, 12)
    rebalances_until_due(large)

    assert walks.is_due(0, large)
    assert not walks.is_due(0, small)
    assert rebalances_until_due(small) == 12


def test_without_a_compiler_it_never_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "is_installed", lambda: False)
    large = rebalance_us(30, 400)

    assert not any(walks.is_due(number, large) for number in range(1_000))


@pytest.mark.starts
def test_a_small_forecast_does_not_load_the_compiler() -> None:
    """Loading it takes twice as long as the whole forecast of the example."""
    example = Path(__file__).resolve().parents[6] / "examples" / "streams-wordcount"
    code = (
        "import sys; from holdfast.cli.main import main\n"
        "try: main(['forecast', *sys.argv[1:]])\n"
        "finally: print('numba' in sys.modules, file=sys.stderr)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, str(example / "snapshot.json"), str(example / "change.json")],
        env=os.environ | {"HOLDFAST_COMPILED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert ended.stderr.split()[-1] == "False"
