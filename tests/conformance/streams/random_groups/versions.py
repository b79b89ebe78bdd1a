"""Members of other releases: of older and newer metadata versions than the leader's; eager ones; and members with an error."""

import random
import uuid

from tests.conformance.streams.groups import Case

from holdfast.kafka.release import Behaviour


def mix(chance: random.Random, case: Case, line: Behaviour) -> None:
    if chance.random() >= 0.1:
        return
    for member in case["members"]:
        if chance.random() < 0.5:
            member["version"] = chance.randint(3, line.metadata_version)


def tell_errors(chance: random.Random, case: Case, line: Behaviour) -> None:
    """One member asks for a shutdown, or sends a code that asks for nothing."""
    if chance.random() < 0.02:
        chance.choice(case["members"])["code"] = chance.choice([1, 2, 3, 4, 4, 4])


def join_eagerly(chance: random.Random, case: Case, line: Behaviour) -> None:
    """Members that gave up everything before they joined; the setting for it is gone in 4.0."""
    if line.public_task_assignor or chance.random() >= 0.03:
        return
    case["config"]["upgrade.from"] = "2.3"
    for member in case["members"]:
        member["owned"] = []


def come_early(chance: random.Random, case: Case, line: Behaviour) -> None:
    """Members of before 2.0, which cannot be probed."""
    if chance.random() < 0.03:
        for member in case["members"]:
            if chance.random() < 0.3:
                member["version"] = chance.randint(1, 2)


def come_newer(chance: random.Random, case: Case, line: Behaviour) -> None:
    """Members that the leader cannot read."""
    if not case["big"] and chance.random() < 0.04:
        make_newer(chance, case, line)


def make_newer(chance: random.Random, case: Case, line: Behaviour) -> None:
    """All members of some clients, now and then only some of a client's. The leader's is not one."""
    processes = sorted({member["process"] for member in case["members"]} - {case["leader"]})
    newer = {process for process in processes if chance.random() < chance.choice([0.2, 0.5, 1])}
    whole = chance.random() < 0.7
    for member in case["members"]:
        if member["process"] in newer and (whole or chance.random() < 0.5):
            member["version"] = line.metadata_version + chance.randint(1, 3)
            member["latest"] = member["version"] + chance.choice([0, 0, 1])


def lead_from_elsewhere(chance: random.Random, case: Case, line: Behaviour) -> None:
    """A leader of a process that has no member in the group."""
    if chance.random() < 0.01:
        case["leader"] = str(uuid.UUID(int=chance.getrandbits(128)))
