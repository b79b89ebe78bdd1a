"""Random scripts for a whole coordinator with mock time, and what Holdfast makes of each target that it computes."""

import base64
import random
import uuid
from typing import Any

from tests.conformance.coordinator.targets import Case

from holdfast.kafka.coordinator.release import behaviour
from holdfast.kafka.coordinator.streams import sticky
from holdfast.kafka.coordinator.streams.group import Group, Member, Subtopology, Tasks

STANDBYS = "streams.num.standby.replicas"


def random_script(chance: random.Random) -> Case:
    """Joins, leaves, crashes, heartbeats and configs of a group, in no particular order, with time in between."""
    steps: list[Case] = []
    alive: dict[str, str] = {}
    for _ in range(chance.choice((1, 2, 3, 4, 6))):
        _join(steps, alive, chance, str(uuid.UUID(int=chance.getrandbits(128))), chance.choice((1, 1, 2, 4)))
    for _ in range(chance.randint(5, 15)):
        _something(steps, alive, chance)
        steps.append({"do": "sleep", "ms": chance.choice((0, 100, 1_200, 3_100))})
        steps += [{"do": "heartbeat", "id": member} for member in chance.sample(list(alive), chance.randint(0, len(alive)))]
    config: Case = {"group.streams.initial.rebalance.delay.ms": chance.choice((0, 0, 3000))}
    if chance.random() < 0.3:
        config["group.streams.num.standby.replicas"] = chance.randint(0, 2)
    names = [str(number) for number in range(chance.choice((1, 1, 2, 3, 11)))]
    return {
        "config": config,
        "subtopologies": [[name, chance.randint(1, chance.choice((20, 60))), chance.random() < 0.75] for name in names],
        "steps": steps,
    }


def _join(steps: list[Case], alive: dict[str, str], chance: random.Random, process: str, threads: int) -> None:
    for _ in range(threads):
        member = base64.urlsafe_b64encode(chance.randbytes(16)).decode().rstrip("=")
        alive[member] = process
        steps.append({"do": "join", "id": member, "process": process})


def _something(steps: list[Case], alive: dict[str, str], chance: random.Random) -> None:
    what = chance.choice(("join", "leave", "restart", "crash", "config", "nothing"))
    process = chance.choice(list(alive.values())) if alive else ""
    threads = [member for member, own in alive.items() if own == process]
    if what == "join":
        _join(steps, alive, chance, str(uuid.UUID(int=chance.getrandbits(128))), chance.choice((1, 2)))
    elif what == "config":
        steps.append({"do": "config", "config": {STANDBYS: chance.randint(0, 2)}})
    elif what in ("leave", "restart", "crash"):
        for member in threads:
            del alive[member]
            if what != "crash":
                steps.append({"do": "leave", "id": member})
        if what != "leave" and threads:
            _join(steps, alive, chance, process, len(threads))
        if what == "crash" and chance.random() < 0.5:
            steps.append({"do": "sleep", "ms": 30_000})
            steps += [{"do": "heartbeat", "id": member} for member in alive]
            steps.append({"do": "sleep", "ms": 20_000})


def mismatches(script: Case, shown: list[Case], release: str) -> tuple[int, list[str]]:
    """How many targets were computed in the script, and those that Holdfast makes otherwise from what was shown before them."""
    compared, wrong = 0, []
    asked = standbys = int(script["config"].get("group.streams.num.standby.replicas", 0))
    before: Case = {"members": {}, "assignment epoch": 0}
    for number, (step, after) in enumerate(zip(script["steps"], shown, strict=True)):
        if step["do"] == "config":
            asked = int(step["config"][STANDBYS])
        elif (
            step["do"] in ("join", "heartbeat") and "error" not in after
        ):  # a target at the end of the initial delay takes what a heartbeat has seen
            standbys = asked
        if "error" in after and not after["error"].startswith("UnknownMemberIdException"):  # its session was over
            wrong.append(f"step {number} {step}: {after['error']}")
        if after["members"] and after["epoch"] == after["assignment epoch"] != before["assignment epoch"]:
            compared += 1
            own = _target(script, before, after, standbys, release)
            theirs = {
                member: {role: own["target"][role] for role in ("active", "standby")} for member, own in after["members"].items()
            }
            if own != theirs:
                wrong.append(f"step {number} {step}: the coordinator {theirs}, Holdfast {own}")
        before = after
    return compared, wrong


def _target(script: Case, before: Case, after: Case, standbys: int, release: str) -> Case:
    """The members in the order of the last list; new ones come last, whose heartbeat computes the target."""
    listed = [member for member in before["members"] if member in after["members"]]
    listed += [member for member in after["members"] if member not in before["members"]]
    sticks_to = "assignment" if behaviour(release).sticks_to_current else "target"
    members = []
    for member in listed:
        had: Any = before["members"].get(member, {}).get(sticks_to, {"active": {}, "standby": {}})
        members.append(Member(member, after["members"][member]["process"], _tasks(had["active"]), _tasks(had["standby"])))
    group = Group(release, tuple(members), tuple(Subtopology(*one) for one in script["subtopologies"]), standbys)
    return {
        one.member_id: {
            "active": {name: list(numbers) for name, numbers in one.active},
            "standby": {name: list(numbers) for name, numbers in one.standby},
        }
        for one in sticky.assign(group).members
    }


def _tasks(tasks: dict[str, list[int]]) -> Tasks:
    return tuple((name, tuple(numbers)) for name, numbers in tasks.items())
