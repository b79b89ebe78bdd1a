"""Random streams groups for the coordinator's assignor, and what may befall them between two targets.

A case is the driver's question: subtopologies `[ID, tasks, stateful]`, and members with what the assignor sticks to.
"""

import base64
import itertools
import random
import uuid
from typing import Any

Case = dict[str, Any]

_COLLIDING = ["".join(parts) for parts in itertools.product(("Aa", "BB"), repeat=5)]
"""32 strings with one hash code: the hash map's bucket becomes a tree."""
_NAMES = ("0", "1", "2", "10", "11", "a", "Aa", "BB", "é", "\U0001f600", "\uffee", "a_b", "")


def random_case(chance: random.Random) -> Case:
    """A group as it starts, or one whose members had something before."""
    case: Case = {
        "ask": "target",
        "standbys": chance.choice((0, 0, 0, 1, 1, 1, 2, 2, 3)),
        "subtopologies": _subtopologies(chance),
        "members": [],
        "colliding": chance.random() < 0.08,
    }
    threads = chance.choice((1, 1, 2, 3, 4, 8))
    for _ in range(chance.choice((1, 2, 3, 3, 4, 5, 6, 8, 12, 20, 40))):
        _add_process(case, chance, chance.randint(1, threads) if chance.random() < 0.4 else threads)
    if chance.random() < 0.5:
        chance.shuffle(case["members"])
    if chance.random() < 0.5:
        _remember_anything(case, chance)
    return case


def after_target(case: Case, answer: Case, chance: random.Random) -> Case:
    """The members have what they were given (or, not reconciled yet, a part of it), and something changes."""
    members = [member | {"warmup": {}, "offsets": {}} | answer[member["id"]] for member in case["members"]]
    case = case | {"members": members, "subtopologies": [list(each) for each in case["subtopologies"]]}
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        _change(case, chance)
    if chance.random() < 0.15:
        for member in case["members"]:
            if chance.random() < 0.5:
                member["active"] = _some(member["active"], chance)
                member["standby"] = _some(member["standby"], chance)
    if chance.random() < 0.5:
        _report_offsets(case, chance)
    return case


def _subtopologies(chance: random.Random) -> list[list[Any]]:
    many = chance.random() < 0.15
    names = (
        [str(number) for number in range(chance.randint(9, 14))] if many else chance.sample(_NAMES, chance.choice((1, 1, 2, 3, 5)))
    )
    if not many and chance.random() < 0.6:
        names = [str(number) for number in range(len(names))]
    most = chance.choice((2, 6, 12, 24, 48, 100)) if not many else 10
    same = chance.random() < 0.4
    return [[name, most if same else chance.randint(1, most), chance.random() < 0.75] for name in names]


def _add_process(case: Case, chance: random.Random, threads: int) -> None:
    process = str(uuid.UUID(int=chance.getrandbits(128)))
    if case["colliding"]:
        used = {member["process"] for member in case["members"]}
        process = next(iter(name for name in chance.sample(_COLLIDING, len(_COLLIDING)) if name not in used), process)
    case["members"] += [_member(process, case, chance) for _ in range(threads)]


def _member(process: str, case: Case, chance: random.Random) -> Case:
    member_id = base64.urlsafe_b64encode(chance.randbytes(16)).decode().rstrip("=")
    if case["colliding"]:
        used = {member["id"] for member in case["members"]}
        member_id = next(iter(name for name in chance.sample(_COLLIDING, len(_COLLIDING)) if name not in used), member_id)
    return {"id": member_id, "process": process, "active": {}, "standby": {}, "warmup": {}, "offsets": {}}


def _remember_anything(case: Case, chance: random.Random) -> None:
    """Anything that a member may have had: tasks that others had too, and tasks that are no more."""
    names = [name for name, _, _ in case["subtopologies"]] + ["gone"]
    sizes = {name: count for name, count, _ in case["subtopologies"]}
    for member in case["members"]:
        for role, share in (("active", 0.6), ("standby", 0.4), ("warmup", 0.1)):
            if chance.random() < share:
                for name in chance.sample(names, chance.randint(1, len(names))):
                    most = sizes.get(name, 3) + 2
                    member[role][name] = sorted(chance.sample(range(most), chance.randint(0, min(most, 8))))
    if chance.random() < 0.6:
        _report_offsets(case, chance)


def _report_offsets(case: Case, chance: random.Random) -> None:
    """What members say of their disks (4.4): of few values, so that many are equal."""
    for member in case["members"]:
        if chance.random() < 0.6:
            for name, count, stateful in case["subtopologies"]:
                if stateful or chance.random() < 0.1:
                    numbers = [number for number in range(count + 1) if chance.random() < 0.3]
                    member["offsets"][name] = {str(number): chance.choice((0, 5, 5, 100, 2**40)) for number in numbers}


def _change(case: Case, chance: random.Random) -> None:
    members = case["members"]
    processes = list(dict.fromkeys(member["process"] for member in members))
    what = chance.choice(
        ("join", "join", "leave", "leave", "restart", "restart", "thread", "fewer", "standbys", "partitions", "nothing")
    )
    if what == "join":
        _add_process(case, chance, chance.choice((1, 1, 2, 4)))
    elif what == "leave" and len(processes) > 1:
        gone = chance.choice(processes)
        case["members"] = [member for member in members if member["process"] != gone]
    elif what == "restart":
        gone = chance.choice(processes)
        stay = [member for member in members if member["process"] != gone]
        case["members"] = stay if chance.random() < 0.7 else list(members)
        keeps_its_id = chance.random() < 0.7
        process = gone if keeps_its_id else str(uuid.UUID(int=chance.getrandbits(128)))
        case["members"] += [_member(process, case, chance) for member in members if member["process"] == gone]
    elif what == "thread":
        members.insert(chance.randrange(len(members) + 1), _member(chance.choice(processes), case, chance))
    elif what == "fewer" and len(members) > 1:
        del members[chance.randrange(len(members))]
    elif what == "standbys":
        case["standbys"] = chance.randint(0, 2)
    elif what == "partitions":
        chance.choice(case["subtopologies"])[1] = chance.randint(1, 30)


def _some(tasks: dict[str, list[int]], chance: random.Random) -> dict[str, list[int]]:
    return {name: [number for number in numbers if chance.random() < 0.7] for name, numbers in tasks.items()}
