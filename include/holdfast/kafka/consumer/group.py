"""A classic consumer group as its leader sees it in one rebalance, and the leader's decision.

`Group` is the input of `leader.assign`, `Assignment` its result. All values are frozen; tuples keep the order in which the
broker lists members, which matters only where Java's hash order does.
"""

from dataclasses import dataclass
from enum import StrEnum

from holdfast.kafka.vocabulary import TopicPartition


class Assignor(StrEnum):
    """The assignors of the Java client, by the names that they have on the wire."""

    RANGE = "range"
    ROUNDROBIN = "roundrobin"
    STICKY = "sticky"
    COOPERATIVE_STICKY = "cooperative-sticky"


@dataclass(frozen=True, slots=True)
class Member:
    """One member of the group, and what it would report if the group rebalanced now.

    `owned` is what it owns (cooperative), or its previous assignment in its user data (sticky); its order is input up to 3.7.0.
    `owned_generation` None: it was never assigned anything in this group.
    """

    member_id: str
    assignors: tuple[Assignor, ...]
    subscription: tuple[str, ...]
    owned: tuple[TopicPartition, ...] = ()
    owned_generation: int | None = None
    group_instance_id: str | None = None
    rack: str | None = None
    client_id: str = ""
    host: str | None = None

    @property
    def cooperative(self) -> bool:
        """It keeps what it owns while it rejoins: only if each of its assignors can (KIP-429)."""
        return all(assignor is Assignor.COOPERATIVE_STICKY for assignor in self.assignors)


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic that exists: for each partition the rack of each replica's broker (None: it has none)."""

    name: str
    replica_racks: tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Group:
    """All that the leader's decision depends on.

    `broker_release` None: unknown how the coordinator breaks a tie. `leader_member_id` None: the leader is unknown, which
    matters only where some members are cooperative, others are not, and the leader checks its own assignment (up to 2.8.1, 3.0.0).
    """

    release: str
    members: tuple[Member, ...]
    topics: tuple[Topic, ...]
    broker_release: str | None = None
    leader_member_id: str | None = None


class NextRebalance(StrEnum):
    """Whether a member rejoins as soon as it has its assignment: it does when it has to give something up."""

    NONE = "none"
    IMMEDIATE = "immediate"


@dataclass(frozen=True, slots=True)
class MemberAssignment:
    """What a member is handed in this round, in the leader's order, and what becomes of the rest.

    `withheld`: planned for it, but another member still owns them. `revoked`: it owned them and no longer has them; eager members
    gave up everything before they joined.
    """

    member_id: str
    partitions: tuple[TopicPartition, ...]
    withheld: tuple[TopicPartition, ...] = ()
    revoked: tuple[TopicPartition, ...] = ()
    next_rebalance: NextRebalance = NextRebalance.NONE


@dataclass(frozen=True, slots=True)
class Assignment:
    """One decision: the assignor that the coordinator picked, and every member's part, in the order of the Group."""

    assignor: Assignor
    members: tuple[MemberAssignment, ...]


@dataclass(frozen=True, slots=True)
class LeaderFailure:
    """No assignor in common, or the leader's own class would throw. An answer, not a bad input."""

    error: str


class LeaderThrows(Exception):
    """What the leader's class would throw: Java's class, a colon, what is wrong. It becomes a `LeaderFailure`."""
