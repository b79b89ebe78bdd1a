"""Tasks change places where that saves traffic across racks; the number of each client does not change.

Java: `RackAwareTaskAssignor.optimizeActiveTasks` and `optimizeStandbyTasks`, `MinTrafficGraphConstructor` and
`BalanceSubtopologyGraphConstructor`, 3.6 to 4.3.
"""

import math
from collections.abc import Callable, Sequence

from holdfast.kafka.release import Behaviour
from holdfast.kafka.streams.client_state import LeaderThrows
from holdfast.kafka.streams.group import Group
from holdfast.kafka.streams.leader_state import Board
from holdfast.kafka.streams.rack_aware import racks
from holdfast.kafka.streams.rack_aware.flow import Flow
from holdfast.kafka.streams.rack_aware.racks import BALANCE_SUBTOPOLOGY, Costs, Racks

MOST_STANDBY_ROUNDS = 4
SOURCE = -1

MayMove = Callable[[int, int, int], bool]
"""(source, destination, task): whether a standby may go there."""


class Optimizer:
    """One leader's placing by rack. `configured`: the costs that are set (None: the assignor's own)."""

    def __init__(self, board: Board, group: Group, line: Behaviour) -> None:
        self._board = board
        self._racks = Racks(board, group)
        self._by_subtopology = group.config.rack_aware_assignment_strategy == BALANCE_SUBTOPOLOGY
        self._from_every_node = not line.cycles_sought_from_all_nodes
        self._traffic = group.config.rack_aware_assignment_traffic_cost
        self._non_overlap = group.config.rack_aware_assignment_non_overlap_cost

    def costs(self, default: Costs) -> Costs:
        """Those that are configured, else the assignor's."""
        return Costs(
            default.traffic if self._traffic is None else self._traffic,
            default.non_overlap if self._non_overlap is None else self._non_overlap,
        )

    def place_active(self, tasks: Sequence[int], costs: Costs, clients: Sequence[int] | None = None) -> list[tuple[int, int, int]]:
        """Active `tasks`, ascending, each of which some client has. Stateless ones cost `STATELESS`, whatever is configured.

        `clients`: in the order in which they are looked at; None: in process-ID order. Return what has moved: task, from, to.
        """
        if not tasks:
            return []
        clients = range(len(self._board.clients)) if clients is None else clients
        owner = {task: number for number, client in enumerate(self._board.clients) for task in client.active}
        owner = {task: owner[task] for task in tasks}
        if self._by_subtopology:
            found = self._spread_by_subtopology(tasks, clients, owner, costs)
        else:
            found = self._least_traffic(tasks, clients, lambda task, client: owner[task] == client, costs, standby=False)
        moved = [(task, owner[task], client) for task, client in found if client != owner[task]]
        for task, before, client in moved:
            self._board.take_active(before, task)
            self._board.give_active(client, task)
        return moved

    def place_standbys(self, costs: Costs, may_move: MayMove) -> None:
        """Two clients of different racks at a time swap standbys, over and over, until nothing changes or four rounds are done."""
        clients = self._board.clients
        for _ in range(MOST_STANDBY_ROUNDS):
            moved = False
            for one in range(len(clients)):
                for other in range(one + 1, len(clients)):
                    if self._racks.of_client[one] != self._racks.of_client[other]:
                        moved |= self._swap_standbys(one, other, costs, may_move)
            if not moved:
                return

    def _swap_standbys(self, one: int, other: int, costs: Costs, may_move: MayMove) -> bool:
        mine, theirs = self._movable(one, other, may_move), self._movable(other, one, may_move)
        if not mine or not theirs:
            return False
        tasks = sorted((*mine, *theirs))
        holders = dict.fromkeys(mine, one) | dict.fromkeys(theirs, other)
        moved = False
        found = self._least_traffic(tasks, (one, other), lambda task, client: holders[task] == client, costs, standby=True)
        for task, client in found:
            if client != holders[task]:
                self._board.take_standby(holders[task], task)
                self._board.give_standby(client, task)
                moved = True
        return moved

    def _movable(self, source: int, destination: int, may_move: MayMove) -> list[int]:
        receiver = self._board.clients[destination]
        return [
            task
            for task in sorted(self._board.clients[source].standby)
            if not receiver.holds(task) and may_move(source, destination, task)
        ]

    def _least_traffic(
        self, tasks: Sequence[int], clients: Sequence[int], has: Callable[[int, int], bool], costs: Costs, *, standby: bool
    ) -> list[tuple[int, int]]:
        """Where each task goes (`min_traffic`): tasks, clients and the sink are numbered in this order."""
        first, sink = len(tasks), len(tasks) + len(clients)
        flow = Flow(SOURCE, sink)
        counts = [0] * len(clients)
        for node, task in enumerate(tasks):
            for place, client in enumerate(clients):
                has_it = has(task, client)
                counts[place] += has_it
                flow.add(node, first + place, 1, self._racks.cost(task, client, costs, there=has_it, standby=standby), int(has_it))
            flow.add(SOURCE, node, 1, 0, 1)
        for place, count in enumerate(counts):
            flow.add(first + place, sink, count, 0, count)
        flow.least_cost(from_every_node=self._from_every_node, tasks=len(tasks))
        return [(task, clients[_sure(flow.target(node)) - first]) for node, task in enumerate(tasks)]

    def _spread_by_subtopology(
        self, tasks: Sequence[int], clients: Sequence[int], owner: dict[int, int], costs: Costs
    ) -> list[tuple[int, int]]:
        """The same, each client with its share of each subtopology (`balance_subtopology`): a layer of clients for each of them.

        Subtopologies that have none of these tasks take their numbers too.
        """
        groups = _by_subtopology(self._board)
        wanted = dict.fromkeys(tasks)
        second = len(tasks) + len(clients) * len(groups)
        sink = second + len(clients)
        flow = Flow(SOURCE, sink)
        holders = list(owner.values())
        counts = [holders.count(client) for client in clients]
        layer_of: list[int] = []
        for number, group in enumerate(groups):
            own = [task for task in group if task in wanted]
            layer = len(tasks) + len(clients) * number
            for place, client in enumerate(clients):
                for node, task in enumerate(own, start=len(layer_of)):
                    is_owner = owner[task] == client
                    flow.add(node, layer + place, 1, self._racks.cost(task, client, costs, there=is_owner, standby=False), 0)
                if own:
                    share = math.ceil(counts[place] * 1.0 / len(tasks) * len(own))
                    flow.add(layer + place, second + place, share, 0, 0)
            layer_of += [layer] * len(own)
        for node in range(len(tasks)):
            flow.add(SOURCE, node, 1, 0, 0)
        for place, count in enumerate(counts):
            flow.add(second + place, sink, count, 0, 0)
        if flow.fill() != len(tasks):
            raise LeaderThrows("IllegalStateException: the maximal flow does not reach every task")
        flow.least_cost(from_every_node=self._from_every_node, tasks=len(tasks))
        in_order = [task for group in groups for task in group if task in wanted]
        return [(task, clients[_sure(flow.target(node)) - layer_of[node]]) for node, task in enumerate(in_order)]


def _by_subtopology(board: Board) -> list[list[int]]:
    """All tasks, subtopology by subtopology."""
    groups: dict[int, list[int]] = {}
    for number, task in enumerate(board.tasks):
        groups.setdefault(task.id.subtopology, []).append(number)
    return [groups[subtopology] for subtopology in sorted(groups)]


def _sure(node: int | None) -> int:
    assert node is not None, "every task has a flow"
    return node


def optimizer(board: Board, group: Group, line: Behaviour) -> Optimizer | None:
    """None where tasks are not placed by rack."""
    return Optimizer(board, group, line) if line.rack_aware and racks.enabled(group) else None
