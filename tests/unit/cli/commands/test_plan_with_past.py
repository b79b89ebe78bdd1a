"""`holdfast plan --backtest`: the plan begins with the score of its group."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.harness.article import just_now

from holdfast.cli.main import holdfast
from holdfast.rollout.backtest.learnt import Held, Learnt, Quantity, Span
from holdfast.rollout.backtest.results import Backtest, GroupBacktest, ScoreOf
from holdfast.rollout.backtest.score import Score
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.kinds.any_document import plan_from_json

EXAMPLE = Path(__file__).parents[4] / "examples" / "streams-wordcount"
SENTENCE = (
    "Holdfast decided 412 of 412 past rebalances of this group as Kafka did; 31 of 31 stable ends; durations within the range 29 of"
    " 31."
)
LEARNT = Learnt(restore=Quantity(41, Span(800, 1_200, 2_400)), start_up=Quantity(4), rebalances=Held(29, 31, 1))


def backtested(group_id: str, learnt: Learnt | None = None) -> object:
    score = Score(equal=412, sequences=31, ends_equal=31, courses=31, durations_within=29)
    group = GroupBacktest(group_id, "streams-classic", score, scores=(ScoreOf(("3.9.1",), None, score),), learnt=learnt)
    return codec_of(Backtest).write(Backtest("here", "2026-11-20T12:00:00Z", None, score, (group,)))


def plan(snapshot: Path, *more: str) -> str:
    arguments = ["plan", str(snapshot), str(EXAMPLE / "change.json"), *more]
    return CliRunner().invoke(holdfast, arguments, standalone_mode=False).stdout


@pytest.mark.thorough
def test_the_plan_begins_with_the_score_and_is_read_back(tmp_path: Path) -> None:
    snapshot, backtest = tmp_path / "snapshot.json", tmp_path / "backtest.json"
    taken = just_now(json.loads((EXAMPLE / "snapshot.json").read_text()))
    snapshot.write_text(json.dumps(taken))
    backtest.write_text(json.dumps(backtested(taken["group_id"])))

    def planned(*more: str) -> str:
        return plan(snapshot, *more)

    with_score = planned("--backtest", str(backtest), "--json")
    document = json.loads(with_score)
    assert document["past"]["score"]["equal"] == 412
    assert plan_from_json(document).past is not None
    without = json.loads(planned("--json"))
    assert "past" not in without
    assert without["plan_id"] != document["plan_id"]
    for shape in ("text", "markdown", "comment"):
        assert SENTENCE in planned("--backtest", str(backtest), "--format", shape).replace("\\", "")


def test_times_follow_from_what_was_learnt_and_contradict_what_is_stated(tmp_path: Path) -> None:
    snapshot, backtest, policy = (tmp_path / f"{name}.json" for name in ("snapshot", "backtest", "policy"))
    taken = just_now(json.loads((EXAMPLE / "snapshot.json").read_text()))
    snapshot.write_text(json.dumps(taken))
    backtest.write_text(json.dumps(backtested(taken["group_id"], LEARNT)))
    policy.write_text(json.dumps({"format_version": "1.0", "restore_records_per_second": 10_000}))

    document = json.loads(plan(snapshot, "--backtest", str(backtest), "--json"))
    used = document["policy"]
    assert (used["restore_slowest"], used["restore_records_per_second"], used["restore_fastest"]) == (800, 1_200, 2_400)
    assert (used["restore_rate_source"], used["restore_observations"]) == ("history", 41)
    without = json.loads(plan(snapshot, "--json"))
    assert document["created_from"]["policy"] == without["created_from"]["policy"]  # what was given

    stated = json.loads(plan(snapshot, "--backtest", str(backtest), "--policy", str(policy), "--json"))
    assert stated["policy"]["restore_records_per_second"] == 10_000
    (disagreement,) = stated["past"]["disagreements"]
    assert (disagreement["what"], disagreement["low"], disagreement["learnt"]["high"]) == ("restore speed", 10_000, 2_400)
    text = plan(snapshot, "--backtest", str(backtest), "--policy", str(policy), "--format", "markdown").replace("\\", "")
    for part in (
        "Check the stated restore speed: it is 10,000 records/s; 41 restores of this group show 800 to 2,400 records/s.",
        "Number of rebalances: within the forecast range in 29 of 31 past courses; 1 more on either side cover nine in ten",
        "800 to 2,400 records/s, learnt from 41 restores of this group",
        "1 more on either side by this group's past.",
        "assumed: 4 restarts of this group seen, 19 needed",
    ):
        assert part in text
