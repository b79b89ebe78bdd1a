"""What a rebalance begins to restore, what waits for that, and copies that a follow-up may find late."""

from holdfast.kafka.streams.compiled.arrays import ABSENT, LATEST, NONE, Facts, Reported, Shares
from holdfast.rollout.streams.forecast.compiled.jit import compiled
from holdfast.rollout.streams.forecast.compiled.reports import LONG_MAX, RESTORING, UNSTARTED, WAITING, Noted, Rules, is_at_rest


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
        if is_at_rest(shares, noted, client):
            continue
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
    if total == LATEST or facts.acceptable_lag == LONG_MAX:
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
        if is_at_rest(shares, noted, client):
            continue
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
