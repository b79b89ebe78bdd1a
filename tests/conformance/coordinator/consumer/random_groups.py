"""Random consumer groups for the coordinator's assignors, and what may befall them between two targets.

A case is the driver's question: topics `[name, ID, partitions]`, and members with their subscription and previous target, as the
coordinator keeps it. `gone`: the IDs of topics that were deleted.
"""

import base64
import itertools
import random
from typing import Any

Case = dict[str, Any]

_COLLIDING = ["".join(parts) for parts in itertools.product(("Aa", "BB"), repeat=5)]
"""32 strings with one hash code: the hash map's bucket becomes a tree."""
_REGEXES = ("t.*", "t[0-4]", "(t|u)[0-9]+", ".*[13579]", "nothing", "t1|u2", "[^u].*", "t\\d{1,2}")


def random_group(chance: random.Random) -> Case:
    """A group as it starts, or one whose members had something before."""
    case: Case = {
        "ask": "target",
        "assignor": "range" if chance.random() < 0.2 else "uniform",
        "topics": [],
        "gone": {},
        "members": [],
        "colliding": chance.random() < 0.06,
        "one_bucket": chance.random() < 0.1,
        "alike": chance.random() < 0.55,
        "regexes": chance.random() < 0.15,
        "static": chance.choice((0, 0, 0.5, 1)),
        "most": chance.choice((1, 3, 6, 12, 24, 48, 48, 100, 300)),
    }
    same = chance.random() < 0.4
    for number in range(chance.choice((1, 1, 1, 2, 3, 4, 5, 8, 12, 13, 20, 24, 30))):
        _add_topic(case, chance, number, case["most"] if same else chance.randint(1, case["most"]))
    if chance.random() < 0.02:
        case["topics"][0][2] = chance.randint(1000, 5000)
    case["usual"] = _some_topics(case, chance)
    for _ in range(chance.choice((1, 2, 2, 3, 3, 4, 5, 6, 8, 12, 20, 50))):
        _add_member(case, chance)
    if chance.random() < 0.3:
        _remember_anything(case, chance)
    return case


def after_target(case: Case, answer: Case, chance: random.Random) -> Case:
    """The members have the target that they were given, and something changes."""
    had = {member["id"]: answer.get(member["id"], []) if "error" not in answer else [] for member in case["members"]}
    case = (
        case
        | {"topics": [list(each) for each in case["topics"]], "members": [], "gone": dict(case["gone"])}
        | {"members": [member | {"target": _named(had[member["id"]])} for member in case["members"]]}
    )
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        _change(case, chance)
    return case


def _named(target: list[Any]) -> list[Any]:
    return [each for each in target if each[0] is not None]


def _id(chance: random.Random) -> str:
    return base64.urlsafe_b64encode(chance.randbytes(16)).decode().rstrip("=")


def _add_topic(case: Case, chance: random.Random, number: int, partitions: int) -> None:
    name = f"{chance.choice('tu')}{number}"
    if chance.random() < 0.4:  # long enough for hash codes that are negative
        name = f"{chance.choice(('tasks', 'users', 'orders'))}.{number}-{chance.choice(('eu-west', 'us_east', 'AP'))}"
    used = {each[0] for each in case["topics"]} | set(case["gone"])
    if case["colliding"] and chance.random() < 0.8:
        name = next((one for one in chance.sample(_COLLIDING, len(_COLLIDING)) if one not in used), name)
    while name in used:
        name += "x"
    raw = chance.randbytes(16)
    if (case["colliding"] or case["one_bucket"]) and chance.random() < 0.6:
        raw = raw[:8] + raw[4:8] + raw[:4]  # one hash code for many IDs: both halves mixed are the same
    case["topics"].append([name, base64.urlsafe_b64encode(raw).decode().rstrip("="), partitions])


def _some_topics(case: Case, chance: random.Random) -> list[str]:
    names = [each[0] for each in case["topics"]]
    found = chance.sample(names, chance.randint(1, len(names)) if chance.random() < 0.6 else len(names))
    return [*found, "absent"] if chance.random() < 0.08 else found


def _subscription(case: Case, chance: random.Random) -> Case:
    if case["regexes"] and chance.random() < 0.9:
        regex = _REGEXES[0] if case["alike"] else chance.choice(_REGEXES)
        return {"topics": [] if chance.random() < 0.8 else _some_topics(case, chance), "regex": regex}
    topics = list(case["usual"]) if case["alike"] or chance.random() < 0.3 else _some_topics(case, chance)
    if chance.random() < 0.5:
        chance.shuffle(topics)
    return {"topics": [] if not case["alike"] and chance.random() < 0.04 else topics, "regex": None}


def _add_member(case: Case, chance: random.Random) -> None:
    used = {member["id"] for member in case["members"]}
    member_id = _id(chance)
    if case["colliding"]:
        member_id = next((one for one in chance.sample(_COLLIDING, len(_COLLIDING)) if one not in used), member_id)
    static = chance.random() < case["static"]
    member = {
        "id": member_id,
        "instance": f"host-{chance.randrange(10**6)}" if static else None,
        "rack": chance.choice((None, "rack-0", "rack-1")),
        "target": [],
        **_subscription(case, chance),
    }
    case["members"].insert(chance.randrange(len(case["members"]) + 1), member)


def _remember_anything(case: Case, chance: random.Random) -> None:
    """Any partitions that there are, in any order; most of them one member's."""
    case["gone"]["gone"] = _id(chance)
    everything = [(name, number) for name, _, count in case["topics"] for number in range(min(count, 500))]
    everything += [("gone", number) for number in range(3)]
    share = chance.random()
    everything *= 1 + (chance.random() < 0.1)
    chance.shuffle(everything)
    for topic, number in everything:
        if chance.random() < share:
            target = chance.choice(case["members"])["target"]
            known = next((each for each in target if each[0] == topic), None)
            if known is None:
                target.append([topic, [number]])
            elif number not in known[1]:
                known[1].append(number)


def _change(case: Case, chance: random.Random) -> None:
    chance.choice(_CHANGES)(case, chance)


def _leave(case: Case, chance: random.Random) -> None:
    if len(case["members"]) > 1:
        del case["members"][chance.randrange(len(case["members"]))]


def _restart(case: Case, chance: random.Random) -> None:
    """Another member ID, and what it had is lost."""
    del case["members"][chance.randrange(len(case["members"]))]
    _add_member(case, chance)


def _return_static(case: Case, chance: random.Random) -> None:
    """Back under another member ID, with its instance's target."""
    place = chance.randrange(len(case["members"]))
    if case["members"][place]["instance"]:
        case["members"].append(case["members"].pop(place) | {"id": _id(chance)})


def _grow(case: Case, chance: random.Random) -> None:
    chance.choice(case["topics"])[2] += chance.choice((1, 2, 10))


def _new_topic(case: Case, chance: random.Random) -> None:
    _add_topic(case, chance, 100 + chance.randrange(1000), chance.randint(1, case["most"]))
    name = case["topics"][-1][0]
    if chance.random() < 0.7:
        case["usual"] = [*case["usual"], name]
        case["members"] = [
            one | {"topics": [*one["topics"], name]} if not one["regex"] and (case["alike"] or chance.random() < 0.7) else one
            for one in case["members"]
        ]


def _remove_topic(case: Case, chance: random.Random) -> None:
    if len(case["topics"]) > 1:
        name, topic_id, _ = case["topics"].pop(chance.randrange(len(case["topics"])))
        case["gone"][name] = topic_id


def _subscribe(case: Case, chance: random.Random) -> None:
    place = chance.randrange(len(case["members"]))
    case["members"][place] = case["members"][place] | _subscription(case | {"alike": False}, chance)


def _set_assignor(case: Case, chance: random.Random) -> None:
    case["assignor"] = chance.choice(("uniform", "range"))


_CHANGES = (
    *(_add_member, _add_member, _leave, _leave, _restart, _restart, _return_static),
    *(_grow, _new_topic, _remove_topic, _subscribe, _set_assignor),
)
