"""The assignor's books: tasks, members and processes as numbers, in the orders in which its hash maps are iterated.

Tasks are numbered by subtopology (in Java's order) and partition; members in the order of `GroupSpec.members`, processes in that of
`LocalState.processIdToState` (`StickyTaskAssignor.initialize`, 4.2.0 to 4.4.0).
"""

from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from itertools import chain, repeat

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
    `owner`: who had an active task, the last of several, or NO_OWNER; `owned`: how many tasks each has so, `free`: how many have
    no owner. `first_standby`: who had a task's standby, the best of several, or NO_OWNER; `several_standbys`: all of them, where
    there are several; `had_standbys`: whether there are any.
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
        self.owned = [0] * len(self.members)
        self.owner = self._owners()
        self.free = self.owner.count(NO_OWNER)
        if sum(self.owned) + self.free != self.size:  # some had the same task, or one that is no more
            kept = Counter(self.owner)
            self.owned = [kept[number] for number in range(len(self.members))]
        self.several_standbys: dict[int, list[int]] = {}
        self.first_standby = self._standbys()
        if facts.offsets_count and any(member.task_offsets for member in self.members):
            self._rank_by_offsets()
        self.had_standbys = max(self.first_standby, default=NO_OWNER) >= 0

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
        """Tasks that are no more are left out, but for `owned`."""
        owned = self.owned
        owners = {one.id: [NO_OWNER] * one.tasks for one in self._subtopologies}
        for number, member in enumerate(self.members):
            for subtopology, partitions in member.active:
                own = owners.get(subtopology)
                if own is None:
                    continue
                owned[number] += len(partitions)
                try:
                    for partition in partitions:
                        own[partition] = number
                except IndexError:
                    for partition in partitions:
                        if partition < len(own):
                            own[partition] = number
        return list(chain.from_iterable(owners.values()))

    def _standbys(self) -> list[int]:
        """Whose standby each task was, the first of several."""
        first = [NO_OWNER] * self.size
        for number, member in enumerate(self.members):
            for subtopology, partitions in member.standby:
                begin, tasks = self._spans.get(subtopology, (0, 0))
                for partition in partitions:
                    if partition >= tasks:
                        continue
                    task = begin + partition
                    if first[task] < 0:
                        first[task] = number
                    else:
                        self.several_standbys.setdefault(task, [first[task]]).append(number)
        return first

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
        for task in others.keys() | {task for task, standby in enumerate(self.first_standby) if standby >= 0}:
            first = self.first_standby[task]
            ranked = sorted(
                self.several_standbys.get(task, [first] if first >= 0 else []), key=lambda number: -offsets[number].get(task, 0)
            )
            rest = [number for number in others.get(task, ()) if number not in ranked]
            ranked += sorted(rest, key=lambda number: -offsets[number][task])
            self.first_standby[task] = ranked[0]
            if len(ranked) > 1:
                self.several_standbys[task] = ranked

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

    def in_partition_order(self, tasks: Iterable[int]) -> list[int]:
        """Some tasks, as `by_partition` has all of them."""
        begins = [self._spans[one.id][0] for one in self._subtopologies]
        return sorted(tasks, key=lambda task: (task - begins[bisect_right(begins, task) - 1], task))

    def named(self, owners: Sequence[list[int]]) -> list[Tasks]:
        """What each member has. Each of `owners` has the owner of every task, or NO_OWNER."""
        columns: list[Iterable[tuple[str, tuple[int, ...]]]] = []
        all_have = True
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
            all_have = all_have and all(buckets)
            columns.append(list(zip(repeat(one.id), map(tuple, buckets))))
            deque(map(list.clear, buckets), maxlen=0)
        rows: list[Tasks] = list(zip(*columns, strict=True)) if columns else [()] * len(self.members)
        return rows if all_have else [tuple([have for have in row if have[1]]) for row in rows]

    def name(self, task: int) -> tuple[str, int]:
        """The subtopology and the partition of a task."""
        for one in self._subtopologies:
            first, tasks = self._spans[one.id]
            if task < first + tasks:
                return one.id, task - first
        raise AssertionError(f"there is no task {task}")
