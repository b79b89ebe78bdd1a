"""The assignor's books: tasks, members and processes as numbers, in the orders in which its hash maps are iterated.

Tasks are numbered by subtopology (in Java's order) and partition; members in the order of `GroupSpec.members`, processes in that of
`LocalState.processIdToState` (`StickyTaskAssignor.initialize`, 4.2.0 to 4.4.0).
"""

from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, repeat

from holdfast.kafka import java, java_hash
from holdfast.kafka.coordinator.release import Behaviour
from holdfast.kafka.coordinator.streams.group import Group, Member, Tasks

NO_OWNER = -1
_NEVER_CROWDED = 8
"""The number of entries that fit into Java's smallest table whatever their hash codes."""
_SMALLEST_TABLE = 16


@dataclass(frozen=True, slots=True)
class Seats:
    """The order of a group's members, which depends on their IDs alone: targets of a group from epoch to epoch share it.

    `positions`: where the Group has each member; `numbers`: which member each of the Group is. `ids`: of each member. `threads` and
    `process_of` as in Books, `sizes`: how many members a process has.
    """

    positions: tuple[int, ...]
    numbers: tuple[int, ...]
    ids: tuple[str, ...]
    threads: tuple[tuple[int, ...], ...]
    process_of: tuple[int, ...]
    sizes: tuple[int, ...]


@lru_cache(maxsize=16)
def _seats(member_ids: tuple[str, ...], process_ids: tuple[str, ...], *, computed: bool) -> Seats:
    """`computed`: how the map of processes is filled (`Behaviour.processes_computed`)."""
    position_of = {member_id: position for position, member_id in enumerate(member_ids)}
    ids = java_hash.string_map_order(list(position_of))
    positions = tuple(map(position_of.__getitem__, ids))
    number_of = {member_id: number for number, member_id in enumerate(ids)}
    theirs = list(map(process_ids.__getitem__, positions))
    members_of: dict[str, list[int]] = {}
    for number, process_id in enumerate(theirs):
        members_of.setdefault(process_id, []).append(number)
    capacity = 1 << (len(ids) - 1).bit_length()
    if computed:
        processes = java_hash.string_order_of_computed(theirs, capacity)
    else:
        processes = java_hash.string_map_order(list(members_of), capacity)
    threads = tuple(tuple(_in_own_map(members_of[process], ids)) for process in processes)
    process_of = [0] * len(ids)
    for process, members in enumerate(threads):
        for member in members:
            process_of[member] = process
    numbers = tuple(map(number_of.__getitem__, member_ids))
    return Seats(positions, numbers, tuple(ids), threads, tuple(process_of), tuple(map(len, threads)))


def _in_own_map(members: list[int], ids: list[str]) -> list[int]:
    """The members of one process in the order of `ProcessState.memberToTaskCounts`."""
    if len(members) <= _NEVER_CROWDED:
        return sorted(members, key=lambda number: java_hash.spread(ids[number]) & (_SMALLEST_TABLE - 1))
    number_of = {ids[number]: number for number in members}
    return [number_of[one] for one in java_hash.string_map_order(list(number_of))]


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
        given = group.members
        self.seats = seats = _seats(
            tuple([one.member_id for one in given]), tuple([one.process_id for one in given]), computed=facts.processes_computed
        )
        self.members: list[Member] = list(map(given.__getitem__, seats.positions))
        self.threads, self.process_of = seats.threads, seats.process_of
        self.owned = [0] * len(self.members)
        self.owner = self._owners()
        self.free = self.owner.count(NO_OWNER) if any(self.owned) else self.size
        if sum(self.owned) + self.free != self.size:  # some had the same task, or one that is no more
            kept = Counter(self.owner)
            self.owned = [kept[number] for number in range(len(self.members))]
        self.had_standbys = False
        self.several_standbys: dict[int, list[int]] = {}
        self.first_standby = self._standbys()
        if facts.offsets_count and any(member.task_offsets for member in self.members):
            self._rank_by_offsets()

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
        return list(chain.from_iterable(owners.values())) if any(owned) else [NO_OWNER] * self.size

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
                        self.had_standbys = True
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
            self.had_standbys = True
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

    def stateful(self) -> list[int]:
        """The tasks that may have standbys."""
        spans = (self._spans[one.id] for one in self._subtopologies if one.stateful)
        return list(chain.from_iterable(range(first, first + count) for first, count in spans))

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
