"""The coordinator's `StickyTaskAssignor` (`org.apache.kafka.coordinator.group.streams.assignor`, 4.2.0 to 4.4.0), tie for tie.

Start at `assign`. Active tasks go to their previous owner, then to a previous standby, then to the least loaded process; standbys
to the previous owner, to a previous standby, then to the least loaded process without a copy. Every member has a quota of tasks
that shrinks as members fill up. Tasks, members and processes are numbers (`books`).
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import cast

from holdfast.kafka.coordinator.release import Behaviour, behaviour
from holdfast.kafka.coordinator.streams.books import NO_OWNER, Books
from holdfast.kafka.coordinator.streams.group import Group, MemberTarget, Target, Task, Tasks
from holdfast.kafka.coordinator.streams.least_loaded import LeastLoaded


def assign(group: Group) -> Target:
    """The target that the group's coordinator computes now. A group without members has none: its target is empty.

    Raise Unsupported for a release that is not covered.
    """
    facts = behaviour(group.release)
    return _Assignor(group, facts).assign() if group.members else Target(())


_TARGET: Callable[[tuple[str, Tasks, Tasks]], MemberTarget] = partial(tuple.__new__, MemberTarget)
"""A MemberTarget of its fields: there is one for each thread of a group."""


class _Quota:
    """How many tasks a member may have before others are preferred: all tasks by all members, rounded up.

    A member that reaches it exactly leaves the sum, with its tasks (`maybeUpdateTotalTasksPerMember`).
    """

    __slots__ = ("_members", "_tasks", "value")

    def __init__(self, tasks: int, members: int) -> None:
        self._tasks, self._members = tasks, members
        self.value = -(-tasks // members) if members else 0

    def filled(self) -> int:
        """A member has reached the quota. Return the next one."""
        self._members -= 1
        self._tasks -= self.value
        self.value = -(-self._tasks // self._members) if self._members else 0
        return self.value

    def after(self, fills: int) -> "_Quota | None":
        """The quota after `fills` members have reached it. None: it shrinks before the last of them."""
        later = _Quota(self._tasks, self._members)
        for _ in range(fills):
            if later.value != self.value:
                return None
            later.filled()
        return later


class _Assignor:
    """`StickyTaskAssignor.doAssign`, with the `ProcessState` of each process.

    `_active`: whose each active task is. `_standby`: the same of each task's first, second, … standby. `_counts`: how many tasks a
    member has; `_loads`: how many a process has.
    """

    def __init__(self, group: Group, facts: Behaviour) -> None:
        self._group, self._facts = group, facts
        self._books = books = Books(group, facts)
        self._replicas = group.num_standby_replicas
        stateful = sum(one.tasks for one in group.subtopologies if one.stateful)
        members = len(books.members)
        self._active_quota = _Quota(books.size, members)
        self._total_quota = _Quota(books.size + stateful * self._replicas, members)
        self._counts = [0] * members
        self._loads: list[int] = []
        self._active = [NO_OWNER] * books.size
        self._standby = [[NO_OWNER] * books.size for _ in range(self._replicas)]
        self._queues: list[LeastLoaded | None] = [None] * len(books.threads)

    def assign(self) -> Target:
        self._assign_active()
        missing = self._assign_standbys() if self._replicas else ()
        books = self._books
        active = books.named([self._active])
        standby = books.named(self._standby) if self._replicas else [()] * len(active)
        given = list(map(_TARGET, zip(books.seats.ids, active, standby, strict=True)))
        return Target(tuple(map(given.__getitem__, books.seats.numbers)), missing)

    # Active tasks.

    def _assign_active(self) -> None:
        left = self._keep_owners()
        self._loads = self._loads_now()
        if left and self._books.had_standbys:
            left = sorted([task for task in left if not self._taken_by_standby(task)])
        self._give_to_least_loaded(left)

    def _loads_now(self) -> list[int]:
        if not any(self._counts):
            return [0] * len(self._books.threads)
        return [sum(map(self._counts.__getitem__, members)) for members in self._books.threads]

    def _keep_owners(self) -> Sequence[int]:
        """Owners keep what fits into the quota. Return the other tasks: by partition, where standbys may take them."""
        books = self._books
        if books.free == books.size:
            return books.by_partition(stateful_only=False) if books.had_standbys else range(books.size)
        most = max(books.owned)
        fills = books.owned.count(most) if most == self._active_quota.value else 0
        later = self._active_quota.after(fills) if most <= self._active_quota.value else None
        settled = later is not None and (later.value == self._active_quota.value or not books.had_standbys)
        if later is None or not settled or (self._replicas and most >= self._total_quota.value):
            return self._keep_owners_one_by_one()
        self._active_quota = later
        self._active = list(books.owner)
        self._counts = list(books.owned)
        left = _places_of(NO_OWNER, books.owner, books.free)
        return books.in_partition_order(left) if books.had_standbys else left

    def _keep_owners_one_by_one(self) -> list[int]:
        """Where the quota shrinks while members fill up it matters who fills up first."""
        owner, counts, active = self._books.owner, self._counts, self._active
        quota, total = self._active_quota.value, self._total_quota.value
        left = []
        for task in self._books.by_partition(stateful_only=False):
            member = owner[task]
            if member < 0 or counts[member] >= quota:
                left.append(task)
                continue
            active[task] = member
            count = counts[member] = counts[member] + 1
            if count == quota:
                quota = self._active_quota.filled()
            if count == total:
                total = self._total_quota.filled()
        return left if self._books.had_standbys else sorted(left)

    def _taken_by_standby(self, task: int) -> bool:
        member = self._least_loaded_candidate(task, ())
        if member < 0 or self._counts[member] >= self._active_quota.value:
            return False
        self._active[task] = member
        self._loads[self._books.process_of[member]] += 1
        count = self._counts[member] = self._counts[member] + 1
        if count == self._active_quota.value:
            self._active_quota.filled()
        if count == self._total_quota.value:
            self._total_quota.filled()
        return True

    def _least_loaded_candidate(self, task: int, held: Collection[int]) -> int:
        """`findPrevMemberWithLeastLoad`: the first, unless a later one is less loaded, as a process and as a member.

        `held`: for standbys, the processes that have the task; there must not be a second copy.
        """
        process_of, loads, threads = self._books.process_of, self._loads, self._books.threads
        candidates = self._books.several_standbys.get(task)
        if candidates is None:
            first = self._books.first_standby[task]
            return first if first >= 0 and process_of[first] not in held else NO_OWNER
        best, best_load, best_count = NO_OWNER, 0.0, 0
        for member in candidates:
            process = process_of[member]
            if process in held:
                if best < 0 and self._facts.first_standby_hides_others:
                    return NO_OWNER
                continue
            load, count = loads[process] / len(threads[process]), self._counts[member]
            if best < 0 or (load < best_load and count < best_count):
                best, best_load, best_count = member, load, count
        return best

    def _queue_of_processes(self) -> LeastLoaded:
        threads = self._books.threads
        return LeastLoaded(range(len(threads)), self._loads, self._books.seats.sizes)

    def _queue_in(self, process: int) -> LeastLoaded:
        """The process's members by load: made when it is first needed, and again after a member was given a task past the queue."""
        queue = self._queues[process]
        if queue is None:
            queue = self._queues[process] = LeastLoaded(self._books.threads[process], self._counts)
        return queue

    def _takers_in(self, processes: list[int], before: list[int]) -> list[int]:
        """Which member of the process takes each task, one after the other. `before`: the loads before processes took them."""
        turns = [
            iter(self._queue_in(process).deal(load - former) if load > former else ())
            for process, (load, former) in enumerate(zip(self._loads, before, strict=True))
        ]
        return list(map(next, map(turns.__getitem__, processes)))

    def _give_to_least_loaded(self, tasks: Sequence[int]) -> None:
        """Active tasks that no previous owner and no standby took. Which process takes which, then which of its members."""
        before, loads = list(self._counts), list(self._loads)
        processes = self._queue_of_processes().deal(len(tasks))
        takers = self._takers_in(processes, loads)
        if len(tasks) == len(self._active):
            self._active = takers
        else:
            for task, member in zip(tasks, takers, strict=True):
                self._active[task] = member
        if self._replicas and max(self._counts) >= self._total_quota.value:
            self._shrink_total_quota(takers, before)

    def _shrink_total_quota(self, takers: list[int], counts: list[int]) -> None:
        """Let members that took a task each, one after the other, reach the quota of all tasks; `counts`: before that."""
        quota = self._total_quota.value
        for member in takers:
            counts[member] += 1
            if counts[member] == quota:
                quota = self._total_quota.filled()

    # Standbys.

    def _assign_standbys(self) -> tuple[tuple[Task, int], ...]:
        books = self._books
        held_by: dict[int, list[int]] = {}
        if not books.had_standbys and books.free == books.size:
            left = books.stateful()
        elif self._replicas == 1 and not books.several_standbys:
            left = self._give_each_to_previous_holder(books.by_partition(stateful_only=True)[::-1])
        else:
            left = []
            for task in reversed(books.by_partition(stateful_only=True)):
                held = self._give_to_previous_holders(task)
                if len(held) <= self._replicas:
                    left.append(task)
                    if len(held) > 1:
                        held_by[task] = held
        left.sort(reverse=True)
        return tuple(self._standbys_to_least_loaded(left, held_by))

    def _give_each_to_previous_holder(self, tasks: list[int]) -> list[int]:
        """`_give_to_previous_holders` of one standby a task, where at most one member had it before. Return what none takes."""
        process_of, counts, (standby,), before = self._books.process_of, self._counts, self._standby, self._loads
        quota = self._total_quota.value
        left = []
        actives, owners, firsts = (
            map(one.__getitem__, tasks) for one in (self._active, self._books.owner, self._books.first_standby)
        )
        for task, active, owner, first in zip(tasks, map(process_of.__getitem__, actives), owners, firsts, strict=True):
            member = owner
            if member < 0 or process_of[member] == active or counts[member] >= quota:
                member = first
                if member < 0 or process_of[member] == active or counts[member] >= quota:
                    left.append(task)
                    continue
            standby[task] = member
            count = counts[member] = counts[member] + 1
            if count == quota:
                quota = self._total_quota.filled()
        self._loads = self._loads_now()
        for process, (load, former) in enumerate(zip(self._loads, before, strict=True)):
            if load != former:
                self._queues[process] = None
        return left

    def _give_to_previous_holders(self, task: int) -> list[int]:
        """Standbys go to who had the task, active or standby, has room, and is in a process without it. Return who has it then:
        the process of the active task, and that of each standby."""
        process_of, counts = self._books.process_of, self._counts
        held = [process_of[self._active[task]]]
        owner = self._books.owner[task]
        for standby in self._standby:
            quota = self._total_quota.value
            member = owner
            if member < 0 or process_of[member] in held or counts[member] >= quota:
                member = self._least_loaded_candidate(task, held)
                if member < 0 or counts[member] >= quota:
                    break
            process = process_of[member]
            standby[task] = member
            counts[member] += 1
            self._loads[process] += 1
            self._queues[process] = None
            held.append(process)
            if counts[member] == quota:
                self._total_quota.filled()
        return held

    def _standbys_to_least_loaded(self, left: list[int], held_by: dict[int, list[int]]) -> Iterator[tuple[Task, int]]:
        """`assignStandbyToMemberWithLeastLoad`: which process takes which, then which of its members. Yield what none can take.

        `held_by`: the processes that have a task, where some of its standbys are placed already.
        """
        processes: list[int] = []
        places: list[int] = []
        loads = list(self._loads)
        if self._replicas == 1:  # none of them is placed already
            process_of, active = self._books.process_of, self._active
            held = list(map(process_of.__getitem__, map(active.__getitem__, left)))
            found = self._queue_of_processes().take_each_outside(held)
            if None not in found:
                processes, places = cast("list[int]", found), left
            else:
                processes = [process for process in found if process is not None]
                places = [task for task, process in zip(left, found, strict=True) if process is not None]
                yield from (
                    (Task(*self._books.name(task)), 1) for task, process in zip(left, found, strict=True) if process is None
                )
        else:
            yield from self._several_to_least_loaded(left, held_by, processes, places)
        takers = self._takers_in(processes, loads)
        first, *others = self._standby
        if len(takers) == len(first) and not others:
            self._standby[0] = takers[::-1]  # of all tasks, from the last to the first
            return
        if not others:
            for task, member in zip(places, takers, strict=True):
                first[task] = member
            return
        for task, member in zip(places, takers, strict=True):
            if first[task] < 0:
                first[task] = member
            else:
                next(standby for standby in others if standby[task] < 0)[task] = member

    def _several_to_least_loaded(
        self, left: list[int], held_by: dict[int, list[int]], processes: list[int], places: list[int]
    ) -> Iterator[tuple[Task, int]]:
        """Add who takes each standby to `processes`, and its task to `places`. Yield what none can take."""
        queue = self._queue_of_processes()
        process_of, active = self._books.process_of, self._active
        for task in left:
            held = held_by.get(task) or [process_of[active[task]]]
            for copies in range(len(held) - 1, self._replicas):
                process = queue.take_outside(held)
                if process is None:
                    yield Task(*self._books.name(task)), self._replicas - copies
                    break
                held.append(process)
                processes.append(process)
                places.append(task)


def _places_of(value: int, values: list[int], count: int) -> list[int]:
    """Where `value` is, `count` times, among `values`."""
    places: list[int] = []
    at = -1
    for _ in range(count):
        at = values.index(value, at + 1)
        places.append(at)
    return places
