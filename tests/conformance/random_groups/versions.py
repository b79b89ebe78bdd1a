"""Members of other releases: older metadata versions than the leader's; eager ones; and members with an error to tell."""

import random

from tests.conformance.groups import Case

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
