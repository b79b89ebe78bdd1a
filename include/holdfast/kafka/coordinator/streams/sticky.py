"""The coordinator's `StickyTaskAssignor` (`org.apache.kafka.coordinator.group.streams.assignor`, 4.2.0 to 4.4.0), tie for tie.

Start at `assign`. Active tasks go to their previous owner, then to a previous standby, then to the least loaded process; standbys
to the previous owner, to a previous standby, then to the least loaded process without a copy. Every member has a quota of tasks
that shrinks as members fill up. Tasks are numbered here by subtopology (in Java's order) and partition, members and
processes in the order in which the assignor's hash maps are iterated.
"""

from collections.abc import Iterator
from itertools import chain

from holdfast.kafka import java, java_hash
from holdfast.kafka.coordinator.release import Behaviour, behaviour
from holdfast.kafka.coordinator.streams.group import Group, Member, MemberTarget, Target, Task, Tasks
from holdfast.kafka.coordinator.streams.least_loaded import LeastLoaded

_NOBODY = -1


def assign(group: Group) -> Target:
    """The target that the group's coordinator computes now. A group without members has none: its target is empty.

    Raise Unsupported for a release that is not covered.
    """
    facts = behaviour(group.release)
    return _Assignor(group, facts).assign() if group.members else Target(())


class _Quota:
    """How many tasks a member may have before others are preferred: all tasks by all members, rounded up.

    A member that reaches it exactly leaves the sum, with its tasks (`maybeUpdateTotalTasksPerMember`).
    """

    __slots__ = ("_members", "_tasks", "value")

    def __init__(self, tasks: int, members: int) -> None:
        self._tasks, self._members = tasks, members
        self.value = -(-tasks // members)

    def filled(self) -> int:
        """A member has reached the quota. Return the next one."""
        self._members -= 1
        self._tasks -= self.value
        self.value = -(-self._tasks // self._members) if self._members else 0
        return self.value


class _Assignor:
    """`StickyTaskAssignor.LocalState`, and the `ProcessState` of each process."""

    def __init__(self, group: Group, facts: Behaviour) -> None:
        self._group, self._facts = group, facts
        self._standbys = group.num_standby_replicas
        self._number_tasks()
        self._number_members()
        self._read_previous()
        stateful = sum(one.tasks for one in group.subtopologies if one.stateful)
        members = len(self._members)
        self._active_quota = _Quota(self._size, members)
        self._total_quota = _Quota(self._size + stateful * self._standbys, members)
        self._counts = [0] * members
        self._active: list[list[int]] = [[] for _ in range(members)]
        self._standby: list[list[int]] = [[] for _ in range(members)]
        self._queues: list[LeastLoaded | None] = [None] * len(self._threads)
        self._rounds: dict[tuple[tuple[int, ...], int], tuple[list[int], list[int]]] = {}

    def _number_tasks(self) -> None:
        """Tasks 0, 1, … by subtopology and partition; `_spans`: a subtopology's first task, and how many it has."""
        self._subtopologies = sorted(self._group.subtopologies, key=lambda one: java.string_order(one.id))
        self._spans: dict[str, tuple[int, int]] = {}
        first = 0
        for one in self._subtopologies:
            self._spans[one.id] = first, one.tasks
            first += one.tasks
        self._size = first

    def _number_members(self) -> None:
        """Members and processes in the order of their maps; `_threads`: each process's members, in the order of its own map."""
        by_id = {member.member_id: member for member in self._group.members}
        self._members: list[Member] = [by_id[one] for one in java_hash.string_map_order(list(by_id))]
        threads: dict[str, list[int]] = {}
        for number, member in enumerate(self._members):
            threads.setdefault(member.process_id, []).append(number)
        capacity = 1 << (len(self._members) - 1).bit_length()
        if self._facts.processes_computed:
            processes = java_hash.string_order_of_computed([member.process_id for member in self._members], capacity)
        else:
            processes = java_hash.string_map_order(list(threads), capacity)
        self._threads = [self._in_own_map(threads[process]) for process in processes]
        self._process_of = [0] * len(self._members)
        for number, members in enumerate(self._threads):
            for member_number in members:
                self._process_of[member_number] = number

    def _in_own_map(self, members: list[int]) -> list[int]:
        """The members of one process in the order of `ProcessState.memberToTaskCounts`."""
        if len(members) == 1:
            return members
        number_of = {self._members[number].member_id: number for number in members}
        return [number_of[one] for one in java_hash.string_map_order(list(number_of))]

    def _read_previous(self) -> None:
        """Who had what: each active task's last owner, each task's standbys, best first. Tasks that are no more are left out."""
        self._owner = [_NOBODY] * self._size
        self._candidates: dict[int, list[int]] = {}
        owner, candidates = self._owner, self._candidates
        for number, member in enumerate(self._members):
            for subtopology, partitions in member.active:
                first, tasks = self._spans.get(subtopology, (0, 0))
                for partition in partitions:
                    if partition < tasks:
                        owner[first + partition] = number
            for subtopology, partitions in member.standby:
                first, tasks = self._spans.get(subtopology, (0, 0))
                for partition in partitions:
                    if partition < tasks:
                        candidates.setdefault(first + partition, []).append(number)
        if self._facts.offsets_count:
            self._rank_by_offsets()

    def _rank_by_offsets(self) -> None:
        """4.4 (`rankStandbyCandidates`): previous standbys, then others with an offset; of either the greatest offset first."""
        offsets: list[dict[int, int]] = []
        others: dict[int, list[int]] = {}
        for number, member in enumerate(self._members):
            known: dict[int, int] = {}
            for (subtopology, partition), offset in member.task_offsets:
                first, tasks = self._spans.get(subtopology, (0, 0))
                if partition < tasks:
                    known[first + partition] = offset
                    others.setdefault(first + partition, []).append(number)
            offsets.append(known)
        for task, standbys in self._candidates.items():
            rest = [number for number in others.pop(task, ()) if number not in standbys]
            standbys.sort(key=lambda number: -offsets[number].get(task, 0))
            standbys += sorted(rest, key=lambda number: -offsets[number][task])
        for task, rest in others.items():
            self._candidates[task] = sorted(rest, key=lambda number: -offsets[number][task])

    def assign(self) -> Target:
        self._assign_active()
        missing = self._assign_standbys() if self._standbys else ()
        given = {
            member.member_id: MemberTarget(member.member_id, self._named(self._active[number]), self._named(self._standby[number]))
            for number, member in enumerate(self._members)
        }
        return Target(tuple(given[member_id] for member_id in dict.fromkeys(one.member_id for one in self._group.members)), missing)

    def _named(self, numbers: list[int]) -> Tasks:
        numbers.sort()
        named: list[tuple[str, tuple[int, ...]]] = []
        index, size = 0, len(numbers)
        for one in self._subtopologies:
            if index == size:
                break
            first = self._spans[one.id][0]
            end, begin = first + one.tasks, index
            while index < size and numbers[index] < end:
                index += 1
            if index > begin:
                named.append((one.id, tuple([number - first for number in numbers[begin:index]])))
        return tuple(named)

    def _by_partition(self, *, stateful_only: bool) -> list[int]:
        """Tasks by partition, and by subtopology where that is the same."""
        spans = [self._spans[one.id] for one in self._subtopologies if one.stateful or not stateful_only]
        tasks: list[int] = []
        low = 0
        for high in sorted({count for _, count in spans}):
            rows = (range(first + low, first + high) for first, count in spans if count >= high)
            tasks += chain.from_iterable(zip(*rows, strict=True))
            low = high
        return tasks

    def _give_active(self, member: int, task: int) -> None:
        self._active[member].append(task)
        self._counts[member] += 1
        count = self._counts[member]
        if count == self._active_quota.value:
            self._active_quota.filled()
        if count == self._total_quota.value:
            self._total_quota.filled()

    def _assign_active(self) -> None:
        owner, counts, active = self._owner, self._counts, self._active
        quota, total = self._active_quota.value, self._total_quota.value
        left = []
        for task in self._by_partition(stateful_only=False):
            member = owner[task]
            if member < 0 or counts[member] >= quota:
                left.append(task)
                continue
            active[member].append(task)
            count = counts[member] = counts[member] + 1
            if count == quota:
                quota = self._active_quota.filled()
            if count == total:
                total = self._total_quota.filled()
        self._loads = [sum(counts[member] for member in members) for members in self._threads]
        if self._candidates:
            left = [task for task in left if not self._taken_by_standby(task)]
        left.sort()
        self._give_to_least_loaded(left)

    def _taken_by_standby(self, task: int) -> bool:
        member = self._least_loaded_candidate(task, None)
        if member < 0 or self._counts[member] >= self._active_quota.value:
            return False
        self._give_active(member, task)
        self._loads[self._process_of[member]] += 1
        return True

    def _least_loaded_candidate(self, task: int, held: list[set[int]] | None) -> int:
        """`findPrevMemberWithLeastLoad`: the first, unless a later one is less loaded, as a process and as a member.

        `held`: what each process has, for standbys, which may not be where the task is.
        """
        candidates = self._candidates.get(task)
        if not candidates:
            return _NOBODY
        process_of, loads, threads = self._process_of, self._loads, self._threads
        best, best_load, best_count = _NOBODY, 0.0, 0
        for member in candidates:
            process = process_of[member]
            has_task = held is not None and task in held[process]
            if has_task and (best >= 0 or not self._facts.first_standby_hides_others):
                continue
            load, count = loads[process] / len(threads[process]), self._counts[member]
            if best < 0 or (load < best_load and count < best_count):
                best, best_load, best_count = member, load, count
        if self._facts.first_standby_hides_others and held is not None and task in held[process_of[candidates[0]]]:
            return _NOBODY
        return best

    def _queue_of_processes(self) -> LeastLoaded:
        return LeastLoaded(range(len(self._threads)), self._loads, [len(members) for members in self._threads])

    def _queue_in(self, process: int) -> LeastLoaded:
        """The process's members by load: made when it is first needed, and again after a member was given a task past the queue."""
        queue = self._queues[process]
        if queue is None:
            queue = self._queues[process] = LeastLoaded(self._threads[process], self._counts, rounds=self._rounds)
        return queue

    def _give_to_least_loaded(self, tasks: list[int]) -> None:
        """Active tasks that no previous owner and no standby took. Which process takes which, then which of its members."""
        by_process: list[list[int]] = [[] for _ in self._threads]
        processes = self._queue_of_processes().deal(len(tasks))
        for task, process in zip(tasks, processes, strict=True):
            by_process[process].append(task)
        before = list(self._counts)
        for process, taken in enumerate(by_process):
            if taken:
                for task, member in zip(taken, self._queue_in(process).deal(len(taken)), strict=True):
                    self._active[member].append(task)
        if self._standbys:
            self._shrink_total_quota(tasks, before)

    def _shrink_total_quota(self, tasks: list[int], counts: list[int]) -> None:
        """Let members that took these tasks, one after the other, reach the quota of all tasks; `counts`: before that."""
        taker = {task: member for member, active in enumerate(self._active) for task in active}
        quota = self._total_quota.value
        for task in tasks:
            member = taker[task]
            counts[member] += 1
            if counts[member] == quota:
                quota = self._total_quota.filled()

    def _assign_standbys(self) -> tuple[tuple[Task, int], ...]:
        held = [set(chain.from_iterable(self._active[member] for member in members)) for members in self._threads]
        left: list[tuple[int, int]] = []
        for task in reversed(self._by_partition(stateful_only=True)):
            for given in range(self._standbys):
                member = self._previous_holder(task, held)
                if member < 0:
                    left.append((task, self._standbys - given))
                    break
                self._give_standby(member, task, held)
                self._queues[self._process_of[member]] = None
        left.sort(reverse=True)
        return tuple(self._standbys_to_least_loaded(left, held))

    def _previous_holder(self, task: int, held: list[set[int]]) -> int:
        """Who had the task, active or standby, has room, and is in a process without it."""
        quota = self._total_quota.value
        member = self._owner[task]
        if member >= 0 and task not in held[self._process_of[member]] and self._counts[member] < quota:
            return member
        member = self._least_loaded_candidate(task, held)
        return member if member >= 0 and self._counts[member] < quota else _NOBODY

    def _give_standby(self, member: int, task: int, held: list[set[int]]) -> None:
        self._counts[member] += 1
        self._loads[self._process_of[member]] += 1
        self._took_standby(member, task, held)

    def _took_standby(self, member: int, task: int, held: list[set[int]]) -> None:
        self._standby[member].append(task)
        held[self._process_of[member]].add(task)
        if self._counts[member] == self._total_quota.value:
            self._total_quota.filled()

    def _standbys_to_least_loaded(self, left: list[tuple[int, int]], held: list[set[int]]) -> Iterator[tuple[Task, int]]:
        """`assignStandbyToMemberWithLeastLoad`: processes that have the task are polled aside, and go back in reverse."""
        queue = self._queue_of_processes()
        for task, replicas in left:
            for given in range(replicas):
                aside = []
                process = queue.poll()
                while task in held[process] and len(queue):
                    aside.append(process)
                    process = queue.poll()
                missing = task in held[process]
                if missing:
                    queue.put_back(process)
                else:
                    member = self._queue_in(process).deal(1)[0]
                    self._took_standby(member, task, held)
                    queue.add(process)
                for passed in reversed(aside):
                    queue.put_back(passed)
                if missing:
                    yield self._task(task), replicas - given
                    break

    def _task(self, number: int) -> Task:
        for one in self._subtopologies:
            first, tasks = self._spans[one.id]
            if number < first + tasks:
                return Task(one.id, number - first)
        raise AssertionError(f"there is no task {number}")
