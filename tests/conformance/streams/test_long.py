"""The long run goes on where it stopped, records what differs and goes on."""

import json
from pathlib import Path

import pytest
from tests.conformance.streams import groups, long

pytestmark = pytest.mark.jvm


def test_it_goes_on_where_it_stopped(tmp_path: Path) -> None:
    long.run(tmp_path, "3.9.1", cases=3, first_seed=70)
    long.run(tmp_path, "3.9.1", cases=5, first_seed=999)  # the first seed is that of the folder

    state = json.loads((tmp_path / "3.9.1.json").read_text())
    assert (state["first_seed"], state["done"], state["mismatches"]) == (70, 5, 0)
    assert "| 3.9.1 | 5 | 70 to 74 |" in (tmp_path / "results.md").read_text()
    assert not (tmp_path / "mismatches.jsonl").exists()


def test_what_differs_is_made_small_and_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here with a model that gives every group a standby more."""
    ours = groups.ours

    def wrong(case: groups.Case, release: str) -> groups.Case:
        more = int(case["config"].get("num.standby.replicas", 0)) + 1
        return ours(case | {"config": case["config"] | {"num.standby.replicas": more}}, release)

    monkeypatch.setattr(groups, "ours", wrong)
    monkeypatch.setattr(long, "MADE_SMALL", 1)  # each takes hundreds of decisions
    long.run(tmp_path, "3.9.1", cases=4, first_seed=70)

    found = [json.loads(line) for line in (tmp_path / "mismatches.jsonl").read_text().splitlines()]
    assert json.loads((tmp_path / "3.9.1.json").read_text())["done"] == 4
    first, *others = found
    assert len({member["process"] for member in first["case"]["members"]}) == 2
    assert sum(max(count for _, count in each["sources"]) for each in first["case"]["subtopologies"]) <= 4
    assert others
    assert [mismatch["case"] for mismatch in others] == [None] * len(others)
    assert all("standby: Kafka" in mismatch["difference"] for mismatch in found)
