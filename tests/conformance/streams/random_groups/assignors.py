"""Another task assignor than Kafka's default."""

import random

from tests.conformance.streams.groups import Case

from holdfast.kafka.release import Behaviour

INTERNAL = "org.apache.kafka.streams.processor.internals.assignment."


def choose(chance: random.Random, case: Case, line: Behaviour) -> None:
    """Not in a broad group: over its thousands of tasks Kafka's sticky assignor takes minutes. Often in a crowded one: it is made
    for these."""
    if case["big"] == "broad" or chance.random() >= (0.6 if case["big"] == "crowded" else 0.15):
        return
    sticky = "LegacyStickyTaskAssignor" if line.public_task_assignor else "StickyTaskAssignor"
    name = chance.choice([sticky, sticky, sticky, "FallbackPriorTaskAssignor", "HighAvailabilityTaskAssignor"])
    case["config"]["internal.task.assignor.class"] = f"{INTERNAL}{name}"
