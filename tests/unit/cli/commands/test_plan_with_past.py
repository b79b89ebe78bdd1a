"""`holdfast plan --backtest`: the plan begins with the score of its group."""

import json
from pathlib import Path

from click.testing import CliRunner
from tests.harness.article import just_now

from holdfast.cli.main import holdfast
from holdfast.rollout.backtest.results import Backtest, GroupBacktest, ScoreOf
from holdfast.rollout.backtest.score import Score
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.kinds.any_document import plan_from_json

EXAMPLE = Path(__file__).parents[4] / "examples" / "streams-wordcount"
SENTENCE = "Holdfast decided 412 of 412 past rebalances of this group as Kafka did; 31 of 31 stable ends."


def test_the_plan_begins_with_the_score_and_is_read_back(tmp_path: Path) -> None:
    snapshot, backtest = tmp_path / "snapshot.json", tmp_path / "backtest.json"
    taken = just_now(json.loads((EXAMPLE / "snapshot.json").read_text()))
    snapshot.write_text(json.dumps(taken))
    score = Score(equal=412, sequences=31, ends_equal=31)
    group = GroupBacktest(taken["group_id"], "streams-classic", score, scores=(ScoreOf(("3.9.1",), None, score),))
    found = Backtest("here", "2026-11-20T12:00:00Z", None, score, (group,))
    backtest.write_text(json.dumps(codec_of(Backtest).write(found)))

    def planned(*more: str) -> str:
        arguments = ["plan", str(snapshot), str(EXAMPLE / "change.json"), *more]
        return CliRunner().invoke(holdfast, arguments, standalone_mode=False).stdout

    with_score = planned("--backtest", str(backtest), "--json")
    document = json.loads(with_score)
    assert document["past"]["score"]["equal"] == 412
    assert plan_from_json(document).past is not None
    without = json.loads(planned("--json"))
    assert "past" not in without
    assert without["plan_id"] != document["plan_id"]
    for shape in ("text", "markdown", "comment"):
        assert SENTENCE in planned("--backtest", str(backtest), "--format", shape).replace("\\", "")
