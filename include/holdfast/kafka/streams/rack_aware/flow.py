"""A flow of least cost, found as Kafka finds it.

Java: `Graph`, 3.6 to 4.3. Often several flows cost the same, and which of them comes out depends on where the search for a negative
cycle begins, in which order it looks at edges, and how long it goes on. So that order is kept, and only work that can change
nothing is left out: a node is looked at again only if its distance has changed since.
"""

from collections import deque
from collections.abc import Iterator

from holdfast.kafka import java
from holdfast.kafka.streams.client_state import LeaderThrows
from holdfast.kafka.streams.rack_aware import cycles


class Flow:
    """A network whose nodes are numbers; nodes and the edges of a node are visited in ascending order.

    An edge and its counterpart are neighbours in the lists (`edge ^ 1`); what flows through an edge is what its counterpart could
    send back. Only nodes that have an edge count.
    """

    def __init__(self, source: int, sink: int) -> None:
        self.source = source
        self.sink = sink
        self.to: list[int] = []
        self.cost_of: list[int] = []
        self.residual: list[int] = []
        self._edges: dict[int, dict[int, int]] = {}

    def add(self, start: int, end: int, capacity: int, cost: int, flow: int) -> None:
        edge = len(self.to)
        self.to += (end, start)
        self.cost_of += (cost, -cost)
        self.residual += (capacity - flow, flow)
        self._edges.setdefault(start, {})[end] = edge
        self._edges.setdefault(end, {})[start] = edge + 1

    def target(self, start: int) -> int | None:
        """Where the flow out of `start` goes, if there is one: to the first in order."""
        edges = self._edges[start]
        return next((end for end in sorted(edges) if not edges[end] & 1 and self.residual[edges[end] ^ 1] > 0), None)

    def cost(self) -> int:
        """What the whole flow costs."""
        return sum(self.cost_of[edge] * self.residual[edge + 1] for edge in range(0, len(self.to), 2))

    def fill(self) -> int:
        """Send as much as there is room for, on the shortest paths; return how much flows out of the source (`fordFulkson`)."""
        order = self.in_order()
        while (came_by := self._breadth_first(order)) is not None:
            way = list(self._back(came_by))
            most = min(self.residual[edge] for edge in way)
            self._send(way, most)
        return sum(self.residual[edge ^ 1] for edge in self._edges[self.source].values() if not edge & 1)

    def _breadth_first(self, order: dict[int, list[int]]) -> dict[int, int] | None:
        """By which edge each node was reached, up to the sink; None if it cannot be reached."""
        came_by: dict[int, int] = {}
        queue = deque((self.source,))
        while queue:
            node = queue.popleft()
            for edge in order[node]:
                end = self.to[edge]
                if end in came_by or end == self.source or self.residual[edge] <= 0:
                    continue
                came_by[end] = edge
                if end == self.sink:
                    return came_by
                queue.append(end)
        return None

    def _back(self, came_by: dict[int, int]) -> Iterator[int]:
        node = self.sink
        while node != self.source:
            edge = came_by[node]
            yield edge
            node = self.to[edge ^ 1]

    def least_cost(self, *, from_every_node: bool, tasks: int = 0) -> None:
        """Cancel negative cycles until there is none.

        `from_every_node` (3.6): look for one from each node in turn, and over again; else (3.7) from all at once. That number of
        the first nodes are `tasks`, which can be folded away.
        """
        if tasks and not from_every_node and cycles.can_fold(self, tasks):
            folded = cycles.Folded(self, tasks)
            while (cycle := folded.cycle()) is not None:
                self._send(cycle, min(self.residual[edge] for edge in cycle))
                folded.sent_along(cycle)
            return
        order = self.in_order()
        if not from_every_node:
            while (cycle := self._cycle(order, None)) is not None:
                self._send(cycle, min(self.residual[edge] for edge in cycle))
            return
        found = True
        while found:
            found = False
            for node in order:
                cycle = self._cycle(order, node)
                if cycle is not None:
                    found = True
                    self._send(cycle, min(self.residual[edge] for edge in cycle))

    def in_order(self) -> dict[int, list[int]]:
        return {node: [edge for _, edge in sorted(self._edges[node].items())] for node in sorted(self._edges)}

    def _send(self, edges: list[int], amount: int) -> None:
        for edge in edges:
            self.residual[edge] -= amount
            self.residual[edge ^ 1] += amount

    def _cycle(self, order: dict[int, list[int]], start: int | None) -> list[int] | None:
        """The edges of a negative cycle, found as Bellman and Ford do; None if there is none.

        From all nodes at once (`start` None) they begin at distance 0, one node more than there are; else at Integer.MAX_VALUE, and
        the node that ends the search keeps the edge by which it was reached before.
        """
        far = 0 if start is None else java.INT_MAX
        distance = dict.fromkeys(order, far)
        if start is not None:
            distance[start] = 0
        came_by: dict[int, int] = {}
        changed = dict.fromkeys(order, True)
        open_edges = [(node, self._open(edges)) for node, edges in order.items()]
        last = len(order) - (0 if start is None else 1)
        for turn in range(last + 1):
            quiet = True
            for node, edges in open_edges:
                if not changed[node]:
                    continue
                changed[node] = False
                so_far = distance[node]
                for end, cost, edge in edges:
                    reached = so_far + cost
                    if distance[end] > reached:
                        if turn == last:
                            if start is None:
                                came_by[end] = edge
                            return self._around(came_by, end)
                        distance[end] = reached
                        came_by[end] = edge
                        changed[end] = True
                        quiet = False
            if quiet:
                return None
        return None

    def _open(self, edges: list[int]) -> list[tuple[int, int, int]]:
        """Where there is still room: end, cost and edge."""
        return [(self.to[edge], self.cost_of[edge], edge) for edge in edges if self.residual[edge]]

    def _around(self, came_by: dict[int, int], node: int) -> list[int]:
        """The cycle that the path back from `node` leads into."""
        seen: dict[int, None] = {}
        while node not in seen:
            seen[node] = None
            if node not in came_by:
                raise LeaderThrows("NullPointerException: the search for a negative cycle found no next node")
            node = self.to[came_by[node] ^ 1]
        first = node
        cycle: list[int] = []
        while not cycle or node != first:
            edge = came_by[node]
            cycle.append(edge)
            node = self.to[edge ^ 1]
        return cycle
