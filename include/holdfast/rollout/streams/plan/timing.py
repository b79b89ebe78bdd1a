"""The options of a plan with their times, and with the condition that those hold under."""

from dataclasses import replace

from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.times import Condition, ConditionKind, Times
from holdfast.rollout.disks.logs import to_restore
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.cost.evaluation import Cost, Effort, EvaluatedOption
from holdfast.rollout.streams.cost.times_of_costs import times_of, worked_out
from holdfast.rollout.streams.scene.reports import reported
from holdfast.rollout.streams.snapshot import changelog_sizes
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

_WITHOUT_THE_DISK = ("copy-process-metadata", BASELINE_NAME)
"""The effect where a state directory is not copied in time: the client has its process ID and restores, or not even that."""


def timed(snapshot: Snapshot, evaluations: tuple[EvaluatedOption, ...], policy: Policy) -> tuple[EvaluatedOption, ...]:
    """Every cost with its times at the speeds of the policy."""
    plain = tuple(
        replace(one, costs=tuple(replace(cost, times=worked_out(cost, policy)) for cost in one.costs)) for one in evaluations
    )
    otherwise = otherwise_of(plain)
    return tuple(_under_condition(snapshot, one, otherwise, policy) for one in plain)


def otherwise_of(evaluations: tuple[EvaluatedOption, ...]) -> Cost | None:
    """What an option that copies a disk costs where the copy comes too late. None: unknown."""
    by_name = {one.option.name: one for one in evaluations if one.costs}
    return next((by_name[name].worst for name in _WITHOUT_THE_DISK if name in by_name), None)


def _under_condition(snapshot: Snapshot, one: EvaluatedOption, otherwise: Cost | None, policy: Policy) -> EvaluatedOption:
    if one.option.effort is not Effort.COPY_DISK:
        return one
    costs = []
    for cost in one.costs:
        times = times_of(cost, policy)
        condition = _copied(snapshot, one, cost, otherwise, policy)
        costs.append(replace(cost, times=replace(times, condition=condition)))
    return replace(one, costs=tuple(costs))


def _copied(snapshot: Snapshot, one: EvaluatedOption, cost: Cost, otherwise: Cost | None, policy: Policy) -> Condition:
    """What the disks of the displaced clients hold has to be where their successors start before the group gives them up."""
    within = max((act.noticed_s for act in cost.acts), default=0)
    held = _held(snapshot, one.option.displaced)
    size = to_restore(changelog_sizes.task_logs(snapshot), held)
    if size is None and policy.bytes_per_record is not None:
        size = sum(held.values()) * policy.bytes_per_record
    counts, speed = one.option.effort_counts, policy.copy_bytes_per_second
    late = Times(None, None) if otherwise is None else times_of(otherwise, policy)
    return Condition(
        kind=ConditionKind.COPIED_IN_TIME,
        within_s=within,
        directories=max(1, 0 if counts is None else counts.copies),
        tasks=len(held),
        records=sum(held.values()),
        size=size,
        met=None if speed is None or size is None else -(-size // speed) + policy.start_up.high <= within,
        otherwise_rebalancing_ends=late.rebalancing_ends,
        otherwise_restored=late.restored,
        otherwise_downtime_s=0 if otherwise is None else otherwise.stands_still_longest(policy.slowest_restore),
    )


def _held(snapshot: Snapshot, displaced: tuple[ProcessId, ...]) -> dict[TaskId, int]:
    """The stateful tasks of which these clients have a copy, with its records: what their directories hold, at most."""
    ends = {task.id: task.end_offset_sum or 0 for task in snapshot.tasks if task.stateful}
    found: dict[TaskId, int] = {}
    for client in snapshot.clients:
        if client.process_id in displaced:
            found |= {
                task: ends[task] if total < 0 else min(total, ends[task])
                for task, total in reported(client).items()
                if task in ends
            }
    return found
