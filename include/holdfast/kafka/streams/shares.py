"""The target by rank: the rank in process-ID order that each stateful task falls to, whatever client has it.

Java: `HighAvailabilityTaskAssignor.assignActiveStatefulTasks`, 2.6 to 4.3. Only the numbers of threads, place by place, enter into
it. So every position that one process ID can take in a group is answered from few of these; `high_availability` itself deals.
"""

from collections.abc import Iterable
from uuid import UUID

from holdfast.kafka.streams import high_availability
from holdfast.kafka.streams.client_state import ClientState, ConsumerState
from holdfast.kafka.vocabulary import ProcessId

_NOBODY = ProcessId.of(UUID(int=0))
_THREAD = ConsumerState("", (), reports_unknown=False)


def dealt(threads: tuple[int, ...], tasks: int) -> tuple[int, ...]:
    """For each of `tasks` stateful tasks, in TaskId order, the rank of its client among clients with these numbers of threads."""
    board = _Places(threads, tasks)
    high_availability.assign_stateful_active(board)
    found = [0] * tasks
    for place, client in enumerate(board.clients):
        for task in client.active:
            found[task] = place
    return tuple(found)


class _Places:
    """As much of a `Board` as dealing needs."""

    def __init__(self, threads: tuple[int, ...], tasks: int) -> None:
        self.stateful: tuple[int, ...] = tuple(range(tasks))
        self.clients = tuple(ClientState(_NOBODY, (_THREAD,) * count, {}, {}) for count in threads)

    def give_active(self, client: int, task: int) -> None:
        self.clients[client].active.add(task)

    def give_actives(self, client: int, tasks: Iterable[int]) -> None:
        self.clients[client].active.update(tasks)

    def take_active(self, client: int, task: int) -> None:
        self.clients[client].active.remove(task)
