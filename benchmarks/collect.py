"""Thousands of groups on a real broker: how long it takes to read them all, with how many requests, and what one by one would take.

    python -m benchmarks.collect --groups 2000 --with-topics 200 --json

The groups are the recorded one under other names: six members each that have joined once (`tests.harness.kafka.simulated_groups`).
`--with-topics` of them have their changelogs and repartition topics, too. The last line with `--json` is one object.
"""

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import psutil
from tests.harness.kafka import simulated_groups
from tests.harness.kafka.broker import Broker

from holdfast import wiring
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.workflows import snapshots
from holdfast.workflows.collecting.collect_many import About, Wanted
from holdfast.workflows.collecting.collector import StatedByOperator
from holdfast.workflows.collecting.streams import settings

RELEASE = "3.9.1"
PROPERTIES = {"offsets.topic.num.partitions": "16", "group.initial.rebalance.delay.ms": "300"}
LIMIT_S = 1_800


class _Peak:
    """The most memory that this process had while the context was open, in MB beyond what it had before."""

    def __enter__(self) -> Self:
        self._process = psutil.Process()
        self.before = self.most = self._process.memory_info().rss
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)
        self._watch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._watch.join()

    def _look(self) -> None:
        while not self._over.wait(0.05):
            self.most = max(self.most, self._process.memory_info().rss)


def measure(groups: int, with_topics: int, one_by_one: int, folder: Path) -> dict[str, object]:
    """Collect all groups, then the first `one_by_one` of them one by one."""
    with Broker(folder / "broker", properties=PROPERTIES) as broker:
        simulated = simulated_groups.example("demo", groups)
        simulated_groups.create_topics(broker.bootstrap, simulated[:with_topics], replication=1)
        simulated_groups.join(broker.bootstrap, simulated)
        connection = ClusterConnection.of(broker.bootstrap, name="benchmark")
        lake = FsspecLake(str(folder / "lake"))
        wanted = Wanted({"demo-*": About(StatedByOperator(RELEASE, {}, {}))})
        with _Peak() as memory:
            report, requests = wiring.collect_many(connection, wanted, lake, "run", LIMIT_S, _tell)
        every = max(1, groups // one_by_one)
        chosen = simulated[::every][:one_by_one]
        began = time.monotonic()
        for group in chosen:
            about = settings.read(group.group_id, RELEASE, {}, {}, ())
            snapshots.keep(lake, wiring.collect_snapshot(connection, group.group_id, (), about))
        alone_s = (time.monotonic() - began) / len(chosen)
    return {
        "groups": report.taken,
        "members": 6 * report.taken,
        "with_topics": with_topics,
        "unread": len(report.unread),
        "seconds": round(report.seconds, 2),
        "groups_per_second": round(report.taken / report.seconds, 1),
        "requests": requests,
        "peak_mb": round(memory.most / 1e6),
        "peak_mb_beyond_start": round((memory.most - memory.before) / 1e6),
        "seconds_a_group_alone": round(alone_s, 3),
        "times_as_fast": round(alone_s * report.taken / report.seconds, 1),
    }


def main(argv: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", type=int, default=2_000)
    parser.add_argument("--with-topics", type=int, default=200)
    parser.add_argument("--one-by-one", type=int, default=40, help="how many are read one by one")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="holdfast-collect-") as folder:
        found = measure(given.groups, min(given.with_topics, given.groups), min(given.one_by_one, given.groups), Path(folder))
    lines = [json.dumps(found)] if given.json else [f"{name.replace('_', ' '):>24}  {value:,}" for name, value in found.items()]
    sys.stdout.write("\n".join(lines) + "\n")


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
