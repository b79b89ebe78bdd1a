"""One member of a classic Streams group as its coordinator stores it: its last JoinGroup, and what it was handed."""

from dataclasses import dataclass

from holdfast.errors import Unsupported
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.kafka.wire import assignment_info, consumer_protocol, subscription_info
from holdfast.kafka.wire.assignment_info import NO_REBALANCE, AssignmentInfo, FutureAssignment
from holdfast.kafka.wire.subscription_info import FutureSubscription
from holdfast.kafka.wire.tasks import LATEST_VERSION

TaskPartitions = tuple[TaskId, tuple[TopicPartition, ...]]


@dataclass(frozen=True, slots=True)
class Member:
    """`joined_…` is what it sent with its last JoinGroup: regularly stale at a stable point. The rest is its present assignment.

    `next_rebalance_ms`: `NO_REBALANCE`, 0 for "at once", or ms since 1970 by the leader's clock (a probing rebalance).
    """

    member_id: str
    process_id: ProcessId
    metadata_version: int
    subscribed: tuple[str, ...]
    joined_owned: tuple[TopicPartition, ...]
    joined_sums: tuple[tuple[TaskId, int], ...]
    partitions: tuple[TopicPartition, ...]
    active: tuple[TaskPartitions, ...]
    standby: tuple[TaskPartitions, ...]
    next_rebalance_ms: int = NO_REBALANCE
    error_code: int = 0
    rack: str | None = None
    user_endpoint: str | None = None
    client_tags: tuple[tuple[str, str], ...] = ()

    @property
    def running(self) -> tuple[TaskId, ...]:
        """The tasks it runs, active or standby."""
        return tuple(task for task, _ in self.active + self.standby)


def decode(member_id: str, subscription: bytes, assignment: bytes) -> Member:
    """Raise MalformedBytes for bytes that no member or leader sends, Unsupported for a newer metadata version."""
    envelope = consumer_protocol.decode_subscription(subscription)
    joined = subscription_info.decode(envelope.user_data or b"")
    if isinstance(joined, FutureSubscription):
        raise Unsupported(
            f"member {member_id!r} speaks metadata version {joined.version}, which is newer than any that is known "
            f"(1 to {LATEST_VERSION}); not even its process ID can be read"
        )
    handed = consumer_protocol.decode_assignment(assignment)
    info = assignment_info.decode(handed.user_data) if handed.user_data else AssignmentInfo(LATEST_VERSION)
    if isinstance(info, FutureAssignment):
        raise Unsupported(f"member {member_id!r} was handed an assignment of version {info.version}, which is unknown")
    return Member(
        member_id,
        joined.process_id,
        joined.version,
        envelope.topics,
        envelope.owned,
        joined.offset_sums(),
        handed.partitions,
        info.active_partitions(handed.partitions) if info.error_code == 0 else (),
        info.standby_partitions(),
        info.next_rebalance_ms,
        info.error_code,
        envelope.rack_id or None,
        joined.user_endpoint,
        joined.client_tags,
    )
