"""By what the ways to change a plain consumer group are compared: as those of Kafka Streams groups, but for what is about state."""

from dataclasses import dataclass

from holdfast.rollout.consumer.forecast.outcomes import ConsumerSummary
from holdfast.rollout.consumer.options.evaluation import WayForecast
from holdfast.rollout.consumer.options.ways import Way
from holdfast.rollout.contract.times import EffortCounts, Times
from holdfast.rollout.contract.verdicts import Rule, Status
from holdfast.rollout.options.criteria import Criterion


@dataclass(frozen=True, slots=True)
class Weighed:
    """A way with its forecast and what the policy says about it. `place`: its place in the list."""

    place: int
    way: Way
    foreseen: WayForecast
    rules: tuple[Rule, ...]
    excluded: bool
    times: Times
    effort_counts: EffortCounts

    @property
    def possible(self) -> bool:
        return self.foreseen.summary is not None and not self.excluded and not self.way.drawback

    @property
    def failed(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.status is Status.FAIL)

    @property
    def summary(self) -> ConsumerSummary:
        assert self.foreseen.summary is not None, "only what was forecast is compared"
        return self.foreseen.summary


def _limits(loser: Weighed, chosen: Weighed) -> str:
    kept = [rule.name for rule in chosen.failed]
    broken = "; ".join(f"{rule.name}: {rule.found}, limit {rule.limit}" for rule in loser.failed if rule.name not in kept)
    return f"Exceeds limits that the recommended option meets ({broken})."


def _needless(one: Weighed) -> float:
    """What nobody knows may be any number."""
    return float("inf") if one.summary.needless is None else one.summary.needless


def _collateral(mine: Weighed, theirs: Weighed) -> str:
    moved = f"{_needless(mine):g} partitions of consumers outside the change"
    return f"Collateral migration: {moved} (recommended: {_needless(theirs):g})."


def _downtime(one: Weighed) -> float:
    still = one.summary.partition_seconds
    return float("inf") if still is None else still.usual


def _unread(mine: Weighed, theirs: Weighed) -> str:
    return f"More downtime: {_downtime(mine):g} partition-seconds (recommended: {_downtime(theirs):g})."


def _restarts(mine: Weighed, theirs: Weighed) -> str:
    return f"More restarts: {mine.effort_counts.restarts:,} (recommended: {theirs.effort_counts.restarts:,})."


def _steps(mine: Weighed, theirs: Weighed) -> str:
    return f"More manual steps: {mine.effort_counts.manual_steps:,} (recommended: {theirs.effort_counts.manual_steps:,})."


def _rebalances(mine: Weighed, theirs: Weighed) -> str:
    return f"More rebalances: {mine.summary.rebalances:,} (recommended: {theirs.summary.rebalances:,})."


CRITERIA: tuple[Criterion[Weighed], ...] = (
    Criterion("limits-that-block", lambda one: sum(rule.blocking for rule in one.failed), _limits),
    Criterion("limits", lambda one: len(one.failed), _limits),
    Criterion("collateral-migration", _needless, _collateral),
    Criterion("downtime", _downtime, _unread),
    Criterion("restarts", lambda one: one.effort_counts.restarts, _restarts),
    Criterion("manual-work", lambda one: one.effort_counts.manual_steps, _steps),
    Criterion("rebalances", lambda one: one.summary.rebalances, _rebalances),
)
"""In order: the first difference decides."""


def ranked(one: Weighed) -> tuple[float, ...]:
    """All criteria, and last the order of the list."""
    return (*(criterion.key(one) for criterion in CRITERIA), one.place)
