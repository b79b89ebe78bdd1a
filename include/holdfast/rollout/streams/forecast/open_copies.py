"""The copies for which it is unknown whether an immediate follow-up finds them caught up, or at all."""

from dataclasses import dataclass

from holdfast.kafka.streams.group import Assignment, Client, ConsumerAssignment, Group
from holdfast.kafka.vocabulary import LATEST_OFFSET, ProcessId, TaskId
from holdfast.rollout.streams.scene.reports import Reports, reported
from holdfast.rollout.text.format import listed, many

Copies = frozenset[tuple[ProcessId, TaskId]]
"""Copies of tasks on clients."""


@dataclass(frozen=True, slots=True)
class _Noted:
    """A client when it was last looked at: what it reported and was handed; whether that is a copy new to one of its threads."""

    client: Client
    shares: tuple[ConsumerAssignment, ...]
    unstarted: bool


class OpenCopies:
    """The books of the rebalances after one batch.

    `copies`: standby copies that were behind when an immediate follow-up came. `unstarted`: such follow-ups before which a thread
    was handed a copy that it had not: if it has not opened it by then, its client reports none.

    A client that reports the same and is handed the same (the same objects) is not looked at again.
    """

    def __init__(self, reports: Reports, acceptable_lag: int) -> None:
        self._reports = reports
        self._acceptable_lag = acceptable_lag
        self._noted: dict[ProcessId, _Noted] = {}
        self._copies: dict[tuple[ProcessId, TaskId], None] = {}
        self.unstarted = 0

    @property
    def copies(self) -> Copies:
        return frozenset(self._copies)

    def note(self, group: Group, decision: Assignment) -> None:
        """An immediate follow-up comes after `decision`."""
        unstarted = False
        for client, shares in decision.by_client(group.clients):
            noted = self._noted.get(client.process_id)
            if noted is None or noted.client is not client or noted.shares != shares:
                noted = self._noted[client.process_id] = _Noted(client, shares, self._look(client, shares))
            unstarted = unstarted or noted.unstarted
        self.unstarted += unstarted

    def _look(self, client: Client, shares: tuple[ConsumerAssignment, ...]) -> bool:
        """Note its copies; whether a thread of it was handed one that it had not."""
        known = reported(client)
        unstarted = False
        for consumer, share in zip(client.consumers, shares, strict=True):
            own = {task for task, _ in consumer.task_offset_sums} if share.standby else ()
            unstarted = (
                unstarted
                or any(known.get(task) != LATEST_OFFSET and self._reports.log_end(task) for task in share.active)
                or any(task in known and task not in own for task in share.standby)
            )
            for task in share.standby:
                total = known.get(task, 0)
                if total != LATEST_OFFSET and not 0 <= self._reports.end(task) - total <= self._acceptable_lag:
                    self._copies[client.process_id, task] = None
        return unstarted


def left_behind(group: Group, handed: Assignment | None, reports: Reports) -> str:
    """The copies that never catch up, in words; nothing where there are none. `handed`: the last decision."""
    standbys = {} if handed is None else {one.member_id: one.standby for one in handed.consumers}
    behind = dict.fromkeys(
        task
        for client in group.clients
        for consumer in client.consumers
        for task, total in consumer.task_offset_sums
        if task in standbys.get(consumer.member_id, ()) and total < reports.log_end(task) - group.config.acceptable_recovery_lag
    )
    if not behind:
        return ""
    return (
        f" {many(len(behind), 'copy', 'copies')} ({listed(sorted(behind))}) stay more than acceptable.recovery.lag"
        f" ({group.config.acceptable_recovery_lag:,} records) behind and never become active."
    )
