"""What must hold before each act of a run, besides the plan itself: no pause, an open window, little lag, no extra rebalance."""

from datetime import datetime

from holdfast.errors import CannotPredict
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.execution.next_actions import AnyStep
from holdfast.rollout.execution.verdict import Rebalances
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.journal.acted import Halt
from holdfast.rollout.journal.journal import Journal
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.policy import hours
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.text.format import many
from holdfast.workflows.running.acting import Halted


def refuse_closed(plan: AnyPlan, now: datetime) -> None:
    """Raise Halted outside the windows of the plan's policy, and after its deadline."""
    policy: Policy = plan.policy
    if policy.windows:
        open_now = [span for span in hours.spans(policy.windows, now) if span[0] <= now < span[1]]
        if not open_now:
            raise Halted(Halt.WINDOW, f"No window of the policy is open now ({hours.clock(now)}): nothing else is begun.")
    if policy.finish_before is not None:
        ends = hours.deadline(policy.finish_before, datetime.fromisoformat(plan.created_at))
        if now >= ends:
            raise Halted(Halt.DEADLINE, f"The deadline of the policy ({hours.clock(ends)}) has passed: nothing else is begun.")


def refuse_lag(plan: AnyPlan, lag: int | None) -> None:
    """Raise Halted where the group lags more than the plan's policy allows, or its lag is unknown."""
    most = plan.policy.lag_most
    if most is None:
        return
    if lag is None:
        raise Halted(Halt.LAG_UNKNOWN, f"The lag of the group is unknown, and the policy allows {most:,} records.")
    if lag > most:
        raise Halted(Halt.LAG, f"The group lags {many(lag, 'record')} behind, and the policy allows {most:,}.")


def rebalances(plan: AnyPlan, fresh: AnySnapshot) -> Rebalances | None:
    """How many were completed, and are forecast. None: unknown."""
    try:
        found: Rebalances = kind_of(plan).verify(plan, fresh).rebalances
    except CannotPredict:
        return None
    return found


def refuse_more_rebalances(plan: AnyPlan, journal: Journal, seen: Rebalances | None) -> None:
    """Raise Halted after more of them than forecast; the count starts anew once that was accepted.

    How many a change of settings for all clients brings depends on how fast people are.
    """
    if seen is None or seen.found is None or not _counted(plan):
        return
    since = journal.accepted_rebalances()
    if seen.found - since > seen.expected[1]:
        text = f"{many(seen.found, 'rebalance')} completed since the plan's snapshot; {seen.expected[1]} were forecast at most."
        raise Halted(Halt.REBALANCES, text, seen.found)


def _counted(plan: AnyPlan) -> bool:
    kind = kind_of(plan)
    acted = (kind.acts(plan, step) for step in plan.steps if not kind.waits(step) and step.id not in kind.writes(plan))
    return all(one is not None for one in acted)


def done_in_a_run(plan: AnyPlan) -> frozenset[str]:
    """The steps that a run does, or waits for, by the plan's policy. Where nothing names the commands of a client, its steps are a
    person's all the same."""
    if not plan.policy.acts:
        return frozenset()
    return frozenset(step.id for step in plan.steps if _done_in_a_run(plan, step))


def _done_in_a_run(plan: AnyPlan, step: AnyStep) -> bool:
    kind = kind_of(plan)
    acts = kind.acts(plan, step)
    sets = bool(kind.sets(plan, step)) and may(plan, ActionName.SET_CONFIG)
    roll = kind.roll(plan, step)
    rolls = roll is not None and may(plan, *roll.actions)
    return kind.waits(step) or sets or rolls or (acts is not None and bool(acts.acts) and may(plan, *acts.actions))


def may(plan: AnyPlan, *actions: ActionName) -> bool:
    """Whether the plan's policy lets Holdfast carry these out by itself."""
    return all(action in plan.policy.acts for action in actions)
