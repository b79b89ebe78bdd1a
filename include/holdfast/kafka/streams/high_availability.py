"""Kafka's default task assignor: which client runs, and which keeps a copy of, each task.

Java: `HighAvailabilityTaskAssignor`, 2.6 to 4.3 (KIP-441). The target deals the stateful tasks round-robin over the clients in
process-ID order, wherever the state is now; `movement` then keeps each task where it is caught up and warms the target.
"""

import functools
import heapq
from collections.abc import Callable, Iterable
from typing import Protocol

from holdfast.kafka.release import Behaviour
from holdfast.kafka.streams import movement, standbys
from holdfast.kafka.streams.client_state import ClientState
from holdfast.kafka.streams.config import AssignorConfig
from holdfast.kafka.streams.leader_state import Board
from holdfast.kafka.streams.rack_aware.optimize import Optimizer
from holdfast.kafka.streams.rack_aware.racks import STATELESS, Costs
from holdfast.kafka.streams.target import Target

COSTS = Costs(traffic=10, non_overlap=1)
"""What traffic across racks and moving a task cost, unless it is configured (`DEFAULT_HIGH_AVAILABILITY_…`)."""


def assign(board: Board, config: AssignorConfig, behaviour: Behaviour, racks: Optimizer | None, target: Target | None) -> bool:
    """Give every task of the board to clients; True if a probing rebalance has to follow.

    `racks` None: not placed by rack. `target`: what is known of it from earlier rebalances; None: there are none.
    """
    if target is None:
        assign_target(board, config, racks)
        movements = movement.move_to_caught_up_clients(board, config, behaviour)
    else:
        if not target.is_known:
            assign_target(board, config, racks)
            target.keep(board, config)
        movements = target.move_to_caught_up_clients(board, config, behaviour)
    if board.stateless:
        assign_stateless_active(board)
    if racks is not None:
        racks.place_active(board.stateless, STATELESS)
    return movements > 0


def assign_target(board: Board, config: AssignorConfig, racks: Optimizer | None) -> None:
    """Who is to have which stateful task and copy in the end, wherever the state is now."""
    assign_stateful_active(board)
    if racks is not None:
        racks.place_active(board.stateful, racks.costs(COSTS))
    assign_standbys(board, config)
    if racks is not None and config.num_standby_replicas > 0:
        by_tags = bool(config.rack_aware_assignment_tags)
        may_move = functools.partial(standbys.keeps_tags_apart, board) if by_tags else _anywhere
        racks.place_standbys(racks.costs(COSTS), may_move)


def _anywhere(_source: int, _destination: int, _task: int) -> bool:
    return True


class Dealing(Protocol):
    """As much of a board as dealing stateful tasks needs."""

    stateful: tuple[int, ...]
    clients: tuple[ClientState, ...]

    def give_active(self, client: int, task: int) -> None: ...

    def give_actives(self, client: int, tasks: Iterable[int]) -> None: ...

    def take_active(self, client: int, task: int) -> None: ...


def assign_stateful_active(board: Dealing) -> None:
    """Deal the tasks, in TaskId order, over the clients in process-ID order; then even out what uneven threads make uneven."""
    turns = len(board.clients)
    for number in range(turns):
        board.give_actives(number, board.stateful[number::turns])
    if len({len(client.consumers) for client in board.clients}) == 1:
        return  # as many threads each, and one task more or less at most: no move would narrow that
    _balance(board, lambda client: client.active, board.take_active, board.give_active)


def assign_standbys(board: Board, config: AssignorConfig) -> None:
    """This number of copies of each stateful task in addition to the active one; then balanced."""
    if config.num_standby_replicas == 0:
        return
    may_move: Callable[[int, int], bool] | None = None
    if config.rack_aware_assignment_tags:
        standbys.assign_by_tags(board, config.num_standby_replicas, config.rack_aware_assignment_tags)
        may_move = functools.partial(standbys.may_move_between, board)
    else:
        standbys.assign_to_least_loaded(board, config.num_standby_replicas)
    _balance(board, lambda client: client.standby, board.take_standby, board.give_standby, may_move)


def assign_stateless_active(board: Board) -> None:
    """Each task in turn to the client with the fewest active tasks a thread; where it ran before does not count."""
    queue = [(len(client.active) / client.capacity, number) for number, client in enumerate(board.clients)]
    heapq.heapify(queue)
    for task in board.stateless:
        number = queue[0][1]
        client = board.clients[number]
        board.give_active(number, task)
        heapq.heapreplace(queue, (len(client.active) / client.capacity, number))


def _balance(
    board: Dealing,
    tasks_of: Callable[[ClientState], set[int]],
    take: Callable[[int, int], None],
    give: Callable[[int, int], None],
    may_move: Callable[[int, int], bool] | None = None,
) -> None:
    """Move tasks of one kind from client to client, where they may, as long as that narrows the difference in tasks a thread.

    A move narrows it, and does not turn it round, where the source with a task less has no fewer a thread than the destination with
    one more.
    """
    clients = board.clients
    with_one_more = [_load(client, 1) for client in clients]
    moved = True
    while moved:
        moved = False
        least = min(with_one_more)
        for number, source in enumerate(clients):
            with_one_less = _load(source, -1)
            if with_one_less < least:  # mostly that leaves no destination at all
                continue
            for other, destination in enumerate(clients):
                if with_one_less < with_one_more[other] or number == other:
                    continue
                if may_move is not None and not may_move(number, other):
                    continue
                for task in sorted(tasks_of(source)):
                    if with_one_less < with_one_more[other]:
                        break
                    if not destination.holds(task):
                        take(number, task)
                        give(other, task)
                        moved = True
                        with_one_less = _load(source, -1)
                        with_one_more[number], with_one_more[other] = _load(source, 1), _load(destination, 1)
            least = min(with_one_more)


def _load(client: ClientState, more: int) -> float:
    """Tasks a thread, with `more` added."""
    return (len(client.active) + len(client.standby) + more) / len(client.consumers)
