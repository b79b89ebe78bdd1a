"""A consumer group as its coordinator sees it when it computes a target, and the target.

Order is input: members, subscribed names and the partitions of a target are as ConsumerGroupDescribe lists them, which is how the
coordinator's hash tables iterate them (`hash_tables`). Records list the partitions of a target in another order (`Group.recorded`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from holdfast.kafka.vocabulary import TopicPartition

Owned = tuple[tuple[str, tuple[int, ...]], ...]
"""Partitions by topic: (topic name, partitions)."""


class Assignor(StrEnum):
    """The assignors that a broker has by default, by the names that members ask for them by."""

    UNIFORM = "uniform"
    RANGE = "range"


class MemberType(StrEnum):
    """The protocols that members of a group use while it moves, by the names that ConsumerGroupDescribe has for them."""

    CONSUMER = "consumer"
    CLASSIC = "classic"


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic that exists. `id`: the 128 bits of its Uuid. `partitions`: how many it has."""

    name: str
    id: int
    partitions: int


@dataclass(frozen=True, slots=True)
class Member:
    """One member. `subscription`: the topics that it names; `regex`: those that it asks for by a regular expression, as the
    coordinator has resolved it; None: by none. `target`: its previous one, and for a static member that has just come back
    that of its instance. `classic`: it is of the classic protocol, in a group that moves; no target depends on it. Neither does one
    on what its leader goes by once the group is classic: `assignors`, those that it lists (empty: unknown), and `rack`."""

    member_id: str
    subscription: tuple[str, ...] = ()
    regex: str | None = None
    instance_id: str | None = None
    target: Owned = ()
    classic: bool = False
    assignors: tuple[str, ...] = ()
    rack: str | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """All that a target depends on. The members are in the order in which the coordinator puts them into the assignor's map: that
    in which ConsumerGroupDescribe lists them. `resolved`: the topics that each regular expression matches, in any order.

    `alike`: whether the coordinator takes the members for subscribed alike; None: as they are now. It notices only when a member
    joins, leaves or subscribes anew: not when a regular expression is resolved, or its last member has left.

    `most_members`: how many the assignor's map has at once, where that is more than there are. `recorded`: whether
    targets are in the order of their records, which is that of the assignor's tables: the coordinator puts them into new ones."""

    release: str
    """The coordinator's."""
    assignor: Assignor
    members: tuple[Member, ...]
    topics: tuple[Topic, ...]
    resolved: tuple[tuple[str, tuple[str, ...]], ...] = ()
    alike: bool | None = None
    most_members: int = 0
    recorded: bool = False


class MemberTarget(NamedTuple):
    """What one member is to own, in the order in which the coordinator keeps it."""

    member_id: str
    owned: Owned


@dataclass(frozen=True, slots=True)
class Target:
    """A target assignment, the members in the order of the Group. `depends_on_java`: a broker on Java 19 or later has another
    order of topics or of partitions, and may assign otherwise."""

    members: tuple[MemberTarget, ...]
    depends_on_java: bool = False


def by_topic(partitions: Iterable[TopicPartition]) -> Owned:
    """The same by topic, topics and partitions in the order in which they come first."""
    found: dict[str, dict[int, None]] = {}
    for topic, number in partitions:
        found.setdefault(topic, {})[number] = None
    return tuple((topic, tuple(numbers)) for topic, numbers in found.items())
