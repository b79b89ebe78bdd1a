"""How to make a case small that shows a difference."""

import copy
from collections.abc import Callable, Iterable, Iterator

from tests.conformance.streams.groups import Case

MOST_TRIES = 3000
_NEEDED = ("id", "process", "owned", "sums")


def smaller(case: Case, differs: Callable[[Case], bool]) -> Case:
    """A small group of Kafka Streams that still differs."""
    return shrunk(case, differs, _without_one_part)


def shrunk(case: Case, differs: Callable[[Case], bool], without_one_part: Callable[[Case], Iterable[Case]]) -> Case:
    """A small case that still differs: parts are left out one after the other as long as it does."""
    tries, shrinking = 0, True
    while shrinking:
        shrinking = False
        for candidate in without_one_part(case):
            tries += 1
            if tries > MOST_TRIES:
                return case
            if differs(candidate):
                case, shrinking = candidate, True
                break
    return case


def _without_one_part(case: Case) -> Iterator[Case]:
    processes = list(dict.fromkeys(member["process"] for member in case["members"]))
    if len(processes) > 3:
        yield from _without_clients(case, processes[: len(processes) // 2])
        yield from _without_clients(case, processes[len(processes) // 2 :])
    for process in processes:
        yield from _without_clients(case, [process])
    if len(case["subtopologies"]) > 1:
        yield case | {"subtopologies": case["subtopologies"][:-1]}
    for key in ("replicas", "missing"):
        if key in case:
            yield {name: value for name, value in case.items() if name != key}
    for number in range(len(case["members"])):
        yield from _with_a_smaller_member(case, number)
    yield from _with_less_work(case)
    for key in case["config"]:
        if key.startswith("client.tag."):
            continue  # without it Kafka refuses the setting, which is another difference than the one to be shown
        yield case | {"config": {name: value for name, value in case["config"].items() if name != key}}


def _with_less_work(case: Case) -> Iterator[Case]:
    for number, subtopology in enumerate(case["subtopologies"]):
        for source, (_, count) in enumerate(subtopology["sources"]):
            for less in sorted({count // 2, count - 1} - {0}):
                candidate = copy.deepcopy(case)
                candidate["subtopologies"][number]["sources"][source][1] = less
                yield candidate
        for source in subtopology["sources"][1:]:
            candidate = copy.deepcopy(case)
            candidate["subtopologies"][number]["sources"].remove(source)
            yield candidate
        for store in subtopology["stores"]:
            candidate = copy.deepcopy(case)
            candidate["subtopologies"][number]["stores"].remove(store)
            yield candidate


def _without_clients(case: Case, gone: list[str]) -> Iterator[Case]:
    kept = [member for member in case["members"] if member["process"] not in gone]
    if kept:
        yield case | {"members": kept, "leader": case["leader"] if case["leader"] not in gone else kept[0]["process"]}


def _with_a_smaller_member(case: Case, number: int) -> Iterator[Case]:
    member = case["members"][number]
    others = case["members"][:number] + case["members"][number + 1 :]
    if any(other["process"] == member["process"] for other in others):
        yield case | {"members": others}
    for key in sorted(member.keys() - set(_NEEDED)):
        yield _with(case, number, {name: value for name, value in member.items() if name != key})
    if len(member["owned"]) > 2:
        yield _with(case, number, member | {"owned": []})
    if len(member["sums"]) > 2:
        yield _with(case, number, member | {"sums": {}})
    for owned in member["owned"]:
        yield _with(case, number, member | {"owned": [one for one in member["owned"] if one != owned]})
    for task in member["sums"]:
        yield _with(case, number, member | {"sums": {name: sums for name, sums in member["sums"].items() if name != task}})


def _with(case: Case, number: int, member: Case) -> Case:
    return case | {"members": [*case["members"][:number], member, *case["members"][number + 1 :]]}
