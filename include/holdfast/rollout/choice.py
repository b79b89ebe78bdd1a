"""Which way is best by a team's policy, and why each of the others is not.

Criteria in this order, the first difference decides: limits broken that block, limits broken, tasks that move without need, a
restore so long that copying the disk is worth it, handwork, tasks that change owner, records, time, and last the order of the list.
"""

from dataclasses import dataclass

from holdfast.rollout.evaluation import Candidate, Cost, Evaluation, effort_rank
from holdfast.rollout.policy import Policy
from holdfast.rollout.rules import Rule, Status
from holdfast.rollout.wording import duration, many


@dataclass(frozen=True, slots=True)
class Weighed:
    """An evaluation with what the policy says about it. `place`: its place in the list; `barred`: why it cannot be chosen."""

    place: int
    evaluation: Evaluation
    rules: tuple[Rule, ...]
    barred: str

    @property
    def name(self) -> str:
        return self.evaluation.candidate.name

    @property
    def possible(self) -> bool:
        return not self.barred and bool(self.evaluation.costs)

    @property
    def failed(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.status is Status.FAIL)


def barred(candidate: Candidate, policy: Policy) -> str:
    """Why a way cannot be chosen; empty: it can. A combination goes by the names of the ways that it is made of too."""
    if not candidate.as_asked:
        return "It is not what you asked for; it is here to be compared."
    if not set(policy.exclude).isdisjoint((candidate.name, *candidate.name.split("+"))):
        return "Your policy excludes it."
    if candidate.if_allowed and candidate.name not in policy.allow:
        return f"Only where your policy names {candidate.name} under allow."
    return ""


def best(weighed: tuple[Weighed, ...], policy: Policy) -> Weighed | None:
    """None where no way can be predicted or all are barred."""
    return min((one for one in weighed if one.possible), key=lambda one: _criteria(one, policy), default=None)


def _criteria(one: Weighed, policy: Policy) -> tuple[int, ...]:
    worst = one.evaluation.worst
    return (
        sum(rule.blocking for rule in one.failed),
        len(one.failed),
        worst.needless,
        _worth_copying(worst, policy),
        effort_rank(one.evaluation.candidate.effort),
        worst.moved,
        worst.restored_records,
        worst.time_to_stable(policy.restore_records_per_second).high,
        one.place,
    )


def _worth_copying(cost: Cost, policy: Policy) -> int:
    """Seconds of standing still beyond those that the policy bears rather than have a disk copied."""
    return max(0, cost.cold_seconds_longest(policy.restore_records_per_second) - policy.copy_state_over_s)


def why_not(loser: Weighed, chosen: Weighed | None, policy: Policy) -> str:
    """The first criterion by which it lost, in words."""
    if loser.barred:
        return loser.barred
    if loser.evaluation.refused is not None or chosen is None:
        return loser.evaluation.refused or "No way was chosen."
    mine, theirs = loser.evaluation.worst, chosen.evaluation.worst
    lost_by = next(
        (index for index, (a, b) in enumerate(zip(_criteria(loser, policy), _criteria(chosen, policy), strict=True)) if a != b), 8
    )
    match lost_by:
        case 0 | 1:
            kept = [rule.name for rule in chosen.failed]
            broken = "; ".join(f"{rule.name}: {rule.found}, limit {rule.limit}" for rule in loser.failed if rule.name not in kept)
            return f"It breaks limits that the chosen way keeps ({broken})."
        case 2:
            return f"{many(mine.needless, 'task')} of clients that the change does not touch would move, not {theirs.needless}."
        case 3:
            still = duration(mine.cold_seconds_longest(policy.restore_records_per_second))
            return f"A task would stand still for {still}; above {duration(policy.copy_state_over_s)} a copy is worth the work."
        case 4:
            return f"More handwork: {loser.evaluation.candidate.effort.value}.{_would_spare(mine, theirs, policy)}"
        case 5:
            return f"As good, but {many(mine.moved, 'task')} would get another process ID, {theirs.moved} with the chosen way."
        case 6:
            return f"It restores {many(mine.restored_records, 'record')}, the chosen way {theirs.restored_records:,}."
        case 7:
            speed = policy.restore_records_per_second
            return (
                f"It takes up to {duration(mine.time_to_stable(speed).high)},"
                f" the chosen way {duration(theirs.time_to_stable(speed).high)}."
            )
        case _:
            return "As good as the chosen way, which comes first in the list."


def _would_spare(mine: Cost, theirs: Cost, policy: Policy) -> str:
    """What the handwork would buy, so that a reviewer can disagree."""
    speed = policy.restore_records_per_second
    spared = theirs.restored_records - mine.restored_records
    if spared > 0:
        still = theirs.cold_seconds_longest(speed)
        time = duration(still) if still else "under a second"
        return (
            f" It would spare {many(spared, 'record')} of restoring ({time} of standing still);"
            f" the policy asks for that above {duration(policy.copy_state_over_s)}."
        )
    sooner = theirs.time_to_stable(speed).high - mine.time_to_stable(speed).high
    return f" It would be stable {duration(sooner)} sooner." if sooner > 0 else " It gains nothing here."
