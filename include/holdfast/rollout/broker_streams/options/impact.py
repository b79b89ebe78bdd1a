"""What an option costs a streams group whose broker assigns, in the figures that options are compared by."""

import math
from collections.abc import Iterator

from holdfast.rollout.backtest.learnt import SHORTEST_S, Span
from holdfast.rollout.broker_streams.cost import restored as cost
from holdfast.rollout.broker_streams.cost.hand_over import HandOver
from holdfast.rollout.broker_streams.cost.restored import Restored
from holdfast.rollout.broker_streams.forecast.restores import Restores
from holdfast.rollout.broker_streams.options.evaluation import EvaluatedBrokerOption
from holdfast.rollout.contract.times import NO_TIME, Estimate, Phase, PhaseKind, Times
from holdfast.rollout.coordinated.spans import Seconds
from holdfast.rollout.facts.conditions import Assumed
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
    parts = list(_steps(evaluated, _until_stable(found, policy), policy))
    if restores is None or most is None:
        ends = sum((one.seconds for one in parts), NO_TIME)
        return Times(ends, ends, phases=tuple(one for one in parts if one.seconds.high))
    if _caught_up(evaluated):
        parts.append(Phase(PhaseKind.RESTORE, _estimate(cost.waits(_first(restores), _first(most), policy))))
        restores, most = (tuple(one for one in each if one.target) for each in (restores, most))
    ends = sum((one.seconds for one in parts), NO_TIME)
    restored = _restored_after(ends, found, restores, most, policy)
    tail = in_order(restored.low - ends.low, restored.usual - ends.usual, restored.high - ends.high)
    parts.append(Phase(PhaseKind.RESTORE, tail))
    return Times(ends, restored, phases=tuple(one for one in parts if one.seconds.high))


def _until_stable(found: Seconds, policy: Policy) -> Estimate:
    """After the last event of each batch, in all: as forecast, or as many times as long as such courses took."""
    took = policy.learnt.took
    if took is not None:
        counted = max(found.usual, SHORTEST_S)
        found = Seconds(*(counted * times for times in (took.low, took.usual, took.high)))
    return _estimate(found)


def _steps(evaluated: EvaluatedBrokerOption, targets: Estimate, policy: Policy) -> Iterator[Phase]:
    """What passes until the last target is reached. A roll goes by how far apart restarts ended before, where that is known: in it
    are the targets of all restarts but one, and what passes between two steps."""
    known, count, restarts = policy.learnt, evaluated.start_ups, evaluated.restarts
    restart = policy.start_up if known.restart is None else _whole(known.restart)
    if known.restarts_apart is not None and count == restarts == evaluated.batches > 1:
        last = Estimate(targets.low // count, round(targets.usual / count), -(-targets.high // count))
        yield Phase(PhaseKind.REBALANCE, last)
        yield Phase(PhaseKind.START_UP, restart)
        yield Phase(PhaseKind.NEXT_RESTART, _times(count - 1, _whole(known.restarts_apart)))
        return
    yield Phase(PhaseKind.REBALANCE, targets)
    yield Phase(PhaseKind.START_UP, _times(restarts, restart) + _times(count - restarts, policy.start_up))
    yield Phase(PhaseKind.BETWEEN_STEPS, _times(max(0, evaluated.batches - 1), policy.between_steps))


def _whole(span: Span) -> Estimate:
    return in_order(math.floor(span.low), round(span.usual), math.ceil(span.high))


def _first(restores: Restores) -> Restores:
    """After the first target, which creates the standby copies that people wait for."""
    return tuple(one for one in restores if not one.target)


def _estimate(span: Seconds) -> Estimate:
    return in_order(math.floor(span.least), round(span.usual), math.ceil(span.most))


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


def _times(count: int, one: Estimate) -> Estimate:
    return Estimate(count * one.low, count * one.usual, count * one.high)


def waits_to_start(evaluated: EvaluatedBrokerOption, policy: Policy) -> Seconds:
    """How long a task has no owner that waits for a client to start: it starts, or the assignment interval is over, and a heartbeat
    hands the task to it. Where all clients stop: what passes before they may start, and until their first target."""
    interval, beat = (evaluated.interval_ms or 0) / 1000, evaluated.heartbeat_ms / 1000
    start, held = policy.start_up, evaluated.held_back or Seconds(0, 0, 0)
    found = Seconds(start.low, max(start.usual, interval) + beat / 2, max(start.high, interval) + beat)
    return Seconds(*(one + other for one, other in zip(found, held, strict=True)))


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
