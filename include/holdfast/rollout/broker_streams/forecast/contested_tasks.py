"""Who waits in a reconciliation until another member has given up a task: `CurrentAssignmentBuilder.computeNextAssignment`.

An active task is free once no member runs it, and no thread of the same process has a copy of it; a standby task once no thread of
the process has the task in any role. A member's own copy counts too, and in the heartbeat with which the member gives it up it is
not free yet: who had the standby task waits for one more heartbeat until it runs the task.
"""

from collections.abc import Set as AbstractSet

from holdfast.kafka.coordinator.streams.group import Task, Tasks, each_task
from holdfast.rollout.broker_streams.forecast.course import Ground
from holdfast.rollout.broker_streams.forecast.outcomes import ComputedTarget
from holdfast.rollout.broker_streams.target.target import MemberTasks
from holdfast.rollout.coordinated.clock import Waiting


class Contested:
    """What members may have while targets follow one another: all that they were given since the group was stable."""

    def __init__(self, ground: Ground) -> None:
        self._runs: dict[Task, set[str]] = {}
        self._copies: dict[Task, set[str]] = {}
        self._processes: dict[str, str] = {}
        self._last: ComputedTarget | None = None
        self._kept: dict[str, tuple[Tasks, Tasks]] = {}
        for one in ground.snapshot.members:
            for owned in (one.assignment, one.target):
                if owned is not None:
                    self._keep(one.member_id, one.process_id or "", owned.active, owned.standby)

    def waiting(self, target: ComputedTarget) -> Waiting[Task]:
        """The target is kept."""
        processes = dict(target.processes)
        running = processes.keys() - target.ended
        members = 0
        for_copies: set[Task] = set()
        for_sessions: set[Task] = set()
        for given in target.assignment.members:
            if given.member_id in running:
                copies = self._in_its_process(self._copies, given.active, processes[given.member_id], running)
                for_copies |= copies
                for_sessions |= self._in_its_process(self._copies, given.active, processes[given.member_id], target.ended)
                members += bool(copies) or self._waits(given, processes[given.member_id], running)
        for given in target.assignment.members:
            if given.member_id in running:  # who ended before learns of nothing
                self._keep(given.member_id, processes[given.member_id], given.active, given.standby)
        self._last = target
        return Waiting(members, frozenset(for_copies), frozenset(for_sessions))

    def returned(self, member: str, old: str) -> None:
        """A static member came back in the place of another: it has what that had."""
        self._processes[member] = self._processes[old]
        for held in (self._runs, self._copies):
            for members in held.values():
                if old in members:
                    members.add(member)

    def settled(self) -> None:
        """Every member has what the last target gives it, and nothing else."""
        if self._last is not None:
            processes = dict(self._last.processes)
            self._runs, self._copies, self._kept = {}, {}, {}
            for given in self._last.assignment.members:
                self._keep(given.member_id, processes[given.member_id], given.active, given.standby)

    def _keep(self, member: str, process: str, active: Tasks, standby: Tasks) -> None:
        self._processes[member] = process
        if self._kept.get(member) == (active, standby):
            return
        self._kept[member] = active, standby
        for tasks, held in ((active, self._runs), (standby, self._copies)):
            for task in each_task(tasks):
                held.setdefault(task, set()).add(member)

    def _waits(self, given: MemberTasks, process: str, running: AbstractSet[str]) -> bool:
        """For another member to give up the active task, or for its process to give up what is to be a standby."""
        others = running - {given.member_id}
        if any(other in others for task in each_task(given.active) for other in self._runs.get(task, ())):
            return True
        return bool(
            self._in_its_process(self._runs, given.standby, process, running)
            or self._in_its_process(self._copies, given.standby, process, others)
        )

    def _in_its_process(self, held: dict[Task, set[str]], tasks: Tasks, process: str, members: AbstractSet[str]) -> set[Task]:
        """Those that one of these members, a thread of the process, may have."""
        if not held or not members:
            return set()
        return {
            task
            for task in each_task(tasks)
            if any(other in members and self._processes[other] == process for other in held.get(task, ()))
        }
