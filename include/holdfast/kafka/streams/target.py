"""The target of a group, kept from one rebalance to the next.

The target of the default assignor depends on tasks, process IDs, threads and settings, not on what members report; so while only
reports change it is computed once. And of the movements towards it, only those of tasks that a member reports otherwise than
before are looked at again. Kafka computes all of it each time, with the same result: tests/conformance/streams/test_forecast.py.
"""

import bisect
from collections.abc import Iterable

from holdfast.kafka.release import Behaviour
from holdfast.kafka.streams import movement
from holdfast.kafka.streams.config import AssignorConfig
from holdfast.kafka.streams.leader_state import Board

_Standing = tuple[int, int, int, int]
"""A movement that cannot end yet: how many clients are caught up, task, where it runs meanwhile, its target. Sorted by urgency."""


class Target:
    """One group's target, once `keep` has set it; and the pending movements."""

    def __init__(self) -> None:
        self._shares: list[tuple[frozenset[int], frozenset[int]]] = []
        self._loads: list[tuple[float, int]] = []
        self._owner: dict[int, int] = {}
        self._standbys = False
        self._standing: list[_Standing] = []
        self._standing_of: dict[int, _Standing] = {}
        self._contested: set[int] = set()
        """Tasks that more than one client could run meanwhile: which one does depends on what else they are given."""
        self._meanwhile: list[set[int]] = []
        """What each client runs while the movements are pending. Such a set never changes: another one takes its place."""

    @property
    def is_known(self) -> bool:
        return bool(self._shares)

    def keep(self, board: Board, config: AssignorConfig) -> None:
        """Remember what the clients of this board have been given: it is the target."""
        self._shares = [(frozenset(client.active), frozenset(client.standby)) for client in board.clients]
        self._loads = list(board.load_order)
        self._owner = {task: number for number, (active, _) in enumerate(self._shares) for task in active}
        self._standbys = any(standby for _, standby in self._shares)
        self._meanwhile = [set(active) for active, _ in self._shares]
        self._look_at(board.stateful, board, config)

    def move_to_caught_up_clients(self, board: Board, config: AssignorConfig, behaviour: Behaviour) -> int:
        """Give the clients the target, and treat previous tasks as `movement.move_to_caught_up_clients` does."""
        self._look_at(list(board.readings.news), board, config)
        board.readings.news.clear()
        in_order = behaviour.movements_in_priority_order and behaviour.moves_to_most_caught_up
        if not in_order or self._standbys:
            self._give_target(board)
            return movement.move_to_caught_up_clients(board, config, behaviour)
        goes_on = bool(self._contested or board.stateless)
        for client, active in zip(board.clients, self._meanwhile, strict=True):
            client.active = set(active) if goes_on else active
        for _, task, _, destination in self._standing[: config.max_warmup_replicas]:
            board.clients[destination].standby.add(task)
        if goes_on:
            board.weigh()
        if self._contested:
            first = self._take_back(board, config)
            counted = [(len(board.caught_up(task, config.acceptable_recovery_lag)), task) for task in self._contested]
            left = [movement.Movement(task, destination, count) for count, task, _, destination in self._standing[first:]]
            left += [movement.Movement(task, self._owner[task], count) for count, task in sorted(counted)]
            movement.go_on(board, config, behaviour, left, first)
        return len(self._standing) + len(self._contested)

    def _give_target(self, board: Board) -> None:
        for client, (active, standby) in zip(board.clients, self._shares, strict=True):
            client.active, client.standby = set(active), set(standby)
        board.load_order[:] = self._loads

    def _take_back(self, board: Board, config: AssignorConfig) -> int:
        """Take movements back, the last one first, as long as Kafka's queue of clients depends on how it came to be; how many are
        left. Each begins with a poll that finds no client, so the one before it must have left a heap."""
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
            before, after = self._standing_of.pop(task, None), self._standing_now(task, board, config)
            if before is not None and before != after:
                del self._standing[bisect.bisect_left(self._standing, before)]
                self._run_elsewhere(task, before[2], before[3])
            if after is not None:
                self._standing_of[task] = after
            if after is not None and before != after:
                bisect.insort(self._standing, after)
                self._run_elsewhere(task, after[3], after[2])

    def _standing_now(self, task: int, board: Board, config: AssignorConfig) -> _Standing | None:
        """The movement of one task, if it is to be; a contested one is noted."""
        self._contested.discard(task)
        destination = self._owner[task]
        caught_up = board.caught_up(task, config.acceptable_recovery_lag)
        if destination in caught_up or board.least_lag(task) >= board.lag(destination, task):
            return None
        if len(caught_up) > 1:
            self._contested.add(task)
            return None
        source = next(iter(caught_up)) if caught_up else board.clients_by_lag(task)[0]
        return len(caught_up), task, source, destination

    def _run_elsewhere(self, task: int, source: int, destination: int) -> None:
        self._meanwhile[source] = self._meanwhile[source] - {task}
        self._meanwhile[destination] = self._meanwhile[destination] | {task}
