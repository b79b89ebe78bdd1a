"""How fast the past is judged of groups whose broker assigns, and of consumer groups.

    python -m benchmarks.backtest_kinds            1,000 targets and 2,000 rebalances of each line
    python -m benchmarks.backtest_kinds --json     for machines

A streams group of 6 clients, 12 threads and 36 tasks rolls over and over: a client leaves, and comes back. A consumer group has
members that come and go. A target takes some 26 records, which are read from bytes, as the topic has them; rebalances of consumer
groups are decoded before.
"""

import argparse
import json
import random
import sys
import time
import uuid
from collections.abc import Callable, Iterable
from typing import Any

from tests.harness.kafka import streams_group_bytes
from tests.harness.kafka.recorded_targets import WrittenGroup
from tests.unit.rollout.consumer.backtest.test_consumer_backtest import history

from holdfast.kafka.consumer.group import Assignor
from holdfast.kafka.coordinator.release import LINES
from holdfast.rollout.backtest.coordinated import PastEntry
from holdfast.rollout.backtest.entries import Frame, entries
from holdfast.rollout.backtest.results import Given
from holdfast.rollout.kinds import backtests

CLIENTS, THREADS, TASKS = 6, 2, 18


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", type=int, default=1_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = {}
    for line in LINES:
        release = line.releases[-1]
        figures[f"streams {release}"] = _judged(_read(release, given.targets), Given(broker_release=release))
    for assignor in (Assignor.COOPERATIVE_STICKY, Assignor.RANGE):
        members = list(history("3.9.1", assignor, 2 * given.targets, random.Random(3)))  # noqa: S311 - not for secrets
        figures[f"consumer {assignor}"] = _judged(lambda members=members: members, Given())
    if given.json:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        sys.stdout.write("\n".join(f"{name:28} {found}" for name, found in figures.items()) + "\n")
    return 0


def _read(release: str, targets: int) -> Callable[[], Iterable[PastEntry]]:
    frames = [
        Frame(
            one.written_at_ms,
            streams_group_bytes.key(one.key.kind, one.key.group_id, one.key.member_id),
            None if one.value is None else streams_group_bytes.record(one.value),
        )
        for one in rolling(release, targets, random.Random(5))  # noqa: S311 - not for secrets
    ]
    return lambda: entries(frames, str, coordinated=True)


def _judged(past: Callable[[], Iterable[PastEntry]], given: Given) -> dict[str, Any]:
    began = time.process_time()
    found = backtests.backtest("shop", past, given)
    seconds = time.process_time() - began
    assert found is not None, "there are entries"
    score = found.score
    assert not score.different, "the decisions are the model's own"
    return {
        "judged": score.rebalances,
        "cpu_ms_each": round(1_000 * seconds / score.rebalances, 2),
        "equal": score.equal,
        "inferred": score.inferred,
        "sequences": score.sequences + score.sequences_inferred,
    }


def rolling(release: str, targets: int, chance: random.Random) -> list[Any]:
    """Half of the tasks keep state; one standby."""
    group = WrittenGroup(release, (("0", TASKS, True), ("1", TASKS, False)))
    clients: dict[str, list[str]] = {}

    def start(process_id: str) -> None:
        clients[process_id] = [f"{chance.getrandbits(64):x}-{len(group.batches)}-{thread}" for thread in range(THREADS)]
        for name in clients[process_id]:
            group.join(name, process_id)

    for _ in range(CLIENTS):
        start(str(uuid.UUID(int=chance.getrandbits(128))))
    while len(group.batches) < targets:
        process_id = chance.choice(list(clients))
        for name in clients.pop(process_id):
            group.leave(name)
        start(process_id)
    return group.log


if __name__ == "__main__":
    sys.exit(main())
