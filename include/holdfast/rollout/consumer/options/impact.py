"""What an option costs a consumer group, in the figures that options are compared by. It keeps no state: nothing is restored."""

import math

from holdfast.rollout.consumer.options.evaluation import EvaluatedConsumerOption
from holdfast.rollout.contract.times import Times
from holdfast.rollout.options.criteria import Counted
from holdfast.rollout.options.impact import Impact
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.text.format import many
from holdfast.rollout.timing import timeline

COUNTED = Counted("partition", "consumer", "consumer")


def times_of(evaluated: EvaluatedConsumerOption, policy: Policy) -> Times:
    settles = evaluated.summary is not None and evaluated.unsettled is None
    return timeline.of_acts(evaluated.acts, policy) if settles else Times(None, None)


def impact_of(evaluated: EvaluatedConsumerOption, policy: Policy) -> Impact | None:
    """None: nothing can be predicted."""
    summary, effort = evaluated.summary, evaluated.option.effort
    if summary is None:
        return None
    times = times_of(evaluated, policy)
    return Impact(
        collateral=math.inf if summary.needless is None else summary.needless,
        downtime_s=math.inf if summary.partition_seconds is None else summary.partition_seconds.usual,
        rebalances=summary.rebalances,
        moved=math.inf if summary.moved is None else summary.moved,
        effort=effort,
        manual_work=effort.manual_steps,
        manual_text=many(effort.manual_steps, "manual step"),
        times=(times,),
        over_s=math.inf if times.rebalancing_ends is None else times.rebalancing_ends.usual,
        unsettled=evaluated.unsettled,
    )
