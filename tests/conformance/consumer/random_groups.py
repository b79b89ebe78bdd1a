"""Random consumer groups, and what may befall them between two rebalances."""

import random
from typing import Any

Case = dict[str, Any]

ASSIGNORS = ("range", "roundrobin", "sticky", "sticky", "sticky", "cooperative-sticky", "cooperative-sticky", "cooperative-sticky")
RACKS = ("a", "b", "c", "d")
NAMES = ("orders", "returns", "clicks", "Aa", "BB", "t-1", "t-10", "t-2", "audit.log", "payments")
"""`Aa` and `BB` have the same hash code in Java."""


def random_case(chance: random.Random) -> Case:
    """A group in its first rebalance, or one whose members remember something."""
    racks = chance.random() < 0.3
    most = chance.choice((3, 6, 12, 12, 40))
    topics = {
        name: [_replicas(chance, racks=racks) for _ in range(chance.randint(1, most))]
        for name in chance.sample(NAMES, chance.randint(1, 6))
    }
    if chance.random() < 0.15:
        topics = {name: [_replicas(chance, racks=racks) for _ in range(6)] for name in topics}
    if chance.random() < 0.12:  # enough for Java's hash tables to grow, some of them late
        topics = {
            f"topic-{number}": [_replicas(chance, racks=racks) for _ in range(chance.randint(1, 5))]
            for number in range(chance.choice((13, 14, 20, 25, 26, 49)))
        }
    assignor = chance.choice(ASSIGNORS)
    case: Case = {
        "assignor": assignor,
        "alike": chance.random() < 0.55,
        "racks": racks,
        "number": 0,
        "members": [],
        "topics": topics,
    }
    for _ in range(chance.choice((1, 2, 3, 4, 5, 8, 12, 20))):
        case["members"].append(_member(case, chance))
    if chance.random() < 0.4:
        for member in case["members"]:
            _remember_anything(member, case, chance)
    return case


def _replicas(chance: random.Random, *, racks: bool) -> list[str | None]:
    if not racks:
        return []
    return chance.choices((*RACKS, None) if chance.random() < 0.1 else RACKS[: chance.randint(1, 4)], k=chance.randint(1, 3))


def _member(case: Case, chance: random.Random) -> Case:
    case["number"] += 1
    names = [
        f"consumer-app-{case['number']}-{chance.getrandbits(64):016x}",
        f"m{chance.randint(1, 10**6)}",
        f"consumer-{case['number']}",
    ]
    member: Case = {
        "id": chance.choice(names) + ("" if chance.random() < 0.95 else chance.choice("é\U0001f600\uffee")) + f"-{case['number']}",
        "assignors": [case["assignor"]],
        "subscription": _subscription(case, chance),
        "owned": [],
        "generation": None,
    }
    if chance.random() < 0.1:
        member["assignors"].append("range" if case["assignor"] != "range" else "sticky")
    if chance.random() < 0.2:
        member["instance"] = f"instance-{chance.randint(0, 9)}-{case['number']}"
    if case["racks"] and chance.random() < 0.85:
        member["rack"] = chance.choice((*RACKS, "elsewhere") if chance.random() < 0.1 else RACKS)
    return member


def _subscription(case: Case, chance: random.Random) -> list[str]:
    everything = sorted([*case["topics"], "missing"])
    if case["alike"]:
        return everything if case["number"] % 50 or chance.random() < 0.9 else everything[1:]
    if chance.random() < 0.03:
        return []
    return sorted(chance.sample(everything, chance.randint(1, len(everything))))


def _remember_anything(member: Case, case: Case, chance: random.Random) -> None:
    """Whatever: conflicting, of an old generation, of what is gone or never was."""
    pool = [[topic, number] for topic, partitions in case["topics"].items() for number in range(len(partitions))]
    if chance.random() < 0.2:
        pool += [["vanished", number] for number in range(4)]
    if chance.random() < 0.1:
        pool += [[topic, len(partitions) + more] for topic, partitions in case["topics"].items() for more in (0, 1, 5)]
    member["owned"] = chance.sample(pool, min(len(pool), chance.choice((0, 1, 2, 4, 8, 20))))
    member["generation"] = chance.choice((None, 3, 4, 5, 5, 5, 5))


def after_round(case: Case, answer: Case, chance: random.Random) -> Case:
    """The group in its next rebalance: members own what they were handed, and something may have happened."""
    if "error" in answer:
        return random_case(chance)
    newest = max((member["generation"] or 0 for member in case["members"]), default=0) + 1
    members = []
    for member in case["members"]:
        if chance.random() < 0.05:
            members.append(member)  # it missed this rebalance and still reports the same
        else:
            members.append(member | {"owned": answer[member["id"]]["partitions"], "generation": newest})
    case = case | {"members": members}
    for _ in range(chance.choice((0, 1, 1, 2))):
        _befall(case, chance)
    return case


def _befall(case: Case, chance: random.Random) -> None:
    members = case["members"]
    what = chance.choice(("join", "join", "leave", "leave", "restart", "growth", "topic", "gone", "subscription", "claim"))
    if what == "join":
        members.append(_member(case, chance))
    elif what == "leave" and len(members) > 1:
        members.pop(chance.randrange(len(members)))
    elif what == "restart":
        members[chance.randrange(len(members))] = _member(case, chance)
    elif what == "growth":
        topic = chance.choice(sorted(case["topics"]))
        more = [_replicas(chance, racks=case["racks"]) for _ in range(chance.randint(1, 6))]
        case["topics"] = case["topics"] | {topic: case["topics"][topic] + more}
    elif what == "topic":
        case["topics"] = case["topics"] | {"newcomer": [_replicas(chance, racks=case["racks"]) for _ in range(3)]}
        case["members"] = [one | {"subscription": sorted({*one["subscription"], "newcomer"})} for one in members]
    elif what == "gone" and len(case["topics"]) > 1:
        gone = chance.choice(sorted(case["topics"]))
        case["topics"] = {name: value for name, value in case["topics"].items() if name != gone}
    elif what == "subscription" and not case["alike"]:
        place = chance.randrange(len(members))
        members[place] = members[place] | {"subscription": _subscription(case, chance)}
    elif what == "claim":
        place = chance.randrange(len(members))
        members[place] = dict(members[place])
        _remember_anything(members[place], case, chance)
