"""What members report once their clients have stopped and are back; and whether they report what they did before."""

from holdfast.kafka.streams.compiled.arrays import LATEST, NONE, Facts, Flags, Reported
from holdfast.rollout.streams.forecast.compiled.jit import compiled
from holdfast.rollout.streams.forecast.compiled.noting import to_restore
from holdfast.rollout.streams.forecast.compiled.reports import LONG_MAX, Noted, Rules, closed


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
            total == LATEST or facts.acceptable_lag == LONG_MAX or to_restore(rules, task, total) <= facts.acceptable_lag
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
