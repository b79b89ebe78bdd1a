"""What an option costs a consumer group whose broker assigns, in the figures that options are compared by."""

from holdfast.rollout.broker_consumer.options.evaluation import EvaluatedGroupOption
from holdfast.rollout.contract.times import NO_TIME, Times
from holdfast.rollout.coordinated.spans import Seconds
from holdfast.rollout.options import target_times
from holdfast.rollout.options.criteria import Counted
from holdfast.rollout.options.impact import Impact
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.text.format import many

COUNTED = Counted("partition", "consumer", "consumer", round="target")


def times_of(evaluated: EvaluatedGroupOption, policy: Policy) -> Times:
    """What the forecast says of its targets, the starts of consumers, and what passes between the steps of people."""
    if evaluated.summary is None:
        return Times(None, None)
    parts = tuple(one for one in target_times.phases(evaluated, evaluated.summary.seconds_to_stable, policy) if one.seconds.high)
    ends = sum((one.seconds for one in parts), NO_TIME)
    return Times(ends, ends, phases=parts)


def unowned(evaluated: EvaluatedGroupOption, policy: Policy) -> tuple[Seconds, Seconds]:
    """Partition-seconds without an owner in all, and the longest of one partition."""
    return target_times.unowned(evaluated, evaluated.hand_over, policy)


def impact_of(evaluated: EvaluatedGroupOption, policy: Policy) -> Impact | None:
    """None: nothing can be predicted."""
    summary, effort = evaluated.summary, evaluated.option.effort
    if summary is None:
        return None
    times = times_of(evaluated, policy)
    assert times.rebalancing_ends is not None, "a forecast ends"
    return Impact(
        collateral=summary.collateral,
        downtime_s=unowned(evaluated, policy)[0].usual,
        rebalances=summary.targets + summary.rebalances,
        moved=summary.moved,
        effort=effort,
        manual_work=effort.manual_steps,
        manual_text=many(effort.manual_steps, "manual step"),
        times=(times,),
        over_s=times.rebalancing_ends.usual,
        hand_overs=summary.moves,
    )
