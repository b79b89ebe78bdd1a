"""Small groups of every kind, at rest, as the doctor of settings and its tests need them: made by the model itself."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from holdfast.kafka.consumer.group import Assignor, Member
from holdfast.kafka.streams.config_check import ConfigValue
from holdfast.kafka.streams.group import Changelog, Client, Consumer, Task
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.rollout.broker_streams.snapshot.snapshot import (
    GroupTopology,
    Owned,
    PartitionLog,
    StreamsGroupSnapshot,
    StreamThread,
    TopicsOfSubtopology,
)
from holdfast.rollout.broker_streams.snapshot.snapshot import Topic as BrokerTopic
from holdfast.rollout.broker_streams.target.target import decide
from holdfast.rollout.consumer.snapshot.snapshot import ConsumedTopic, ConsumerSnapshot
from holdfast.rollout.json.consumed_topics import ConsumedPartition
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events.set_config import SetConfig
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Stores, Topic, TopicPartitionInfo

NOW = "2026-11-24T12:00:00Z"


@dataclass(frozen=True)
class Shape:
    """A group: `tasks` stateful ones with `log` records each."""

    release: str | None = "3.9.1"
    clients: int = 3
    threads: int = 2
    tasks: int = 12
    log: int = 5_000
    changelogs: int = 1
    static: tuple[bool, ...] = ()
    """Client by client; short of that: dynamic."""
    racks: tuple[str | None, ...] = ()
    tags: tuple[tuple[tuple[str, str], ...], ...] = ()
    replica_racks: tuple[str | None, ...] = (None, None, None)
    changelog_replicas: int | None = None
    stores: Stores | None = Stores.PERSISTENT


def process_id(number: int) -> ProcessId:
    """Spread over the whole order."""
    return ProcessId.of(UUID(int=(number * 0x3777_1111_5555_0000_0000_0000_0000_0001) % 2**128, version=4))


def streams(shape: Shape = Shape(), config: Mapping[str, ConfigValue] | None = None) -> Snapshot:
    """A classic Streams group, settled by the model with these settings."""
    group_id = "app"
    sources = [TopicPartition("in", number) for number in range(shape.tasks)]
    tasks = tuple(
        Task(
            TaskId(0, number),
            (sources[number],),
            tuple(Changelog(f"{group_id}-s{which}-changelog", number, shape.log) for which in range(shape.changelogs)),
        )
        for number in range(shape.tasks)
    )
    racks = shape.replica_racks
    of_changelogs = racks if shape.changelog_replicas is None else racks[: shape.changelog_replicas]
    names = [("in", racks), *((f"{group_id}-s{which}-changelog", of_changelogs) for which in range(shape.changelogs))]
    snapshot = Snapshot(
        cluster="test",
        group_id=group_id,
        captured_at=NOW,
        task_assignor=None,
        leader_process_id=None,
        protocol="streams-classic",
        group_state="Stable",
        kafka_release=shape.release,
        config=tuple(sorted((config or {}).items())),
        tasks=tasks,
        clients=tuple(_client(shape, number) for number in range(shape.clients)),
        topics=tuple(
            Topic(name, tuple(TopicPartitionInfo(number, placed) for number in range(shape.tasks))) for name, placed in names
        ),
        stores=shape.stores,
    )
    settled = forecast(snapshot, Change((SetConfig(snapshot.config),))).outcomes[0]
    assert settled.stable, "a group at rest"
    return replace(snapshot, clients=settled.clients)


def _client(shape: Shape, number: int) -> Client:
    static = number < len(shape.static) and shape.static[number]
    return Client(
        process_id=process_id(number + 1),
        consumers=tuple(
            Consumer(f"app-{number}-{thread}", f"app-{number}-StreamThread-{thread}", f"i{number}-{thread}" if static else None)
            for thread in range(shape.threads)
        ),
        host=f"host-{number}",
        rack=shape.racks[number] if number < len(shape.racks) else None,
        client_tags=shape.tags[number] if number < len(shape.tags) else (),
    )


def by_broker(
    config: Mapping[str, ConfigValue] | None = None,
    *,
    clients: int = 3,
    tasks: int = 6,
    log: int = 5_000,
    static: bool = False,
    release: str = "4.3.1",
) -> StreamsGroupSnapshot:
    """A streams group whose broker assigns, with its target."""
    members = tuple(
        StreamThread(
            member_id=f"m{number}",
            process_id=str(process_id(number + 1)),
            client_id=f"c{number}",
            host=f"host-{number}",
            instance_id=f"i{number}" if static else None,
            member_epoch=3,
            assignment=Owned(()),
            target=Owned(()),
        )
        for number in range(clients)
    )
    snapshot = StreamsGroupSnapshot(
        group_id="app",
        members=members,
        broker_release=release,
        group_state="Stable",
        group_epoch=3,
        assignment_epoch=3,
        config=tuple(sorted((config or {}).items())),
        topology=GroupTopology((TopicsOfSubtopology("0", ("in",), changelog_topics=("app-s-changelog",)),), 0),
        topics=(
            BrokerTopic("in", tasks),
            BrokerTopic("app-s-changelog", tasks, tuple(PartitionLog(number, 0, log) for number in range(tasks))),
        ),
    )
    given = {one.member_id: Owned(one.active, one.standby) for one in decide(snapshot).members}
    return replace(
        snapshot,
        members=tuple(replace(one, assignment=given[one.member_id], target=given[one.member_id]) for one in snapshot.members),
    )


def consumers(
    config: Mapping[str, ConfigValue] | None = None,
    *,
    count: int = 3,
    release: str | None = "3.9.1",
    racks: tuple[str | None, ...] = (),
    replica_racks: tuple[str | None, ...] = (None, None, None),
    static: tuple[bool, ...] = (),
    assignor: Assignor = Assignor.RANGE,
) -> ConsumerSnapshot:
    """A consumer group that owns what the range assignor gives it, whichever it has."""
    partitions = 6
    owned = [
        tuple(TopicPartition("in", number) for number in range(partitions) if number * count // partitions == which)
        for which in range(count)
    ]
    members = tuple(
        Member(
            member_id=f"c{which}",
            assignors=(assignor,),
            subscription=("in",),
            owned=owned[which],
            owned_generation=1,
            group_instance_id=f"i{which}" if which < len(static) and static[which] else None,
            rack=racks[which] if which < len(racks) else None,
            client_id=f"c{which}",
            host=f"host-{which}",
        )
        for which in range(count)
    )
    return ConsumerSnapshot(
        cluster="test",
        group_id="readers",
        captured_at=NOW,
        generation=1,
        protocol="consumer-classic",
        group_state="Stable",
        kafka_release=release,
        broker_release="3.9.1",
        leader_member_id="c0",
        members=members,
        topics=(ConsumedTopic("in", tuple(ConsumedPartition(replica_racks, 0, 10, 10) for _ in range(partitions))),),
        config=tuple(sorted((config or {}).items())),
    )
