"""What an option costs a streams group whose broker assigns, in the figures that options are compared by."""

import math

from holdfast.rollout.broker_streams.cost import restored as cost
from holdfast.rollout.broker_streams.cost.restored import Restored
from holdfast.rollout.broker_streams.forecast.restores import Restores
from holdfast.rollout.broker_streams.options.evaluation import EvaluatedBrokerOption
from holdfast.rollout.contract.times import NO_TIME, Estimate, Phase, PhaseKind, Times
from holdfast.rollout.coordinated.spans import Seconds
from holdfast.rollout.facts.conditions import Assumed
from holdfast.rollout.options import target_times
from holdfast.rollout.options.criteria import Counted
from holdfast.rollout.options.impact import Impact
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.text.format import many
from holdfast.rollout.timing.timeline import in_order

COUNTED = Counted("task", "client", "client", round="target")


def times_of(evaluated: EvaluatedBrokerOption, policy: Policy) -> Times:
    """What the forecast says of its targets, the starts of clients, and what passes between the steps of people."""
    found = None if evaluated.summary is None else evaluated.summary.seconds_to_stable
    if found is None:
        return Times(None, None)
    restores = evaluated.restores
    most = evaluated.restores_most or restores
    parts = list(target_times.phases(evaluated, found, policy))
    if restores is None or most is None:
        ends = sum((one.seconds for one in parts), NO_TIME)
        return Times(ends, ends, phases=tuple(one for one in parts if one.seconds.high))
    if _caught_up(evaluated):
        parts.append(Phase(PhaseKind.RESTORE, target_times.estimate(cost.waits(_first(restores), _first(most), policy))))
        restores, most = (tuple(one for one in each if one.target) for each in (restores, most))
    ends = sum((one.seconds for one in parts), NO_TIME)
    restored = _restored_after(ends, found, restores, most, policy)
    tail = in_order(restored.low - ends.low, restored.usual - ends.usual, restored.high - ends.high)
    parts.append(Phase(PhaseKind.RESTORE, tail))
    return Times(ends, restored, phases=tuple(one for one in parts if one.seconds.high))


def _first(restores: Restores) -> Restores:
    """After the first target, which creates the standby copies that people wait for."""
    return tuple(one for one in restores if not one.target)


def _restored_after(ends: Estimate, stable: Seconds, found: Restores, most: Restores, policy: Policy) -> Estimate:
    """What is restored after the last target: at least, as if nothing was waited for before."""
    until = cost.ends(found, most, policy)
    usual, high = (math.ceil(max(0.0, late - end)) for late, end in ((until.usual, stable.usual), (until.most, stable.most)))
    return in_order(max(ends.low, math.floor(until.least)), ends.usual + usual, ends.high + high)


def restored(evaluated: EvaluatedBrokerOption, policy: Policy) -> Restored | None:
    """None: unknown."""
    found = evaluated.restores
    most, caught_up = evaluated.restores_most or found, _caught_up(evaluated)
    return None if found is None or most is None else cost.restored(found, most, policy, caught_up=caught_up)


def _caught_up(evaluated: EvaluatedBrokerOption) -> bool:
    """Whether people wait until the standby copies are restored that its first target creates."""
    return any(one.kind is Assumed.STANDBYS_CAUGHT_UP for one in evaluated.option.assumptions)


def unowned(evaluated: EvaluatedBrokerOption, policy: Policy) -> tuple[Seconds, Seconds]:
    """Task-seconds without an owner in all, and the longest of one task."""
    return target_times.unowned(evaluated, evaluated.hand_over, policy)


def impact_of(evaluated: EvaluatedBrokerOption, policy: Policy) -> Impact | None:
    """None: nothing can be predicted."""
    summary, found, effort = evaluated.summary, evaluated.hand_over, evaluated.option.effort
    if summary is None or found is None:
        return None
    times, restores = times_of(evaluated, policy), restored(evaluated, policy)
    restoring = 0 if restores is None else restores.longest.usual
    return Impact(
        collateral=found.collateral,
        downtime_s=unowned(evaluated, policy)[0].usual + (0 if restores is None else restores.task_seconds.usual),
        rebalances=summary.targets,
        moved=summary.active_moved,
        effort=effort,
        manual_work=effort.manual_steps + effort.files + effort.copies,
        manual_text=many(effort.manual_steps, "manual step"),
        times=(times,),
        over_s=math.inf if times.restored is None else times.restored.usual,
        longest_restore_s=int(restoring),
        restored_records=0 if restores is None else restores.records,
        restored_s=int(restoring),
        cold_hand_overs=summary.cold_moves,
        hand_overs=summary.moves,
    )
