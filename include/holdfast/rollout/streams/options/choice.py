"""Which option is best by a team's policy, and why each of the others is not.

Options are compared criterion by criterion, in the order of `CRITERIA`; the first difference decides. Why in
that order: docs/decisions/0005.
"""

from dataclasses import dataclass

from holdfast.rollout.contract.verdicts import Rule, Status
from holdfast.rollout.options.criteria import Criterion, first_lost
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.cost.evaluation import Candidate, Cost, Evaluation, effort_rank
from holdfast.rollout.streams.cost.times_of_costs import times_of
from holdfast.rollout.text.wording import duration, many

NEVER_S = 2**62
"""Later than anything that ends."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """An evaluation with what the policy says about it. `place`: its place in the list; `barred`: why it cannot be chosen;
    `otherwise`: what it costs where the condition of its figures is not met (None: it has none, or that is not known)."""

    place: int
    evaluation: Evaluation
    rules: tuple[Rule, ...]
    barred: str
    policy: Policy
    otherwise: Cost | None = None

    @property
    def name(self) -> str:
        return self.evaluation.candidate.name

    @property
    def possible(self) -> bool:
        return not self.barred and bool(self.evaluation.costs)

    @property
    def failed(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.status is Status.FAIL)

    @property
    def exceeded(self) -> tuple[Rule, ...]:
        """The limits that it exceeds. How many rebalances and how much time are criteria of their own: a limit of them that nobody
        has stated asks for a person, and does not have every client restarted twice."""
        unstated = {"rebalances": self.policy.rebalances_most, "time-to-stable": self.policy.time_to_stable_s_most}
        return tuple(rule for rule in self.failed if rule.blocking or unstated.get(rule.name, 0) is not None)

    @property
    def worst(self) -> Cost:
        return self.evaluation.worst

    @property
    def longest_restore_s(self) -> int:
        """The longest that a task waits for its state. A condition that is known not to be met counts as not met."""
        speed = self.policy.restore_records_per_second
        condition = times_of(self.worst, self.policy).condition
        missed = self.otherwise is not None and condition is not None and condition.met is False
        return max(
            cost.cold_seconds_longest(speed) for cost in (self.worst, self.otherwise if missed else None) if cost is not None
        )

    @property
    def downtime_task_s(self) -> int:
        """Tasks that are unavailable, added up in seconds. An option whose condition may not be met is counted as if it were not,
        unless the restore that it may spare is longer than the policy bears: then it is worth the attempt."""
        speed = self.policy.restore_records_per_second
        own = self.worst.downtime_task_seconds(speed)
        if self.otherwise is None or times_of(self.worst, self.policy).certain:
            return own
        condition = times_of(self.worst, self.policy).condition
        missed = condition is not None and condition.met is False
        if missed or self.otherwise.cold_seconds_longest(speed) <= self.policy.copy_state_over_s:
            return max(own, self.otherwise.downtime_task_seconds(speed))
        return own

    @property
    def over_s(self) -> int:
        """When all state is restored, as it usually goes."""
        restored = times_of(self.worst, self.policy).restored
        return NEVER_S if restored is None else restored.usual


def barred(candidate: Candidate, policy: Policy) -> str:
    """Why a way cannot be chosen; empty: it can. A combination goes by the names of the ways that it is made of too."""
    if not candidate.as_asked:
        return "Reference only; not the requested change."
    if not set(policy.exclude).isdisjoint((candidate.name, *candidate.name.split("+"))):
        return "Excluded by your policy."
    if candidate.if_allowed and candidate.name not in policy.allow:
        return f"Your policy does not list {candidate.name} under allow."
    return ""


def best(weighed: tuple[Weighed, ...]) -> Weighed | None:
    """None where no option can be predicted or all are barred."""
    return min((one for one in weighed if one.possible), key=ranked, default=None)


def ranked(one: Weighed) -> tuple[float, ...]:
    """All criteria, and last the order of the list."""
    return (*(criterion.key(one) for criterion in CRITERIA), one.place)


def why_not(loser: Weighed, chosen: Weighed | None) -> str:
    """The first criterion by which it lost, in words."""
    if loser.barred:
        return loser.barred
    if loser.evaluation.refused is not None or chosen is None:
        return loser.evaluation.refused or "No option is recommended."
    lost = first_lost(CRITERIA, loser, chosen)
    return "Equal to the recommended option, which comes first in the list." if lost is None else lost.explain(loser, chosen)


def _restarts(one: Weighed) -> int:
    counts = one.evaluation.candidate.effort_counts
    return 0 if counts is None else counts.restarts


def _limits(loser: Weighed, chosen: Weighed) -> str:
    kept = [rule.name for rule in chosen.exceeded]
    broken = "; ".join(f"{rule.name}: {rule.found}, limit {rule.limit}" for rule in loser.exceeded if rule.name not in kept)
    return f"Exceeds limits that the recommended option meets ({broken})."


def _collateral(loser: Weighed, chosen: Weighed) -> str:
    theirs = chosen.worst.needless
    return f"Collateral migration: {many(loser.worst.needless, 'task')} of clients outside the change (recommended: {theirs})."


def _long_restore(loser: Weighed, chosen: Weighed) -> str:  # noqa: ARG001 - as every explanation
    still = duration(loser.longest_restore_s)
    return f"A task is unavailable for {still}; above {duration(loser.policy.copy_state_over_s)} copying the disk is worth it."


def _downtime(loser: Weighed, chosen: Weighed) -> str:
    late = ""
    if loser.downtime_task_s > loser.worst.downtime_task_seconds(loser.policy.restore_records_per_second):
        late = " if the copy is late"
    return f"More downtime: {many(loser.downtime_task_s, 'task-second')}{late} (recommended: {chosen.downtime_task_s:,})."


def _more_restarts(loser: Weighed, chosen: Weighed) -> str:
    mine = many(_restarts(loser), "restart")
    return f"More restarts: {mine} (recommended: {_restarts(chosen):,}).{_would_spare(loser, chosen)}"


def _manual(loser: Weighed, chosen: Weighed) -> str:
    return f"More manual work: {loser.evaluation.candidate.effort.says}.{_would_spare(loser, chosen)}"


def _more_rebalances(loser: Weighed, chosen: Weighed) -> str:
    mine = many(loser.worst.usual_rebalances, "rebalance")
    return f"More rebalances: usually {mine} (recommended: {chosen.worst.usual_rebalances:,})."


def _moves(loser: Weighed, chosen: Weighed) -> str:
    mine = many(loser.worst.moved, "task")
    return f"Otherwise equal, but {mine} migrate to another process ID (recommended: {chosen.worst.moved})."


def _restores(loser: Weighed, chosen: Weighed) -> str:
    mine = many(loser.worst.restored_records, "record")
    return f"More to restore: {mine} (recommended: {chosen.worst.restored_records:,})."


def _takes(loser: Weighed, chosen: Weighed) -> str:
    if loser.over_s == NEVER_S:
        return "Rebalancing never ends."
    return f"Slower: all state restored after {duration(loser.over_s)} (recommended: {duration(chosen.over_s)})."


def _would_spare(loser: Weighed, chosen: Weighed) -> str:
    """What the work would buy, so that a reviewer can disagree."""
    spared = chosen.worst.restored_records - loser.worst.restored_records
    if spared > 0:
        still = chosen.worst.cold_seconds_longest(chosen.policy.restore_records_per_second)
        time = duration(still) if still else "under 1 s"
        return (
            f" It would save restoring {many(spared, 'record')} ({time} of downtime);"
            f" your policy accepts this work above {duration(chosen.policy.copy_state_over_s)} of downtime."
        )
    sooner = chosen.over_s - loser.over_s
    return f" It would finish {duration(sooner)} sooner." if 0 < sooner < NEVER_S // 2 else " It saves nothing here."


CRITERIA: tuple[Criterion[Weighed], ...] = (
    Criterion("limits-that-block", lambda one: sum(rule.blocking for rule in one.failed), _limits),
    Criterion("limits", lambda one: len(one.exceeded), _limits),
    Criterion("collateral-migration", lambda one: one.worst.needless, _collateral),
    Criterion("long-restore", lambda one: max(0, one.longest_restore_s - one.policy.copy_state_over_s), _long_restore),
    Criterion("downtime", lambda one: one.downtime_task_s, _downtime),
    Criterion("restarts", _restarts, _more_restarts),
    Criterion("manual-work", lambda one: effort_rank(one.evaluation.candidate.effort), _manual),
    Criterion("rebalances", lambda one: one.worst.usual_rebalances, _more_rebalances),
    Criterion("moved", lambda one: one.worst.moved, _moves),
    Criterion("restore", lambda one: one.worst.restored_records, _restores),
    Criterion("time", lambda one: one.over_s, _takes),
)
"""In order: the first difference decides. Every rebalance counts, whether the change, a step of the option or a probe causes it."""
