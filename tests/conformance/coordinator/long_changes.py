"""The long run: very many random changes to streams groups, their forecasts against whole coordinators with mock time.

    python -m tests.conformance.coordinator.long_changes --changes 2000
    python -m tests.conformance.coordinator.long_changes --changes 500 --releases 4.4.0

Each change is judged twice: target by target with all events of a batch before one target, and in time with heartbeats at random
phases. What differs is printed with its seed. Exit status 1 if anything did.
"""

import argparse
import random
import sys
import time
from collections.abc import Iterator

from tests.conformance.coordinator.apart_changes import ApartChange
from tests.conformance.coordinator.changes import RandomChange, computed, mismatch
from tests.conformance.coordinator.coordinator_jvm import WholeCoordinatorJvm
from tests.conformance.coordinator.reported_changes import ReportedChange
from tests.conformance.coordinator.static_changes import StaticChange
from tests.conformance.coordinator.timed import TimedChange

from holdfast.kafka.coordinator.release import RELEASES, behaviour

FIRST_SEED = 1_000_000_000
"""Beyond what a run in CI draws."""
EACH = 100


def targets(jvm: WholeCoordinatorJvm, seeds: range) -> Iterator[tuple[int, int, str]]:
    """The seed of each change, how many targets it has, and what differs. In some the threads of a client are gone one after the
    other; from 4.4 on half have static clients, and members report offsets in one of these."""
    kinds = (RandomChange, ApartChange, *((ReportedChange, StaticChange) if behaviour(jvm.release).static_members else ()))
    changes = [kinds[seed % len(kinds)](random.Random(seed), jvm.release) for seed in seeds]
    for seed, change, (_, answer) in zip(seeds, changes, jvm.answers(one.script for one in changes), strict=True):
        shown = answer["steps"][change.settled :]
        refused = [one["error"] for one in shown if "error" in one]
        forecast = change.forecast(shown[0])
        yield seed, len(forecast), refused[0] if refused else mismatch(forecast, computed(shown))


def times(jvm: WholeCoordinatorJvm, seeds: range) -> Iterator[tuple[int, int, str]]:
    """The same in time: 1 where the targets are those that were forecast, too."""
    changes = [TimedChange(random.Random(seed), jvm.release) for seed in seeds]
    for seed, change, (_, answer) in zip(seeds, changes, jvm.answers(one.script for one in changes), strict=True):
        refused = [one["error"] for one in answer["steps"] if "error" in one]
        wrong, alike = change.wrong(answer["steps"])
        yield seed, int(alike), refused[0] if refused else wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changes", type=int, default=1_000, help="a release")
    parser.add_argument("--releases", default=",".join(RELEASES), help="with commas")
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    given = parser.parse_args()
    differ = 0
    for release in given.releases.split(","):
        for what, judge in (("targets", targets), ("changes in time with the targets forecast", times)):
            began, count, wrong = time.perf_counter(), 0, 0
            with WholeCoordinatorJvm(release, "-XX:TieredStopAtLevel=4") as jvm:
                for first in range(given.first_seed, given.first_seed + given.changes, EACH):
                    for seed, found, says in judge(jvm, range(first, min(first + EACH, given.first_seed + given.changes))):
                        count, wrong = count + found, wrong + bool(says)
                        if says:
                            sys.stdout.write(f"Kafka {release}: seed {seed}: {says[:500]}\n")
            took = time.perf_counter() - began
            sys.stdout.write(f"Kafka {release}: {given.changes:,} changes, {count:,} {what}, {wrong:,} differ, {took:,.0f} s\n")
            sys.stdout.flush()
            differ += wrong
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
