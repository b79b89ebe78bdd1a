"""The leader's books during one assignment: every task, every client, and who lags how far.

Tasks and clients are numbers here, counted in the order of TaskId and of process ID, so that comparing numbers compares as Java
compares.
"""

from collections.abc import Iterable

from holdfast.kafka import java
from holdfast.kafka.release import Behaviour
from holdfast.kafka.streams import client_state
from holdfast.kafka.streams.client_state import ClientState, Topology
from holdfast.kafka.streams.group import Client, Group
from holdfast.kafka.vocabulary import LATEST_OFFSET, TaskId


class Readings:
    """What the members of one group report, kept for its next rebalances: only a client that reports something else is read again.

    Only for a group whose members, tasks, release and settings do not change. `news` holds the tasks that a member has begun to
    report otherwise since it was last emptied.
    """

    def __init__(self, group: Group, line: Behaviour) -> None:
        self.topology = Topology(group, line)
        self.clients: list[ClientState] = []
        """In process-ID order. What they are given is of the last `Board` that was made from here."""
        self.lags_of: list[dict[int, int]] = [{} for _ in self.topology.tasks]
        """For each task, the lags of the clients that report it."""
        self.news: dict[int, None] = {}
        self._caught_up: dict[int, frozenset[int]] = {}
        ids = [client.process_id for client in group.clients]
        self.order = sorted(range(len(ids)), key=ids.__getitem__)
        """Where the clients are in the group, by number."""
        self.number_at = sorted(range(len(ids)), key=self.order.__getitem__)
        """The numbers of the clients in the order of the group."""
        self._everybody = frozenset(range(len(group.clients)))
        self._read: list[Client] = []
        for number, at in enumerate(self.order):
            client = group.clients[at]
            state = client_state.read(client, group, self.topology)
            self._read.append(client)
            self.clients.append(state)
            for task, lag in state.lags.items():
                self.lags_of[task][number] = lag

    def again(self, group: Group) -> None:
        """Read those clients that are not the same objects any more."""
        for number, at in enumerate(self.order):
            client = group.clients[at]
            if client is not self._read[number]:
                before = self.clients[number].lags
                after = client_state.read(client, group, self.topology)
                self._read[number], self.clients[number] = client, after
                self._compare(number, before, after.lags)

    def _compare(self, number: int, before: dict[int, int], after: dict[int, int]) -> None:
        for task, lag in after.items():
            if before.get(task) != lag:
                self.lags_of[task][number] = lag
                self._renew(task)
        for task in before:
            if task not in after:
                del self.lags_of[task][number]
                self._renew(task)

    def _renew(self, task: int) -> None:
        self.news[task] = None
        self._caught_up.pop(task, None)

    def caught_up(self, task: int, acceptable_recovery_lag: int) -> frozenset[int]:
        """The clients that could take the task over at once."""
        found = self._caught_up.get(task)
        if found is None:
            lags = self.lags_of[task]
            found = frozenset([client for client, lag in lags.items() if _acceptable(lag, acceptable_recovery_lag)])
            if _acceptable(self.topology.ends[task], acceptable_recovery_lag):
                found = self._everybody if len(found) == len(lags) else self._everybody.difference(lags).union(found)
            self._caught_up[task] = found
        return found


class Board:
    """Every task and client of one assignment. Made at its beginning, changed by its phases, and never returned.

    `load_order` ranks clients as Kafka's queues do: by tasks per thread, then by process ID.
    """

    def __init__(self, readings: Readings) -> None:
        topology = readings.topology
        self.readings = readings
        self.tasks = topology.tasks
        self.clients = tuple(readings.clients)
        for client in self.clients:
            client.active, client.standby = set(), set()
        self.stateful = topology.stateful
        self.stateless = topology.stateless
        self.load_order: list[tuple[float, int]] = [(0.0, number) for number in range(len(self.clients))]
        self.ends_known = topology.ends_known
        """Whether there is anything to measure lags against; else the leader falls back."""
        self._ends = topology.ends

    @classmethod
    def of(cls, group: Group, line: Behaviour) -> "Board":
        """The board of a group of which nothing was read before."""
        return cls(Readings(group, line))

    def give_active(self, client: int, task: int) -> None:
        self.clients[client].active.add(task)
        self._weigh(client)

    def give_actives(self, client: int, tasks: Iterable[int]) -> None:
        self.clients[client].active.update(tasks)
        self._weigh(client)

    def take_active(self, client: int, task: int) -> None:
        self.clients[client].active.remove(task)
        self._weigh(client)

    def give_standby(self, client: int, task: int) -> None:
        self.clients[client].standby.add(task)
        self._weigh(client)

    def take_standby(self, client: int, task: int) -> None:
        self.clients[client].standby.remove(task)
        self._weigh(client)

    def weigh(self) -> None:
        """Rank all clients anew, after clients gained or lost tasks by other means than the four above."""
        for client in range(len(self.clients)):
            self._weigh(client)

    def _weigh(self, client: int) -> None:
        state = self.clients[client]
        self.load_order[client] = ((len(state.active) + len(state.standby)) / len(state.consumers), client)

    def lag(self, client: int, task: int) -> int:
        """How far the client's copy is behind: -2 an active that was running, -3 unknown, the end-offset sum without a copy."""
        return self.clients[client].lags.get(task, self._ends[task])

    def caught_up(self, task: int, acceptable_recovery_lag: int) -> frozenset[int]:
        """The clients that could take the task over at once."""
        return self.readings.caught_up(task, acceptable_recovery_lag)

    def least_lag(self, task: int) -> int:
        lags = self.readings.lags_of[task]
        least = min(lags.values(), default=self._ends[task])
        return least if len(lags) == len(self.clients) else min(least, self._ends[task])

    def clients_by_lag(self, task: int) -> list[int]:
        return sorted(range(len(self.clients)), key=lambda client: (self.lag(client, task), client))

    def ids(self, tasks: Iterable[int]) -> tuple[TaskId, ...]:
        """The tasks' IDs, ascending."""
        return tuple(map(self.readings.topology.ids.__getitem__, sorted(tasks)))


def _acceptable(lag: int, acceptable_recovery_lag: int) -> bool:
    return lag == LATEST_OFFSET or acceptable_recovery_lag == java.LONG_MAX or 0 <= lag <= acceptable_recovery_lag
