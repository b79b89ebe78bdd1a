"""A rebalance, by our own model, and what then happens to a group: clients come, go, come back with their old disks."""

import random

from tests.conformance.streams.groups import Case, as_answer, group_of, tasks_of
from tests.conformance.streams.random_groups import members, reports

from holdfast.errors import HoldfastError
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.group import LeaderFailure

MOST_ROUNDS = 3


def live(chance: random.Random, case: Case, release: str) -> bool:
    """In half of the groups members report what the leader gave them, and then others are there. True if anything happened."""
    if chance.random() < 0.5:
        return False
    for _ in range(chance.choice([1, 1, 1, 2, MOST_ROUNDS])):
        if not _rebalance(chance, case, release):
            return False
    processes = list(dict.fromkeys(member["process"] for member in case["members"]))
    for _ in range(chance.choice([0, 1, 1, 2])):
        gone = []
        if len(processes) > 1 and chance.random() < 0.6:
            process = processes.pop(chance.randrange(len(processes)))
            gone = [member for member in case["members"] if member["process"] == process]
            case["members"] = [member for member in case["members"] if member["process"] != process]
        if gone and chance.random() < 0.3:
            case["members"] += _returned(chance, case, gone)
        elif chance.random() < 0.6:
            members.add_client(chance, case)
    members.choose_leader(chance, case)
    return True


def _rebalance(chance: random.Random, case: Case, release: str) -> bool:
    try:
        decision = leader.assign(group_of(case, release))
    except HoldfastError:  # not modelled: the group stays as it was drawn
        return False
    if isinstance(decision, LeaderFailure):
        return False
    sources, stateful = {}, set()
    for task, partitions, changelogs in tasks_of(case["subtopologies"]):
        sources[task] = partitions
        if changelogs:
            stateful.add(task)
    answer = as_answer(decision)
    ends = {task: reports.end_of(case, task, changelogs) for task, _, changelogs in tasks_of(case["subtopologies"])}
    caught_up = chance.random()
    for member in case["members"]:
        given = answer["consumers"][member["id"]]
        before = member["sums"]
        member["owned"] = [list(partition) for task in given["active"] for partition in sources[task]]
        member["sums"] = {task: -2 for task in given["active"] if task in stateful}
        for task in given["standby"]:
            member["sums"][task] = ends[task] if chance.random() < caught_up else max(before.get(task, 0), 0)
        for task, offsets in before.items():
            if chance.random() < 0.3:
                member["sums"].setdefault(task, ends.get(task, 0) if offsets == -2 else offsets)
    return True


def _returned(chance: random.Random, case: Case, gone: list[Case]) -> list[Case]:
    """The same client started again: it owns nothing, and one of its threads finds what the disk holds."""
    ends = {task: reports.end_of(case, task, changelogs) for task, _, changelogs in tasks_of(case["subtopologies"])}
    disk = {task: offsets for member in gone for task, offsets in member["sums"].items()}
    found = {task: max(ends.get(task, 0) - chance.randint(0, 3), 0) if sums == -2 else sums for task, sums in disk.items()}
    back = [member | {"owned": [], "sums": {}} for member in gone]
    chance.choice(back)["sums"] = found
    return back
