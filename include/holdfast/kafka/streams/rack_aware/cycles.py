"""Negative cycles in a network of tasks and clients, found as `Flow` finds them and sooner.

The search of Bellman and Ford (Java: `Graph.detectNegativeCycles`, 3.7 to 4.3) looks at every edge of every task once for each node
there is. But a task can only be reached from the client that has it, so tasks can be folded away: from a client to another it costs
what its cheapest task does. And once all distances have fallen by the same amount since some earlier turn, the turns repeat
themselves: all but the last of them can be left out. The cycle that is found is the same, edge by edge.
"""

import bisect
from typing import NamedTuple, Protocol

from holdfast.kafka.streams.client_state import LeaderThrows

_Row = list[tuple[int, int, int, int]]
"""From a client: to which node, at what cost, by which task (the first one in order), and by which edge of it."""


class Network(Protocol):
    """As much of a `Flow` as the search needs."""

    source: int
    sink: int
    to: list[int]
    cost_of: list[int]
    residual: list[int]

    def in_order(self) -> dict[int, list[int]]: ...


def can_fold(network: Network, tasks: int) -> bool:
    """Whether nodes 0 to `tasks` - 1 are tasks, each of which one node has at no negative cost; and the sink cannot be reached."""
    order = network.in_order()
    for task in range(tasks):
        edges = order.get(task, [])
        holders = [edge for edge in edges if not edge & 1 and network.residual[edge ^ 1]]
        back = [edge for edge in edges if edge & 1]
        if len(holders) != 1 or network.residual[holders[0]] or len(back) != 1 or network.to[back[0]] != network.source:
            return False
        if any(network.cost_of[edge] < 0 for edge in edges if not edge & 1) or network.residual[back[0] ^ 1]:
            return False
    into_sink = [edge for edge in order.get(network.sink, []) if edge & 1]
    free = all(
        network.cost_of[edge] == 0 for node, edges in order.items() if not 0 <= node < tasks for edge in edges if not edge & 1
    )
    return free and not any(network.residual[edge ^ 1] for edge in into_sink)


class Folded:
    """A network that `can_fold`, from cycle to cycle. Nodes from `tasks` on are clients, or layers of them; nothing
    more can flow into the sink."""

    def __init__(self, network: Network, tasks: int) -> None:
        order = network.in_order()
        self._network = network
        self._tasks = tasks
        self._size = len(order)
        self._nodes = [node for node in order if node >= tasks and node != network.sink]
        self._edges = [
            [(network.to[edge], network.cost_of[edge], edge) for edge in order[task] if not edge & 1] for task in range(tasks)
        ]
        self._between = {node: [edge for edge in order[node] if network.to[edge] >= tasks] for node in self._nodes}
        self._to_source = [next(edge for edge in order[task] if edge & 1) for task in range(tasks)]
        """For each task, the edge along which its flow came, back to the source."""
        self._held: dict[int, list[int]] = {node: [] for node in self._nodes}
        self._holding: list[int] = []
        """For each task, the edge by which its client has it."""
        for task in range(tasks):
            self._holding.append(self._edge_held(task))
            self._held[network.to[self._holding[task]]].append(task)
        self._rows: dict[int, _Row] = {}
        self._dearest: dict[int, int] = {}
        """What the dearest task of each client costs there, if it has any: so far below the client it puts the source."""
        for node in self._nodes:
            self._fold(node)

    def cycle(self) -> list[int] | None:
        """The edges of a negative cycle, from its end to its beginning; None: there is none."""
        search = _Search(self._rows, self._dearest, self._open_between(), self._size)
        if not search.ends_early():
            return self._around(search.came_by, *self._last_turn(search))
        return None

    def sent_along(self, cycle: list[int]) -> None:
        """Something was sent along this cycle: tasks have migrated."""
        network = self._network
        tasks = dict.fromkeys(network.to[edge] for edge in cycle if 0 <= network.to[edge] < self._tasks)
        touched: dict[int, None] = {}
        for task in tasks:
            before, self._holding[task] = network.to[self._holding[task]], self._edge_held(task)
            after = network.to[self._holding[task]]
            if after != before:
                self._held[before].remove(task)
                bisect.insort(self._held[after], task)
                touched |= {before: None, after: None}
        for node in touched:
            self._fold(node)

    def _edge_held(self, task: int) -> int:
        return next(edge for _, _, edge in self._edges[task] if self._network.residual[edge ^ 1])

    def _fold(self, node: int) -> None:
        """Work out what it costs to pass a task of this node on."""
        cheapest: dict[int, tuple[int, int, int]] = {}
        dearest = 0
        for task in self._held[node]:
            own = self._network.cost_of[self._holding[task]]
            dearest = max(dearest, own)
            for end, cost, edge in self._edges[task]:
                if end != node and (end not in cheapest or cost - own < cheapest[end][0]):
                    cheapest[end] = cost - own, task, edge
        self._rows[node] = [(end, *found) for end, found in cheapest.items()]
        self._dearest.pop(node, None)
        if self._held[node]:
            self._dearest[node] = dearest

    def _open_between(self) -> dict[int, list[tuple[int, int]]]:
        """Edges from client to client without a task, where there is room."""
        network = self._network
        return {
            node: [(network.to[edge], edge) for edge in edges if network.residual[edge]] for node, edges in self._between.items()
        }

    def _last_turn(self, search: "_Search") -> tuple[int, int]:
        """The first node that is still reached at less, and by which edge: it has a cycle behind it."""
        network, distance = self._network, search.distance
        late = sorted(task for node in search.stale for task in self._held[node])
        for task in late:
            own = self._holding[task]
            so_far = search.seen[network.to[own]] - network.cost_of[own]
            if so_far < search.source:
                return network.source, self._to_source[task]
            for end, cost, edge in self._edges[task]:
                if edge != own and so_far + cost < distance[end]:
                    return end, edge
        for node in self._nodes:
            if search.changed[node]:
                if distance[node] < search.seen[node] and self._held[node]:
                    task = self._held[node][0]
                    return task, self._holding[task] ^ 1
                for end, edge in search.between[node]:
                    if distance[node] < distance[end]:
                        return end, edge
        raise AssertionError("distances that have not come to rest change in the next turn")

    def _around(self, came_by: dict[int, int], end: int, edge: int) -> list[int]:
        """The cycle that the path back from `end`, which was reached by `edge`, leads into."""
        to = self._network.to
        came_by = came_by | {end: edge}
        seen: dict[int, None] = {}
        node = end
        while node not in seen:
            seen[node] = None
            node = to[self._reached_by(node, came_by) ^ 1]
        first = node
        cycle: list[int] = []
        while not cycle or node != first:
            edge = self._reached_by(node, came_by)
            cycle.append(edge)
            node = to[edge ^ 1]
        return cycle

    def _reached_by(self, node: int, came_by: dict[int, int]) -> int:
        edge = came_by.get(node)
        if edge is not None:
            return edge
        if not 0 <= node < self._tasks:
            raise LeaderThrows("NullPointerException: the search for a negative cycle found no next node")
        return self._holding[node] ^ 1


_Front = tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[int, int], ...]]


class _Then(NamedTuple):
    """The state before a turn."""

    turn: int
    distance: tuple[int, ...]
    seen: tuple[int, ...]
    source: int


class _Search:
    """All turns of one search but the last: how near every node comes, and by which edge.

    `seen`: the distance of a node when its tasks last took notice of it; `stale`: nodes whose tasks others have yet to look at.
    """

    def __init__(
        self, rows: dict[int, _Row], dearest: dict[int, int], between: dict[int, list[tuple[int, int]]], size: int
    ) -> None:
        self._rows = rows
        self._dearest = dearest
        self.between = between
        self._turns = size
        self.distance = dict.fromkeys(rows, 0)
        self.seen = dict.fromkeys(rows, 0)
        self.changed = dict.fromkeys(rows, False)
        self.stale = [node for node in rows if dearest.get(node)]
        self.source = 0
        self.came_by: dict[int, int] = {}

    def ends_early(self) -> bool:
        """Turn after turn. True: nothing changes any more, so that there is no negative cycle."""
        if not self.stale:
            return True
        met: dict[_Front, _Then] = {}
        turn = 1
        while turn < self._turns:
            if self._is_quiet():
                return True
            turn += 1
            front = self._front()
            if front in met and self._repeats(met[front]):
                period = turn - met[front].turn
                turn += (self._turns - turn) // period * period
                met.clear()
            met[front] = _Then(turn, tuple(self.distance.values()), tuple(self.seen.values()), self.source)
        return False

    def _front(self) -> _Front:
        """What the next turn begins with, in addition to the source."""
        near = self.source
        waiting = [(node, far - near) for node, far in self.distance.items() if self.changed[node]]
        return tuple(self.stale), tuple([self.seen[node] - near for node in self.stale]), tuple(waiting)

    def _repeats(self, then: _Then) -> bool:
        """Whether all turns since `then` come again: some nodes have fallen by as much as the source, and reach no others.

        Those others do not change, too far below for anything to change for them or by them.
        """
        fallen = self.source - then.source
        moved = dict.fromkeys(
            node
            for (node, far), far_then, near_then in zip(self.distance.items(), then.distance, then.seen, strict=True)
            if (far, self.seen[node]) != (far_then, near_then)
        )
        return all(
            far == far_then + fallen and self.seen[node] == near_then + fallen
            for (node, far), far_then, near_then in zip(self.distance.items(), then.distance, then.seen, strict=True)
            if node in moved
        ) and all(
            end in moved for node in moved for end in (*(row[0] for row in self._rows[node]), *(to for to, _ in self.between[node]))
        )

    def _is_quiet(self) -> bool:
        """One turn: tasks first, which reach the source and other nodes; then nodes, which reach their tasks and each other."""
        from_tasks = self._from_tasks()
        return not self._from_nodes() and not from_tasks

    def _from_tasks(self) -> bool:
        """Whether they come nearer to anything."""
        distance = self.distance
        found: dict[int, tuple[int, int, int]] = {}
        nearer = False
        for node in self.stale:
            near = self.seen[node]
            if near - self._dearest[node] < self.source:
                self.source, nearer = near - self._dearest[node], True
            for end, cost, task, edge in self._rows[node]:
                reached = near + cost
                if reached < distance[end]:
                    known = found.get(end)
                    if known is None or (reached, task) < known[:2]:
                        found[end] = reached, task, edge
        for end, (reached, _, edge) in found.items():
            distance[end], self.came_by[end], self.changed[end] = reached, edge, True
        return nearer or bool(found)

    def _from_nodes(self) -> bool:
        distance, seen, changed = self.distance, self.seen, self.changed
        nearer = False
        self.stale = []
        for node in distance:
            if not changed[node]:
                continue
            changed[node] = False
            near = distance[node]
            if near < seen[node]:
                seen[node] = near
                if node in self._dearest:
                    self.stale.append(node)
                    nearer = True
            for end, edge in self.between[node]:
                if near < distance[end]:
                    distance[end], self.came_by[end], changed[end], nearer = near, edge, True, True
        return nearer
