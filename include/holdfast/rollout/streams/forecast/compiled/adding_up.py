"""Walks of which only `Totals` are wanted."""

from collections import Counter

import numpy as np

from holdfast.kafka.streams.compiled import arrays
from holdfast.kafka.streams.compiled.arrays import IMMEDIATE, PROBING, Facts, Ints, Reported, room
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.streams.forecast.compiled import rebalances, reports, workspace
from holdfast.rollout.streams.forecast.compiled.rebalances import GOES_ON, STABLE
from holdfast.rollout.streams.forecast.compiled.reports import Noted, Rules
from holdfast.rollout.streams.forecast.compiled.totals import Restoring, Totals

_AT_ONCE = 512
"""The most rebalances of one call."""
_TIMES_THE_GROUP = 4
"""There is room for this many times what one rebalance may have to note."""
_TRIGGERS = {0: None, PROBING: Trigger.PROBING, IMMEDIATE: Trigger.IMMEDIATE}


def add_up(facts: Facts, rules: Rules, reported: Reported, most: int) -> Totals | None:
    """Of a group in which nothing runs yet that was not restored, until it is stable, after at most `most` rebalances. None: it is
    not stable by then, comes back to where it was, or is not modelled after all. `reported` is that of the end afterwards."""
    clients, tasks = len(facts.members), len(facts.ends)
    standbys = workspace.most_standbys(facts)
    board, queue = arrays.board(clients, tasks), arrays.queue(clients)
    rooms, shares = arrays.rooms(clients, tasks, int(facts.first_member[-1]), standbys), arrays.shares(clients, tasks, standbys)
    noted = reports.noted(clients, tasks, _AT_ONCE, _TIMES_THE_GROUP * (tasks + standbys))
    kept = workspace.kept(0, tasks, 0)._replace(before=room(most))
    asked: list[int] = []
    restoring: list[Restoring] = []
    restored = Counter[tuple[int, int]]()
    waits = np.zeros(tasks, bool)
    ended, begins = GOES_ON, True
    while ended == GOES_ON and len(asked) < most:
        at_once = min(_AT_ONCE, most - len(asked))
        arguments = (facts, rules, reported, board, queue, rooms, shares, noted, kept)
        ended, count = rebalances.go_on(*arguments, len(asked), at_once, begins)
        begins = False
        asked.extend(noted.asked[:count].tolist())
        waits[_waiting(noted, count)] = True
        _read(noted, count, restoring, restored)
    if ended != STABLE:
        return None
    return Totals(
        asked=tuple(map(_TRIGGERS.__getitem__, asked)),
        restoring=tuple(restoring),
        restored=restored,
        waiting=int(np.count_nonzero(waits)),
        runs=tuple(shares.planned.tolist()),
        open_copies=int(np.count_nonzero(noted.open_copies)),
        unstarted=int(noted.counts[reports.UNSTARTED]),
    )


def _waiting(noted: Noted, count: int) -> Ints:
    found: Ints = noted.waiting[: noted.waiting_end[count - 1] if count else 0, 0]
    return found


def _read(noted: Noted, count: int, restoring: list[Restoring], restored: Counter[tuple[int, int]]) -> None:
    """What each of these rebalances begins to restore; rows are client by client."""
    ends = noted.restoring_end[:count].tolist()
    rows = noted.restoring[: ends[-1] if ends else 0].tolist()
    begin = 0
    for end in ends:
        by_client: dict[int, int] = {}
        for client, _, task, records, _ in rows[begin:end]:
            by_client[client] = by_client.get(client, 0) + records
            restored[task, records] += 1
        restoring.append(tuple(by_client.items()))
        begin = end
