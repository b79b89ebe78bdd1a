"""Consumer groups: the decision of every line of the table against the assignors in that release's own jar.

Each run makes new groups and takes them through several rebalances. A failure prints its seed and a case made small: add the
case to `cases.jsonl`, where it stays.

    HOLDFAST_SEED=N                    the groups of an earlier run
    HOLDFAST_CONFORMANCE_CASES=N       number of groups per release
    HOLDFAST_CONFORMANCE_RELEASES=all  every release of the table, or a list with commas; otherwise one or more of each line
"""

import base64
import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.conformance.consumer import groups as plain_groups
from tests.conformance.consumer.assignors_jvm import PlainJvm
from tests.conformance.consumer.groups import Case
from tests.conformance.consumer.random_groups import after_round, random_case

from holdfast.kafka.consumer import joining
from holdfast.kafka.consumer.group import Assignor
from holdfast.kafka.consumer.release import LINES, RELEASES, behaviour
from holdfast.kafka.consumer.sticky import sticky

pytestmark = pytest.mark.jvm

JUDGED = (
    *("2.6.3", "2.8.1", "2.8.2", "3.0.0", "3.0.2", "3.1.2", "3.4.0", "3.4.1", "3.5.1", "3.5.2", "3.7.0", "3.7.2", "3.9.1"),
    *("4.1.1", "4.3.1"),
)
CASES = int(os.environ.get("HOLDFAST_CONFORMANCE_CASES") or 60)
ROUNDS = 4
RECORDED = Path(__file__).parent / "cases.jsonl"
SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))


def _releases() -> tuple[str, ...]:
    asked = os.environ.get("HOLDFAST_CONFORMANCE_RELEASES", "")
    if asked == "all":
        return RELEASES
    return tuple(asked.split(",")) if asked else JUDGED


def test_every_line_of_the_table_is_judged_by_a_jar() -> None:
    assert {behaviour(release) for release in JUDGED} == set(LINES)


@pytest.mark.parametrize("jvm", _releases(), indirect=True)
def test_random_groups_are_assigned_as_the_release_assigns_them(jvm: PlainJvm) -> None:
    release = jvm.release
    print(f"HOLDFAST_SEED={SEED}: {CASES} groups for Kafka {release}")
    chances = [random.Random(SEED + number) for number in range(CASES // ROUNDS)]
    cases = [random_case(chance) for chance in chances]
    thrown = 0
    recorded = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
    _compare([("a recorded case", case) for case in recorded], jvm)
    for number in range(ROUNDS):
        where = [f"HOLDFAST_SEED={SEED + group}, round {number}" for group in range(len(cases))]
        answers = _compare(list(zip(where, cases, strict=True)), jvm)
        thrown += sum("error" in answer for answer in answers)
        cases = [after_round(*each) for each in zip(cases, answers, chances, strict=True)]
    assert thrown < CASES / 4 + 5, "many of the groups make the leader throw: they say little about assignments"


def test_arrays_decide_as_the_release_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """What very large groups take is taken by all that may: the same decisions."""
    print(f"HOLDFAST_SEED={SEED}: on arrays")
    monkeypatch.setattr(sticky, "MANY_OWNED", 0)
    monkeypatch.setattr(sticky, "MANY_OWNED_UNEQUALLY", 0)
    chances = [random.Random(SEED + number) for number in range(CASES // ROUNDS)]
    cases = [random_case(chance) for chance in chances]
    with PlainJvm("4.3.1") as jvm:
        for number in range(ROUNDS):
            where = [f"HOLDFAST_SEED={SEED + group}, on arrays, round {number}" for group in range(len(cases))]
            answers = _compare(list(zip(where, cases, strict=True)), jvm)
            cases = [after_round(*each) for each in zip(cases, answers, chances, strict=True)]


def _compare(cases: Sequence[tuple[str, Case]], jvm: PlainJvm) -> list[Case]:
    """Kafka's answers. Fail at the first group that is assigned otherwise, made small."""
    answers = jvm.ask(plain_groups.question(case, jvm.release) for _, case in cases)
    for (where, case), answer in zip(cases, answers, strict=True):
        if plain_groups.difference(case, jvm.release, answer):
            _fail(where, case, jvm)
    return answers


def _fail(where: str, case: Case, jvm: PlainJvm) -> None:
    def differs(candidate: Case) -> str:
        return plain_groups.difference(candidate, jvm.release, jvm.ask([plain_groups.question(candidate, jvm.release)])[0])

    small = plain_groups.smaller(case, lambda candidate: bool(differs(candidate)))
    pytest.fail(f"Kafka {jvm.release} and Holdfast differ ({where}):\n{differs(small)}\n{json.dumps(small)}", pytrace=False)


@pytest.mark.parametrize("jvm", dict.fromkeys((*_releases(), "3.2.3", "3.3.2")), indirect=True)
def test_members_write_their_subscriptions_as_the_release_writes_them(jvm: PlainJvm) -> None:
    release = jvm.release
    print(f"HOLDFAST_SEED={SEED}: subscriptions for Kafka {release}")
    cases = [random_case(random.Random(SEED + number)) for number in range(100)]
    answers = jvm.ask(plain_groups.question(case, release, "subscriptions") for case in cases)
    written = 0
    for case, answer in zip(cases, answers, strict=True):
        for member in plain_groups.group_of(case, release).members:
            kafka = base64.b64decode(answer[member.member_id])
            assignor = Assignor(case["assignor"])
            assert joining.encode(member, assignor, release) == kafka, f"{member} in {json.dumps(case)}"
            read = joining.decode(kafka, member.member_id, assignor, member.assignors[1:])
            reports = assignor is Assignor.STICKY or member.cooperative
            assert sorted(read.owned) == sorted(member.owned if reports else ())
            assert set(read.subscription) == set(member.subscription)
            written += bool(read.owned)
    assert written > 50


def test_the_command_answers_as_the_leaders_decide(tmp_path: Path) -> None:
    """Contract Snapshots in, several releases in one stream, through `holdfast assign --jsonl`."""
    print(f"HOLDFAST_SEED={SEED}: the command")
    releases = ("2.6.3", "3.1.2", "3.5.2", "4.3.1")
    cases = [random_case(random.Random(SEED + number)) for number in range(60)]
    kafka = {}
    for release in releases:
        with PlainJvm(release) as jvm:
            kafka[release] = jvm.ask(plain_groups.question(case, release) for case in cases)
    asked = [(release, number) for number in range(len(cases)) for release in releases]
    file = tmp_path / "snapshots.jsonl"
    lines = [json.dumps(plain_groups.snapshot_of(cases[number], release)) for release, number in asked]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "holdfast.cli.main", "assign", str(file), "--jsonl"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for (release, number), line in zip(asked, done.stdout.splitlines(), strict=True):
        said, theirs = json.loads(line), kafka[release][number]
        assert ("error" in said) == ("error" in theirs), f"Kafka {release}: {json.dumps(cases[number])}"
        for member, part in said.get("consumers", {}).items():
            for key in ("partitions", "withheld"):
                assert sorted(part[key]) == sorted(theirs[member][key]), f"Kafka {release}: {json.dumps(cases[number])}"
