"""Members whose metadata version is newer than the leader knows: all of them are one client to it, under a random process ID.

Java: `StreamsPartitionAssignor.assign` (`FUTURE_ID`) and `SubscriptionInfo.decode`, 2.6 to 4.3. Of a newer subscription only two
numbers can be read, so that what such a member reports, its end point, its tags and its errors are lost; what it owns is in the
envelope. Its tasks are spread over all newer members as over the threads of one process, whatever processes they are of.

The ID is generated when the leader's JVM starts. Its rank in process-ID order, and in which bucket of a hash table it
falls, decides ties. So every place and bucket is tried, and what all of them agree on is certain.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar
from uuid import UUID

from holdfast.errors import CannotPredict, Unsupported
from holdfast.kafka import java, java_hash
from holdfast.kafka.release import Behaviour
from holdfast.kafka.streams.config import TaskAssignor
from holdfast.kafka.streams.group import (
    About,
    Assignment,
    Client,
    ClientAssignment,
    Consumer,
    ConsumerAssignment,
    Doubt,
    Group,
    LeaderFailure,
    NextRebalance,
    UndeterminedTask,
)
from holdfast.kafka.vocabulary import ProcessId, TaskId

EARLIEST_PROBEABLE_VERSION = 3
"""`StreamsAssignmentProtocolVersions.EARLIEST_PROBEABLE_VERSION`: with older members in the group a newer one is an error."""

MOST_WORK = 250_000
"""Random IDs that would have to be tried, times tasks and clients: above that, there is no prediction."""

_CROWDED = 8
"""Entries in a bucket from which on a hash table grows early, or makes a tree of it."""

Places = dict[TaskId, dict[str, None]]
"""The members where a task may be, in order."""
_At = TypeVar("_At")


ASSIGNMENT_ERROR = 3
"""`AssignorError.ASSIGNMENT_ERROR`: the leader met something that it cannot assign with."""

WHY = "Some members are newer than the leader, which books them as one client under a random process ID."
MOST_NAMED = 10
"""This many tasks are named in a sentence; all are in the data."""


def is_newer(consumer: Consumer, line: Behaviour) -> bool:
    return consumer.metadata_version is not None and consumer.metadata_version > line.metadata_version


def any_newer(group: Group, line: Behaviour) -> bool:
    return any(version is not None and version > line.metadata_version for version in versions(group))


def versions(group: Group) -> set[int | None]:
    """The metadata versions of the members, of whom there may be thousands."""
    return {consumer.metadata_version for client in group.clients for consumer in client.consumers}


def _refuse(group: Group, line: Behaviour) -> None:
    """Raise CannotPredict where the leader itself would be newer than its release, Unsupported with a public task assignor."""
    older = older_clients(group, line)
    leader = group.leader_process_id
    if not older or (leader is not None and leader not in older and any(leader == client.process_id for client in group.clients)):
        who = "All members are" if not older else f"The client that leads, {leader}, is"
        raise CannotPredict(
            f"{who} newer than a leader of release {group.release}, which reads metadata versions up to {line.metadata_version}."
            " A leader reads its own version: predict with the newer release."
        )
    if group.config.task_assignor is TaskAssignor.PUBLIC_STICKY:
        raise Unsupported(
            f"Some members are newer than a leader of release {group.release}, which records them under a random process ID, and"
            " task.assignor.class is the public StickyTaskAssignor: each is modelled, both together are not."
        )


def failure(group: Group, line: Behaviour) -> LeaderFailure | None:
    """What the leader answers where newer members are together with members too old to know of probing."""
    oldest = min([one for one in versions(group) if one is not None], default=EARLIEST_PROBEABLE_VERSION)
    if oldest >= EARLIEST_PROBEABLE_VERSION or not any_newer(group, line):
        return None
    what = f"a member is newer than the leader and another has metadata version {oldest}, which cannot be probed"
    if line.versions_fail_with_code:
        return LeaderFailure(f"{what}: the leader tells all members that the assignment failed", ASSIGNMENT_ERROR)
    return LeaderFailure(f"IllegalStateException: {what}")


def assign(group: Group, line: Behaviour, decide: Callable[[Group], Assignment | LeaderFailure]) -> Assignment | LeaderFailure:
    """What is decided whatever the random ID is. `decide`: for a group without newer members.

    Raise CannotPredict or Unsupported where that cannot be predicted.
    """
    _refuse(group, line)
    decisions, failures = [], []
    for dummy in random_ids(group, line):
        decision = decide(booked(group, line, dummy))
        if isinstance(decision, LeaderFailure):
            failures.append(decision)
        else:
            decisions.append(as_it_is(decision, group, line))
    if failures and decisions:
        raise CannotPredict(f"{WHY} Whether the leader itself fails is not certain: it may, with {failures[0].error}")
    if failures:
        return failures[0]
    found = certain(decisions)
    return replace(found, undetermined=(*found.undetermined, *_doubts(found, decisions)))


def _doubts(found: Assignment, decisions: Sequence[Assignment]) -> Iterator[Doubt]:
    if len({decision.probing_rebalance_needed for decision in decisions}) > 1:
        yield Doubt(About.PROBING, f"{WHY} Whether a probing rebalance follows is not certain: it may.")
    if found.undetermined_tasks:
        named = ", ".join(str(task.id) for task in found.undetermined_tasks[:MOST_NAMED])
        more = len(found.undetermined_tasks) - MOST_NAMED
        tasks = f"{named} and {more} more" if more > 0 else named
        yield Doubt(About.PLACES, f"{WHY} Not certain are the places of {tasks}: undetermined_tasks says where they may be.")
    elif any(consumer.next_rebalance is NextRebalance.UNKNOWN for consumer in found.consumers):
        yield Doubt(About.REJOINS, f"{WHY} Who rejoins when is not certain.")


def older_clients(group: Group, line: Behaviour) -> list[ProcessId]:
    """The clients that the leader knows by their process IDs."""
    return [client.process_id for client in group.clients if not all(is_newer(one, line) for one in client.consumers)]


def booked(group: Group, line: Behaviour, dummy: ProcessId) -> Group:
    """The group as the leader books it if `dummy` is its random ID. Who leads is one of the others: the smallest, if unknown."""
    clients, newer = [], []
    for client in group.clients:
        older = tuple(consumer for consumer in client.consumers if not is_newer(consumer, line))
        if older:
            clients.append(replace(client, consumers=older) if len(older) < len(client.consumers) else client)
        newer += [(client, consumer) for consumer in client.consumers if is_newer(consumer, line)]
    racks = {client.rack for client, _ in newer}
    unreadable = Client(
        dummy,
        tuple(Consumer(consumer.member_id, consumer.client_id, owned=consumer.owned) for _, consumer in newer),
        rack=racks.pop() if len(racks) == 1 else None,  # as where one is missing: different ones turn placing by rack off
    )
    return replace(
        group,
        clients=(*clients, unreadable),
        leader_process_id=group.leader_process_id or min(client.process_id for client in clients),
        member_order=group.members(),
    )


def random_ids(group: Group, line: Behaviour) -> tuple[ProcessId, ...]:
    """One random (type 4) UUID for each rank in process-ID order of the other process IDs and each bucket of a hash table of all.

    Places that a random ID takes by a chance of less than 2**-46 are left out. Raise CannotPredict if there are too many to try.
    """
    others = [client.process_id for client in group.clients if not all(is_newer(consumer, line) for consumer in client.consumers)]
    size = max(16, java_hash.capacity_of_copy(len(others) + 1))
    if _most_in_a_bucket(others, size) >= _CROWDED - 1:
        size = max(size, 64)
    ids = list(_ids(others, size))
    if _most_in_a_bucket(others, size) >= _CROWDED - 1 or len(ids) * (len(group.tasks) + len(others)) > MOST_WORK:
        raise CannotPredict(
            f"Some members are newer than a leader of release {group.release}, which records them under a random process ID. In a"
            f" group of {len(others)} clients and {len(group.tasks)} tasks there are too many places for it to try them all."
        )
    return tuple(ids)


def _ids(others: Sequence[ProcessId], size: int) -> Iterator[ProcessId]:
    """By the upper 48 bits, as signed numbers, between those of any two neighbours."""
    uppers = sorted({java.signed_long(process_id.bits >> 64) >> 16 for process_id in others})
    edges = [-(2**47) - 1, *uppers, 2**47]
    for below, above in itertools.pairwise(edges):
        if above - below < 2:
            continue
        most = ((below + above) // 2 % 2**48) << 16 | 0x4000
        plain = UUID(int=most << 64 | 1 << 63)
        for bucket in range(size):
            yield ProcessId.of(UUID(int=plain.int ^ bucket ^ _bucket(plain, size)))


def _bucket(uuid: UUID, size: int) -> int:
    code = java.uuid_hash(uuid.int) & 0xFFFFFFFF
    return (code ^ (code >> 16)) & (size - 1)


def _most_in_a_bucket(process_ids: Iterable[ProcessId], size: int) -> int:
    counts: dict[int, int] = {}
    for process_id in process_ids:
        bucket = _bucket(process_id.uuid, size)
        counts[bucket] = counts.get(bucket, 0) + 1
    return max(counts.values(), default=0)


def as_it_is(decision: Assignment, group: Group, line: Behaviour) -> Assignment:
    """The decision for a group as the leader books it, in terms of the real clients: a newer member's tasks are its own
    client's."""
    by_client = {client.process_id: client for client in decision.clients}
    by_member = {consumer.member_id: consumer for consumer in decision.consumers}
    clients = []
    for client in group.clients:
        newer = [by_member[consumer.member_id] for consumer in client.consumers if is_newer(consumer, line)]
        own = by_client.get(client.process_id, ClientAssignment(client.process_id, (), ()))
        active = {task for sent in newer for task in (*sent.active, *sent.withheld)}
        standby = {task for sent in newer for task in sent.standby if task not in sent.withheld}
        clients.append(
            ClientAssignment(client.process_id, tuple(sorted({*own.active, *active})), tuple(sorted({*own.standby, *standby})))
        )
    members = tuple(by_member[consumer.member_id] for client in group.clients for consumer in client.consumers)
    return replace(decision, clients=tuple(clients), consumers=members)


def certain(decisions: Sequence[Assignment]) -> Assignment:
    """What all of them have, and by task where it is only in some. A probing rebalance follows if one of them needs it."""
    active: Places = {}
    standby: Places = {}
    withheld: Places = {}
    at_clients: dict[TaskId, dict[ProcessId, None]] = {}
    consumers = []
    for variants in zip(*(decision.consumers for decision in decisions), strict=True):
        member = variants[0].member_id
        rejoins = {one.next_rebalance for one in variants}
        consumers.append(
            ConsumerAssignment(
                member,
                active=_common([one.active for one in variants], active, member),
                standby=_common([one.standby for one in variants], standby, member),
                withheld=_common([one.withheld for one in variants], withheld, member),
                next_rebalance=rejoins.pop() if len(rejoins) == 1 else NextRebalance.UNKNOWN,
            )
        )
    clients = []
    for given in zip(*(decision.clients for decision in decisions), strict=True):
        process_id = given[0].process_id
        clients.append(
            ClientAssignment(
                process_id,
                active=_common([one.active for one in given], {}, process_id),
                standby=_common([one.standby for one in given], at_clients, process_id),
            )
        )
    tasks = tuple(
        UndeterminedTask(
            task,
            tuple(at_clients.get(task, ())),
            tuple(active.get(task, ())),
            tuple(standby.get(task, ())),
            tuple(withheld.get(task, ())),
        )
        for task in sorted({*at_clients, *active, *standby, *withheld})
    )
    probing = any(decision.probing_rebalance_needed for decision in decisions)
    doubts = tuple(dict.fromkeys(doubt for decision in decisions for doubt in decision.undetermined))
    return Assignment(probing, tuple(clients), tuple(consumers), doubts, tasks)


def _common(variants: Sequence[tuple[TaskId, ...]], places: dict[TaskId, dict[_At, None]], at: _At) -> tuple[TaskId, ...]:
    """What is in each; what is only in some is noted."""
    found = frozenset.intersection(*map(frozenset, variants))
    for task in frozenset.union(*map(frozenset, variants)) - found:
        places.setdefault(task, {})[at] = None
    return tuple(sorted(found))
