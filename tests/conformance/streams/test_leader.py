"""The decision of every release in the table, against that release's own `StreamsPartitionAssignor.assign`.

Each run makes new groups. A failure prints its seed and a case made small: add the case to `cases.jsonl`, where it stays.

    HOLDFAST_SEED=N                    the groups of an earlier run
    HOLDFAST_CONFORMANCE_CASES=N       number of groups per release
    HOLDFAST_CONFORMANCE_RELEASES=all  every release of the table, or a list with commas; otherwise one or more of each line
"""

import collections
import itertools
import json
import os
import random
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.conformance.jvm import LeaderJvm
from tests.conformance.streams import groups, random_groups, record
from tests.conformance.streams.groups import Case
from tests.conformance.streams.smaller import smaller

from holdfast.kafka.release import LINES, RELEASES, behaviour

pytestmark = pytest.mark.jvm

JUDGED = (
    *("2.6.3", "2.7.2", "2.8.2", "3.0.2", "3.1.2", "3.2.3", "3.4.1", "3.5.1", "3.5.2", "3.6.2", "3.7.2", "3.8.1", "3.9.1"),
    *("4.0.1", "4.1.1", "4.2.1", "4.3.1"),
)
CASES = int(os.environ.get("HOLDFAST_CONFORMANCE_CASES") or 50)
BIG_GROUPS = {"many": 3, "strided": 6, "broad": 1, "crowded": 2}
"""Of 200 groups; a few less of fewer groups, as each costs as much as a hundred others."""
RECORDED = Path(__file__).parent / "cases.jsonl"
SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))


def _releases() -> tuple[str, ...]:
    asked = os.environ.get("HOLDFAST_CONFORMANCE_RELEASES", "")
    if asked == "all":
        return RELEASES
    return tuple(asked.split(",")) if asked else JUDGED


def _lines_of(path: Path) -> list[Case]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def test_every_line_of_the_table_is_judged_by_a_jar() -> None:
    assert {behaviour(release) for release in JUDGED} == set(LINES)
    assert {behaviour(release) for release in record.RELEASES} == set(LINES)


@pytest.mark.parametrize("jvm", _releases(), indirect=True)
def test_random_groups_are_assigned_as_the_release_assigns_them(jvm: LeaderJvm) -> None:
    release = jvm.release
    print(f"HOLDFAST_SEED={SEED}: {CASES} groups for Kafka {release}")
    recorded = [("a recorded case", case) for case in _lines_of(RECORDED)]
    seeds = range(SEED, SEED + CASES)
    drawn = ((f"HOLDFAST_SEED={seed}", random_groups.random_case(seed, release)) for seed in seeds)
    thrown = _compare(itertools.chain(recorded, drawn), jvm)
    assert thrown < CASES / 4 + 5, "many of the groups make the leader throw: they say little about assignments"


@pytest.mark.parametrize("jvm", _releases(), indirect=True)
def test_big_groups_too(jvm: LeaderJvm) -> None:
    """Heaps, and hash tables whose buckets are trees, order otherwise than those of a few tasks."""
    release = jvm.release
    print(f"HOLDFAST_SEED={SEED}: big groups for Kafka {release}")
    kinds = [kind for kind, count in BIG_GROUPS.items() for _ in range(max(1, round(count * min(CASES / 200, 1))))]
    drawn = (
        (f"HOLDFAST_SEED={SEED + n}, {kind}", random_groups.random_case(SEED + n, release, big=kind))
        for n, kind in enumerate(kinds)
    )
    _compare(drawn, jvm)


def _compare(cases: Iterable[tuple[str, Case]], jvm: LeaderJvm) -> int:
    """Fail at the first group that is assigned otherwise, made small. How many made the leader throw."""
    put: collections.deque[str] = collections.deque()
    thrown = 0

    def questions() -> Iterator[Case]:
        for where, case in cases:
            put.append(where)
            yield case

    with closing(jvm.answers(questions())) as answers:
        for case, answer in answers:
            where = put.popleft()
            thrown += "error" in answer
            if groups.difference(case, jvm.release, answer):
                break
        else:
            return thrown
    small = smaller(case, lambda candidate: bool(groups.difference(candidate, jvm.release, jvm.ask([candidate])[0])))
    difference = groups.difference(small, jvm.release, jvm.ask([small])[0])
    pytest.fail(f"Kafka {jvm.release} and Holdfast differ ({where}):\n{difference}\n{json.dumps(small)}", pytrace=False)


@pytest.mark.parametrize("jvm", record.RELEASES, indirect=True)
def test_the_golden_file_is_what_the_jvm_says(jvm: LeaderJvm) -> None:
    release = jvm.release
    entries = [entry for entry in _lines_of(record.GOLDEN) if entry["release"] == release]
    for entry, answer in zip(entries, jvm.ask(entry["case"] for entry in entries), strict=True):
        assert answer == entry["answer"], entry["name"]
    assert entries
