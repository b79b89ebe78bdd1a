"""What members own and report: running tasks, copies of all ages, and things that should not be."""

import random

from tests.conformance.streams.groups import Case, tasks_of

from holdfast.kafka.java import LONG_MAX
from holdfast.kafka.release import Behaviour


def scatter(chance: random.Random, case: Case, line: Behaviour) -> None:
    """Active tasks here and there, running or not yet, and copies with all kinds of sums; now and then at every client."""
    running, copies = chance.random(), chance.choice([0, 0.1, 0.5, 2])
    all_clients = list({member["process"]: member for member in case["members"]}.values()) if chance.random() < 0.05 else []
    for task, sources, changelogs in tasks_of(case["subtopologies"]):
        end = end_of(case, task, changelogs)
        if chance.random() < running:
            member = chance.choice(case["members"])
            member["owned"] += sources
            if changelogs:
                member["sums"][task] = -2 if chance.random() < 0.8 else a_sum(chance, end)
        if changelogs:
            for member in all_clients:
                member["sums"].setdefault(task, a_sum(chance, end))
            for _ in range(int(copies) + (chance.random() < copies % 1)):
                chance.choice(case["members"])["sums"].setdefault(task, a_sum(chance, end))


def end_of(case: Case, task: str, changelogs: list[str]) -> int:
    """The task's end-offset sum; 0 if it is unknown."""
    partition = int(task.partition("_")[2])
    return min(sum(case["ends"][topic][partition] or 0 for topic in changelogs), LONG_MAX)


def a_sum(chance: random.Random, end: int) -> int:
    """At the end, a little before it or behind it, or far off."""
    kind = chance.random()
    if kind < 0.4:
        return end
    if kind < 0.6:
        return max(end - chance.randint(0, 10), 0)
    if kind < 0.7:
        return min(end + chance.randint(1, 10), LONG_MAX)
    return chance.choice([0, end // 2, chance.randint(0, max(end, 1))])


def spoil(chance: random.Random, case: Case, line: Behaviour) -> None:
    """Unknown tasks and partitions, two owners of one partition or of one task, two reports of one task."""
    if chance.random() >= 0.3:
        return
    for _ in range(chance.randint(1, 4)):
        one, other = chance.choice(case["members"]), chance.choice(case["members"])
        kind = chance.randrange(6)
        if kind == 0:
            one["sums"][f"{chance.randint(0, 13)}_{chance.randint(0, 40)}"] = chance.choice([-2, 0, 7])
        elif kind == 1:
            one["owned"].append([chance.choice(["gone", case["subtopologies"][0]["sources"][0][0]]), chance.randint(0, 20)])
        elif kind == 2 and other["owned"]:
            one["owned"].append(chance.choice(other["owned"]))
        elif kind == 3 and one["owned"]:
            other["owned"].append(one["owned"].pop(chance.randrange(len(one["owned"]))))
        elif kind == 4 and other["sums"]:
            task = chance.choice(list(other["sums"]))
            one["sums"][task] = chance.choice([-2, 0, 3, other["sums"][task]])
        elif kind == 5:
            one["owned"] = [["gone", 0]] if chance.random() < 0.5 else []
    for member in case["members"]:
        member["owned"] = [list(owned) for owned in dict.fromkeys(map(tuple, member["owned"]))]
