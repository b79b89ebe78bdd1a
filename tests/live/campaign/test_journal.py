"""The trial's own parts that start nothing: what is drawn, how a journal goes on, what its page says."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.live.campaign import __main__ as campaign
from tests.live.campaign import cases, drawing, page
from tests.live.campaign.drawing import Case

CHANGE = {"name": "add a client", "rebalances": 2, "same": 2, "end": True, "count": True, "differences": []}


def performed(case: Case, changes: list[dict[str, Any]]) -> dict[str, Any]:
    return {"seed": case.seed, "case": case.number, "release": "3.9.1", "changes": changes}


def test_a_seed_draws_the_same_cases_again() -> None:
    found = [drawing.draw(7, number) for number in range(1, 60)]

    assert [(one.parts, one.settings, one.process_ids) for one in found] == [
        (one.parts, one.settings, one.process_ids) for one in (drawing.draw(7, number) for number in range(1, 60))
    ]
    assert {one.release for one in found} == set(drawing.RELEASES)
    assert {part["kind"] for one in found for part in json.loads(one.parts)} == set(drawing.KINDS)


def test_a_trial_goes_on_after_what_is_in_its_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A case that was interrupted has no whole line, and is done again."""
    done: list[int] = []

    def perform(case: Case, *_: object) -> dict[str, Any]:
        done.append(case.number)
        if len(done) == 3:
            raise KeyboardInterrupt
        return performed(case, [CHANGE])

    monkeypatch.setattr(cases, "perform", perform)
    with pytest.raises(KeyboardInterrupt):
        campaign.Trial(1, tmp_path, 60).work()
    with (tmp_path / page.JOURNAL).open("a") as journal:
        journal.write('{"seed": 1, "ca')
    assert [one["case"] for one in campaign.read(tmp_path / page.JOURNAL)] == [1, 2]
    done.clear()
    with pytest.raises(KeyboardInterrupt):
        campaign.Trial(1, tmp_path, 60).work()
    assert done == [3, 4, 5]
    assert [one["case"] for one in campaign.read(tmp_path / page.JOURNAL)] == [1, 2, 3, 4]


def test_cases_are_added_to_those_of_the_page_once(tmp_path: Path) -> None:
    for number in (1, 2):
        campaign.write(tmp_path / page.JOURNAL, performed(drawing.draw(1, number), [CHANGE]))
        for _ in range(2):
            campaign.add(tmp_path / page.JOURNAL, tmp_path / "trial.md")
    (tmp_path / page.JOURNAL).unlink()
    campaign.add(tmp_path / page.JOURNAL, tmp_path / "trial.md")
    assert "2 cases, 2 changes" in (tmp_path / "trial.md").read_text()


def test_single_cases_are_done_alone_and_take_the_place_of_those_that_were_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2, 3):
        found = performed(drawing.draw(1, number), []) | ({"refused": "unknown"} if number > 1 else {})
        campaign.write(tmp_path / "trial.jsonl", page.short(found))
    monkeypatch.setattr(cases, "perform", lambda case, *_: performed(case, [CHANGE]))
    campaign.Trial(1, tmp_path, 60, [2, 4]).work()
    campaign.add(tmp_path / page.JOURNAL, tmp_path / "trial.md")
    kept = campaign.read(tmp_path / "trial.jsonl")

    assert [(one["case"], len(one["changes"]), "refused" in one) for one in kept] == [
        (1, 0, False),
        (2, 1, False),
        (3, 0, True),
        (4, 1, False),
    ]


def test_the_page_of_the_project_is_that_of_its_cases() -> None:
    docs = Path(__file__).resolve().parents[3] / "docs"
    assert (docs / "trial.md").read_text(encoding="utf-8") == page.written(campaign.read(docs / "trial.jsonl"))


def test_the_page_counts_what_agreed_and_names_what_did_not() -> None:
    apart = {"same": 1, "end": False, "count": False, "took": 9, "forecast": [1, 4], "differences": ["0_0"]}
    late = {"ended": False, "ended_s": 90.0, "range_s": [10, 60], "left_out": ["rolling restart: 181 s", "add a client: 190 s"]}
    case = performed(drawing.draw(1, 1), [CHANGE, CHANGE | apart | late])
    ended = performed(drawing.draw(1, 2), []) | {"trouble": "Traceback …\nTimeoutError: no settled generation"}

    found = page.written([case, ended])

    assert "| 3.9.1 | 2 | 2 | 3 of 4 | 1 of 2 | 1 of 2 | 0 of 1 |" in found
    assert "- 1-1 (3.9.1), add a client: 1 decisions; the end; 9 rebalances, forecast 1 to 4; 90 s, range 10 to 60 s" in found
    assert "- 1-2 (3.9.1): TimeoutError: no settled generation" in found
    assert "- 2: the forecast takes longer than a change may" in found
    assert page.differs(case)
    assert page.differs(ended)
    assert not page.differs(performed(drawing.draw(1, 3), [CHANGE]))
