"""A fleet that does not exist, the same for the same seed: groups as a Snapshot would show them, on two days.

Clients log-normal (median 8, sigma 0.8, at most 200), 2 to 12 tasks a client, 1 to 4 threads (in a tenth of the groups each client
its own number), a third with standbys, a tenth with racks (`rack.aware.assignment.tags` on three zones), a twentieth in which a
host was replaced since the day before and came back under another process ID. Group number 17 is the same in every size of fleet.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from uuid import UUID

from holdfast.kafka.streams import leader
from holdfast.kafka.streams.group import Assignment, Changelog, Client, Consumer, Task
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.rollout.streams.scene.assumptions import Assume
from holdfast.rollout.streams.scene.reports import Reports, TimeBetween
from holdfast.rollout.streams.snapshot import groups
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Topic, TopicPartitionInfo

DAYS = ("2026-11-20", "2026-11-21")
CLUSTERS = 5
RELEASES = ("2.8.2", "3.4.1", "3.6.2", "3.9.1", "3.9.1", "3.9.1", "4.1.0", "4.1.0")
MOST_CLIENTS = 200
ZONES = ("a", "b", "c")


@dataclass(frozen=True)
class Pair:
    """One group on both days."""

    before: Snapshot
    after: Snapshot


def fleet(count: int, seed: int) -> Iterator[Pair]:
    for number in range(count):
        yield group(number, seed)


def group(number: int, seed: int) -> Pair:
    chance = random.Random(f"{seed}/{number}")  # noqa: S311 - not for secrets
    before = settled(_started(number, chance))
    after = replace(before, captured_at=f"{DAYS[1]}T02:00:00Z")
    if chance.random() < 0.05:
        after = settled(_with_a_host_replaced(after, chance))
    return Pair(before, after)


def settled(snapshot: Snapshot) -> Snapshot:
    """After one rebalance, and time for copies to catch up."""
    seen = groups.group_of(snapshot)
    decision = leader.assign(seen)
    assert isinstance(decision, Assignment), "such a group is given its tasks"
    return replace(snapshot, clients=Reports(seen, Assume()).after(snapshot.clients, decision, TimeBetween.SETTLED, 0))


def _started(number: int, chance: random.Random) -> Snapshot:
    """All clients with nothing on their disks."""
    group_id = f"app-{number:05}"
    clients = min(MOST_CLIENTS, max(1, round(chance.lognormvariate(2.0794415, 0.8))))
    threads = chance.randint(1, 4)
    uneven = chance.random() < 0.1
    standbys = chance.choice((1, 1, 2)) if chance.random() < 1 / 3 else 0
    racks = chance.random() < 0.1
    tasks, topics = _tasks(group_id, clients * chance.randint(2, 12), chance)
    members = tuple(
        _client(group_id, host, chance.randint(1, 4) if uneven else threads, ZONES[host % 3] if racks else None, chance)
        for host in range(clients)
    )
    config: tuple[tuple[str, int | tuple[str, ...]], ...] = (("num.standby.replicas", standbys),)
    return Snapshot(
        cluster=f"cluster-{number % CLUSTERS}",
        group_id=group_id,
        captured_at=f"{DAYS[0]}T02:00:00Z",
        protocol="streams-classic",
        group_state="Stable",
        kafka_release=chance.choice(RELEASES),
        task_assignor=None,
        leader_process_id=members[0].process_id,
        config=(*config, ("rack.aware.assignment.tags", ("zone",))) if racks else config,
        tasks=tasks,
        clients=members,
        topics=topics,
    )


def _tasks(group_id: str, count: int, chance: random.Random) -> tuple[tuple[Task, ...], tuple[Topic, ...]]:
    """Over one to three subtopologies; in a third of the groups the first of several keeps no state."""
    subtopologies = chance.randint(1, 3)
    stateless_first = subtopologies > 1 and chance.random() < 1 / 3
    tasks: list[Task] = []
    topics: list[Topic] = []
    for number in range(subtopologies):
        partitions = max(1, count // subtopologies)
        changelog = f"{group_id}-store-{number}-changelog"
        infos = []
        for partition in range(partitions):
            end = int(min(chance.lognormvariate(13.8, 2.0), 1e9))
            begin = int(end * chance.random() * 0.5)
            stateful = not (stateless_first and number == 0)
            tasks.append(
                Task(
                    TaskId(number, partition),
                    (TopicPartition(f"{group_id}-input-{number}", partition),),
                    (Changelog(changelog, partition, end),) if stateful else (),
                )
            )
            if stateful:
                infos.append(TopicPartitionInfo(partition, begin_offset=begin, log_bytes=(end - begin) * chance.randint(40, 400)))
        if infos:
            topics.append(Topic(changelog, tuple(infos)))
    return tuple(tasks), tuple(topics)


def _client(group_id: str, host: int, threads: int, zone: str | None, chance: random.Random) -> Client:
    process_id = _random_id(chance)
    names = [f"{group_id}-{process_id}-StreamThread-{number}-consumer" for number in range(1, threads + 1)]
    return Client(
        process_id,
        tuple(Consumer(f"{name}-{_random_id(chance)}", name) for name in names),
        host=f"10.{host // 65536 % 256}.{host // 256 % 256}.{host % 256}",
        rack=zone,
        client_tags=() if zone is None else (("zone", zone),),
    )


def _with_a_host_replaced(snapshot: Snapshot, chance: random.Random) -> Snapshot:
    gone = chance.randrange(len(snapshot.clients))
    old = snapshot.clients[gone]
    new = _client(snapshot.group_id, gone, len(old.consumers), old.rack, chance)
    clients = (*snapshot.clients[:gone], *snapshot.clients[gone + 1 :], new)
    leads = snapshot.leader_process_id if snapshot.leader_process_id != old.process_id else min(one.process_id for one in clients)
    return replace(snapshot, clients=clients, leader_process_id=leads)


def _random_id(chance: random.Random) -> ProcessId:
    return ProcessId.of(UUID(int=chance.getrandbits(128), version=4))
