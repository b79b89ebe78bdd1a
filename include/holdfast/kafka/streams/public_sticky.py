"""The public `StickyTaskAssignor` (`task.assignor.class`, 3.8 to 4.3): what is certain of its decision, and what is not.

Active tasks are placed as the internal sticky assignor places them. Then the standbys are placed task by task, in the order of a
HashSet of objects without a hash code of their own (`DefaultTaskInfo`): the JVM makes the order up anew each time, and each order
is possible. Few tasks are tried in all orders. For more, bounds on the clients' loads say where a standby may be: all that can come
about is named, and perhaps more.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from holdfast.kafka.release import Behaviour
from holdfast.kafka.streams.group import Group
from holdfast.kafka.streams.leader_state import Board
from holdfast.kafka.streams.rack_aware.optimize import optimizer
from holdfast.kafka.streams.rack_aware.racks import STATELESS
from holdfast.kafka.streams.sticky import Sticky

MOST_PLACEMENTS = 30_000
"""So often is one task placed in one situation before Holdfast stops trying orders."""
MOST_PICKS = 300
"""This many sequences are followed in which one task's standbys could be picked, before all clients are possible."""

Held = tuple[int, ...]
"""What each client holds, a bit a task."""


@dataclass(frozen=True, slots=True)
class Standbys:
    """Where the standbys are: `certain` and `possible` tasks of each client, the first among the second.

    `variants`: for each client all sets of standbys that it may have (None: too many orders to try).
    """

    certain: tuple[frozenset[int], ...]
    possible: tuple[frozenset[int], ...]
    variants: tuple[tuple[frozenset[int], ...], ...] | None

    def undetermined(self, client: int) -> frozenset[int]:
        return self.possible[client] - self.certain[client]


@dataclass(frozen=True, slots=True)
class Actives:
    """Each client's active tasks in the order in which it got them, and how many it had at most while tasks changed places."""

    given: tuple[tuple[int, ...], ...]
    most: tuple[int, ...]


def assign(board: Board, group: Group, line: Behaviour) -> tuple[Actives, Standbys]:
    """Give the active tasks to clients, and the standbys that are certain."""
    sticky = Sticky(board, group, line, public=True)
    sticky.assign_active(preserve=False)
    actives = _placed_by_rack(board, group, line, sticky)
    rules = Rules(board, sticky, group.config.num_standby_replicas)
    found = by_bounds(rules)
    if any(found.undetermined(client) for client in range(len(board.clients))):
        found = by_trying(rules) or found
    for client, tasks in enumerate(found.certain):
        for task in sorted(tasks):
            board.give_standby(client, task)
    return actives, found


def _placed_by_rack(board: Board, group: Group, line: Behaviour, sticky: Sticky) -> Actives:
    """First the stateful tasks, at the configured costs, then the others (`TaskAssignmentUtils`). Who gets a task has one more
    until another is taken away."""
    given = sticky.given
    most = [len(tasks) for tasks in given]
    racks = optimizer(board, group, line) if places_by_rack(group) else None
    for tasks, costs in ((board.stateful, STATELESS if racks is None else racks.costs(STATELESS)), (board.stateless, STATELESS)):
        for task, before, after in () if racks is None else racks.place_active(tasks, costs, sticky.order):
            given[after].append(task)
            most[after] = max(most[after], len(given[after]))
            given[before].remove(task)
    return Actives(tuple(map(tuple, given)), tuple(most))


def places_by_rack(group: Group) -> bool:
    """Whether tasks may be placed by rack afterwards (`TaskAssignmentUtils`): only where both costs are configured, though the
    assignor has costs of its own, and every client has a rack."""
    costs = group.config.rack_aware_assignment_traffic_cost, group.config.rack_aware_assignment_non_overlap_cost
    racks = [client.rack for client in group.clients]
    return group.config.rack_aware_assignment_strategy != "none" and None not in costs and None not in racks


class Rules:
    """What does not change while standbys are placed, and the choice of a client for one of them."""

    def __init__(self, board: Board, sticky: Sticky, replicas: int) -> None:
        self.clients = range(len(board.clients))
        self.stateful = board.stateful
        self.replicas = min(replicas, len(board.clients) - 1)
        self.capacity = tuple(client.capacity for client in board.clients)
        self.active = tuple(sum(1 << task for task in client.active) for client in board.clients)
        self.runs_on = {task: client for client, state in enumerate(board.clients) for task in state.active}
        self.previous = {task: sticky.previous_active.get(board.tasks[task].id) for task in board.stateful}
        self.holders = {task: self._holders(sticky, board, task) for task in board.stateful}
        self._sticky = sticky
        self._ordered: dict[int, tuple[int, ...]] = {}

    @staticmethod
    def _holders(sticky: Sticky, board: Board, task: int) -> tuple[int, ...]:
        orders = sticky.hash_orders
        return tuple(orders.of_clients(orders.of_clients(sticky.previous_standby.get(board.tasks[task].id, ())), copied=True))

    def without(self, held: Iterable[int], task: int) -> int:
        """The clients that have not the task, a bit each."""
        return sum(1 << client for client, tasks in enumerate(held) if not tasks >> task & 1)

    def in_order(self, among: int) -> tuple[int, ...]:
        """The clients as a HashSet of them is iterated."""
        found = self._ordered.get(among)
        if found is None:
            members = [client for client in self._sticky.order if among >> client & 1]
            found = self._ordered[among] = tuple(self._sticky.hash_orders.of_clients(members))
        return found

    def with_standbys(self, held: Held, task: int) -> Held:
        """What the clients hold after this task's turn."""
        now = list(held)
        for _ in range(self.replicas):
            now[self._pick(now, task)] |= 1 << task
        return tuple(now)

    def _pick(self, held: list[int], task: int) -> int:
        among = self.without(held, task)
        if among & (among - 1) == 0:
            return among.bit_length() - 1
        loads = [tasks.bit_count() / threads for tasks, threads in zip(held, self.capacity, strict=True)]
        together = 0
        for tasks in held:
            if tasks >> task & 1:
                together |= tasks

        def least_loaded(clients: Iterable[int]) -> int | None:
            fewest: int | None = None
            new_pair: int | None = None
            for client in clients:
                if not held[client]:
                    return client
                if fewest is None or loads[client] < loads[fewest]:
                    fewest = client
                if held[client] & ~together and (new_pair is None or loads[client] < loads[new_pair]):
                    new_pair = client
            return fewest if new_pair is None else new_pair

        def too_full(client: int) -> bool:
            return loads[client] >= 1 and min(loads) < loads[client]

        standby = least_loaded(client for client in self.holders[task] if among >> client & 1)
        before = self.previous[task]
        first = before if before is not None and among >> before & 1 else standby
        if first is not None and not too_full(first):
            return first
        if first is not None and standby is not None and not too_full(standby):
            return standby
        chosen = least_loaded(self.in_order(among))
        assert chosen is not None, "there is a client to choose from"
        return chosen


def by_trying(rules: Rules) -> Standbys | None:
    """All orders, situation by situation; None if there are too many."""
    if len(rules.stateful) << max(len(rules.stateful) - 1, 0) > MOST_PLACEMENTS:
        return None
    everything = sum(1 << task for task in rules.stateful)
    situations: set[tuple[int, Held]] = {(everything, rules.active)}
    left = MOST_PLACEMENTS
    for _ in rules.stateful:
        left -= sum(waiting.bit_count() for waiting, _ in situations)
        if left < 0:
            return None
        situations = {
            (waiting & ~(1 << task), rules.with_standbys(held, task)) for waiting, held in situations for task in _bits(waiting)
        }
    ends = {held for _, held in situations}
    variants = tuple(
        tuple(sorted({frozenset(_bits(held[client] & ~rules.active[client])) for held in ends}, key=sorted))
        for client in rules.clients
    )
    return Standbys(
        certain=tuple(frozenset.intersection(*each) for each in variants),
        possible=tuple(frozenset.union(*each) for each in variants),
        variants=variants,
    )


def _bits(number: int) -> Iterator[int]:
    while number:
        yield (number & -number).bit_length() - 1
        number &= number - 1


def by_bounds(rules: Rules) -> Standbys:
    """Where a standby can go while each client holds at least its active tasks and at most all that can go there.

    What can go where makes the bounds, and these say again what can go where: it only ever gets less.
    """
    may = {task: rules.without(rules.active, task) if rules.replicas else 0 for task in rules.stateful}
    while True:
        bounds = _Bounds(rules, may)
        less = {task: bounds.reachable(task) for task in rules.stateful}
        if less == may:
            break
        may = less
    certain = {task: clients if clients.bit_count() == rules.replicas else 0 for task, clients in may.items()}
    return Standbys(
        certain=tuple(frozenset(task for task in rules.stateful if certain[task] >> client & 1) for client in rules.clients),
        possible=tuple(frozenset(task for task in rules.stateful if may[task] >> client & 1) for client in rules.clients),
        variants=None,
    )


class _Bounds:
    """`may`: for each task the clients that may get a standby of it, a bit each."""

    def __init__(self, rules: Rules, may: dict[int, int]) -> None:
        self._rules = rules
        self._may = may
        self._room = [0] * len(rules.clients)
        self._may_hold = list(rules.active)
        for task, clients in may.items():
            for client in _bits(clients):
                self._room[client] += 1
                self._may_hold[client] |= 1 << task

    def reachable(self, task: int) -> int:
        """The clients that may get a standby of the task, in whatever order the others have their turns."""
        least = [tasks.bit_count() / threads for tasks, threads in zip(self._rules.active, self._rules.capacity, strict=True)]
        most = [
            (tasks.bit_count() + self._room[client] - (self._may[task] >> client & 1)) / self._rules.capacity[client]
            for client, tasks in enumerate(self._rules.active)
        ]
        reached = 0
        fronts = {0}
        seen = 0
        for _ in range(self._rules.replicas):
            following: set[int] = set()
            for given in fronts:
                seen += 1
                if seen > MOST_PICKS:
                    return self._may[task]
                picks = self._picks(task, given, least, most) & self._may[task]
                reached |= picks
                following.update(given | 1 << client for client in _bits(picks))
            fronts = following
        return reached

    def _picks(self, task: int, given: int, least: list[float], most: list[float]) -> int:
        """Who may be picked next when those of `given` have a standby of the task already."""
        rules = self._rules
        among = rules.without(rules.active, task) & ~given
        if among & (among - 1) == 0:
            return among
        # Those of `given` hold one task more than before; it makes both bounds of theirs right, if wide.
        most = [load + (given >> client & 1) / rules.capacity[client] for client, load in enumerate(most)]

        def may_be_too_full(client: int) -> bool:
            return most[client] >= 1 and min(least) < most[client]

        def is_too_full(client: int) -> bool:
            return least[client] >= 1 and min(most) < least[client]

        standbys = self._least_loaded(task, given, [client for client in rules.holders[task] if among >> client & 1], least, most)
        before = rules.previous[task]
        first = 1 << before if before is not None and among >> before & 1 else standbys
        found = sum(1 << client for client in _bits(first) if not is_too_full(client))
        if first and not any(may_be_too_full(client) for client in _bits(first)):
            return found
        found |= sum(1 << client for client in _bits(standbys) if not is_too_full(client))
        if first and standbys and not any(may_be_too_full(client) for client in _bits(standbys)):
            return found
        return found | self._least_loaded(task, given, rules.in_order(among), least, most)

    def _least_loaded(self, task: int, given: int, clients: Iterable[int], least: list[float], most: list[float]) -> int:
        """Those of these clients that may have the least load. One that is sure to make a new pair of tasks beats all that are sure
        to have more; one that is sure to have nothing beats all after it."""
        rules = self._rules
        together = 0  # tasks that may be where this one is
        for client in _bits(given | 1 << rules.runs_on[task]):
            together |= self._may_hold[client]
        order = tuple(clients)
        bar = min((most[client] for client in order if rules.active[client] & ~together), default=float("inf"))
        found = 0
        for client in order:
            if least[client] <= bar:
                found |= 1 << client
            if most[client] == 0:
                break
        return found
