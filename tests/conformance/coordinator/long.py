"""The long run: very many random groups whose broker assigns, their targets against the published coordinators.

    python -m tests.conformance.coordinator.long --cases 100000 --into build/targets
    python -m tests.conformance.coordinator.long --kind consumer --cases 100000
    python -m tests.conformance.coordinator.long --cases 10000 --releases 4.4.0

A mismatch is made small, written to `mismatches.jsonl` below the folder, and the run goes on. Exit status 1 if there was any.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.coordinator import targets
from tests.conformance.coordinator.consumer import random_groups as random_consumer_groups
from tests.conformance.coordinator.consumer import targets as consumer_targets
from tests.conformance.coordinator.coordinator_jvm import ConsumerTargetJvm, CoordinatorJvm
from tests.conformance.coordinator.random_targets import Case, after_target, random_case
from tests.conformance.jvm import LeaderJvm

from holdfast.kafka.coordinator import release as streams_release
from holdfast.kafka.coordinator.consumer import release as consumer_release

FIRST_SEED = 1_000_000_000
"""Beyond what a run in CI draws."""
EACH = 100
"""Groups that are taken through their targets side by side."""
ROUNDS = 5
MADE_SMALL = 20


@dataclass(frozen=True)
class Kind:
    """How the groups of a protocol are drawn, asked and compared."""

    releases: tuple[str, ...]
    jvm: Callable[..., LeaderJvm]
    first: Callable[[random.Random], Case]
    after: Callable[[Case, Case, random.Random], Case]
    difference: Callable[[Case, str, Case], str]
    smaller: Callable[[Case, Callable[[Case], bool]], Case]


KINDS = {
    "streams": Kind(streams_release.RELEASES, CoordinatorJvm, random_case, after_target, targets.difference, targets.smaller),
    "consumer": Kind(
        consumer_release.RELEASES,
        ConsumerTargetJvm,
        random_consumer_groups.random_group,
        random_consumer_groups.after_target,
        consumer_targets.difference,
        consumer_targets.smaller,
    ),
}


def run(kind: Kind, release: str, cases: int, first_seed: int, into: Path | None) -> tuple[int, int]:
    """How many targets were compared, and how many differ."""
    compared = differ = 0
    with kind.jvm(release, "-XX:TieredStopAtLevel=4") as jvm:  # the better compiler pays over that number of groups
        while compared < cases:
            seeds = range(first_seed + compared, first_seed + compared + EACH)
            chances = [random.Random(seed) for seed in seeds]
            groups = [kind.first(chance) for chance in chances]
            for number in range(ROUNDS):
                answers = jvm.ask(groups)
                for seed, group, answer in zip(seeds, groups, answers, strict=True):
                    compared += 1
                    if kind.difference(group, release, answer):
                        differ += 1
                        _record(kind, jvm, seed, number, group, into if differ <= MADE_SMALL else None)
                groups = [kind.after(*each) for each in zip(groups, answers, chances, strict=True)]
    return compared, differ


def _record(kind: Kind, jvm: LeaderJvm, seed: int, number: int, case: Case, into: Path | None) -> None:
    sys.stdout.write(f"Kafka {jvm.release}: seed {seed}, target {number} differs\n")
    if into is None:
        return

    def differs(candidate: Case) -> bool:
        return bool(kind.difference(candidate, jvm.release, jvm.ask([candidate])[0]))

    small = kind.smaller(case, differs)
    into.mkdir(parents=True, exist_ok=True)
    with (into / "mismatches.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"release": jvm.release, "seed": seed, "target": number, "case": small}) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000, help="targets a release")
    parser.add_argument("--kind", choices=KINDS, default="streams")
    parser.add_argument("--releases", help="with commas; all that are covered by default")
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--into", type=Path, help="a folder for mismatches, made small")
    given = parser.parse_args()
    wrong = 0
    kind = KINDS[given.kind]
    for release in given.releases.split(",") if given.releases else kind.releases:
        began = time.perf_counter()
        compared, differ = run(kind, release, given.cases, given.first_seed, given.into)
        wrong += differ
        sys.stdout.write(f"Kafka {release}: {compared:,} targets, {differ:,} differ, {time.perf_counter() - began:,.0f} s\n")
        sys.stdout.flush()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
