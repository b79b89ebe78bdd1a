"""Members that joined and left between two snapshots of a consumer group, and the partitions that migrated because of it.

Range and roundrobin deal partitions out in the order of the members (`kafka.consumer.plain.in_member_order`), so that one new ID in
its middle moves what consumers read that did nothing; sticky assignors keep what they can. A static consumer that is back is the
same one, and is known by its instance ID; another one that is back has another member ID and is another one.
"""

from dataclasses import dataclass, replace

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka.consumer import plain
from holdfast.kafka.consumer.group import Member
from holdfast.kafka.consumer.rebalances import Readers
from holdfast.kafka.consumer.release import LINES
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.consumer.snapshot import ownership
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot


@dataclass(frozen=True, slots=True)
class PartitionMove:
    """A partition that another consumer reads than before."""

    partition: TopicPartition
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class MemberChange:
    """`before` and `after`: all consumers, by the names that `name_of` gives them, in Kafka's order. `shifted`: those in both with
    others before them than before."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    joined: tuple[str, ...]
    left: tuple[str, ...]
    shifted: tuple[str, ...]
    moved: tuple[PartitionMove, ...]

    @property
    def moved_between_survivors(self) -> tuple[PartitionMove, ...]:
        """The moves that were not requested: both consumers were there before and are there still."""
        staying = frozenset(self.before) & frozenset(self.after)
        return tuple(move for move in self.moved if move.before in staying and move.after in staying)


def name_of(member: Member) -> str:
    """The group.instance.id of a static consumer, else the member ID."""
    return member.group_instance_id or member.member_id


def member_changes(before: ConsumerSnapshot, after: ConsumerSnapshot) -> MemberChange:
    """Raise InvalidInput for snapshots of two groups, CannotPredict where an assignment is unknown."""
    if (before.cluster, before.group_id) != (after.cluster, after.group_id):
        raise InvalidInput(
            f"one is a snapshot of {before.group_id!r}, the other of {after.group_id!r}: two of one group are needed"
        )
    was, now = (tuple(name_of(member) for member in plain.in_member_order(one.members)) for one in (before, after))
    places = {name: place for place, name in enumerate(was)}
    present = frozenset(now)
    return MemberChange(
        before=was,
        after=now,
        joined=tuple(name for name in now if name not in places),
        left=tuple(name for name in was if name not in present),
        shifted=tuple(name for place, name in enumerate(now) if places.get(name, place) != place),
        moved=() if frozenset(was) == present else _moves(_read_by_name(before), _read_by_name(after)),
    )


def _moves(was: Readers, now: Readers) -> tuple[PartitionMove, ...]:
    moves = (PartitionMove(one, reader, now.get(one, reader)) for one, reader in was.items())
    return tuple(sorted((move for move in moves if move.before != move.after), key=lambda move: move.partition))


def _read_by_name(snapshot: ConsumerSnapshot) -> Readers:
    reads = readers_of(snapshot)
    if reads is None:
        raise CannotPredict("The owners of partitions are unknown: the snapshot has no assignment.")
    names = {member.member_id: name_of(member) for member in snapshot.members}
    return {partition: names[reader] for partition, reader in reads.items()}


def readers_of(snapshot: ConsumerSnapshot) -> Readers | None:
    """The assignment when the snapshot was taken. None: unknown."""
    return ownership.readers_now(snapshot.group(of_a_release(snapshot)), snapshot.assigned)


def known_readers(snapshot: ConsumerSnapshot) -> Readers:
    """The same. Raise CannotPredict where it is unknown."""
    reads = readers_of(snapshot)
    if reads is None:
        raise CannotPredict("consumers: who reads which partition now is unknown")
    return reads


def read_by_each(snapshot: ConsumerSnapshot) -> dict[str, tuple[TopicPartition, ...]]:
    """What every member reads, by its ID. Raise CannotPredict where it is unknown."""
    found: dict[str, list[TopicPartition]] = {one.member_id: [] for one in snapshot.members}
    for partition, reader in known_readers(snapshot).items():
        found[reader].append(partition)
    return {name: tuple(partitions) for name, partitions in found.items()}


def of_a_release(snapshot: ConsumerSnapshot) -> str:
    """The release of the group's consumers; without one the newest."""
    return snapshot.kafka_release or LINES[-1].releases[-1]


def with_a_release(snapshot: ConsumerSnapshot) -> ConsumerSnapshot:
    return replace(snapshot, kafka_release=of_a_release(snapshot))
