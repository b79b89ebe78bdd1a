"""What a case is, drawn from a seed and its number: an application, the group that runs it, and how many changes it goes through.

Pure: the same seed and number give the same case. The changes themselves are drawn while it runs, from the generator that a case
brings, because what is possible depends on who is there (`changes`).
"""

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from tests.live.campaign import slow_restores

RELEASES = (
    *("2.7.2", "2.8.2", "3.0.2", "3.1.2", "3.2.3", "3.4.1", "3.5.2", "3.6.2", "3.7.2", "3.8.1", "3.9.1"),
    *("4.0.1", "4.1.1", "4.2.1", "4.3.1"),
)
BROKERS = ("3.9.1", "4.2.1", "4.3.1")
SESSION_MS = 15_000
CHANGES = 3
KINDS: Mapping[str, int] = {
    kind: often
    for often, kinds in (
        (4, ("count", "recount")),
        (2, ("windows", "stream-join", "table", "table-join", "stream-table")),
        (1, ("sessions", "foreign-key", "two-topics", "suppressed", "global", "stateless")),
    )
    for kind in kinds
}
"""The parts that an application is made of (`java/drawn`), and how often each is drawn."""
_TWO_TOPICS = ("stream-join", "table-join", "foreign-key", "stream-table", "two-topics", "global")
_WITH_STORE = ("count", "recount", "two-topics", "suppressed")
_STICKY = ("StickyTaskAssignor", "LegacyStickyTaskAssignor")
_PACKAGE = "org.apache.kafka.streams.processor.internals.assignment"


@dataclass(frozen=True, slots=True)
class Case:
    """`parts`: the JSON of the topology. `topics`: those that it reads, and their partitions. `generator`: for its changes."""

    seed: int
    number: int
    release: str
    broker: str
    parts: str
    topics: Mapping[str, int]
    settings: Mapping[str, str]
    process_ids: tuple[str, ...]
    threads: int
    static: bool
    records: int
    generator: random.Random
    slow: bool = False
    """Whether restores take a minute or more (`slow_restores`)."""

    @property
    def application_id(self) -> str:
        return f"drawn-{self.seed}-{self.number}"


def draw(seed: int, number: int) -> Case:
    generator = random.Random(f"{seed}/{number}")
    release = generator.choice(RELEASES)
    prefix = f"in-{seed}-{number}-"
    parts, topics = _parts(generator, prefix)
    clients = generator.choice((2, 2, 3, 3, 3, 4))
    case = Case(
        seed,
        number,
        release,
        generator.choice(BROKERS),
        json.dumps(parts),
        topics,
        {"drawn.prefix": prefix} | _settings(generator, release) | _optimised(generator, parts),
        tuple(new_id(generator) for _ in range(clients)),
        generator.choice((1, 1, 2, 2, 3)),
        generator.random() < 0.2,
        generator.choice((20, 60, 200)),
        generator,
    )
    return _slow(case) if slow_restores.drawn(seed, number) else case


def _slow(case: Case) -> Case:
    """One thread a client, so that the quota of one is that of the other, and an assignor with warm-ups."""
    kept = {key: value for key, value in case.settings.items() if key != "internal.task.assignor.class"}
    return replace(case, settings=kept | dict(slow_restores.SETTINGS), threads=1, static=False, slow=True)


def new_id(generator: random.Random) -> str:
    return str(UUID(int=generator.getrandbits(128), version=4))


def at_least(release: str, other: str) -> bool:
    return _numbers(release) >= _numbers(other)


def _parts(generator: random.Random, prefix: str) -> tuple[list[dict[str, str]], dict[str, int]]:
    """The first part keeps a store on disk: a group without one draws its process IDs anew at each start."""
    kinds = ["count", *generator.choices(list(KINDS), list(KINDS.values()), k=generator.choice((0, 1, 1, 2, 3)))]
    parts: list[dict[str, str]] = []
    topics: dict[str, int] = {}
    for at, kind in enumerate(kinds):
        name = f"{'abcdefgh'[at]}-{kind}"
        part = {"kind": kind, "name": name}
        if at and kind in _WITH_STORE:
            part["store"] = generator.choice(("disk", "disk", "memory", "unlogged"))
        parts.append(part)
        partitions = generator.choice((1, 2, 3, 4, 6))
        topics[prefix + name] = partitions
        if kind in _TWO_TOPICS:
            free = kind in ("two-topics", "foreign-key", "global")
            topics[f"{prefix}{name}-other"] = generator.choice((1, 2, 3)) if free else partitions
    generator.shuffle(parts)
    return parts, topics


def _settings(generator: random.Random, release: str) -> dict[str, str]:
    found = {
        "session.timeout.ms": str(SESSION_MS),
        "heartbeat.interval.ms": "3000",
        "probing.rebalance.interval.ms": "60000",
        "num.standby.replicas": generator.choice(("0", "0", "1", "1", "2")),
        "acceptable.recovery.lag": generator.choice(("0", "5", "10000", "10000")),
        "max.warmup.replicas": generator.choice(("1", "2", "2", "6")),
        "default.key.serde": "org.apache.kafka.common.serialization.Serdes$StringSerde",
        "default.value.serde": "org.apache.kafka.common.serialization.Serdes$StringSerde",
    }
    if generator.random() < 0.25:
        found["processing.guarantee"] = "exactly_once_v2" if at_least(release, "3.0.0") else "exactly_once_beta"
    if generator.random() < 0.15:
        found["internal.task.assignor.class"] = f"{_PACKAGE}.{_STICKY[at_least(release, '3.8.0')]}"
    return found


def _optimised(generator: random.Random, parts: list[dict[str, str]]) -> dict[str, str]:
    """Whether a store without a changelog is a table of a source topic is unknown then: that is refused by name."""
    unlogged = any(part.get("store") == "unlogged" for part in parts)
    return {"topology.optimization": "all" if generator.random() < 0.4 and not unlogged else "none"}


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))
