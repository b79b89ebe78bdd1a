"""What members report at the next rebalance: as `scene.reports`."""

from typing import NamedTuple

import numpy as np

from holdfast.kafka.streams.compiled.arrays import ABSENT, LATEST, NONE, Facts, Flags, Ints, Reported, Shares, room, zeros
from holdfast.kafka.streams.compiled.lags import is_as_good
from holdfast.rollout.streams.forecast.compiled.jit import compiled, inlined

PROBING_REBALANCE, NEXT_REBALANCE, RATE = 0, 1, 2
"""When a copy has caught up (`assume.CatchUp`)."""
AT_ONCE, AFTER_AN_INTERVAL, SETTLED = 0, 1, 2
"""How long there is between one rebalance and the next (`scene.reports.TimeBetween`)."""
LONG_MAX = 2**63 - 1
_NO_TASK = 2**62
"""Comes after all tasks."""


class Rules(NamedTuple):
    """Of each task what its copies report, and what is assumed. `gained`: records that a copy restores in one probing interval."""

    end: Ints
    closed: Ints
    log_end: Ints
    changelogs: Ints
    catch_up: int
    gained: int
    keeps_dormant: bool
    as_seen: bool
    exact: bool
    may_lose_progress: bool


class Noted(NamedTuple):
    """What is kept of a course. `running`: what each client ran before, its tasks listed in `ran`; `open_copies`, `in_doubt`: as
    `OpenCopies.copies` and `Reports.closed_in_doubt`.

    `restoring`, `waiting`: a row for each task that begins to be restored, or waits for its state; `…_end`: where those of a
    rebalance end. `asked`, `probing`, `probers`: of each, as in `Shares.said`. `counts`: see below. `sums`, `by`, `tasks`: room.
    `stopped`: task, client, and as `Restarted.stopped`. `final`: as `_is_final`, of each client. `digests`: of what each client
    reports, those that are not `stale`. `touched`: the clients that may report or run something else than what is remembered
    (`at_restart.is_as`).
    """

    running: Flags
    ran: Ints
    ran_counts: Ints
    open_copies: Flags
    in_doubt: Flags
    restoring: Ints
    restoring_end: Ints
    waiting: Ints
    waiting_end: Ints
    asked: Ints
    probing: Ints
    probers: Ints
    stopped: Ints
    final: Flags
    stale: Flags
    touched: Flags
    digests: Ints
    counts: Ints
    sums: Ints
    by: Ints
    tasks: Ints


RESTORING, WAITING, UNSTARTED, SEEN = 0, 1, 2, 3
"""In `Noted.counts`: rows, rows, as in `OpenCopies.unstarted`, and whether it made a difference if a group was `as_seen`."""
RESTORING_COLUMNS = 5
"""Client, member, task, records, and whether it is a standby."""


def noted(clients: int, tasks: int, rebalances: int, rows: int) -> Noted:
    """`rebalances`, `rows`: the most that one call may add."""
    return Noted(
        running=np.zeros((clients, tasks), np.uint8),
        ran=room(clients, tasks),
        ran_counts=zeros(clients),
        open_copies=np.zeros((clients, tasks), np.uint8),
        in_doubt=np.zeros(tasks, np.uint8),
        restoring=room(rows, RESTORING_COLUMNS),
        restoring_end=zeros(rebalances),
        waiting=room(rows, 2),
        waiting_end=zeros(rebalances),
        asked=zeros(rebalances),
        probing=zeros(rebalances),
        probers=zeros(rebalances),
        stopped=zeros(tasks, 3),
        final=np.zeros(clients, np.uint8),
        stale=np.zeros(clients, np.uint8),
        touched=np.ones(clients, np.uint8),
        digests=zeros(clients, 2),
        counts=zeros(4),
        sums=zeros(tasks),
        by=zeros(tasks),
        tasks=zeros(tasks),
    )


@inlined
def is_at_rest(shares: Shares, noted: Noted, client: int) -> bool:
    """Whether it is handed what it was handed before, and reports again what it reports, however long that takes: it has restored
    all that it runs, and has closed the rest."""
    return bool(shares.settled[client] and noted.final[client])


@compiled
def after(facts: Facts, rules: Rules, reported: Reported, shares: Shares, noted: Noted, pause: int) -> bool:
    """Replace what is reported by what is reported at the rebalance that comes after that time; as `Reports.after`. Whether clients
    will be given the same again (`movement.is_as_good`)."""
    again = True
    for client in range(len(facts.members)):
        if not is_at_rest(shares, noted, client):
            again = _of_client(facts, rules, reported, shares, noted, client, pause) and again
    for task in range(len(reported.owner)):
        reported.owner[task] = shares.active[task]
    return again


@compiled
def _of_client(facts: Facts, rules: Rules, reported: Reported, shares: Shares, noted: Noted, client: int, pause: int) -> bool:
    """`Noted.running` says what the client runs now; `sums`, `by` and `tasks` take what it reports next. As `after`."""
    count = 0
    settled = True
    for at in range(shares.of_client_end[client - 1] if client else 0, shares.of_client_end[client]):
        task = shares.of_client[at]
        settled = settled and shares.active[task] != NONE
        if shares.active[task] != NONE and facts.stateful[task]:
            total = _of_active(rules, reported, client, shares.active[task], task, pause)
            settled = settled and total != ABSENT
            count = _put(noted, count, task, total, shares.active[task])
    actives = count
    begin, end = shares.standbys_end[client - 1] if client else 0, shares.standbys_end[client]
    held = begin + shares.held_end[client] - (shares.held_end[client - 1] if client else 0)
    count = _put_standbys(rules, reported, shares, noted, client, begin, held, pause, count)
    standbys = count
    count = _put_standbys(rules, reported, shares, noted, client, held, end, pause, count)  # of tasks that are withheld
    temporary = count
    if rules.keeps_dormant:
        for at in range(reported.counts[client]):
            task = reported.tasks[client, at]
            if not noted.running[client, task]:
                total = closed(rules, noted, task, reported.sums[client, task])
                count = _put(noted, count, task, total, reported.by[client, task])
    again = _decides_as_before(facts, reported, noted, client, count)
    shares.settled[client] = settled
    noted.final[client] = _is_final(rules, noted, actives, temporary, count)
    _replace(reported, noted, client, count)
    _merge(reported, noted, client, actives, standbys, temporary, count)
    return again


@compiled
def _is_final(rules: Rules, noted: Noted, actives: int, temporary: int, count: int) -> bool:
    """Whether a client that is handed the same again reports again what it reports next: what is running, standbys, and the rest up
    to each of these numbers."""
    for at in range(actives):
        if noted.sums[at] != LATEST:
            return False
    for at in range(actives, temporary):
        if noted.sums[at] != rules.end[noted.tasks[at]]:
            return False
    for at in range(temporary, count):
        task, total = noted.tasks[at], noted.sums[at]
        if rules.as_seen and total == rules.end[task] and total != rules.closed[task]:
            return False
    return True


@compiled
def _replace(reported: Reported, noted: Noted, client: int, count: int) -> None:
    """What the client reports by the first of what is noted, and note which tasks that is something else for."""
    noted.stale[client] = 1
    noted.touched[client] = 1
    for at in range(count):
        task = noted.tasks[at]
        before = reported.sums[client, task]
        if before != noted.sums[at]:
            reported.changed[task] = 1
        if before == ABSENT:
            _reported_by(reported, task, client)
    for at in range(reported.counts[client]):
        reported.sums[client, reported.tasks[client, at]] = ABSENT
    for at in range(count):
        task = noted.tasks[at]
        reported.sums[client, task] = noted.sums[at]
        reported.by[client, task] = noted.by[at]
    for at in range(reported.counts[client]):
        task = reported.tasks[client, at]
        if reported.sums[client, task] == ABSENT:
            reported.changed[task] = 1
            _reported_no_more_by(reported, task, client)
    reported.counts[client] = count


@compiled
def _reported_by(reported: Reported, task: int, client: int) -> None:
    at = reported.reporter_counts[task]
    while at > 0 and reported.reporters[task, at - 1] > client:
        reported.reporters[task, at] = reported.reporters[task, at - 1]
        at -= 1
    reported.reporters[task, at] = client
    reported.reporter_counts[task] += 1


@compiled
def _reported_no_more_by(reported: Reported, task: int, client: int) -> None:
    at = 0
    while reported.reporters[task, at] != client:
        at += 1
    reported.reporter_counts[task] -= 1
    while at < reported.reporter_counts[task]:
        reported.reporters[task, at] = reported.reporters[task, at + 1]
        at += 1


@compiled
def _decides_as_before(facts: Facts, reported: Reported, noted: Noted, client: int, count: int) -> bool:
    """Whether what the client reports next is as good as what it reports: the first `count` of `Noted.tasks`, and nothing else."""
    copies = 0
    for at in range(count):
        task = noted.tasks[at]
        before = reported.sums[client, task]
        if not is_as_good(facts, task, before, noted.sums[at]):
            return False
        copies += not is_as_good(facts, task, before, ABSENT)
    for at in range(reported.counts[client]):
        task = reported.tasks[client, at]
        copies -= not is_as_good(facts, task, reported.sums[client, task], ABSENT)
    return bool(copies == 0)


@compiled
def _put_standbys(
    rules: Rules, reported: Reported, shares: Shares, noted: Noted, client: int, begin: int, end: int, pause: int, count: int
) -> int:
    for at in range(begin, end):
        task = shares.standby_tasks[at]
        total = _caught_up(rules, task, reported.sums[client, task], pause)
        count = _put(noted, count, task, total, shares.standby_members[at])
    return count


@compiled
def _put(noted: Noted, count: int, task: int, total: int, member: int) -> int:
    """What is `ABSENT` is not reported."""
    if total == ABSENT:
        return count
    noted.tasks[count] = task
    noted.sums[count] = total
    noted.by[count] = member
    return count + 1


@compiled
def _merge(reported: Reported, noted: Noted, client: int, actives: int, standbys: int, temporary: int, count: int) -> None:
    """List the tasks of the client in order, which they are in already up to each of these numbers."""
    first, second, third, fourth = 0, actives, standbys, temporary
    for number in range(count):
        one, two = _head(noted, first, actives), _head(noted, second, standbys)
        three, four = _head(noted, third, temporary), _head(noted, fourth, count)
        task = min(one, two, three, four)
        first += one == task
        second += two == task
        third += three == task
        fourth += four == task
        reported.tasks[client, number] = task


@compiled
def _head(noted: Noted, at: int, end: int) -> int:
    return int(noted.tasks[at]) if at < end else _NO_TASK


@compiled
def _of_active(rules: Rules, reported: Reported, client: int, member: int, task: int, pause: int) -> int:
    if not rules.as_seen or pause != AT_ONCE:
        return LATEST
    total = int(reported.sums[client, task])
    if total == LATEST and reported.by[client, task] == member:
        return LATEST
    if total == ABSENT:
        return ABSENT
    return int(rules.closed[task]) if total == LATEST or total >= rules.end[task] else total


@compiled
def _caught_up(rules: Rules, task: int, before: int, pause: int) -> int:
    """As `Reports._caught_up`."""
    end = int(rules.end[task])
    if before == LATEST or pause == SETTLED or rules.catch_up == NEXT_REBALANCE:
        return end
    as_before = 0 if before == ABSENT else int(before)
    if pause == AT_ONCE:
        return as_before
    if rules.catch_up == PROBING_REBALANCE:
        return end
    so_far = 0 if as_before > rules.log_end[task] else as_before
    return min(end, so_far + rules.gained)


@compiled
def closed(rules: Rules, noted: Noted, task: int, total: int) -> int:
    """As `Reports.closed`."""
    if total != LATEST:
        if total != rules.end[task] or total == rules.closed[task]:
            return int(total)
        noted.counts[SEEN] = 1
        return int(rules.closed[task]) if rules.as_seen else int(total)
    if rules.closed[task] and rules.may_lose_progress:
        noted.in_doubt[task] = 1
    return int(rules.closed[task])
