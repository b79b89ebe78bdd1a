"""Losses whose rebalances are walked on arrays, without a value for any decision: only the figures of a `Loss` are added up.

Each equals the course of the same change (`course.carried_out`), which a property test compares. What cannot be walked, does not
become stable or is refused is left to that.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from holdfast.errors import HoldfastError
from holdfast.kafka.streams.group import Group
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.disks.logs import total_or_none
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events import batches
from holdfast.rollout.streams.forecast.acts import act_of
from holdfast.rollout.streams.forecast.compiled.totals import Totals
from holdfast.rollout.streams.forecast.next_rebalance import until_then
from holdfast.rollout.streams.forecast.work import allowed, of_a_rebalance, of_events, size_of
from holdfast.rollout.streams.host_loss import loss_times
from holdfast.rollout.streams.host_loss.blast_radius import FigureBasis, Loss
from holdfast.rollout.streams.scene.assumptions import Assume
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot import changelog_sizes, groups
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

if TYPE_CHECKING:  # importing it loads the compiler
    from holdfast.rollout.streams.forecast.compiled.one_client_less import Lost, OneClientLess


class WalkedLosses:
    """What the losses of one group have in common. `before`: who runs what now; `most`: the rebalances of one loss."""

    def __init__(
        self,
        snapshot: Snapshot,
        group: Group,
        reports: Reports,
        arrays: "OneClientLess",
        before: Mapping[TaskId, ProcessId],
        policy: Policy,
        most: int,
    ) -> None:
        self._scene, self._reports, self._arrays = Scene.of(snapshot), reports, arrays
        self._policy, self._most, self._work = policy, most, allowed(snapshot).most
        _, self._probing_s = until_then(Trigger.PROBING, group, Wait.STABLE)
        stateful = {task.id for task in snapshot.tasks if task.stateful}
        self._owners = [(row, before.get(task)) for row, task in enumerate(arrays.tasks) if task in stateful]
        self._logs = changelog_sizes.task_logs(snapshot)
        self._sizes: dict[tuple[int, int], int | None] = {}

    @classmethod
    def of(cls, snapshot: Snapshot, before: Mapping[TaskId, ProcessId], policy: Policy, most: int) -> Self | None:
        """None: nothing of this group can be walked."""
        from holdfast.rollout.streams.forecast.compiled.one_client_less import OneClientLess

        try:
            group = groups.group_of(snapshot)
            reports = Reports.of(snapshot, group, Assume())
            arrays = OneClientLess.of(group, reports)
        except HoldfastError:
            return None
        return None if arrays is None else cls(snapshot, group, reports, arrays, before, policy, most)

    def forecast(self, loss: Loss, change: Change) -> Loss | None:
        """`change`: that of the loss. None: it has to be worked out one by one."""
        numbered = change.numbered_batches()
        if len(numbered) != 1 or change.assume != Assume():
            return None
        (batch,) = numbered
        try:
            scene = batches.apply(self._scene, batch, self._reports)
        except HoldfastError:
            return None
        lost = self._arrays.lose(loss.process_id, scene.clients, scene.leader_process_id) if scene.clients else None
        walked = None if lost is None else self._walk(lost)
        if lost is None or walked is None or self._is_too_much(scene, batch, walked):
            return None
        act = act_of(batch, scene, len(walked.asked))
        return replace(
            loss,
            moved=sum(owner != lost.process_ids[walked.runs[row]] for row, owner in self._owners),
            without_copy=walked.waiting,
            basis=FigureBasis.FORECAST,
            rebalances=len(walked.asked),
            rebalances_exact=True,
            times=loss_times.of_totals(act, walked, scene.delay_s, self._probing_s, self._policy),
            restore_bytes=total_or_none(
                None if (size := self._size(*one)) is None else count * size for one, count in walked.restored.items()
            ),
            reason=None,
        )

    def _walk(self, lost: "Lost") -> Totals | None:
        from holdfast.rollout.streams.forecast.compiled.adding_up import add_up

        return add_up(lost.facts, lost.rules, lost.reported, self._most)

    def _is_too_much(self, scene: Scene, batch: batches.Batch, walked: Totals) -> bool:
        """Whether a forecast refuses so much work."""
        size, more = size_of(scene), len(walked.asked) - 1
        work = of_a_rebalance(size, anew=True) + more * of_a_rebalance(size, anew=False)
        return of_events(size_of(self._scene), batch) + work > self._work

    def _size(self, row: int, records: int) -> int | None:
        """The bytes of this number of records of a task; None: it was not measured."""
        if (row, records) not in self._sizes:
            log = self._logs.get(self._arrays.tasks[row])
            self._sizes[row, records] = None if log is None else log.to_restore(records)
        return self._sizes[row, records]
