"""The past of a group as rows of the table `backtests`, and those rows as the score at the top of a plan."""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.rollout.backtest import past_file
from holdfast.rollout.backtest.judged import Judged
from holdfast.rollout.backtest.learnt import Learnt
from holdfast.rollout.backtest.past import PastScore, past_of
from holdfast.rollout.backtest.results import Backtest, GroupBacktest, ScoreOf, merged
from holdfast.rollout.backtest.score import Score
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.kinds import backtests
from holdfast.rollout.tables.group_rows import LARGEST, Row, place_of

COUNTS = (
    *("equal", "different", "inferred", "not_judged", "sequences", "ends_equal", "rounds_within", "seconds_within"),
    *("courses", "course_rounds_within", "durations_within", "durations_learnt"),
)
COLUMNS = (
    *("group_id", "captured_at", "protocol", "releases", "assignor", "standbys"),
    *COUNTS,
    *("first_at", "last_at", "learnt"),
)
"""What `score_of` needs of a row."""
_MOST_NUMBERS = 20
_LEARNT = codec_of(Learnt)


def judged(path: str, content: bytes) -> Row:
    """A file of `past/`, judged: `scores`, a row a release, or the `problem` why there are none."""
    cluster, day, group_id = place_of(path)
    found: Row = {"cluster": cluster, "day": day, "group_id": group_id, "snapshot": path, "captured_at": None, "problem": None}
    try:
        if len(content) > LARGEST:
            raise InvalidInput(f"the file has {len(content):,} bytes; {LARGEST:,} are allowed here")
        header, entries, troubles = past_file.read(content)
        found |= {"group_id": header.group_id, "captured_at": header.read_at}
        result = backtests.backtest(header.group_id, entries, header.given)
    except HoldfastError as refusal:
        return found | {"problem": str(refusal), "scores": []}
    problem = "; ".join(troubles) or None
    return found | {"problem": problem, "scores": [] if result is None else [_row(result, one) for one in result.scores]}


def _row(group: GroupBacktest, one: ScoreOf) -> Row:
    score = one.score
    different = [each.number for each in group.rebalances if each.judged is Judged.DIFFERENT]
    return {
        "protocol": group.protocol,
        "releases": list(one.releases),
        "assignor": one.assignor,
        "standbys": group.standbys,
        **{name: getattr(score, name) for name in COUNTS},
        "because": [f"{reason.value}: {count}" for reason, count in score.because],
        "first_at": score.first_at,
        "last_at": score.last_at,
        "not_recorded": group.not_recorded,
        "different_numbers": different[-_MOST_NUMBERS:],
        "learnt": None if group.learnt is None else dumps(_LEARNT.write(group.learnt)),
    }


def score_of(
    rows: Sequence[Mapping[str, Any]],
    before: Sequence[Mapping[str, Any]],
    group_id: str,
    protocol: str,
    release: str | None,
) -> PastScore | None:
    """Of the rows of the newest night (all groups of a cluster), and those of the night before. None: there is no such night."""
    if not rows:
        return None
    groups = merged_groups(rows)
    past = past_of(Backtest("", max(str(row["captured_at"]) for row in rows), None, Score(), groups), group_id, protocol, release)
    was = [one for one in merged_groups(before) if (one.group_id, one.protocol) == (group_id, protocol)]
    now = [one for one in groups if (one.group_id, one.protocol) == (group_id, protocol)]
    return past.fallen_since(was[0].score) if was and now and now[0].score.wrong > was[0].score.wrong else past


def merged_groups(rows: Sequence[Mapping[str, Any]]) -> tuple[GroupBacktest, ...]:
    """One of each group and protocol."""
    found: dict[tuple[str, str], list[GroupBacktest]] = {}
    for row in rows:
        counts: dict[str, Any] = {name: row[name] or 0 for name in COUNTS}
        score = Score(**counts, first_at=row["first_at"], last_at=row["last_at"])
        of = ScoreOf(tuple(row["releases"] or ()), row["assignor"], score)
        learnt = _learnt(row["learnt"])
        group = GroupBacktest(row["group_id"], row["protocol"], score, scores=(of,), standbys=row["standbys"], learnt=learnt)
        found.setdefault((row["group_id"], row["protocol"]), []).append(group)
    return tuple(merged(found[which]) for which in sorted(found))


def _learnt(written: str | None) -> Learnt | None:
    """None too where another release wrote it so that this one cannot read it: a plan then goes by what it assumes."""
    try:
        return None if written is None else _LEARNT.read(loads(written))
    except InvalidInput:
        return None
