"""A word count as the fake cluster shows it: its members, its state directories, and a Snapshot of it."""

from datetime import UTC, datetime

from tests.fakes.cluster import FakeCluster, FakeStateDirectories, streams_member

from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.ports import ObservedGroup
from holdfast.rollout.disks.state_directory import StateDirectory, TaskDirectory
from holdfast.rollout.streams.snapshot.snapshot import Generation, Snapshot
from holdfast.workflows.collecting.observed import Reading
from holdfast.workflows.collecting.settling import Patience
from holdfast.workflows.collecting.streams import collect, settings

GROUP = "wc"
A, B, C = "4b61083e-57d0-457d-951f-d06556c148ca", "7156cef1-307e-49c0-a5bb-0f11d26a4933", "bbb83e43-b1af-4b2d-a60a-94a7091684d0"
LOG = "wc-counts-changelog"
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
SETTINGS = settings.read(GROUP, "3.9.1", {}, {"acceptable.recovery.lag": 0})


def source(*tasks: str) -> dict[str, tuple[tuple[str, int], ...]]:
    topics = {"0": "in", "1": "wc-counts-repartition"}
    return {task: ((topics[task[0]], int(task[2:])),) for task in tasks}


def member(process: str, active=(), standby=(), joined=None, thread=1, **more):
    return streams_member(GROUP, process, thread, active=source(*active), standby=source(*standby), joined=joined, **more)


def cluster(*members, state="Stable", **more) -> FakeCluster:
    ends = {TopicPartition(LOG, number): 10 * (number + 1) for number in range(2)}
    group = ObservedGroup(GROUP, state, "consumer", "stream", members)
    partitions = {"in": 2, "wc-counts-repartition": 2, LOG: 2}
    return FakeCluster(**({"views": {GROUP: [group]}, "partitions": partitions, "ends": ends} | more))


def taken(fake: FakeCluster, dirs=None, given=SETTINGS, limit_s=1.0) -> Snapshot:
    clock = iter(range(1000))
    disks = {url: (directory, ()) for url, directory in (dirs or {}).items()}
    patience = Patience(limit_s, sleep=lambda _: None, clock=lambda: float(next(clock)))
    return collect.snapshot(
        fake,
        FakeStateDirectories(disks),
        Reading(None, GROUP, tuple(disks), patience, lambda: NOW),
        given,
    )


def sums(snapshot: Snapshot, process: str) -> dict[str, int]:
    client = snapshot.client(ProcessId.parse(process))
    assert client is not None
    return {str(task): total for consumer in client.consumers for task, total in consumer.task_offset_sums}


def said(snapshot: Snapshot, what: str) -> str:
    return " | ".join(each.reason for each in snapshot.unknown if each.what.startswith(what))


def disk(process: str, **checkpoints: int | None) -> StateDirectory:
    tasks = []
    for name, offset in checkpoints.items():
        task = TaskId.parse(name.removeprefix("t"))
        checkpoint = None if offset is None else ((TopicPartition(LOG, task.partition), offset),)
        tasks.append(TaskDirectory(task, checkpoint, non_empty=True))
    return StateDirectory(f"dir-{process[:4]}", ProcessId.parse(process), tasks=tuple(tasks))


def generation(number: int, *members, completed: datetime = NOW) -> Generation:
    moment = completed.isoformat().replace("+00:00", "Z")
    return Generation(number, moment, members[0].member_id if members else None, "stream", members)
