"""Completed rebalances as `__consumer_offsets` has them, made of groups and decisions: what members sent, and what they got."""

import random
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from holdfast.kafka.release import behaviour
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.group import Assignment, Changelog, Client, Consumer, Group, LeaderFailure, NextRebalance, Task
from holdfast.kafka.vocabulary import TaskId, TopicPartition
from holdfast.kafka.wire import assignment_info, consumer_protocol, subscription_info
from holdfast.kafka.wire.assignment_info import NO_REBALANCE, AssignmentInfo
from holdfast.kafka.wire.consumer_protocol import ConsumerProtocolAssignment, ConsumerProtocolSubscription
from holdfast.kafka.wire.subscription_info import SubscriptionInfo
from holdfast.kafka.wire.tasks import WireTask
from holdfast.rollout.backtest.generation import Generation, GenerationMember
from holdfast.rollout.json import instants
from holdfast.rollout.streams.scene.assumptions import Assume
from holdfast.rollout.streams.scene.reports import Reports, TimeBetween

STARTED_MS = 1_763_640_000_000
SESSION_MS = 45_000


@dataclass(frozen=True)
class Sent:
    """What one member was sent."""

    active: tuple[TaskId, ...]
    standby: tuple[TaskId, ...]
    next_rebalance: NextRebalance = NextRebalance.NONE


Decides = Callable[[Group], Mapping[str, Sent]]


def by_the_model(group: Group) -> dict[str, Sent]:
    answer = leader.assign(group)
    assert not isinstance(answer, LeaderFailure), answer.error
    return sent(answer)


def sent(answer: Assignment) -> dict[str, Sent]:
    return {one.member_id: Sent(one.active, one.standby, one.next_rebalance) for one in answer.consumers}


def generation(number: int, group: Group, decided: Mapping[str, Sent], *, at_ms: int = 0) -> Generation:
    """`at_ms`: after the start of all."""
    version = behaviour(group.release).metadata_version
    homes = {task.id: task.partitions for task in group.tasks}
    topics = tuple(sorted({partition.topic for task in group.tasks for partition in task.partitions}))
    leads = next(client for client in group.clients if client.process_id == group.leader_process_id).consumers[0].member_id
    members = tuple(
        GenerationMember(
            one.member_id,
            one.client_id or "app",
            f"/{client.host or '10.0.0.1'}",
            one.group_instance_id,
            _subscription(one, client, topics, one.metadata_version or version),
            _assignment(decided[one.member_id], homes, version, group, STARTED_MS + at_ms),
            SESSION_MS,
        )
        for client in group.clients
        for one in client.consumers
    )
    return Generation(number, instants.of_broker(STARTED_MS + at_ms), leads, "stream", members)


def _subscription(consumer: Consumer, client: Client, topics: tuple[str, ...], version: int) -> bytes:
    info = SubscriptionInfo(
        version,
        version,
        client.process_id,
        client.user_endpoint,
        task_offset_sums=tuple((WireTask(task), total) for task, total in consumer.task_offset_sums),
        error_code=consumer.error_code,
        client_tags=client.client_tags if version >= 11 else (),
    )
    data = subscription_info.encode(info)
    envelope = 3 if client.rack is not None else 1
    return consumer_protocol.encode_subscription(
        ConsumerProtocolSubscription(envelope, topics, data, consumer.owned, -1, client.rack)
    )


def _assignment(handed: Sent, homes: Mapping[TaskId, tuple[TopicPartition, ...]], version: int, group: Group, now_ms: int) -> bytes:
    partitions = sorted((partition, task) for task in handed.active for partition in homes[task])
    interval = group.config.probing_rebalance_interval_ms
    deadline = {NextRebalance.NONE: NO_REBALANCE, NextRebalance.IMMEDIATE: 0, NextRebalance.PROBING: now_ms + interval}
    info = AssignmentInfo(
        version,
        version,
        tuple(WireTask(task) for _, task in partitions),
        tuple((WireTask(task), homes[task]) for task in handed.standby),
        next_rebalance_ms=deadline[handed.next_rebalance],
    )
    return consumer_protocol.encode_assignment(
        ConsumerProtocolAssignment(1, tuple(partition for partition, _ in partitions), assignment_info.encode(info))
    )


def value(found: Generation, at_ms: int) -> bytes:
    """A `GroupMetadataValue` of version 3."""
    parts = [struct.pack(">h", 3), _string("consumer"), struct.pack(">i", found.number), _string(found.protocol)]
    parts += [_string(found.leader_member_id), struct.pack(">qi", at_ms, len(found.members))]
    for one in found.members:
        parts += [_string(one.member_id), _string(one.group_instance_id), _string(one.client_id), _string(one.client_host)]
        parts.append(struct.pack(">ii", 60_000, one.session_timeout_ms or SESSION_MS))
        parts += [_bytes(one.subscription), _bytes(one.assignment)]
    return b"".join(parts)


def key(group_id: str) -> bytes:
    return struct.pack(">h", 2) + _string(group_id)


def _string(text: str | None) -> bytes:
    if text is None:
        return struct.pack(">h", -1)
    return struct.pack(">h", len(text.encode())) + text.encode()


def _bytes(data: bytes) -> bytes:
    return struct.pack(">i", len(data)) + data


def history(group: Group, count: int, chance: random.Random, decides: Decides = by_the_model) -> Iterator[Generation]:
    """That many rebalances of a group whose clients leave, come back on their disks, and are replaced.

    Copies catch up by the next probing rebalance; nothing is written to changelogs meanwhile.
    """
    reports = Reports(group, Assume())
    away: list[Client] = []
    number, at_ms = 0, 0
    while number < count:
        while number < count:
            number += 1
            decided = decides(group)
            yield generation(number, group, decided, at_ms=at_ms)
            kinds = {one.next_rebalance for one in decided.values()}
            pause = _pause(kinds)
            at_ms += 2_000 if pause is TimeBetween.NONE else group.config.probing_rebalance_interval_ms
            group = replace(group, clients=_after(reports, group, decided, pause))
            if pause is TimeBetween.SETTLED:
                break
        group = _changed(group, away, reports, chance)


def _pause(kinds: set[NextRebalance]) -> TimeBetween:
    if NextRebalance.IMMEDIATE in kinds:
        return TimeBetween.NONE
    return TimeBetween.PROBING if NextRebalance.PROBING in kinds else TimeBetween.SETTLED


def _after(reports: Reports, group: Group, decided: Mapping[str, Sent], pause: TimeBetween) -> tuple[Client, ...]:
    answer = leader.assign(group)
    assert isinstance(answer, Assignment)
    consumers = tuple(
        one._replace(active=decided[one.member_id].active, standby=decided[one.member_id].standby) for one in answer.consumers
    )
    return reports.after(group.clients, replace(answer, consumers=consumers), pause, 0)


def _changed(group: Group, away: list[Client], reports: Reports, chance: random.Random) -> Group:
    """A client leaves, or one that left is back with what its disk has, under new member IDs."""
    if away and (len(group.clients) < 2 or chance.random() < 0.5):
        client = away.pop(chance.randrange(len(away)))
        disk = reports.on_disk(client)
        consumers = tuple(
            Consumer(f"{one.client_id}-{chance.getrandbits(64):016x}", one.client_id, task_offset_sums=disk if index == 0 else ())
            for index, one in enumerate(client.consumers)
        )
        clients = (*group.clients, replace(client, consumers=consumers))
    else:
        leaves = chance.randrange(len(group.clients))
        if len(group.clients) > 1:
            away.append(group.clients[leaves])
        clients = (*group.clients[:leaves], *group.clients[leaves + 1 :]) or group.clients
    lead = chance.choice(clients).process_id
    return replace(group, clients=clients, leader_process_id=lead)


def swapped(found: Generation) -> Generation | None:
    """The same with an active task of one member's exchanged for one of another's. None: there are no two to exchange."""
    handed = [consumer_protocol.decode_assignment(one.assignment) for one in found.members]
    have = [index for index, one in enumerate(handed) if one.partitions]
    if len(have) < 2:
        return None
    one, other = have[0], have[-1]
    infos = [assignment_info.decode(handed[index].user_data or b"") for index in (one, other)]
    first, second = infos
    assert isinstance(first, AssignmentInfo)
    assert isinstance(second, AssignmentInfo)
    given = [list(first.active_partitions(handed[one].partitions)), list(second.active_partitions(handed[other].partitions))]
    given[0][0], given[1][0] = given[1][0], given[0][0]
    members = list(found.members)
    for index, info, tasks in ((one, first, given[0]), (other, second, given[1])):
        partitions = sorted((partition, task) for task, each in tasks for partition in each)
        sends = replace(info, active=tuple(WireTask(task) for _, task in partitions))
        envelope = replace(
            handed[index], partitions=tuple(partition for partition, _ in partitions), user_data=assignment_info.encode(sends)
        )
        members[index] = replace(members[index], assignment=consumer_protocol.encode_assignment(envelope))
    return replace(found, members=tuple(members))


def of_tasks(subtopology: int, count: int, end: int, topic: str = "input") -> tuple[Task, ...]:
    """Stateful tasks with one changelog each."""
    return tuple(
        Task(TaskId(subtopology, each), (TopicPartition(topic, each),), (Changelog(f"app-{subtopology}-changelog", each, end),))
        for each in range(count)
    )
