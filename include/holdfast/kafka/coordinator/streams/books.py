"""The assignor's books: tasks, members and processes as numbers, in the orders in which its hash maps are iterated.

Tasks are numbered by subtopology (in Java's order) and partition; members in the order of `GroupSpec.members`, processes in that of
`LocalState.processIdToState` (`StickyTaskAssignor.initialize`, 4.2.0 to 4.4.0).
"""

from collections import deque
from collections.abc import Sequence
from itertools import chain

from holdfast.kafka import java, java_hash
from holdfast.kafka.coordinator.release import Behaviour
from holdfast.kafka.coordinator.streams.group import Group, Member, Tasks

NO_OWNER = -1
_NEVER_CROWDED = 8
"""The number of entries that fit into Java's smallest table whatever their hash codes."""
_SMALLEST_TABLE = 16


class Books:
    """What the assignor starts with.

    `size`: how many tasks. `threads`: the members of each process, in the order of its own map; `process_of`: a member's process.
    `owner`: who had an active task, the last of several, or NO_OWNER. `candidates`: who had a task's standbys, the best first.
    """

    def __init__(self, group: Group, facts: Behaviour) -> None:
        self._subtopologies = sorted(group.subtopologies, key=lambda one: java.string_order(one.id))
        self._spans: dict[str, tuple[int, int]] = {}
        self.size = 0
        for one in self._subtopologies:
            self._spans[one.id] = self.size, one.tasks
            self.size += one.tasks
        by_id = {member.member_id: member for member in group.members}
        self.members: list[Member] = [by_id[one] for one in java_hash.string_map_order(list(by_id))]
        self.threads = self._processes(facts)
        self.process_of = [0] * len(self.members)
        for process, threads in enumerate(self.threads):
            for member in threads:
                self.process_of[member] = process
        self.owner = self._owners()
        self.candidates = self._standbys()
        if facts.offsets_count:
            self._rank_by_offsets()

    def _processes(self, facts: Behaviour) -> list[list[int]]:
        threads: dict[str, list[int]] = {}
        for number, member in enumerate(self.members):
            threads.setdefault(member.process_id, []).append(number)
        capacity = 1 << (len(self.members) - 1).bit_length()
        if facts.processes_computed:
            processes = java_hash.string_order_of_computed([member.process_id for member in self.members], capacity)
        else:
            processes = java_hash.string_map_order(list(threads), capacity)
        buckets = [java_hash.spread(member.member_id) & (_SMALLEST_TABLE - 1) for member in self.members]
        return [self._in_own_map(threads[process], buckets) for process in processes]

    def _in_own_map(self, members: list[int], buckets: list[int]) -> list[int]:
        """The members of one process in the order of `ProcessState.memberToTaskCounts`."""
        if len(members) <= _NEVER_CROWDED:
            return sorted(members, key=buckets.__getitem__)
        number_of = {self.members[number].member_id: number for number in members}
        return [number_of[one] for one in java_hash.string_map_order(list(number_of))]

    def _owners(self) -> list[int]:
        """Tasks that are no more are left out."""
        owners = {one.id: [NO_OWNER] * one.tasks for one in self._subtopologies}
        for number, member in enumerate(self.members):
            for subtopology, partitions in member.active:
                own = owners.get(subtopology)
                if own is None:
                    continue
                try:
                    for partition in partitions:
                        own[partition] = number
                except IndexError:
                    for partition in partitions:
                        if partition < len(own):
                            own[partition] = number
        return list(chain.from_iterable(owners.values()))

    def _standbys(self) -> dict[int, list[int]]:
        candidates: dict[int, list[int]] = {}
        for number, member in enumerate(self.members):
            for subtopology, partitions in member.standby:
                first, tasks = self._spans.get(subtopology, (0, 0))
                for partition in partitions:
                    if partition < tasks:
                        candidates.setdefault(first + partition, []).append(number)
        return candidates

    def _rank_by_offsets(self) -> None:
        """4.4 (`rankStandbyCandidates`): previous standbys, then others with an offset; of either the greatest offset first."""
        offsets: list[dict[int, int]] = []
        others: dict[int, list[int]] = {}
        for number, member in enumerate(self.members):
            known: dict[int, int] = {}
            for (subtopology, partition), offset in member.task_offsets:
                first, tasks = self._spans.get(subtopology, (0, 0))
                if partition < tasks:
                    known[first + partition] = offset
                    others.setdefault(first + partition, []).append(number)
            offsets.append(known)
        for task, standbys in self.candidates.items():
            rest = [number for number in others.pop(task, ()) if number not in standbys]
            standbys.sort(key=lambda number: -offsets[number].get(task, 0))
            standbys += sorted(rest, key=lambda number: -offsets[number][task])
        for task, rest in others.items():
            self.candidates[task] = sorted(rest, key=lambda number: -offsets[number][task])

    def by_partition(self, *, stateful_only: bool) -> list[int]:
        """Tasks by partition, and by subtopology where that is the same."""
        spans = [self._spans[one.id] for one in self._subtopologies if one.stateful or not stateful_only]
        tasks: list[int] = []
        low = 0
        for high in sorted({count for _, count in spans}):
            rows = (range(first + low, first + high) for first, count in spans if count >= high)
            tasks += chain.from_iterable(zip(*rows, strict=True))
            low = high
        return tasks

    def named(self, owners: Sequence[list[int]]) -> list[Tasks]:
        """What each member has. Each of `owners` has the owner of every task, or NO_OWNER."""
        named: list[list[tuple[str, tuple[int, ...]]]] = [[] for _ in self.members]
        buckets: list[list[int]] = [[] for _ in self.members]
        for one in self._subtopologies:
            first, tasks = self._spans[one.id]
            for owner in owners:
                part = owner[first : first + tasks]
                if part and min(part) >= 0:
                    deque(map(list.append, map(buckets.__getitem__, part), range(tasks)), maxlen=0)
                else:
                    for partition, member in enumerate(part):
                        if member >= 0:
                            buckets[member].append(partition)
            if len(owners) > 1:
                for bucket in buckets:
                    bucket.sort()
            for have, bucket in zip(named, buckets, strict=True):
                if bucket:
                    have.append((one.id, tuple(bucket)))
                    bucket.clear()
        return list(map(tuple, named))

    def name(self, task: int) -> tuple[str, int]:
        """The subtopology and the partition of a task."""
        for one in self._subtopologies:
            first, tasks = self._spans[one.id]
            if task < first + tasks:
                return one.id, task - first
        raise AssertionError(f"there is no task {task}")
