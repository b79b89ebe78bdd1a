"""`holdfast assign --jsonl` on contract Snapshots of random groups, several releases in one stream, against the JVM of each.

HOLDFAST_SEED repeats a run, HOLDFAST_CONFORMANCE_CASES says how many groups a release.
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conformance.jvm import LeaderJvm
from tests.conformance.streams import groups, random_groups
from tests.conformance.streams.groups import Case
from tests.conformance.streams.snapshots import answer_of, sayable, snapshot_of

pytestmark = pytest.mark.jvm

RELEASES = ("2.6.3", "2.8.2", "3.1.2", "3.2.3", "3.5.2", "3.6.2", "3.9.1", "4.3.1")
GROUPS = int(os.environ.get("HOLDFAST_CONFORMANCE_CASES") or 40)
SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))
NONSENSE = "{nothing that JSON knows"


def test_the_command_answers_as_the_leaders_decide(tmp_path: Path) -> None:
    print(f"HOLDFAST_SEED={SEED}: {GROUPS} groups for each of {', '.join(RELEASES)}")
    asked = [(release, seed, random_groups.random_case(seed, release)) for seed in _seeds() for release in RELEASES]
    asked = [(release, seed, case) for release, seed, case in asked if sayable(case)]
    lines = [json.dumps(snapshot_of(case, release)) for release, _, case in asked]
    kafka = _answers_of_the_leaders(asked)
    middle = len(lines) // 2
    file = tmp_path / "snapshots.jsonl"
    file.write_text("\n".join([*lines[:middle], NONSENSE, *lines[middle:]]) + "\n", encoding="utf-8")

    done = subprocess.run(
        [sys.executable, "-m", "holdfast.cli.main", "assign", str(file), "--jsonl"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1, done.stderr[-2000:]  # for the one bad line
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(said) == len(lines) + 1
    bad = said.pop(middle)
    assert bad.keys() == {"error", "line"}
    assert bad["line"] == middle + 1
    for (release, seed, case), assignment in zip(asked, said, strict=True):
        difference = groups.between(kafka[release, seed], answer_of(assignment))
        assert not difference, f"Kafka {release}, HOLDFAST_SEED={seed}:\n{difference}\n{json.dumps(snapshot_of(case, release))}"
    assert sum("error" in answer for answer in said) < len(said) / 4, "leaders that throw say little about assignments"


def _seeds() -> range:
    return range(SEED, SEED + GROUPS)


def _answers_of_the_leaders(asked: list[tuple[str, int, Case]]) -> dict[tuple[str, int], Case]:
    found = {}
    for release in RELEASES:
        own = [(seed, case) for of, seed, case in asked if of == release]
        with LeaderJvm(release) as jvm:
            for (seed, _), answer in zip(own, jvm.ask(case for _, case in own), strict=True):
                found[release, seed] = answer
    return found
