"""Every client keeps what it had, where there is room for it: no task waits for a copy that lags.

Java: the internal `StickyTaskAssignor` (from 3.8 `LegacyStickyTaskAssignor`), and `FallbackPriorTaskAssignor`, which is the same
configured to preserve active tasks: what the leader uses where it could not get the changelogs' end offsets. Both are unchanged
from 2.6 to 4.3, but for racks (3.6). They go through Java's hash tables: the order of each is emulated, for Java 8 to 18.
"""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from holdfast.kafka import java, java_hash
from holdfast.kafka.release import Behaviour
from holdfast.kafka.streams.group import Group
from holdfast.kafka.streams.leader_state import Board
from holdfast.kafka.streams.rack_aware.optimize import Optimizer
from holdfast.kafka.streams.rack_aware.racks import STATELESS, Costs
from holdfast.kafka.vocabulary import ProcessId, TaskId

COSTS = Costs(traffic=1, non_overlap=10)
"""What traffic across racks and moving a task cost, unless it is configured (`DEFAULT_STATEFUL_…`): tasks stay rather."""


def assign(board: Board, group: Group, line: Behaviour, *, preserve: bool, racks: Optimizer | None = None) -> None:
    """Give every task of the board to clients. `preserve`: who had a task active has it still, however many that makes."""
    sticky = Sticky(board, group, line)
    sticky.assign_active(preserve=preserve)
    if racks is not None:
        racks.place_active(board.stateful, racks.costs(COSTS))
        racks.place_active(board.stateless, STATELESS)
    sticky.assign_standbys(group.config.num_standby_replicas)
    if racks is not None and group.config.num_standby_replicas > 0:
        racks.place_standbys(racks.costs(COSTS), lambda _source, _destination, _task: True)


def depends_on_java(board: Board) -> bool:
    """Whether a leader on Java 19 or later could decide otherwise: some table that is copied has another size there."""
    subtopologies = {task.id.subtopology for task in board.tasks}
    sizes = [len(board.tasks), len(subtopologies), *range(12, len(board.clients) + 1)]
    return any(java_hash.depends_on_java(size) for size in sizes)


class Sticky:
    """One assignment. `public`: by the public assignor (3.8), not the internal one."""

    def __init__(self, board: Board, group: Group, line: Behaviour, *, public: bool = False) -> None:
        self._board = board
        self._public = public
        self._number = board.readings.topology.number_of_any
        self.hash_orders = HashOrders(board, group, line)
        self.given: list[list[int]] = [[] for _ in board.clients]
        """Each client's active tasks in the order in which it got them."""
        self._paired: set[tuple[int, int]] = set()
        self._not_paired_yet: list[tuple[int, Sequence[int]]] = []
        self._given_together: list[Sequence[int]] = []
        """Not paired yet either, each with all before it."""
        self._most_pairs = len(board.tasks) * (len(board.tasks) - 1) // 2

    @functools.cached_property
    def order(self) -> list[int]:
        """That in which Kafka's map of clients is iterated."""
        return self.hash_orders.clients()

    @functools.cached_property
    def previous_active(self) -> dict[TaskId, int]:
        return {task: client for client in self.order for task in sorted(self._board.clients[client].previous_active)}

    @functools.cached_property
    def previous_standby(self) -> dict[TaskId, list[int]]:
        found: dict[TaskId, list[int]] = {}
        for client in self.order:
            for task in sorted(self._board.clients[client].previous_standby):
                found.setdefault(task, []).append(client)
        return found

    def assign_active(self, *, preserve: bool) -> None:
        """First to who had the task active, if there is room or it does not matter; then to who had a copy and has room; then to
        any client. There is room for as many active tasks a thread as every client can have."""
        if not self._public and self._all_go_back(preserve=preserve):
            return
        threads = sum(client.capacity for client in self._board.clients)
        tasks_per_thread = len(self._board.tasks) // threads
        assigned = []
        for task_id in self.hash_orders.of_tasks(self.previous_active):
            client = self.previous_active[task_id]
            if task_id in self._number and (preserve or self._has_room(client, tasks_per_thread)):
                self._give(self._number[task_id], client, active=True)
                assigned.append(task_id)
        rest = []
        for task_id in self.hash_orders.of_tasks_without(self.hash_orders.tasks(), self._removed_in_order(assigned)):
            task = self._number[task_id]
            for client in self.hash_orders.of_clients(self.previous_standby.get(task_id, ())):
                if self._has_room(client, tasks_per_thread):
                    self._give(task, client, active=True)
                    break
            else:
                rest.append(task)
        for task in sorted(rest):
            self._give(task, self._find(task, self.order), active=True)

    def _all_go_back(self, *, preserve: bool) -> bool:
        """The same where the order of tasks makes no difference, as in most rebalances: each goes to who had it active, or to the
        first that had a copy, and all of them have room. Else False, and nothing is given."""
        clients = self._board.clients
        tasks_per_thread = len(self._board.tasks) // sum(client.capacity for client in clients)
        topology = self._board.readings.topology
        gets: list[Sequence[int]] = [client.had_active(topology) for client in clients]
        room = [client.capacity * tasks_per_thread - len(tasks) for client, tasks in zip(clients, gets, strict=True)]
        running = set[int]().union(*gets)
        if len(running) < sum(map(len, gets)) or (min(room) < 0 and not preserve):
            return False
        for task, holders in self._holders_without(running).items():
            if not holders:
                return False
            client = holders[0] if len(holders) == 1 else self._first_in_table(holders)
            gets[client] = (*gets[client], task)
            room[client] -= 1
            if room[client] < 0:
                return False
        for number, tasks in enumerate(gets):
            self._board.give_actives(number, tasks)
            self._given_together.append(tasks)
        return True

    def _holders_without(self, running: AbstractSet[int]) -> Mapping[int, list[int]]:
        """The other tasks, each with the clients that had a copy."""
        found: dict[int, list[int]] = {task: [] for task in sorted(set(range(len(self._board.tasks))).difference(running))}
        if found:
            for number, client in enumerate(self._board.clients):
                for task_id in client.previous_standby:
                    holders = found.get(self._number.get(task_id, -1))
                    if holders is not None:
                        holders.append(number)
        return found

    def _first_in_table(self, clients: Iterable[int]) -> int:
        return self.hash_orders.of_clients(sorted(clients, key=self._rank.__getitem__))[0]

    @functools.cached_property
    def _rank(self) -> dict[int, int]:
        """Of each client in `order`."""
        return {client: rank for rank, client in enumerate(self.order)}

    def _removed_in_order(self, assigned: list[TaskId]) -> list[TaskId]:
        """The internal assignor takes them out of those that are left all at once, as its set of them is iterated."""
        return assigned if self._public else self.hash_orders.of_tasks(assigned)

    def assign_standbys(self, num_standby_replicas: int) -> None:
        if not num_standby_replicas:
            return
        for task_id in self.hash_orders.stateful_tasks():
            task = self._number[task_id]
            for _ in range(num_standby_replicas):
                without = [client for client in self.order if not self._board.clients[client].holds(task)]
                if not without:
                    break
                self._give(task, self._find(task, self.hash_orders.of_clients(without)), active=False)

    def _has_room(self, client: int, tasks_per_thread: int) -> bool:
        state = self._board.clients[client]
        return len(state.active) < state.capacity * tasks_per_thread

    def _give(self, task: int, client: int, *, active: bool) -> None:
        state = self._board.clients[client]
        self._not_paired_yet.append((task, (*state.active, *state.standby)))
        if active:
            self._board.give_active(client, task)
            self.given[client].append(task)
        else:
            self._board.give_standby(client, task)

    def _find(self, task: int, among: Sequence[int]) -> int:
        if len(among) == 1:
            return among[0]
        task_id = self._board.tasks[task].id
        previous = self.previous_active.get(task_id)
        if previous is None or previous not in among:
            previous = self._least_loaded_with_copy(task, task_id, among)
        if previous is None:
            return self._least_loaded(task, among)
        if self._should_balance(previous):
            standby = self._least_loaded_with_copy(task, task_id, among)
            return self._least_loaded(task, among) if standby is None or self._should_balance(standby) else standby
        return previous

    def _should_balance(self, client: int) -> bool:
        state = self._board.clients[client]
        full = len(state.active) + len(state.standby) >= state.capacity
        return full and any(self._has_more_room(other, client) for other in self.order)

    def _has_more_room(self, client: int, other: int) -> bool:
        own, others = self._board.load_order[client][0], self._board.load_order[other][0]
        if own == others and not self._public:  # of two with as many tasks a thread, the one with more threads
            return self._board.clients[client].capacity > self._board.clients[other].capacity
        return own < others

    def _least_loaded_with_copy(self, task: int, task_id: TaskId, among: Sequence[int]) -> int | None:
        holders = self.previous_standby.get(task_id)
        if holders is None:
            return None
        copied = self.hash_orders.of_clients(self.hash_orders.of_clients(holders), copied=True)
        within = [client for client in copied if client in among]
        return self._least_loaded(task, within) if within else None

    def _least_loaded(self, task: int, among: Sequence[int]) -> int:
        """The first with room that gets a new pair of tasks by it, or else the first with room."""
        found = self._first_with_room(task, among, new_pair=True)
        if found is None:
            found = self._first_with_room(task, among, new_pair=False)
        assert found is not None, "there is a client to choose from"
        return found

    def _first_with_room(self, task: int, among: Sequence[int], *, new_pair: bool) -> int | None:
        found: int | None = None
        for client in among:
            state = self._board.clients[client]
            if not state.active and not state.standby:
                return client
            if (found is None or self._has_more_room(client, found)) and (not new_pair or self._has_new_pair(task, client)):
                found = client
        return found

    def _has_new_pair(self, task: int, client: int) -> bool:
        pairs = self._pairs()
        if len(pairs) == self._most_pairs:
            return False
        state = self._board.clients[client]
        return any(_pair(task, other) not in pairs for other in (*state.active, *state.standby))

    def _pairs(self) -> set[tuple[int, int]]:
        """Which tasks share a client, or have shared one."""
        for tasks in self._given_together:
            self._paired.update(_pair(task, other) for place, task in enumerate(tasks) for other in tasks[:place])
        self._given_together.clear()
        for task, others in self._not_paired_yet:
            self._paired.update(_pair(task, other) for other in others)
        self._not_paired_yet.clear()
        return self._paired


class HashOrders:
    """The orders in which the hash tables between the leader's start and the assignor are iterated."""

    def __init__(self, board: Board, group: Group, line: Behaviour) -> None:
        self._board = board
        self._group = group
        self._line = line
        self._subset = java_hash.SubsetOrder([java.uuid_hash(client.process_id.bits) for client in board.clients])

    def clients(self) -> list[int]:
        """Two maps by process ID, one filled in the order of the other, that one in the order of the members' map."""
        process_of = {consumer.member_id: client.process_id for client in self._group.clients for consumer in client.consumers}
        number_of = {client.process_id: number for number, client in enumerate(self._board.clients)}
        members = java_hash.hash_order(self._group.members(), java.string_hash, java.string_order)
        first_seen: dict[ProcessId, None] = dict.fromkeys(process_of[member] for member in members)
        return self.of_clients(self.of_clients([number_of[process] for process in first_seen]))

    def tasks(self) -> list[TaskId]:
        """Subtopology by subtopology, as a map of them is iterated, into a map of tasks."""
        by_subtopology = self._by_subtopology([task.id for task in self._board.tasks])
        order = java_hash.hash_order(by_subtopology, self._line.subtopology_hash, lambda number: number)
        return self.of_tasks(task for subtopology in order for task in by_subtopology[subtopology])

    def stateful_tasks(self) -> list[TaskId]:
        """A set for each subtopology, then a map of all, then a set of that."""
        stateful = {self._board.tasks[number].id for number in self._board.stateful}
        sets = self._by_subtopology(self.tasks())
        order: Iterable[int] = sorted(sets)
        if self._line.topic_groups_in_hash_map:
            capacity = java_hash.capacity_after_put_all(len(sets))
            order = java_hash.hash_order(order, self._line.subtopology_hash, lambda number: number, capacity)
        in_map = self.of_tasks(task for number in order for task in self.of_tasks(sets[number]) if task in stateful)
        return self.of_tasks(in_map)

    def of_tasks(self, tasks: Iterable[TaskId], *, copied: bool = False) -> list[TaskId]:
        """As a HashSet of tasks is iterated; `copied`: made by `new HashSet<>(tasks)`."""
        tasks = tuple(tasks)
        capacity = java_hash.capacity_of_copy(len(tasks)) if copied else 16
        return list(_task_order(tasks, self._line.task_hash, capacity))

    def of_tasks_without(self, tasks: Iterable[TaskId], removed: Sequence[TaskId]) -> list[TaskId]:
        """What is left of a copied set of tasks after these were removed, in iteration order."""
        tasks = tuple(tasks)
        capacity = java_hash.capacity_of_copy(len(tasks))
        if removed and _task_trees(tasks, self._line.task_hash, capacity):
            return java_hash.hash_order_without(tasks, removed, self._line.task_hash, lambda task: task, capacity)
        gone = set(removed)
        return [task for task in self.of_tasks(tasks, copied=True) if task not in gone]

    def of_clients(self, clients: Iterable[int], *, copied: bool = False) -> list[int]:
        clients = list(clients)
        if not copied:
            return self._subset(clients)
        hashes = [java.uuid_hash(client.process_id.bits) for client in self._board.clients]
        return java_hash.hash_order(clients, hashes.__getitem__, lambda number: number, java_hash.capacity_of_copy(len(clients)))

    @staticmethod
    def _by_subtopology(tasks: Iterable[TaskId]) -> dict[int, list[TaskId]]:
        found: dict[int, list[TaskId]] = {}
        for task in tasks:
            found.setdefault(task.subtopology, []).append(task)
        return found


@functools.lru_cache(maxsize=64)  # from one rebalance to the next the same tasks are put into the same tables
def _task_order(tasks: tuple[TaskId, ...], task_hash: Callable[[TaskId], int], capacity: int) -> tuple[TaskId, ...]:
    return tuple(java_hash.hash_order(tasks, task_hash, lambda task: task, capacity))


@functools.lru_cache(maxsize=64)
def _task_trees(tasks: tuple[TaskId, ...], task_hash: Callable[[TaskId], int], capacity: int) -> bool:
    return java_hash.grows_trees(tasks, task_hash, lambda task: task, capacity)


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)
