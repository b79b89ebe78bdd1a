"""Random groups that look like real ones gone wrong: the whole case comes from one seed.

A case is the JVM driver's question (`java/leader`):

    config          the leader's settings, Kafka's keys
    subtopologies   [{"sources": [[topic, partitions], …], "stores": [name, …]}, …]: a task for each partition of the widest source
    ends            changelog topic → end offset of each partition; null is a broker that does not answer
    members         [{"id", "process", "owned", "sums"} and, where they matter, "version", "latest", "code", "tags", "rack",
                    "endpoint"]
    leader          the process ID of the client that leads
    replicas        topic → for each partition the racks of its replicas (null: a broker without one)
    missing         source topics that the brokers do not have

Each part below gets its own source of chance, made of the seed and its name: a part that is added changes no case of the others.
To add one: a module here with a function `(chance, case, line)` that changes the case, and its place in one of the lists.
"""

import random
from collections.abc import Callable

from tests.conformance.streams.groups import Case
from tests.conformance.streams.random_groups import assignors, life, members, racks, reports, tags, topology, versions

from holdfast.kafka.release import Behaviour, behaviour

Part = Callable[[random.Random, Case, Behaviour], None]

GROUP: tuple[Part, ...] = (topology.draw, members.draw, tags.choose, assignors.choose, racks.choose)
"""The settings, the topology, and who is there."""
MEMBERS: tuple[Part, ...] = (tags.give, racks.give)
"""What each client reports in addition to its tasks; drawn again after clients have joined, for those that lack it."""
REPORTS: tuple[Part, ...] = (reports.scatter,)
"""Who owns and reports what."""
FAULTS: tuple[Part, ...] = (
    *(reports.spoil, topology.forget_ends, versions.mix, versions.tell_errors, versions.join_eagerly),
    *(versions.come_early, versions.come_newer, versions.lead_from_elsewhere, topology.lose_topics),
)
"""What should not be, but is."""


CHANCE_OF_A_BIG_GROUP = 0.004
BIG = ("many", "many", "many", "strided", "broad")


def random_case(seed: int, release: str, *, big: str | None = None) -> Case:
    """A group of 1 to 12 clients; with a small probability, or if requested, a big one of one of the kinds of `topology.BIG`.

    Half of them have been through an assignment, as a real group has.
    """
    line = behaviour(release)
    size = random.Random(f"{seed}/size")
    case: Case = {"ask": "assign", "config": {}, "subtopologies": [], "ends": {}, "members": [], "leader": ""}
    case["big"] = big or (size.choice(BIG) if size.random() < CHANCE_OF_A_BIG_GROUP else None)
    _each(GROUP + MEMBERS + REPORTS, seed, case, line)
    if life.live(random.Random(f"{seed}/life"), case, release):
        _each(MEMBERS, seed, case, line)
    _each(FAULTS, seed, case, line)
    del case["big"]
    return case


def _each(parts: tuple[Part, ...], seed: int, case: Case, line: Behaviour) -> None:
    for part in parts:
        part(random.Random(f"{seed}/{part.__module__}.{part.__name__}"), case, line)
