"""Whose past a plan shows: the group's own, that of groups like it, or none."""

from holdfast.rollout.backtest import past
from holdfast.rollout.backtest.past import Of, PastScore, of_group, past_of, sentence
from holdfast.rollout.backtest.results import Backtest, GroupBacktest, ScoreOf
from holdfast.rollout.backtest.score import Score
from holdfast.rollout.json.record import codec_of

AT = "2026-11-20T12:00:00Z"
STREAMS = "streams-classic"


def group(name: str, equal: int, *releases: str, standbys: int | None = 1, protocol: str = STREAMS) -> GroupBacktest:
    score = Score(equal=equal, sequences=2, ends_equal=2)
    return GroupBacktest(name, protocol, score, scores=(ScoreOf(releases or ("3.9.1",), None, score),), standbys=standbys)


def backtest(*groups: GroupBacktest) -> Backtest:
    return Backtest("here", AT, None, Score(), groups)


def test_a_group_with_history_has_its_own_score() -> None:
    found = past_of(backtest(group("app", 412), group("other", 9)), "app", STREAMS, "3.9.1")

    assert (found.of, found.score.equal, found.groups) == (Of.GROUP, 412, 1)
    assert sentence(found) == "Holdfast decided 412 of 412 past rebalances of this group as Kafka did; 2 of 2 stable ends."


def test_one_with_little_history_has_that_of_groups_like_it() -> None:
    """Of the same kind, release and number of standbys."""
    others = (
        group("a", 20),
        group("b", 10, "3.2.3", "4.2.1"),
        group("older", 1_000, "2.8.2"),
        group("more standbys", 1_000, standbys=2),
        group("consumers", 1_000, protocol="consumer-classic"),
    )
    found = past_of(backtest(group("app", 1), *others), "app", STREAMS, "3.9.1")

    assert (found.of, found.score.equal, found.groups) == (Of.SIMILAR, 31, 3)
    assert sentence(found).startswith(
        "This group has little history. Holdfast decided 31 of 31 past rebalances of 3 groups like this"
    )


def test_one_that_is_alone_has_what_there_is_or_says_that_there_is_none() -> None:
    assert past_of(backtest(group("app", 1)), "app", STREAMS, "3.9.1").score.equal == 1
    none = past_of(backtest(group("older", 9, "2.8.2")), "app", STREAMS, "3.9.1")
    assert (none.of, none.groups) == (Of.NONE, 0)
    assert sentence(none) == "No past rebalance of this group, or of groups like it, has been judged."
    assert past_of(backtest(), "app", STREAMS, None).of is Of.NONE


def test_a_score_that_is_not_perfect_asks_for_care() -> None:
    found = PastScore(Of.GROUP, Score(equal=9, different=1), 1, AT)

    assert sentence(found) == "Check this forecast with care. Holdfast decided 9 of 10 past rebalances of this group as Kafka did."
    assert codec_of(PastScore).read(codec_of(PastScore).write(found)) == found
    similar = PastScore(Of.SIMILAR, Score(equal=9, different=1), 3, AT)
    assert sentence(similar).startswith("Check this forecast with care. This group has little history. Holdfast decided 9 of 10")


def test_the_page_of_a_group_has_no_advice_on_a_forecast() -> None:
    found = PastScore(Of.GROUP, Score(equal=9, different=1), 1, AT)
    says = "Holdfast decided 9 of 10 past rebalances of this group as Kafka did."

    assert of_group(found) == says
    assert of_group(found.fallen_since(Score(equal=9))) == f"This group's score has fallen since the day before. {says}"


def test_a_release_fits_between_the_first_and_the_last_that_it_may_be() -> None:
    assert past._fits(("3.2.3", "4.2.1"), "3.9.1")
    assert past._fits(("3.9.1",), "3.9.1")
    assert not past._fits(("3.2.3", "4.2.1"), "4.3.1")
    assert not past._fits(("3.9.1",), "3.9.0")
    assert not past._fits((), "4.3.1")
