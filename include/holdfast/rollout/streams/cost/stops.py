"""How long each task is unavailable: until the session of its client times out, and until a client has restored its state.

The start-up time of a process is unknown here and not counted; nor is the pause of a rebalance itself.
"""

import math
from collections.abc import Mapping

from holdfast.kafka.streams.group import Assignment
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.streams.cost.evaluation import TaskStop
from holdfast.rollout.streams.forecast.outcomes import Outcome, Round


def stops(outcome: Outcome) -> tuple[TaskStop, ...]:
    """By task, those that are unavailable. What happens to a task more than once adds up."""
    unseen = {one.task: one for one in outcome.summary.stopped}
    records: dict[TaskId, int] = {}
    for one in outcome.rounds:
        for task, total in _restored_together(one).items():
            records[task] = records.get(task, 0) + total
    return tuple(
        TaskStop(
            task,
            math.ceil(unseen[task].seconds) if task in unseen else 0,
            math.ceil(unseen[task].seconds_without_copy) if task in unseen else 0,
            records.get(task, 0),
        )
        for task in sorted({**unseen, **records})
    )


def _restored_together(one: Round) -> Mapping[TaskId, int]:
    """For each task that waits: the records of all that wait on its client. The order in which it restores them is unknown."""
    if not one.without_caught_up_copy or not isinstance(one.decision, Assignment):
        return {}
    owners = {task: client.process_id for client in one.decision.clients for task in client.active}
    waiting = [(task, lacks, owners[task]) for task, lacks in zip(one.without_caught_up_copy, one.waiting_records, strict=True)]
    totals: dict[ProcessId, int] = {}
    for _, lacks, owner in waiting:
        totals[owner] = totals.get(owner, 0) + lacks
    return {task: totals[owner] for task, _, owner in waiting}
