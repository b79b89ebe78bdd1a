"""The score at the top of a plan: of the group's own past, or of groups like it."""

from dataclasses import replace
from enum import StrEnum

from holdfast.kafka import java
from holdfast.kafka.release_lines import is_older
from holdfast.rollout.backtest import learnt_words, words
from holdfast.rollout.backtest.learnt import Disagreement, Learnt
from holdfast.rollout.backtest.results import Backtest, GroupBacktest
from holdfast.rollout.backtest.score import Score, total
from holdfast.rollout.json.codec import INSTANT, choice, integer, items, nullable
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.text.format import many

FEW = 5
"""A group with fewer judged rebalances is compared with groups like it, too."""


class Of(StrEnum):
    """Whose past it is."""

    GROUP = "group"
    SIMILAR = "similar groups"
    """Of the same kind, release and number of standbys."""
    NONE = "none"


@record
class PastScore:
    """`groups`: how many groups it is of. `made_at`: when the backtest was made. `wrong_before`: how much was decided
    otherwise on the day before, where it is more now (None: it is not)."""

    of: Of = member(choice(Of))
    score: Score = member(codec_of(Score))
    groups: int = member(integer(0, java.INT_MAX))
    made_at: str = member(INSTANT)
    wrong_before: int | None = member(nullable(integer(0, java.INT_MAX)), default=None, omit=True)
    learnt: Learnt | None = member(nullable(codec_of(Learnt)), "What the group's own past says of time.", default=None, omit=True)
    disagreements: tuple[Disagreement, ...] = member(
        items(codec_of(Disagreement)), "Stated times that its past contradicts.", default=(), omit=True
    )

    def fallen_since(self, before: Score) -> "PastScore":
        """The same, of a group of which more is decided otherwise than on the day before."""
        return replace(self, wrong_before=before.wrong)


def past_of(found: Backtest, group_id: str, protocol: str, release: str | None) -> PastScore:
    """The group's own score; with few judged rebalances that of groups like it, the group among them; else none. What is learnt
    is its own alone."""
    own = next((one for one in found.groups if one.group_id == group_id and one.protocol == protocol), None)
    score = _score_of(found, own, protocol, release)
    return score if own is None else replace(score, learnt=own.learnt)


def _score_of(found: Backtest, own: GroupBacktest | None, protocol: str, release: str | None) -> PastScore:
    if own is not None and own.score.judged >= FEW:
        return PastScore(Of.GROUP, own.score, 1, found.made_at)
    standbys = None if own is None else own.standbys
    like = [
        scores
        for one in found.groups
        if one.protocol == protocol and (own is None or one.standbys == standbys) and (scores := _of_release(one, release))
    ]
    similar = total([score for scores in like for score in scores])
    if similar.judged >= FEW:
        return PastScore(Of.SIMILAR, similar, len(like), found.made_at)
    if own is not None and own.score.rebalances:
        return PastScore(Of.GROUP, own.score, 1, found.made_at)
    return PastScore(Of.NONE, Score(), 0, found.made_at)


def _of_release(group: GroupBacktest, release: str | None) -> list[Score]:
    """Its scores under this release, or releases that it may be."""
    return [one.score for one in group.scores if release is None or _fits(one.releases, release)]


def _fits(releases: tuple[str, ...], release: str) -> bool:
    """Whether it is one of them, or between the first and the last: of each line of releases there is one."""
    if not releases or release in releases:
        return bool(releases)
    return not is_older(release, releases[0]) and not is_older(releases[-1], release) and len(releases) > 1


def sentence(past: PastScore) -> str:
    """What a plan says at its top."""
    sure = None if past.learnt is None else learnt_words.rebalances(past.learnt.rebalances)
    return " ".join((_of_score(past), *map(learnt_words.disagreement, past.disagreements), *(() if sure is None else (sure,))))


def learnt(past: PastScore | None) -> tuple[tuple[str, str], ...]:
    """What a plan says of what its times are learnt from: labels and texts."""
    return () if past is None or past.learnt is None else tuple(learnt_words.lines(past.learnt))


def of_group(past: PastScore) -> str:
    """What the page of a group says."""
    fallen = "This group's score has fallen since the day before. " if past.wrong_before is not None else ""
    return f"{fallen}{_about(past)}"


def _of_score(past: PastScore) -> str:
    if past.wrong_before is not None:
        return f"Check this forecast with care: this group's score has fallen since the day before. {_about(past)}"
    return _about(past) if past.score.perfect else f"Check this forecast with care. {_about(past)}"


def _about(past: PastScore) -> str:
    if past.of is Of.NONE:
        return "No past rebalance of this group, or of groups like it, has been judged."
    if past.of is Of.SIMILAR:
        about = words.sentence(past.score, f"{many(past.groups, 'group')} like this one (kind, release, standbys)")
        return f"This group has little history. {about}"
    return words.sentence(past.score)
