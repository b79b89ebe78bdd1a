"""The restores that each rebalance of a forecast starts, and the tasks that wait for them.

Most rebalances leave most clients alone, so the books are kept client by client: a client that reports the same and is handed the
same (the same objects: `evolution` and `as_before` see to that) is not looked at again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from holdfast.kafka import java
from holdfast.kafka.streams.group import Assignment, Client, ConsumerAssignment, Group, LeaderFailure
from holdfast.kafka.vocabulary import LATEST_OFFSET, ProcessId, TaskId
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.disks.logs import TaskLogs, to_restore
from holdfast.rollout.streams.forecast.compiled.walk_result import Restores
from holdfast.rollout.streams.forecast.outcomes import Round, UnavailableTasks
from holdfast.rollout.streams.scene.reports import Reports, reported


def waiting(rounds: tuple[Round, ...], records: int) -> UnavailableTasks:
    """The tasks that are without a caught-up copy, over all rounds but the last, whose end is unknown."""
    seconds: dict[TaskId, float] = {}
    for index, one in enumerate(rounds):
        until = rounds[index + 1].at_seconds if index + 1 < len(rounds) else one.at_seconds
        for task in one.without_caught_up_copy:
            seconds[task] = seconds.get(task, 0) + until - one.at_seconds
    return UnavailableTasks(len(seconds), sum(seconds.values()), max(seconds.values(), default=0), records)


def as_before(decision: Assignment, before: Assignment | None) -> Assignment:
    """The same decision; clients and consumers that are handed the same as `before` are the same objects as there."""
    if before is None:
        return decision
    return replace(
        decision,
        clients=_same(decision.clients, before.clients),
        consumers=_same(decision.consumers, before.consumers),
    )


_One = TypeVar("_One")


def _same(found: tuple[_One, ...], before: tuple[_One, ...]) -> tuple[_One, ...]:
    """Searched for at their previous index: clients keep theirs unless one joins or leaves, and then all are searched anew once."""
    same = [old if old is new or old == new else new for new, old in zip(found, before, strict=False)]
    return (*same, *found[len(same) :])


@dataclass(frozen=True, slots=True)
class _Seen:
    """A client when it was last looked at: what it reported and was handed, what it runs, and what of that waits for its state."""

    client: Client | None
    """None: it rebalanced in a walk since, and is to be looked at again."""
    shares: tuple[ConsumerAssignment, ...]
    running: Mapping[TaskId, None]
    waiting: Mapping[TaskId, int]

    def still(self, client: Client, shares: tuple[ConsumerAssignment, ...]) -> bool:
        return self.client is client and self.shares == shares


class Restoring:
    """The books of one course. `waiting_records` adds up over the rounds. `reports`: the rules that hold by then."""

    def __init__(self, logs: Mapping[TaskId, TaskLogs]) -> None:
        self._logs = logs
        self._seen: dict[ProcessId, _Seen] = {}
        self.waiting_records = 0

    def begins_anew(self, process_ids: Iterable[ProcessId]) -> None:
        """These clients were started again: what they lack now they restore from here on, whether or not they were at it before."""
        for process_id in process_ids:
            self._seen.pop(process_id, None)

    def round(
        self, reports: Reports, trigger: Trigger, at_seconds: float, group: Group, decision: Assignment | LeaderFailure
    ) -> Round:
        """The rebalance with what begins to be restored in it."""
        if isinstance(decision, LeaderFailure):
            return Round(trigger, at_seconds, decision)
        seen: dict[ProcessId, _Seen] = {}
        restoring: list[tuple[ProcessId, int]] = []
        restoring_bytes: list[tuple[ProcessId, int | None]] = []
        restoring_tasks: list[tuple[ProcessId, tuple[tuple[TaskId, int], ...]]] = []
        waiting: dict[TaskId, int] = {}
        for client, shares in decision.by_client(group.clients):
            before = self._seen.get(client.process_id)
            if before is None or not before.still(client, shares):
                had = before.running if before is not None else {}
                before, lacking = _look(reports, client, shares, had, group.config.acceptable_recovery_lag)
                if total := sum(lacking.values()):
                    restoring.append((client.process_id, total))
                    restoring_bytes.append((client.process_id, to_restore(self._logs, lacking)))
                    restoring_tasks.append((client.process_id, tuple((task, lacks) for task, lacks in lacking.items() if lacks)))
            seen[client.process_id] = before
            if before.waiting:
                waiting |= before.waiting
                self.waiting_records += sum(before.waiting.values())
        self._seen = seen
        late = sorted(waiting)
        return Round(
            trigger,
            at_seconds,
            decision,
            tuple(restoring),
            tuple(late),
            tuple(restoring_bytes),
            tuple(restoring_tasks),
            tuple(waiting[task] for task in late),
        )

    def running(self) -> Mapping[ProcessId, Mapping[TaskId, None]]:
        """What each client runs by now."""
        return {process_id: seen.running for process_id, seen in self._seen.items()}

    def walked(self, trigger: Trigger, at_seconds: float, decision: Assignment, restores: Restores) -> Round:
        """The same rebalance where it was worked out in a walk."""
        self.waiting_records += sum(records for _, records in restores.waiting)
        return Round(
            trigger,
            at_seconds,
            decision,
            tuple((process_id, sum(records for _, records in tasks)) for process_id, tasks in restores.by_client),
            tuple(task for task, _ in restores.waiting),
            tuple((process_id, to_restore(self._logs, dict(tasks))) for process_id, tasks in restores.by_client),
            restores.by_client,
            tuple(records for _, records in restores.waiting),
        )

    def goes_on(self, running: Mapping[ProcessId, Iterable[TaskId]]) -> None:
        """After a walk: what each client runs."""
        self._seen = {process_id: _Seen(None, (), dict.fromkeys(tasks), {}) for process_id, tasks in running.items()}


def copied(
    reports: Reports, clients: Iterable[Client], tasks: Mapping[TaskId, object], acceptable_lag: int
) -> Mapping[TaskId, None]:
    """Those of the tasks of which one of these clients has a copy that is caught up."""
    found: dict[TaskId, None] = {}
    for client in clients:
        if [task for one in client.consumers for task, _ in one.task_offset_sums if task in tasks]:  # of most clients: none
            copies = (each for each in reported(client).items() if each[0] in tasks)
            found |= dict.fromkeys(task for task, total in copies if _caught_up(reports, task, total, acceptable_lag))
    return found


def _look(
    reports: Reports, client: Client, shares: tuple[ConsumerAssignment, ...], had: Mapping[TaskId, None], acceptable_lag: int
) -> tuple[_Seen, Mapping[TaskId, int]]:
    """What this client does now, and the records that it lacks of what it did not do before."""
    known = reported(client)
    active = [task for share in shares for task in share.active]
    running = dict.fromkeys((*active, *(task for share in shares for task in share.standby)))
    lacking = {task: reports.to_restore(task, known.get(task)) for task in running if task not in had}
    late = {
        task: reports.to_restore(task, known.get(task))
        for task in active
        if not _caught_up(reports, task, known.get(task), acceptable_lag)
    }
    return _Seen(client, shares, running, late), lacking


def _caught_up(reports: Reports, task: TaskId, total: int | None, acceptable_lag: int) -> bool:
    """Whether a copy that reports `total` can run at once, or nearly so. Kafka's own word for the lag it accepts."""
    if total == LATEST_OFFSET or acceptable_lag == java.LONG_MAX:
        return True
    return reports.to_restore(task, total) <= acceptable_lag
