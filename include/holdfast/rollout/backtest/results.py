"""The backtest of a group, and of many: scores, what is listed, and what it was judged with."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

from holdfast.kafka import java
from holdfast.rollout.backtest.judged import Because, Judged, RebalanceResult, SequenceResult, Setting
from holdfast.rollout.backtest.learnt import Learnt
from holdfast.rollout.backtest.score import Score, score_of, total
from holdfast.rollout.backtest.stops import Stop
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import INSTANT, NAME, TEXT, TEXTS, integer, items, nullable
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.record import codec_of, member, record

MOST_LISTED = 1_000
"""Rebalances and sequences of one group that are listed: first those that differ. All are counted."""
_COUNT = integer(0, java.INT_MAX)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Given:
    """What the broker does not know of a group. `release`: of the application; `broker_release`: of the coordinator; `config`:
    settings under Kafka's names, those that were given only; `changelogs`: the end offset of each partition of its changelog topics
    now (None: unknown); `since`: rebalances before it are learnt from and not judged; `brokers_newest`: the newest minor release
    that the brokers run now: none newer has decided anything; `group_configs`: of a group whose broker assigns, its configs now;
    `stopped`: members that rollouts have stopped, each with the moment, as their journals have it."""

    release: str | None = None
    broker_release: str | None = None
    config: tuple[tuple[str, ConfigValue], ...] = ()
    changelogs: tuple[tuple[str, tuple[int | None, ...]], ...] = ()
    since: str | None = None
    brokers_newest: str | None = None
    group_configs: tuple[tuple[str, ConfigValue], ...] = ()
    stopped: tuple[Stop, ...] = ()


class Led(NamedTuple):
    """What the leaders of some rebalances ran: one release, or those that it may be (one of each line); consumers' assignor."""

    releases: tuple[str, ...]
    assignor: str | None = None


@record
class ScoreOf:
    """The score of the rebalances that such leaders decided."""

    releases: tuple[str, ...] = member(TEXTS)
    assignor: str | None = member(nullable(TEXT), "Of consumer groups.", default=None, omit=True)
    score: Score = member(codec_of(Score), default=Score())

    @property
    def led(self) -> Led:
        return Led(self.releases, self.assignor)


def _scores_of(found: Mapping[Led, Score]) -> tuple[ScoreOf, ...]:
    return tuple(
        ScoreOf(led.releases, led.assignor, found[led]) for led in sorted(found, key=lambda one: (one.releases, one.assignor or ""))
    )


@record
class GroupBacktest:
    """One group. `scores`: by release, or releases where it is unknown. `not_recorded`: generations between the first and the last
    of which the log has no completed rebalance (removed by compaction, or never completed); of a group whose broker assigns, epochs
    before its first recorded target, each with one target at most. `rebalances`: those that are not equal; in a small group all.
    `learnt` None: nothing is, of this kind of group."""

    group_id: str = member(NAME)
    protocol: str = member(NAME)
    score: Score = member(codec_of(Score))
    settings: tuple[Setting, ...] = member(items(codec_of(Setting)), default=())
    scores: tuple[ScoreOf, ...] = member(items(codec_of(ScoreOf)), default=())
    standbys: int | None = member(nullable(_COUNT), default=None)
    not_recorded: int = member(_COUNT, default=0)
    rebalances: tuple[RebalanceResult, ...] = member(items(codec_of(RebalanceResult)), default=())
    sequences: tuple[SequenceResult, ...] = member(items(codec_of(SequenceResult)), default=())
    notes: tuple[str, ...] = member(TEXTS, default=(), omit=True)
    learnt: Learnt | None = member(nullable(codec_of(Learnt)), "What its past says of time.", default=None, omit=True)


@record(version=strict.FORMAT_VERSION, about="Past rebalances, decided again by Holdfast and compared with what Kafka decided.")
class Backtest:
    """All groups that were looked at. `unread`: partitions or groups that could not be read, each with its reason."""

    cluster: str = member(TEXT)
    made_at: str = member(INSTANT)
    since: str | None = member(nullable(INSTANT))
    score: Score = member(codec_of(Score))
    groups: tuple[GroupBacktest, ...] = member(items(codec_of(GroupBacktest)))
    unread: tuple[str, ...] = member(TEXTS, default=())


@dataclass(slots=True)
class _OfRelease:
    """What was counted under one label. `fitting`: releases that give every recorded decision so far; None: nothing was tried.
    `by_release`: how many are inferred for no other reason than that releases differ."""

    score: Score = field(default_factory=Score)
    fitting: frozenset[str] | None = None
    by_release: int = 0

    def add(self, more: Score) -> None:
        self.score = total((self.score, more))

    def narrow(self, result: RebalanceResult) -> None:
        if result.releases:
            found = frozenset(result.releases)
            self.fitting = found if self.fitting is None else self.fitting & found
        self.by_release += _only_release(result)

    @property
    def one_release(self) -> bool:
        """Some release decides all of it as recorded."""
        return bool(self.fitting)

    def settled(self) -> Score:
        """Where one release explains all of it, those that only other releases decide otherwise are equal."""
        if not self.by_release or not self.one_release:
            return self.score
        because = tuple(
            (one, left)
            for one, count in self.score.because
            if (left := count - self.by_release if one is Because.RELEASE else count)
        )
        score = self.score
        return replace(score, equal=score.equal + self.by_release, inferred=score.inferred - self.by_release, because=because)


def _only_release(result: RebalanceResult) -> bool:
    return result.judged is Judged.INFERRED and result.because == (Because.RELEASE,)


@dataclass(slots=True)
class Tally:
    """Takes a group's results in order; keeps counts, and what is to be listed."""

    not_recorded: int = 0
    _rebalances: list[tuple[Led, RebalanceResult]] = field(default_factory=list)
    _sequences: list[SequenceResult] = field(default_factory=list)
    _of: dict[Led, _OfRelease] = field(default_factory=dict)
    _last_label: Led = field(default_factory=lambda: Led(()))
    _last_number: int | None = None

    def take(self, label: Led, result: RebalanceResult) -> None:
        """`label`: what it is counted under."""
        self._last_label = label
        if self._last_number is not None:
            self.not_recorded += max(0, result.number - self._last_number - 1)
        self._last_number = result.number
        known = self._of.setdefault(label, _OfRelease())
        known.add(score_of((result,), ()))
        known.narrow(result)
        if result.judged is not Judged.EQUAL or len(self._rebalances) < MOST_LISTED:
            self._rebalances.append((label, result))
            if len(self._rebalances) > 2 * MOST_LISTED:
                self._rebalances = _most_telling(self._rebalances, lambda one: _RANK[one[1].judged])

    def end(self, sequence: SequenceResult) -> None:
        """Counted under the release of the last rebalance."""
        self._of.setdefault(self._last_label, _OfRelease()).add(score_of((), (sequence,)))
        if not _as_forecast(sequence) or len(self._sequences) < MOST_LISTED:
            self._sequences.append(sequence)
            if len(self._sequences) > 2 * MOST_LISTED:
                self._sequences = _most_telling(self._sequences, _as_forecast)

    def result(
        self, group_id: str, protocol: str, settings: Sequence[Setting], standbys: int | None, notes: Iterable[str] = ()
    ) -> GroupBacktest:
        scores = {label: one.settled() for label, one in self._of.items()}
        listed = _most_telling([self._settled(*one) for one in self._rebalances], lambda one: _RANK[one.judged])
        return GroupBacktest(
            group_id=group_id,
            protocol=protocol,
            settings=tuple(settings),
            score=total(tuple(scores.values())),
            scores=_scores_of(scores),
            standbys=standbys,
            not_recorded=self.not_recorded,
            rebalances=tuple(listed),
            sequences=tuple(_most_telling(self._sequences, _as_forecast)),
            notes=tuple(notes),
        )

    def _settled(self, label: Led, result: RebalanceResult) -> RebalanceResult:
        if _only_release(result) and self._of[label].one_release:
            return replace(result, judged=Judged.EQUAL, because=())
        return result


_RANK = {Judged.DIFFERENT: 0, Judged.NOT_JUDGED: 1, Judged.INFERRED: 2, Judged.EQUAL: 3}


def _most_telling(found: list[T], rank: Callable[[T], int]) -> list[T]:
    """Those with the lowest rank, in their order."""
    kept = sorted(range(len(found)), key=lambda index: (rank(found[index]), index))[:MOST_LISTED]
    return [found[index] for index in sorted(kept)]


def _as_forecast(one: SequenceResult) -> bool:
    return one.end_equal and one.rounds_within and one.seconds_within


def merged(lives: Sequence[GroupBacktest]) -> GroupBacktest:
    """One group that was deleted and came again: its histories as one."""
    if len(lives) == 1:
        return lives[0]
    labels = dict.fromkeys(each.led for one in lives for each in one.scores)
    scores = {label: total([each.score for one in lives for each in one.scores if each.led == label]) for label in labels}
    return GroupBacktest(
        group_id=lives[-1].group_id,
        protocol=lives[-1].protocol,
        settings=lives[-1].settings,
        score=total([one.score for one in lives]),
        scores=_scores_of(scores),
        standbys=lives[-1].standbys,
        not_recorded=sum(one.not_recorded for one in lives),
        rebalances=tuple(_most_telling([each for one in lives for each in one.rebalances], lambda one: _RANK[one.judged])),
        sequences=tuple(_most_telling([each for one in lives for each in one.sequences], _as_forecast)),
        notes=tuple(dict.fromkeys(note for one in lives for note in one.notes)),
        learnt=lives[-1].learnt,
    )
