"""Groups of the synthetic fleet, with the same clients, threads, tasks and hosts, as groups whose broker assigns (KIP-1071)."""

import base64
import random
from dataclasses import replace

from benchmarks import synthetic_fleet
from holdfast.rollout.broker_streams.snapshot.snapshot import (
    GroupTopology,
    Owned,
    StreamsGroupSnapshot,
    StreamThread,
    Topic,
    TopicsOfSubtopology,
)
from holdfast.rollout.broker_streams.target.target import decide
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

RELEASES = ("4.2.1", "4.3.1", "4.3.1", "4.4.0")
NONE = Owned(active=())


def pair(number: int, seed: int) -> tuple[StreamsGroupSnapshot, StreamsGroupSnapshot]:
    """The group on both days, settled: its coordinator has computed the target, and every member has it."""
    chance = random.Random(f"{seed}/{number}/broker")  # noqa: S311 - not for secrets
    release = chance.choice(RELEASES)
    found = synthetic_fleet.group(number, seed)
    before = settled(_of(found.before, release, chance))
    if found.after.clients == found.before.clients:
        return before, replace(before, captured_at=found.after.captured_at)
    return before, settled(_of(found.after, release, chance))


def settled(snapshot: StreamsGroupSnapshot) -> StreamsGroupSnapshot:
    given = {one.member_id: Owned(one.active, one.standby) for one in decide(snapshot).members}
    members = tuple(replace(one, assignment=given[one.member_id], target=given[one.member_id]) for one in snapshot.members)
    return replace(snapshot, members=members)


def _of(classic: Snapshot, release: str, chance: random.Random) -> StreamsGroupSnapshot:
    threads = [(client, thread) for client in classic.clients for thread in client.consumers]
    chance.shuffle(threads)
    return StreamsGroupSnapshot(
        group_id=classic.group_id,
        cluster=classic.cluster,
        captured_at=classic.captured_at,
        broker_release=release,
        group_state="Stable",
        group_epoch=12,
        assignment_epoch=12,
        config=(("streams.num.standby.replicas", dict(classic.config)["num.standby.replicas"]),),
        topology=GroupTopology(tuple(_subtopologies(classic)), 0),
        topics=tuple(_topics(classic)),
        members=tuple(
            StreamThread(
                member_id=base64.urlsafe_b64encode(chance.randbytes(16)).decode().rstrip("="),
                process_id=str(client.process_id),
                client_id=thread.client_id,
                host=client.host,
                member_epoch=12,
                topology_epoch=0,
                assignment=NONE,
                target=NONE,
            )
            for client, thread in threads
        ),
    )


def _subtopologies(classic: Snapshot) -> list[TopicsOfSubtopology]:
    found = {}
    for task in classic.tasks:
        sources = tuple(one.topic for one in task.partitions)
        changelogs = tuple(one.topic for one in task.changelogs or ())
        name = str(task.id.subtopology)
        found[name] = TopicsOfSubtopology(name, source_topics=sources, changelog_topics=changelogs)
    return list(found.values())


def _topics(classic: Snapshot) -> list[Topic]:
    counts: dict[str, int] = {}
    for task in classic.tasks:
        for name in (*(one.topic for one in task.partitions), *(one.topic for one in task.changelogs or ())):
            counts[name] = counts.get(name, 0) + 1
    return [Topic(name, count) for name, count in sorted(counts.items())]
