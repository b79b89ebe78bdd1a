"""What an option costs a Kafka Streams group, in the figures that options are compared by."""

import math

from holdfast.rollout.contract.times import EffortCounts
from holdfast.rollout.options.criteria import Counted
from holdfast.rollout.options.impact import Impact
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.cost.evaluation import Cost, EvaluatedOption, effort_rank
from holdfast.rollout.streams.cost.times_of_costs import times_of

COUNTED = Counted(
    "task",
    "client",
    "process ID",
    "Kafka assigns stateful tasks in process-ID order. The baseline changes that order:",
)


def impact_of(evaluated: EvaluatedOption, policy: Policy, otherwise: Cost | None = None) -> Impact | None:
    """None: nothing can be predicted. `otherwise`: what it costs where the condition of its figures is not met; None: it has none,
    or that is unknown."""
    if evaluated.refused is not None or not evaluated.costs:
        return None
    worst, speed, option = evaluated.worst, policy.restore_records_per_second, evaluated.option
    times = times_of(worst, policy)
    missed = times.condition is not None and times.condition.met is False
    longest = worst.cold_seconds_longest(speed)
    own = worst.downtime_task_seconds(speed)
    downtime = _downtime(own, otherwise, policy, certain=times.certain, missed=missed)
    return Impact(
        collateral=worst.needless,
        downtime_s=downtime,
        rebalances=worst.usual_rebalances,
        moved=worst.moved,
        effort=option.effort_counts or EffortCounts(0, 0, 0),
        manual_work=effort_rank(option.effort),
        manual_text=option.effort.value,
        times=tuple(times_of(cost, policy) for cost in evaluated.costs),
        over_s=math.inf if times.restored is None else times.restored.usual,
        longest_restore_s=max(longest, otherwise.cold_seconds_longest(speed)) if otherwise is not None and missed else longest,
        restored_records=worst.restored_records,
        restored_s=longest,
        late=downtime > own,
        unsettled=next((cost.unsettled for cost in evaluated.costs if cost.unsettled), None),
    )


def _downtime(own: int, otherwise: Cost | None, policy: Policy, *, certain: bool, missed: bool) -> int:
    """An option whose condition may not be met is counted as if it were not, unless the restore that it may spare is longer than
    the policy bears: then it is worth the attempt."""
    speed = policy.restore_records_per_second
    if otherwise is None or certain:
        return own
    if missed or otherwise.cold_seconds_longest(speed) <= policy.copy_state_over_s:
        return max(own, otherwise.downtime_task_seconds(speed))
    return own
