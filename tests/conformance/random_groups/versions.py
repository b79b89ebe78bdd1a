"""Members of other releases: older metadata versions than the leader's."""

import random

from tests.conformance.groups import Case

from holdfast.kafka.release import Behaviour


def mix(chance: random.Random, case: Case, line: Behaviour) -> None:
    if chance.random() >= 0.1:
        return
    for member in case["members"]:
        if chance.random() < 0.5:
            member["version"] = chance.randint(3, line.metadata_version)
