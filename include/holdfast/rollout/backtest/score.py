"""The score of a group: how often Holdfast decided its past rebalances as Kafka did."""

from collections import Counter
from collections.abc import Iterable, Sequence

from holdfast.kafka import java
from holdfast.rollout.backtest.judged import Because, Judged, NotForecast, RebalanceResult, SequenceResult
from holdfast.rollout.json.codec import INSTANT, choice, integer, nullable, table
from holdfast.rollout.json.record import member, record

_COUNT = integer(0, java.INT_MAX)


@record
class Score:
    """Counts of rebalances and of sequences. `inferred` and `not_judged` are counted apart: neither is in `judged`."""

    equal: int = member(_COUNT, default=0)
    different: int = member(_COUNT, default=0)
    inferred: int = member(_COUNT, default=0)
    not_judged: int = member(_COUNT, default=0)
    because: tuple[tuple[Because, int], ...] = member(
        table(choice(Because), _COUNT), "Of those not judged or inferred.", default=()
    )
    sequences: int = member(_COUNT, "Those that were compared.", default=0)
    ends_equal: int = member(_COUNT, default=0)
    rounds_within: int = member(_COUNT, default=0)
    seconds_within: int = member(_COUNT, default=0)
    sequences_not_compared: tuple[tuple[NotForecast, int], ...] = member(table(choice(NotForecast), _COUNT), default=())
    first_at: str | None = member(nullable(INSTANT), default=None)
    last_at: str | None = member(nullable(INSTANT), default=None)
    courses: int = member(
        _COUNT, "Of the sequences, those of more than one rebalance, as recorded or as forecast, or that take time.", default=0
    )
    course_rounds_within: int = member(_COUNT, default=0)
    durations_within: int = member(_COUNT, "Of the courses.", default=0)
    durations_learnt: int = member(_COUNT, "Courses whose range is learnt from those before it.", default=0)
    sequences_inferred: int = member(
        _COUNT, "Those with an inferred decision, whose stable end is as forecast; in none of the counts of sequences.", default=0
    )

    @property
    def judged(self) -> int:
        """Rebalances of which it is certain whether they were decided alike."""
        return self.equal + self.different

    @property
    def rebalances(self) -> int:
        return self.judged + self.inferred + self.not_judged

    @property
    def wrong(self) -> int:
        """Decisions and stable ends that Kafka decided otherwise."""
        return self.different + self.sequences - self.ends_equal

    @property
    def perfect(self) -> bool:
        """Nothing differed in what was judged or compared (times apart)."""
        return not self.wrong


def score_of(rebalances: Iterable[RebalanceResult], sequences: Iterable[SequenceResult]) -> Score:
    """The counts."""
    judged, because, moments = Counter[Judged](), Counter[Because](), list[str]()
    for one in rebalances:
        judged[one.judged] += 1
        because.update(one.because)
        moments.append(one.completed_at)
    every = tuple(sequences)
    compared = [one for one in every if one.compared and not one.end_inferred]
    apart = Counter(one.not_compared for one in every if one.not_compared is not None)
    return Score(
        judged[Judged.EQUAL],
        judged[Judged.DIFFERENT],
        judged[Judged.INFERRED],
        judged[Judged.NOT_JUDGED],
        tuple((one, because[one]) for one in Because if because[one]),
        len(compared),
        sum(one.end_equal for one in compared),
        sum(one.rounds_within for one in compared),
        sum(one.seconds_within for one in compared),
        tuple((one, apart[one]) for one in NotForecast if apart[one]),
        min(moments, default=None),
        max(moments, default=None),
        sum(one.course for one in every),
        sum(one.course and one.rounds_within for one in every),
        sum(one.course and one.seconds_within for one in every),
        sum(one.course and one.learnt_from is not None for one in every),
        sum(one.end_inferred for one in every),
    )


def total(scores: Sequence[Score]) -> Score:
    """The sum of scores."""
    because, apart = Counter[Because](), Counter[NotForecast]()
    for one in scores:
        because.update(dict(one.because))
        apart.update(dict(one.sequences_not_compared))
    firsts = [one.first_at for one in scores if one.first_at is not None]
    lasts = [one.last_at for one in scores if one.last_at is not None]
    return Score(
        sum(one.equal for one in scores),
        sum(one.different for one in scores),
        sum(one.inferred for one in scores),
        sum(one.not_judged for one in scores),
        tuple((one, because[one]) for one in Because if because[one]),
        sum(one.sequences for one in scores),
        sum(one.ends_equal for one in scores),
        sum(one.rounds_within for one in scores),
        sum(one.seconds_within for one in scores),
        tuple((one, apart[one]) for one in NotForecast if apart[one]),
        min(firsts, default=None),
        max(lasts, default=None),
        sum(one.courses for one in scores),
        sum(one.course_rounds_within for one in scores),
        sum(one.durations_within for one in scores),
        sum(one.durations_learnt for one in scores),
        sum(one.sequences_inferred for one in scores),
    )
