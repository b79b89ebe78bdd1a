"""The Change to a consumer group: the values. `consumer.change.json` is the JSON."""

from dataclasses import dataclass

from holdfast.kafka.consumer.group import Assignor
from holdfast.rollout.consumer.change.timing import Departure
from holdfast.rollout.contract.batches import INHERITED, FromOld, Lot, Then, lots

Racks = tuple[tuple[str | None, ...], ...]
"""For each partition the rack of each replica's broker."""


@dataclass(frozen=True, slots=True)
class NewConsumer:
    """A consumer that joins. It owns nothing and remembers nothing. INHERITED: as the consumer in whose place it comes."""

    member_id: str
    assignors: tuple[Assignor, ...] | FromOld = INHERITED
    subscription: tuple[str, ...] | FromOld = INHERITED
    client_id: str | FromOld = INHERITED
    host: str | FromOld | None = INHERITED
    rack: str | FromOld | None = INHERITED
    group_instance_id: str | FromOld | None = INHERITED


@dataclass(frozen=True, slots=True)
class AddConsumer:
    """`consumer` inherits nothing."""

    consumer: NewConsumer


@dataclass(frozen=True, slots=True)
class RemoveConsumer:
    member_id: str
    departure: Departure = Departure.LEAVES


@dataclass(frozen=True, slots=True)
class ReplaceConsumer:
    member_id: str
    by: NewConsumer


@dataclass(frozen=True, slots=True)
class RestartConsumer:
    """`back`: the consumer as it comes back, maybe under the member ID that it had.

    `within_session`: it is static and returns before its session times out, so that no rebalance happens: it gets the assignment
    that the broker has of it.
    """

    member_id: str
    back: NewConsumer
    within_session: bool = False


@dataclass(frozen=True, slots=True)
class SetAssignors:
    """These members restart with another list: `member_ids`: the old ID and the new one of each, in the order of return."""

    assignors: tuple[Assignor, ...]
    member_ids: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class AddPartitions:
    """The topic has `partitions` from now on. `replica_racks`: of the new ones alone; None: not known."""

    topic: str
    partitions: int
    replica_racks: Racks | None = None


@dataclass(frozen=True, slots=True)
class AddTopic:
    """`replica_racks`: of every partition; None: not known."""

    topic: str
    partitions: int
    replica_racks: Racks | None = None


@dataclass(frozen=True, slots=True)
class RemoveTopic:
    topic: str


ConsumerEvent = (
    AddConsumer | RemoveConsumer | ReplaceConsumer | RestartConsumer | SetAssignors | AddPartitions | AddTopic | RemoveTopic
)
ConsumerItem = ConsumerEvent | Then


@dataclass(frozen=True, slots=True)
class ConsumerChange:
    """Events in order, with markers between those that wait for one another."""

    events: tuple[ConsumerItem, ...]

    def lots(self) -> tuple[Lot[ConsumerEvent], ...]:
        """The events that take effect together, lot by lot; one without events is a rebalance for no reason."""
        return lots((index, item) for index, item in enumerate(self.events))
