"""What members report once their clients have stopped and are back; and whether they report what they did before."""

from holdfast.kafka.streams.compiled.arrays import LATEST, NONE, Facts, Flags, Ints, Reported, Shares
from holdfast.rollout.streams.forecast.compiled.jit import compiled
from holdfast.rollout.streams.forecast.compiled.noting import to_restore
from holdfast.rollout.streams.forecast.compiled.rebalances import Small
from holdfast.rollout.streams.forecast.compiled.reports import LONG_MAX, Noted, Rules, closed


@compiled
def restart(facts: Facts, rules: Rules, reported: Reported, shares: Shares, noted: Noted, restarted: Flags) -> int:
    """These clients stop, and are back with what their disks hold; as `RestartClient`. How many tasks stopped (`Noted.stopped`).

    Whatever the next decision depends on is marked as changed: it may follow on the one before.
    """
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
            shares.settled[client] = 0
            noted.stale[client] = 1
            noted.touched[client] = 1
            for at in range(reported.counts[client]):
                task = reported.tasks[client, at]
                reported.sums[client, task] = closed(rules, noted, task, reported.sums[client, task])
                reported.changed[task] = 1
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
            total == LATEST or facts.acceptable_lag == LONG_MAX or to_restore(rules, task, total) <= facts.acceptable_lag
        ):
            return True
    return False


@compiled
def is_as(
    reported: Reported, noted: Noted, first: Ints, tasks: Small, sums: Ints, by: Small, owner: Small, running: Flags, runs: bool
) -> bool:
    """Whether members report what is remembered: `tasks`, `sums` and `by` client after client, each from `first` on; and, if asked
    for (`runs`), whether clients run the same. Only clients that are `Noted.touched` are looked at; if all is the same, none is."""
    for task in range(len(owner)):
        if reported.owner[task] != owner[task]:
            return False
    for client in range(len(noted.touched)):
        if noted.touched[client] and not _client_is_as(reported, client, first, tasks, sums, by):
            return False
        if noted.touched[client] and runs:
            for task in range(len(owner)):
                if noted.running[client, task] != running[client, task]:
                    return False
    for client in range(len(noted.touched)):
        noted.touched[client] = 0
    return True


@compiled
def _client_is_as(reported: Reported, client: int, first: Ints, tasks: Small, sums: Ints, by: Small) -> bool:
    begin = first[client]
    if reported.counts[client] != first[client + 1] - begin:
        return False
    for at in range(reported.counts[client]):
        task = reported.tasks[client, at]
        if (
            task != tasks[begin + at]
            or reported.sums[client, task] != sums[begin + at]
            or reported.by[client, task] != by[begin + at]
        ):
            return False
    return True
