"""What an option costs a streams group whose broker assigns, in the figures that options are compared by."""

import math

from holdfast.rollout.broker_streams.cost.hand_over import HandOver
from holdfast.rollout.broker_streams.forecast.outcomes import Seconds
from holdfast.rollout.broker_streams.options.evaluation import EvaluatedBrokerOption
from holdfast.rollout.contract.times import NO_TIME, Estimate, Phase, PhaseKind, Times
from holdfast.rollout.options.criteria import Counted
from holdfast.rollout.options.option import Impact
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.text.wording import many

COUNTED = Counted("task", "client", "client", round="target")


def times_of(evaluated: EvaluatedBrokerOption, policy: Policy) -> Times:
    """What the forecast says of its targets, the starts of clients, and what passes between the steps of people."""
    found = None if evaluated.summary is None else evaluated.summary.seconds_to_stable
    if found is None:
        return Times(None, None)
    targets = Estimate(math.floor(found.least), round(found.usual), math.ceil(found.most))
    parts = (
        Phase(PhaseKind.REBALANCE, targets),
        Phase(PhaseKind.START_UP, _times(evaluated.start_ups, policy.start_up)),
        Phase(PhaseKind.BETWEEN_STEPS, _times(max(0, evaluated.batches - 1), policy.between_steps)),
    )
    ends = sum((one.seconds for one in parts), NO_TIME)
    return Times(ends, ends, phases=tuple(one for one in parts if one.seconds.high))


def _times(count: int, one: Estimate) -> Estimate:
    return Estimate(count * one.low, count * one.usual, count * one.high)


def waits_to_start(evaluated: EvaluatedBrokerOption, policy: Policy) -> Seconds:
    """How long a task has no owner that waits for a client to start: it starts, or the assignment interval is over, and a heartbeat
    hands the task to it."""
    interval, beat = (evaluated.interval_ms or 0) / 1000, evaluated.heartbeat_ms / 1000
    start = policy.start_up
    return Seconds(start.low, max(start.usual, interval) + beat / 2, max(start.high, interval) + beat)


def unowned(evaluated: EvaluatedBrokerOption, policy: Policy) -> tuple[Seconds, Seconds]:
    """Task-seconds without an owner in all, and the longest of one task."""
    found = evaluated.hand_over
    if found is None:
        return Seconds(0, 0, 0), Seconds(0, 0, 0)
    wait, count = waits_to_start(evaluated, policy), found.waiting
    together = Seconds(*(one + count * other for one, other in zip(found.unowned, wait, strict=True)))
    return together, _longest(found, wait)


def _longest(found: HandOver, wait: Seconds) -> Seconds:
    return max(found.longest, wait, key=lambda one: one.most) if found.waiting else found.longest


def impact_of(evaluated: EvaluatedBrokerOption, policy: Policy) -> Impact | None:
    """None: nothing can be predicted."""
    summary, found, effort = evaluated.summary, evaluated.hand_over, evaluated.option.effort
    if summary is None or found is None:
        return None
    times = times_of(evaluated, policy)
    return Impact(
        collateral=found.collateral,
        downtime_s=unowned(evaluated, policy)[0].usual,
        rebalances=summary.targets,
        moved=summary.active_moved,
        effort=effort,
        manual_work=effort.manual_steps + effort.files + effort.copies,
        manual_text=many(effort.manual_steps, "manual step"),
        times=(times,),
        over_s=math.inf if times.rebalancing_ends is None else times.rebalancing_ends.usual,
        cold_hand_overs=summary.cold_moves,
        hand_overs=summary.moves,
    )
