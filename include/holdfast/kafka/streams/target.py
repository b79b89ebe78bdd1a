"""What a group is on its way to, kept from one rebalance to the next.

The target of the default assignor hangs on tasks, process IDs, threads and settings, not on what members report; so while only
reports change it is worked out once. And of the movements towards it, only those of tasks that somebody reports otherwise than
before are looked at again. Kafka computes all of it each time, with the same result: tests/conformance/streams/test_forecast.py.
"""

import bisect
from collections.abc import Iterable

from holdfast.kafka.release import Behaviour
from holdfast.kafka.streams import movement
from holdfast.kafka.streams.board import Board
from holdfast.kafka.streams.config import AssignorConfig

_Standing = tuple[int, int, int, int]
"""A movement that cannot end yet: how many clients are caught up, task, where it runs meanwhile, its target. Sorted by urgency."""


class Target:
    """One group's target, once `keep` was told it; and the movements that stand."""

    def __init__(self) -> None:
        self._shares: list[tuple[frozenset[int], frozenset[int]]] = []
        self._loads: list[tuple[float, int]] = []
        self._owner: dict[int, int] = {}
        self._standing: list[_Standing] = []
        self._standing_of: dict[int, _Standing] = {}
        self._contested: set[int] = set()
        """Tasks that more than one client could run meanwhile: who does hangs on what else they are given."""

    def restore(self, board: Board) -> bool:
        """Give the clients what they are to have in the end, if that is known."""
        for client, (active, standby) in zip(board.clients, self._shares, strict=False):
            client.active, client.standby = set(active), set(standby)
        board.load_order[:] = self._loads or board.load_order
        return bool(self._shares)

    def keep(self, board: Board, config: AssignorConfig) -> None:
        """Remember what the clients of this board have been given: it is the target."""
        self._shares = [(frozenset(client.active), frozenset(client.standby)) for client in board.clients]
        self._loads = list(board.load_order)
        self._owner = {task: number for number, (active, _) in enumerate(self._shares) for task in active}
        self._look_at(board.stateful, board, config)

    def move_to_caught_up_clients(self, board: Board, config: AssignorConfig, behaviour: Behaviour) -> int:
        """As `movement.move_to_caught_up_clients`, with what stands from before. The board has been given the target."""
        self._look_at(list(board.readings.news), board, config)
        board.readings.news.clear()
        in_order = behaviour.movements_in_priority_order and behaviour.moves_to_most_caught_up
        if not in_order or any(standby for _, standby in self._shares):
            return movement.move_to_caught_up_clients(board, config, behaviour)
        for rank, (_, task, source, destination) in enumerate(self._standing):
            board.clients[destination].active.remove(task)
            board.clients[source].active.add(task)
            if rank < config.max_warmup_replicas:
                board.clients[destination].standby.add(task)
        board.weigh()
        if self._contested:
            first = self._take_back(board, config)
            counted = [(len(board.caught_up(task, config.acceptable_recovery_lag)), task) for task in self._contested]
            left = [movement.Movement(task, destination, count) for count, task, _, destination in self._standing[first:]]
            left += [movement.Movement(task, self._owner[task], count) for count, task in sorted(counted)]
            movement.go_on(board, config, behaviour, left, first)
        return len(self._standing) + len(self._contested)

    def _take_back(self, board: Board, config: AssignorConfig) -> int:
        """Take movements back, the last one first, as long as Kafka's queue of clients depends on how it came to be; how many are
        left. Each begins with a poll that finds nobody, so the one before it must have left a heap."""
        for rank in range(len(self._standing) - 1, -1, -1):
            count, task, source, destination = self._standing[rank]
            own, after = board.load_order[source], board.load_order[destination]
            board.take_active(source, task)
            board.give_active(destination, task)
            if rank < config.max_warmup_replicas:
                board.take_standby(destination, task)
            before = board.load_order[destination]
            if count and movement.passes(own, before, after):
                board.give_active(source, task)
                board.take_active(destination, task)
                if rank < config.max_warmup_replicas:
                    board.give_standby(destination, task)
                return rank + 1
        return 0

    def _look_at(self, tasks: Iterable[int], board: Board, config: AssignorConfig) -> None:
        """Whether these tasks have to be away from their targets, and where."""
        for task in tasks:
            before = self._standing_of.pop(task, None)
            if before is not None:
                del self._standing[bisect.bisect_left(self._standing, before)]
            self._contested.discard(task)
            destination = self._owner[task]
            caught_up = board.caught_up(task, config.acceptable_recovery_lag)
            if destination in caught_up or board.least_lag(task) >= board.lag(destination, task):
                continue
            if len(caught_up) > 1:
                self._contested.add(task)
                continue
            source = next(iter(caught_up)) if caught_up else board.clients_by_lag(task)[0]
            self._standing_of[task] = len(caught_up), task, source, destination
            bisect.insort(self._standing, self._standing_of[task])
