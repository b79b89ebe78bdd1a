"""A change in which the assignor's map of members may be doubled."""

import random
from typing import ClassVar

from tests.conformance.coordinator.consumer.changes import INTERVAL_MS, random_id
from tests.conformance.coordinator.targets import Case


class FullMap:
    """A static member comes back, and its heartbeat computes a target, in a group of as many members as one of Java's tables takes
    before it is doubled. `script`, `events` and `settled` as of `RandomGroupChange`."""

    topics: ClassVar = {"orders": 40}

    def __init__(self, chance: random.Random) -> None:
        ids = [random_id(chance) for _ in range(12)]
        new, after = random_id(chance), chance.randint(41, 70)
        steps: list[Case] = [_joins_as(one, number) for number, one in enumerate(ids)]
        for _ in range(2):
            steps += [{"do": "sleep", "ms": INTERVAL_MS}, *({"do": "heartbeat", "id": one} for one in ids)]
        steps.append({"do": "sleep", "ms": INTERVAL_MS})
        self.settled = len(steps) - 1
        steps += [{"do": "grow", "topic": "orders", "partitions": after}, {"do": "stop", "id": ids[3]}, _joins_as(new, 3)]
        self.script: Case = {"config": {}, "topics": [list(one) for one in self.topics.items()], "steps": steps}
        grown: Case = {"add_partitions": {"topic": "orders", "partitions": after}}
        back: Case = {"restart_consumer": {"member_id": ids[3], "new_member_id": new, "within_interval": True}}
        self.events = [grown, back]


def _joins_as(member: str, number: int) -> Case:
    return {"do": "join", "id": member, "instance": f"host-{number}", "assignor": "uniform", "rack": "a", "topics": ["orders"]}
