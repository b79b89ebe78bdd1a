"""Scores are sums of results, and their words say what is counted apart."""

from dataclasses import replace

from holdfast.rollout.backtest import words
from holdfast.rollout.backtest.judged import Because, Judged, NotForecast, RebalanceResult, Role, SequenceResult, TaskDifference
from holdfast.rollout.backtest.results import MOST_LISTED, Backtest, GroupBacktest, Led, ScoreOf, Tally, merged
from holdfast.rollout.backtest.score import Score, score_of, total
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.text.document_blocks import to_markdown, to_text

AT = "2026-11-20T12:00:00Z"
ONE, SOME = Led(("3.9.1",)), Led(("3.2.3", "4.2.1"))


def rebalance(number: int, judged: Judged = Judged.EQUAL, *because: Because, releases: tuple[str, ...] = ()) -> RebalanceResult:
    return RebalanceResult(number, AT, judged, because, releases=releases)


def sequence(rounds: int = 2, at_most: int = 2, **fields: object) -> SequenceResult:
    found = SequenceResult(1, rounds, rounds, 3.0, 1, at_most, 0.0, 10.0)
    return replace(found, **fields)  # type: ignore[arg-type]


def test_a_score_counts_what_is_certain_apart_from_what_is_not() -> None:
    results = [
        rebalance(1),
        rebalance(2),
        rebalance(3, Judged.DIFFERENT),
        rebalance(4, Judged.INFERRED, Because.END_OFFSETS),
        rebalance(5, Judged.NOT_JUDGED, Because.ASSIGNOR),
    ]
    ends = [sequence(), sequence(3), sequence(not_compared=NotForecast.UNFINISHED)]

    found = score_of(results, ends)

    assert (found.equal, found.judged, found.inferred, found.not_judged, found.rebalances) == (2, 3, 1, 1, 5)
    assert found.because == ((Because.END_OFFSETS, 1), (Because.ASSIGNOR, 1))
    assert (found.sequences, found.ends_equal, found.rounds_within, found.seconds_within) == (2, 2, 1, 2)
    assert found.sequences_not_compared == ((NotForecast.UNFINISHED, 1),)
    assert not found.perfect
    assert total((found, found)).rebalances == 10


def test_the_sentence_says_what_was_judged_and_how_it_ended() -> None:
    assert words.sentence(Score(equal=412, sequences=31, ends_equal=31)) == (
        "Holdfast decided 412 of 412 past rebalances of this group as Kafka did; 31 of 31 stable ends."
    )
    assert words.sentence(Score(equal=1, different=0, inferred=3)) == (
        "Holdfast decided 1 of 1 past rebalance of this group as Kafka did; 3 more rebalances inferred."
    )
    assert words.sentence(Score(inferred=1)) == "1 past rebalance of this group inferred."
    assert words.sentence(Score(not_judged=4)) == "No past rebalance of this group could be judged."
    counted = words.apart(Score(inferred=2, not_judged=1, because=((Because.END_OFFSETS, 2), (Because.LEADER, 1))))
    assert counted == "2 inferred, 1 not judged: end offsets of that moment are gone (2), leader unknown (1)"
    assert words.apart(Score(equal=3)) is None


def test_every_reason_has_words() -> None:
    assert set(words.BECAUSE) == set(Because)
    assert set(words.NOT_FORECAST) == set(NotForecast)


def test_a_release_that_explains_everything_leaves_nothing_open() -> None:
    tally = Tally()
    tally.take(SOME, rebalance(1, releases=("3.2.3", "4.2.1")))
    tally.take(SOME, rebalance(2, Judged.INFERRED, Because.RELEASE, releases=("4.2.1",)))
    tally.take(SOME, rebalance(3, Judged.INFERRED, Because.END_OFFSETS, releases=("3.2.3", "4.2.1")))

    found = tally.result("app", "streams-classic", (), None)

    assert (found.score.equal, found.score.inferred) == (2, 1)
    assert [one.judged for one in found.rebalances] == [Judged.EQUAL, Judged.EQUAL, Judged.INFERRED]
    assert found.score.because == ((Because.END_OFFSETS, 1),)


def test_releases_that_contradict_each_other_stay_open() -> None:
    tally = Tally()
    tally.take(SOME, rebalance(1, Judged.INFERRED, Because.RELEASE, releases=("3.2.3",)))
    tally.take(SOME, rebalance(2, Judged.INFERRED, Because.RELEASE, releases=("4.2.1",)))

    assert tally.result("app", "streams-classic", (), None).score.inferred == 2


def test_of_a_long_history_everything_is_counted_and_what_differs_is_listed() -> None:
    tally = Tally()
    for number in range(1, 3 * MOST_LISTED):
        tally.take(ONE, rebalance(number, Judged.DIFFERENT if number % 1_000 == 0 else Judged.EQUAL))
        tally.end(sequence(9 if number % 1_000 == 0 else 2))

    found = tally.result("app", "streams-classic", (), None)

    assert found.score.rebalances == 3 * MOST_LISTED - 1
    assert len(found.rebalances) == len(found.sequences) == MOST_LISTED
    assert [one.number for one in found.rebalances if one.judged is Judged.DIFFERENT] == [1_000, 2_000]


def test_numbers_without_a_record_are_counted_and_lives_are_added() -> None:
    tally = Tally()
    for number in (1, 2, 6):
        tally.take(ONE, rebalance(number))
    one = tally.result("app", "streams-classic", (), 1)

    assert one.not_recorded == 3
    both = merged((one, one))
    assert (both.score.rebalances, both.not_recorded, both.scores[0].score.rebalances) == (6, 6, 6)


def test_a_document_is_read_back_and_names_each_task_that_differs() -> None:
    differs = replace(
        rebalance(7, Judged.DIFFERENT),
        differences=(TaskDifference("0_1", Role.ACTIVE, ("a",), ("b",)),),
        mismatch="folder/mismatch-001.json",
    )
    ends = sequence(end_differences=(TaskDifference("0_2", Role.STANDBY, (), ("<b>",)),))
    score = score_of((differs,), (ends,))
    group = GroupBacktest(
        "app", "streams-classic", score, scores=(ScoreOf(("3.9.1",), None, score),), rebalances=(differs,), sequences=(ends,)
    )
    found = Backtest("here", AT, None, score, (group,), ("__consumer_offsets-3 was not read",))

    assert codec_of(Backtest).read(codec_of(Backtest).write(found)) == found
    text = to_text(words.blocks(found))
    for part in ("0_1 active", "Rebalance 7", "mismatch-001.json", "0_2 standby", "__consumer_offsets-3", "0 of 1 past rebalance"):
        assert part in text
    assert "<b>" not in to_markdown(words.blocks(found))
