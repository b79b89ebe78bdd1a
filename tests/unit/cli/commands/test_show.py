"""`holdfast show` of a plan in the lake: with its later documents."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.harness import command_line
from tests.harness.article import AFTER, change, group, just_now
from tests.harness.plans import REPLACE_FIRST

from holdfast.rollout.execution.verdict import PartitionScore, Result, TaskScore
from holdfast.rollout.journal.journal import Approval, DecidedBy, Journal, JournalEntry, JournalEvent
from holdfast.rollout.kinds.plan_history import history
from holdfast.rollout.kinds.score_json import Score
from holdfast.rollout.text import document_blocks


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return command_line.run(arguments, folder)


@pytest.fixture
def plan_id(tmp_path: Path) -> str:
    (tmp_path / "now.json").write_text(json.dumps(just_now(group(AFTER))))
    (tmp_path / "change.json").write_text(json.dumps(change(REPLACE_FIRST)))
    made = run(tmp_path, "plan", "now.json", "change.json", "--lake", "lake", "--json")
    return str(json.loads(made.stdout)["plan_id"])


@pytest.mark.thorough
def test_says_who_decided_and_how_far_it_is(tmp_path: Path, plan_id: str) -> None:
    before = run(tmp_path, "show", plan_id, "--lake", "lake")
    assert (before.returncode, before.stderr) == (0, "")
    assert "Decision: pending" in before.stdout
    assert before.stdout.index("HISTORY") < before.stdout.index("STEPS")

    words = ("--approved-by", "ann", "--reason", "read it", "--confirm", "1", "--lake", "lake")
    assert run(tmp_path, "apply", f"lake/plans/{plan_id}/plan.json", "--snapshot", "now.json", *words).returncode == 0
    after = run(tmp_path, "show", plan_id, "--lake", "lake").stdout
    assert "Decision: approved by ann at " in after
    assert ": read it" in after
    assert "Done: 1 of 4 steps; 2 is next" in after


@pytest.mark.thorough
def test_a_file_and_an_id_are_the_same_plan(tmp_path: Path, plan_id: str) -> None:
    file = f"lake/plans/{plan_id}/plan.json"

    for shape in ("--json", "--markdown", "--comment"):
        assert run(tmp_path, "show", plan_id, "--lake", "lake", shape).stdout == run(tmp_path, "show", file, shape).stdout
    assert run(tmp_path, "show", plan_id, "--lake", "lake", "--snapshot", "now.json").returncode == 0


def test_an_id_that_is_not_there_is_refused(tmp_path: Path) -> None:
    done = run(tmp_path, "show", "0" * 16, "--lake", "lake")

    assert (done.returncode, done.stdout) == (1, "")
    assert "holds no plans/0000000000000000/plan.json" in done.stderr


def said(approval: Approval | None, *entries: JournalEntry, score: Score | None = None) -> str:
    return document_blocks.to_text(history(("1", "2"), approval, Journal("p", entries), score))


AT = "2026-11-20T12:00:00Z"


def test_tells_people_policies_and_nobody_apart() -> None:
    assert "approved by vera (user 7) at 2026-11-20T12:00:00Z: fine" in said(Approval("p", True, "vera", "fine", AT, "7"))
    assert "rejected by vera at 2026-11-20T12:00:00Z, no reason given" in said(Approval("p", False, "vera", "", AT, "vera"))
    assert said(Approval("p", True, "vera", "fine", AT, asked_by="bob")).rstrip().endswith(": fine. Requested by bob")
    assert "Requested by" not in said(Approval("p", True, "vera", "fine", AT, asked_by="nobody"))
    late = Approval("p", False, "nobody", "nobody answered", AT, None, DecidedBy.TIME_OUT)
    assert "rejected by nobody at 2026-11-20T12:00:00Z (the request timed out)" in said(late)


def test_a_verdict_is_in_the_words_of_people() -> None:
    text = said(None, score=Score(Result.IN_PROGRESS, PartitionScore(0, 0), None, ()))

    assert "Verdict: in progress; 0 of 0 partitions as forecast, observed at an unknown time" in text


def test_tells_how_it_ended_and_no_name_steers() -> None:
    entries = tuple(JournalEntry(AT, step, JournalEvent.DONE, "ann\x1b[2J", "x\ny") for step in ("1", "2"))
    text = said(Approval("p", True, "v\u202e", "a\nb", AT), *entries, score=Score(Result.AS_FORECAST, TaskScore(6, 6), AT, ()))

    assert "Done: 1 2 of 2 steps\n" in text
    assert "Verdict: as forecast; 6 of 6 tasks as forecast, observed at" in text
    assert "v\\u202e" in text
    assert "ann\\u001b[2J: x\\u000ay" in text


def test_tells_what_is_rolled_back_and_names_no_next_step() -> None:
    events = (("1", JournalEvent.DONE), ("2", JournalEvent.HALTED), ("1", JournalEvent.GOING_BACK), ("1", JournalEvent.UNDONE))
    text = said(Approval("p", True, "ann", "", AT), *(JournalEntry(AT, step, event, "bob", "") for step, event in events))

    assert "Done: 1 of 2 steps\n" in text
    assert f"Going back: since {AT}, by bob; rolled back: 1\n" in text


def test_a_plan_without_steps_has_no_history() -> None:
    assert history((), None, Journal("p"), None) == ()
