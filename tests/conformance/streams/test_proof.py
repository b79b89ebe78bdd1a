"""The comparison itself: it sees every difference, and makes a case small without losing what it shows."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.streams import groups, random_groups
from tests.conformance.streams.groups import Case
from tests.conformance.streams.smaller import smaller
from tests.conformance.streams.snapshots import answer_of, sayable, snapshot_of

from holdfast.kafka.release import behaviour
from holdfast.workflows.deciding import assign_document

GOLDEN = Path(__file__).parents[2] / "golden" / "leader.jsonl"


def _altered(answer: Case) -> Iterator[Case]:
    """The answer with one thing in it changed, in each place."""
    yield answer | {"probing": not answer["probing"]}
    yield answer | {"consumers": dict(list(answer["consumers"].items())[1:])}
    for level in ("clients", "consumers"):
        for name, given in answer[level].items():
            for key, value in given.items():
                if value is None:
                    continue
                changed = copy.deepcopy(answer)
                changed[level][name][key] = [*value, "99_99"] if isinstance(value, list) else 7 if key == "code" else "another"
                yield changed


def test_every_change_of_an_answer_is_a_difference() -> None:
    for line in GOLDEN.read_text(encoding="utf-8").splitlines():
        answer = json.loads(line)["answer"]
        assert groups.between(answer, answer) == ""
        if "error" in answer:
            assert groups.between(answer, {"error": "OtherException: x"})
            assert groups.between(answer, {"error_code": 1})
            continue
        assert groups.between(answer, {"error": "IllegalStateException: x"})
        for changed in _altered(answer):
            assert groups.between(answer, changed) != ""


def test_an_error_code_is_one_answer_to_everybody() -> None:
    sent = {"clients": {}, "consumers": {name: {"active": [], "standby": [], "next": "none", "code": 1} for name in "ab"}}

    assert groups.between(sent, {"error_code": 1}) == ""
    assert "error code 2" in groups.between(sent, {"error_code": 2})


def test_a_case_is_made_as_small_as_what_it_shows() -> None:
    case = random_groups.random_case(3, "3.9.1", big="many")
    process = case["members"][7]["process"]

    def shows(candidate: Case) -> bool:
        widest = max(count for subtopology in candidate["subtopologies"] for _, count in subtopology["sources"])
        return any(member["process"] == process for member in candidate["members"]) and widest > 4

    small = smaller(case, shows)

    assert [member["process"] for member in small["members"]] == [process]
    assert [count for subtopology in small["subtopologies"] for _, count in subtopology["sources"]].count(5) == 1
    assert small["members"][0]["owned"] == []
    assert small["members"][0]["sums"] == {}


@pytest.mark.parametrize("release", ["2.8.2", "3.9.1"])
def test_a_part_that_is_added_changes_no_case_of_the_others(release: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = [random_groups.random_case(seed, release) for seed in range(40)]

    def nothing(chance: object, case: Case, line: object) -> None:
        assert line == behaviour(release)

    monkeypatch.setattr(random_groups, "GROUP", (nothing, *random_groups.GROUP))

    assert [random_groups.random_case(seed, release) for seed in range(40)] == before


def test_a_case_and_its_snapshot_are_the_same_group() -> None:
    for seed in range(60):
        case = random_groups.random_case(seed, "3.9.1")
        if sayable(case):
            assert answer_of(assign_document(snapshot_of(case, "3.9.1"), None, ())) == groups.ours(case, "3.9.1")
