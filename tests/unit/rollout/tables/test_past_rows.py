"""The past of a group as rows of `backtests`, and those rows as the score of a plan."""

from typing import Any

from tests.unit.rollout.backtest import test_past_file as files

from holdfast.rollout.backtest import past_file
from holdfast.rollout.backtest.learnt import Learnt, Quantity, Span
from holdfast.rollout.backtest.past import Of, PastScore, sentence
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.tables import past_rows

PATH = "past/cluster=here/day=2026-11-21/group=app/1.records"


def rows(path: str = PATH, content: bytes | None = None) -> dict[str, Any]:
    whole = past_file.written(files.HEADER, files.frames(8)) or b""
    found: dict[str, Any] = past_rows.judged(path, whole if content is None else content)
    return found


def row(group_id: str = "app", **changed: Any) -> dict[str, Any]:
    """One of the table."""
    (score,) = rows()["scores"]
    return {"group_id": group_id, "captured_at": files.HEADER.read_at, **score, **changed}


def test_a_file_is_judged() -> None:
    found = rows()

    assert {name: found[name] for name in ("cluster", "day", "group_id", "snapshot", "captured_at", "problem")} == {
        "cluster": "here",
        "day": "2026-11-21",
        "group_id": "app",
        "snapshot": PATH,
        "captured_at": files.HEADER.read_at,
        "problem": None,
    }
    (score,) = found["scores"]
    assert (score["protocol"], score["releases"], score["different"]) == ("streams-classic", ["3.9.1"], 0)
    assert score["equal"] + score["inferred"] + score["not_judged"] == 8
    assert set(past_rows.COLUMNS) - {"group_id", "captured_at"} <= score.keys()


def test_a_group_whose_broker_assigns_is_judged_too() -> None:
    header = past_file.PastHeader("here", "shop", files.HEADER.read_at, coordinated=True)
    (score,) = rows(content=past_file.written(header, files.of_broker()))["scores"]
    assert (score["protocol"], score["standbys"], score["equal"], score["different_numbers"]) == ("streams", 1, 3, [])


def test_what_is_no_past_is_a_problem() -> None:
    found = rows(content=b"no past")
    assert found["scores"] == []
    assert "a line of JSON is needed" in found["problem"]
    assert "allowed here" in rows(content=b"\0" * (past_rows.LARGEST + 1))["problem"]


class TestTheScoreOfAPlan:
    def score(self, now: list[dict[str, Any]], before: tuple[dict[str, Any], ...] = (), group_id: str = "app") -> PastScore | None:
        return past_rows.score_of(now, before, group_id, "streams-classic", "3.9.1")

    def test_is_that_of_the_group(self) -> None:
        found = self.score([row(equal=400), row("other", equal=3)])
        assert found is not None
        assert (found.of, found.score.equal, found.made_at, found.wrong_before) == (Of.GROUP, 400, files.HEADER.read_at, None)

    def test_is_that_of_groups_like_it_where_there_is_little_history(self) -> None:
        found = self.score([row("other", equal=30), row("another", equal=20)], group_id="new")
        assert found is not None
        assert (found.of, found.groups, found.score.equal) == (Of.SIMILAR, 2, 50)

    def test_says_that_it_has_fallen(self) -> None:
        now, before = row(equal=398, different=2), row(equal=399, different=1)
        found = self.score([now], (before,))
        assert found is not None
        assert found.wrong_before == 1
        assert "score has fallen since the day before" in sentence(found)
        assert codec_of(PastScore).read(codec_of(PastScore).write(found)) == found
        for steady in (self.score([now], (now,)), self.score([before], (now,)), self.score([now])):
            assert steady is not None
            assert steady.wrong_before is None
            assert sentence(steady).startswith("Check this forecast with care. Holdfast decided")

    def test_is_none_without_a_night(self) -> None:
        assert self.score([]) is None

    def test_has_what_was_learnt_of_the_group_where_it_can_be_read(self) -> None:
        learnt = Learnt(restore=Quantity(41, Span(800, 1_200, 2_400)))
        written = dumps(codec_of(Learnt).write(learnt))
        for text, expected in ((written, learnt), (None, None), ('{"restore": {"seen": "often"}}', None), ("{", None)):
            found = self.score([row(equal=400, learnt=text)])
            assert found is not None
            assert found.learnt == expected

    def test_is_read_from_a_night_of_an_older_release(self) -> None:
        added = dict.fromkeys(("courses", "course_rounds_within", "durations_within", "durations_learnt", "learnt"))
        found = self.score([row(equal=400, **added)])
        assert found is not None
        assert (found.score.courses, found.learnt) == (0, None)
