"""The rebalances of one batch by the compiled functions: what a stage notes of them, unpacked."""

from collections.abc import Iterator, Mapping

import numpy as np

from holdfast.kafka.streams.compiled import arrays
from holdfast.kafka.streams.compiled.arrays import IMMEDIATE, PROBING, room
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.streams.forecast.compiled import packing, rebalances, reports
from holdfast.rollout.streams.forecast.compiled.decisions import Decided, Decision
from holdfast.rollout.streams.forecast.compiled.packing import Packed
from holdfast.rollout.streams.forecast.compiled.rebalances import GOES_ON, STABLE, Kept
from holdfast.rollout.streams.forecast.compiled.walk import Restores, Walk

_AT_ONCE = 64
"""The most rebalances of one call."""
_TIMES_THE_GROUP = 4
"""There is room for this many times what the first rebalance may have to note. When it is full, a call ends."""
_TRIGGERS = {0: None, PROBING: Trigger.PROBING, IMMEDIATE: Trigger.IMMEDIATE}


class Walker:
    """The arrays of one walk."""

    def __init__(self, one: Packed, *, records: bool) -> None:
        clients, tasks, members = len(one.facts.members), len(one.tasks), len(one.facts.client_of)
        self._rows = _TIMES_THE_GROUP * (tasks + one.standbys)
        self._one = one
        self._records = records
        self._board = arrays.board(clients, tasks)
        self._queue = arrays.queue(clients)
        self._rooms = arrays.rooms(clients, tasks, members, one.standbys)
        self._shares = arrays.shares(clients, tasks, one.standbys)
        self._noted = reports.noted(clients, tasks, _AT_ONCE, self._rows)
        self._before = np.zeros(0, np.int64)
        self._asked: list[int] = []
        self._decisions: list[Decision] = []
        self._restores: list[Restores] = []

    def run_before(self, running: Mapping[ProcessId, Mapping[TaskId, None]]) -> None:
        """What each client runs already: it is not restored anew."""
        row_of = {task: row for row, task in enumerate(self._one.tasks)}
        for number, at in enumerate(self._one.clients):
            rows = [row_of[task] for task in running.get(self._one.group.clients[at].process_id, ()) if task in row_of]
            self._noted.running[number, rows] = 1
            self._noted.ran[number, : len(rows)] = rows
            self._noted.ran_counts[number] = len(rows)

    def walk(self, most: int) -> Walk | None:
        """At most `most` rebalances. None: the group comes back to where it was, or is not modelled after all."""
        ended = GOES_ON
        while ended == GOES_ON and len(self._asked) < most:
            ended = self._part(min(_AT_ONCE, most - len(self._asked)))
            if ended not in (GOES_ON, STABLE):
                return None
        one, noted = self._one, self._noted
        ids = [one.group.clients[at].process_id for at in one.clients]
        return Walk(
            asked=tuple(_TRIGGERS[each] for each in self._asked),
            clients=packing.unpacked(one),
            running={
                process_id: tuple(one.tasks[row] for row in noted.ran[number, : noted.ran_counts[number]].tolist())
                for number, process_id in enumerate(ids)
            },
            open_copies=frozenset((ids[client], one.tasks[row]) for client, row in np.argwhere(noted.open_copies).tolist()),
            unstarted=int(noted.counts[reports.UNSTARTED]),
            in_doubt=tuple(one.tasks[row] for row in np.flatnonzero(noted.in_doubt).tolist()),
            decisions=tuple(self._decisions),
            restores=tuple(self._restores),
        )

    def _part(self, most: int) -> int:
        one, passed = self._one, len(self._asked)
        self._before = np.concatenate((self._before[:passed], np.zeros(most, np.int64)))
        kept = self._room_for(most)
        arguments = (one.facts, one.rules, one.reported, self._board, self._queue, self._rooms, self._shares, self._noted, kept)
        ended, count = rebalances.go_on(*arguments, passed, most)
        if ended in (GOES_ON, STABLE):
            self._asked.extend(self._noted.asked[:count].tolist())
            if self._records:
                decided = Decided(one, kept, self._noted.probing.copy(), self._noted.probers.copy())
                self._decisions.extend(Decision(decided, number) for number in range(count))
                self._restores.extend(self._read(count))
        return ended

    def _room_for(self, most: int) -> Kept:
        count, tasks = most if self._records else 0, len(self._one.tasks)
        return Kept(
            planned=room(count, tasks),
            active=room(count, tasks),
            withheld=room(count, tasks),
            standbys=room(self._rows if count else 0, 2),
            standbys_end=room(count),
            before=self._before,
        )

    def _read(self, count: int) -> Iterator[Restores]:
        one, noted = self._one, self._noted
        begins, waits = 0, 0
        for number in range(count):
            rows, begins = noted.restoring[begins : noted.restoring_end[number]], int(noted.restoring_end[number])
            late, waits = noted.waiting[waits : noted.waiting_end[number]], int(noted.waiting_end[number])
            by_client: dict[int, list[tuple[int, int, TaskId, int]]] = {}
            for client, member, task, records, standby in rows.tolist():
                row = (standby, one.members[member][1], one.tasks[task], records)
                by_client.setdefault(one.clients[client], []).append(row)
            yield Restores(
                tuple(
                    (one.group.clients[at].process_id, tuple((task, records) for _, _, task, records in sorted(found)))
                    for at, found in sorted(by_client.items())
                ),
                tuple(sorted((one.tasks[task], records) for task, records in late.tolist())),
            )
