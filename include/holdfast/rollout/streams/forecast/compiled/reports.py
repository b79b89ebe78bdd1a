"""What members report at the next rebalance, and what one begins to restore: as `scene.reports`, `restoring`, `open_copies`."""

from typing import NamedTuple

import numpy as np

from holdfast.kafka.streams.compiled.arrays import ABSENT, LATEST, NONE, Facts, Flags, Ints, Reported, Shares, room, zeros
from holdfast.kafka.streams.compiled.movement import is_as_good
from holdfast.rollout.streams.forecast.compiled.jit import compiled

PROBING_REBALANCE, NEXT_REBALANCE, RATE = 0, 1, 2
"""When a copy has caught up (`assume.CatchUp`)."""
AT_ONCE, AFTER_AN_INTERVAL, SETTLED = 0, 1, 2
"""How long there is between one rebalance and the next (`scene.reports.TimeBetween`)."""
_LONG_MAX = 2**63 - 1
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
    `stopped`: task, client, and as `Restarted.stopped`.
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
        counts=zeros(4),
        sums=zeros(tasks),
        by=zeros(tasks),
        tasks=zeros(tasks),
    )


@compiled
def to_restore(rules: Rules, task: int, total: int) -> int:
    """As `Reports.to_restore`."""
    if total == LATEST:
        return 0
    end = int(rules.end[task])
    if total < 0 or total > rules.log_end[task]:
        return end
    lacking = max(end - total, 0)
    return 0 if not rules.exact and lacking <= rules.changelogs[task] else lacking


@compiled
def note_restores(facts: Facts, rules: Rules, reported: Reported, shares: Shares, noted: Noted) -> None:
    """What each client begins to restore, and the active tasks that wait for it."""
    for client in range(len(facts.members)):
        for at in range(shares.of_client_end[client - 1] if client else 0, shares.of_client_end[client]):
            task = shares.of_client[at]
            if shares.active[task] != NONE:
                _note_restore(rules, reported, noted, client, shares.active[task], task, 0)
                _note_wait(facts, rules, reported, noted, client, task)
        for at in range(shares.standbys_end[client - 1] if client else 0, shares.standbys_end[client]):
            _note_restore(rules, reported, noted, client, shares.standby_members[at], shares.standby_tasks[at], 1)
        _note_running(shares, noted, client)


@compiled
def _note_restore(rules: Rules, reported: Reported, noted: Noted, client: int, member: int, task: int, standby: int) -> None:
    if noted.running[client, task]:
        return
    records = to_restore(rules, task, reported.sums[client, task])
    if records:
        row = noted.counts[RESTORING]
        noted.restoring[row, 0] = client
        noted.restoring[row, 1] = member
        noted.restoring[row, 2] = task
        noted.restoring[row, 3] = records
        noted.restoring[row, 4] = standby
        noted.counts[RESTORING] = row + 1


@compiled
def _note_wait(facts: Facts, rules: Rules, reported: Reported, noted: Noted, client: int, task: int) -> None:
    total = reported.sums[client, task]
    if total == LATEST or facts.acceptable_lag == _LONG_MAX:
        return
    records = to_restore(rules, task, total)
    if records > facts.acceptable_lag:
        row = noted.counts[WAITING]
        noted.waiting[row, 0] = task
        noted.waiting[row, 1] = records
        noted.counts[WAITING] = row + 1


@compiled
def _note_running(shares: Shares, noted: Noted, client: int) -> None:
    """What the client runs from now on."""
    for at in range(noted.ran_counts[client]):
        noted.running[client, noted.ran[client, at]] = 0
    count = 0
    for at in range(shares.of_client_end[client - 1] if client else 0, shares.of_client_end[client]):
        task = shares.of_client[at]
        if shares.active[task] != NONE:
            noted.running[client, task] = 1
            noted.ran[client, count] = task
            count += 1
    for at in range(shares.standbys_end[client - 1] if client else 0, shares.standbys_end[client]):
        noted.running[client, shares.standby_tasks[at]] = 1
        noted.ran[client, count] = shares.standby_tasks[at]
        count += 1
    noted.ran_counts[client] = count


@compiled
def note_open_copies(facts: Facts, rules: Rules, reported: Reported, shares: Shares, noted: Noted) -> None:
    """As `OpenCopies.note`: an immediate follow-up comes."""
    unstarted = False
    for client in range(len(facts.members)):
        for at in range(shares.of_client_end[client - 1] if client else 0, shares.of_client_end[client]):
            task = shares.of_client[at]
            if shares.active[task] != NONE and reported.sums[client, task] != LATEST and rules.log_end[task]:
                unstarted = True
        for at in range(shares.standbys_end[client - 1] if client else 0, shares.standbys_end[client]):
            task, member = shares.standby_tasks[at], shares.standby_members[at]
            total = reported.sums[client, task]
            if total == ABSENT:
                total = 0
            elif reported.by[client, task] != member:
                unstarted = True
            behind = rules.end[task] - total
            if total != LATEST and not 0 <= behind <= facts.acceptable_lag:
                noted.open_copies[client, task] = 1
    noted.counts[UNSTARTED] += unstarted


@compiled
def after(facts: Facts, rules: Rules, reported: Reported, shares: Shares, noted: Noted, pause: int) -> bool:
    """Replace what is reported by what is reported at the rebalance that comes after that time; as `Reports.after`. Whether clients
    will be given the same again (`movement.is_as_good`)."""
    again = True
    for task in range(len(reported.owner)):
        reported.reporter_counts[task] = 0
    for client in range(len(facts.members)):
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
    for at in range(reported.counts[client]):
        reported.sums[client, reported.tasks[client, at]] = ABSENT
    for at in range(count):
        task = noted.tasks[at]
        reported.sums[client, task] = noted.sums[at]
        reported.by[client, task] = noted.by[at]
        reported.reporters[task, reported.reporter_counts[task]] = client
        reported.reporter_counts[task] += 1
    reported.counts[client] = count
    _merge(reported, noted, client, actives, standbys, temporary, count)
    return again


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


@compiled
def restart(facts: Facts, rules: Rules, reported: Reported, noted: Noted, restarted: Flags) -> int:
    """These clients stop, and are back with what their disks hold; as `RestartClient`. How many tasks stopped (`Noted.stopped`)."""
    stopped = 0
    for task in range(len(reported.owner)):
        owner = reported.owner[task]
        if owner != NONE and restarted[facts.client_of[owner]]:
            noted.stopped[stopped, 0] = task
            noted.stopped[stopped, 1] = facts.client_of[owner]
            noted.stopped[stopped, 2] = not _is_copied(facts, rules, reported, task, restarted) and rules.log_end[task] > 0
            stopped += 1
            reported.owner[task] = NONE
    for client in range(len(facts.members)):
        if restarted[client]:
            for at in range(reported.counts[client]):
                task = reported.tasks[client, at]
                reported.sums[client, task] = closed(rules, noted, task, reported.sums[client, task])
                reported.by[client, task] = facts.first_member[client]
            for at in range(noted.ran_counts[client]):
                noted.running[client, noted.ran[client, at]] = 0
            noted.ran_counts[client] = 0
    return stopped


@compiled
def _is_copied(facts: Facts, rules: Rules, reported: Reported, task: int, restarted: Flags) -> bool:
    """Whether a client that runs meanwhile has a copy that is caught up; as `restoring.copied`."""
    for at in range(reported.reporter_counts[task]):
        client = reported.reporters[task, at]
        total = reported.sums[client, task]
        if not restarted[client] and (
            total == LATEST or facts.acceptable_lag == _LONG_MAX or to_restore(rules, task, total) <= facts.acceptable_lag
        ):
            return True
    return False


@compiled
def is_as(reported: Reported, before: Reported) -> bool:
    """Whether members report what they did before."""
    for task in range(len(reported.owner)):
        if reported.owner[task] != before.owner[task]:
            return False
    for client in range(len(reported.counts)):
        if reported.counts[client] != before.counts[client]:
            return False
        for at in range(reported.counts[client]):
            task = reported.tasks[client, at]
            same = task == before.tasks[client, at] and reported.sums[client, task] == before.sums[client, task]
            if not same or reported.by[client, task] != before.by[client, task]:
                return False
    return True
