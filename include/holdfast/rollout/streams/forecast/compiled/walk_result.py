"""What a walk gives: the rebalances of one batch, in one go."""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.kafka.streams.group import Assignment, Client
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.streams.forecast.open_copies import Copies


@dataclass(frozen=True, slots=True)
class Restores:
    """What one rebalance begins to restore: records by client and task, without complete copies; and the tasks that wait for it."""

    by_client: tuple[tuple[ProcessId, tuple[tuple[TaskId, int], ...]], ...]
    waiting: tuple[tuple[TaskId, int], ...]


@dataclass(frozen=True, slots=True)
class Walk:
    """Rebalances until the group is stable, or as many as were asked for.

    `asked`: what each asks for; `clients`: what they report then; `running`: what each runs. `open_copies`, `unstarted`: as in
    `OpenCopies`; `in_doubt`: as `Reports.closed_in_doubt`. `decisions`, `restores`: one a rebalance, if they are recorded.
    """

    asked: tuple[Trigger | None, ...]
    clients: tuple[Client, ...]
    running: Mapping[ProcessId, tuple[TaskId, ...]]
    open_copies: Copies
    unstarted: int
    in_doubt: tuple[TaskId, ...]
    decisions: tuple[Assignment, ...]
    restores: tuple[Restores, ...]
