"""A recorded rebalance as input and result: its members' reports (a `Group` for the model), and the leader's real decision.

Both come from the raw bytes of a `Generation`, so that one can ask whether our decision is the leader's. What is compared is what
went over the wire to each member: its active tasks, its standby tasks (warm-ups and the temporary standbys of withheld tasks among
them) and the kind of its next rebalance. Withheld tasks and the task assignor's own view of a client are not on the wire; they
show in the comparison only through the temporary standby and the immediate rebalance that go with them.
"""

from dataclasses import dataclass

from holdfast.errors import CannotPredict, Unsupported
from holdfast.kafka.streams.config import AssignorConfig
from holdfast.kafka.streams.group import Assignment, Client, Consumer, Group, LeaderFailure, NextRebalance, Task
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.kafka.wire import assignment_info, consumer_protocol, subscription_info
from holdfast.rollout.streams.snapshot.snapshot import Generation, GenerationMember

PROTOCOL = "stream"
"""The name under which every classic Streams member joins. Java: `StreamsPartitionAssignor.name`."""


@dataclass(frozen=True, slots=True)
class HandedOver:
    """The assignment sent to one member. Task lists are sorted. `next_rebalance_at_ms` is the leader's clock, for a probing
    rebalance."""

    member_id: str
    active: tuple[TaskId, ...]
    standby: tuple[TaskId, ...]
    next_rebalance: NextRebalance
    next_rebalance_at_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What a leader sent to its members, in the order of the member list. `error_code` is 0, or the one that every client was
    sent."""

    members: tuple[HandedOver, ...]
    error_code: int = 0

    @property
    def settled(self) -> bool:
        """No member was asked to rejoin: no rebalance follows unless the group changes."""
        return not self.error_code and all(member.next_rebalance is NextRebalance.NONE for member in self.members)


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """One part of a member's assignment where Holdfast's differs, both in words."""

    member_id: str
    what: str
    ours: str
    leaders: str


def reported_group(generation: Generation, tasks: tuple[Task, ...], release: str, config: AssignorConfig) -> Group:
    """The group as its leader saw it. `tasks` carry the end offsets of that moment, `release` and `config` are the leader's.

    Raise Unsupported for another assignor, a metadata version that is unknown and a member that asked for a shutdown,
    CannotPredict for a generation whose leader is not among its members, MalformedBytes where a subscription is none.
    """
    if generation.protocol != PROTOCOL:
        raise Unsupported(f"generation {generation.number} used the assignor {generation.protocol!r}; {PROTOCOL!r} is modelled")
    clients: dict[ProcessId, list[tuple[Consumer, Client]]] = {}
    leader: ProcessId | None = None
    for member in generation.members:
        consumer, client = _reported(member)
        clients.setdefault(client.process_id, []).append((consumer, client))
        if member.member_id == generation.leader_member_id:
            leader = client.process_id
    if generation.leader_member_id is not None and leader is None:
        raise CannotPredict(f"generation {generation.number} names {generation.leader_member_id!r} as leader, who is not a member")
    return Group(release, config, tasks, tuple(_merged(found) for found in clients.values()), leader)


def leaders_decision(generation: Generation) -> Decision:
    """The assignments that the leader sent. Raise Unsupported for a version or named topology that is unknown."""
    members: list[HandedOver] = []
    error_code = 0
    for member in generation.members:
        envelope = consumer_protocol.decode_assignment(member.assignment)
        info = assignment_info.decode(envelope.user_data) if envelope.user_data else assignment_info.AssignmentInfo(0)
        if isinstance(info, assignment_info.FutureAssignment):
            raise Unsupported(f"generation {generation.number} was assigned in metadata version {info.version}, which is unknown")
        error_code = error_code or info.error_code
        kind = _next_rebalance(info.next_rebalance_ms)
        members.append(
            HandedOver(
                member.member_id,
                tuple(task for task, _ in info.active_partitions(envelope.partitions)),
                tuple(sorted(task for task, _ in info.standby_partitions())),
                kind,
                info.next_rebalance_ms if kind is NextRebalance.PROBING else None,
            )
        )
    return Decision(tuple(members), error_code)


def our_decision(answer: Assignment | LeaderFailure) -> Decision:
    """Holdfast's answer as it would be on the wire. A leader that throws sends nothing."""
    if isinstance(answer, LeaderFailure):
        return Decision((), answer.error_code or 0)
    return Decision(
        tuple(HandedOver(one.member_id, one.active, one.standby, one.next_rebalance) for one in answer.consumers),
    )


def differences(ours: Decision, leaders: Decision) -> tuple[ReplayDifference, ...]:
    """Everything in which the two decisions differ; empty when they are the same on the wire. Deadlines are not compared."""
    if ours.error_code != leaders.error_code:
        return (ReplayDifference("", "error code", str(ours.error_code), str(leaders.error_code)),)
    if leaders.error_code:
        return ()
    found: list[ReplayDifference] = []
    recorded = {member.member_id: member for member in ours.members}
    for theirs in leaders.members:
        mine = recorded.pop(theirs.member_id, None)
        if mine is None:
            found.append(ReplayDifference(theirs.member_id, "member", "absent", "present"))
            continue
        for what, one, other in (
            ("active", _listed(mine.active), _listed(theirs.active)),
            ("standby", _listed(mine.standby), _listed(theirs.standby)),
            ("next rebalance", mine.next_rebalance.value, theirs.next_rebalance.value),
        ):
            if one != other:
                found.append(ReplayDifference(theirs.member_id, what, one, other))
    found.extend(ReplayDifference(member_id, "member", "present", "absent") for member_id in recorded)
    return tuple(found)


def _reported(member: GenerationMember) -> tuple[Consumer, Client]:
    envelope = consumer_protocol.decode_subscription(member.subscription)
    info = subscription_info.decode(envelope.user_data or b"")
    if isinstance(info, subscription_info.FutureSubscription):
        raise Unsupported(f"{member.member_id} joined with metadata version {info.version}, which is unknown")
    consumer = Consumer(
        member.member_id,
        member.client_id,
        member.group_instance_id,
        envelope.owned,
        info.offset_sums(),
        info.version,
        info.error_code,
    )
    client = Client(info.process_id, (), member.client_host, envelope.rack_id, info.client_tags, info.user_endpoint)
    return consumer, client


def _merged(found: list[tuple[Consumer, Client]]) -> Client:
    """One client of its members. Endpoint and tags are the first member's. Java: `ClientMetadata` of `StreamsPartitionAssignor`."""
    _, first = found[0]
    return Client(
        first.process_id,
        tuple(consumer for consumer, _ in found),
        first.host,
        first.rack,
        first.client_tags,
        first.user_endpoint,
    )


def _next_rebalance(milliseconds: int) -> NextRebalance:
    if milliseconds == assignment_info.NO_REBALANCE:
        return NextRebalance.NONE
    return NextRebalance.IMMEDIATE if milliseconds == 0 else NextRebalance.PROBING


def _listed(tasks: tuple[TaskId, ...]) -> str:
    return " ".join(str(task) for task in tasks) or "none"
