"""What each event of a Change does to a group, before the rebalance it causes: rules 4 and 5 of a forecast (see `evolution`)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, assert_never

from holdfast.errors import CannotPredict, InvalidInput, Unsupported
from holdfast.kafka import java
from holdfast.kafka.release import RELEASES, behaviour
from holdfast.kafka.streams.group import Client, Consumer
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.batches import FromOld
from holdfast.rollout.contract.requests import Disk
from holdfast.rollout.streams.change.change import (
    AddClient,
    AddPartitions,
    Batch,
    Event,
    NewClient,
    RemoveClient,
    ReplaceClient,
    RestartClient,
    SetConfig,
    SetRelease,
    SetThreads,
    SetTopology,
    StopApplication,
)
from holdfast.rollout.streams.change.presence import gone_and_came
from holdfast.rollout.streams.events import more_partitions, outage, static_members, thread_count, topology_change
from holdfast.rollout.streams.events.evolution import Reports
from holdfast.rollout.streams.events.scene import Scene

T = TypeVar("T")

_NEW_MEMBER = "00000000-0000-0000-0000-000000000000"
"""Stands for the random end of a member ID that the broker has yet to give."""

_ITS_OWN = "its own"
"""Stands for the `group.instance.id` that a new client of a static group gets."""

OffsetSums = tuple[tuple[TaskId, int], ...]


def apply(scene: Scene, batch: Batch, reports: Reports) -> Scene:
    """The scene after events that take effect together. Raise InvalidInput for one that does not fit the group."""
    for _, event in batch.events:
        if isinstance(event, SetRelease) and event.kafka_release in RELEASES:
            reports = reports.read_by(event.kafka_release)  # whoever starts now reads its disk as the new one does
    before = scene = replace(scene, delay_s=0, stopped=(), down=(), clients=(*scene.clients, *scene.away))
    left = {process_id for _, event in batch.events for process_id in gone_and_came(event)[0]}
    for index, event in batch.events:
        try:
            scene = _apply(scene, event, _Before(before, left), reports)
        except InvalidInput as problem:
            raise InvalidInput(problem.problem, f"events[{index}].{_verb(event)}.{problem.where}") from None
    if len({client.process_id for client in scene.clients}) < len(scene.clients):
        index = batch.events[-1][0]
        raise InvalidInput("two clients would have one process ID once these events have taken effect", f"events[{index}]")
    return _with_leader(replace(scene, away=()))


def missed(scene: Scene, batch: Batch) -> Scene | None:
    """The scene once the sessions of clients that return late are over, they away; None: no event's client does.

    Raise InvalidInput for one that is not in the group.
    """
    late = [(index, event) for index, event in batch.events if isinstance(event, ReplaceClient | RestartClient) and event.late]
    if not late:
        return None
    gone = []
    for index, event in late:
        try:
            gone.append(_client(scene, event.process_id))
        except InvalidInput as problem:
            raise InvalidInput(problem.problem, f"events[{index}].{_verb(event)}.{problem.where}") from None
    after = outage.stopped(replace(scene, delay_s=0, stopped=(), down=()), tuple(gone), outage.session_timeout_s(scene))
    for one in gone:
        after = _without(after, one)
    return _with_leader(replace(after, away=tuple(gone)))


def started(batch: Batch, clients: tuple[Client, ...]) -> tuple[ProcessId, ...]:
    """The clients that begin anew with these events: whatever they ran before, they run nothing now."""
    return tuple(process_id for _, event in batch.events for process_id in _starts(event, clients))


def _starts(event: Event, clients: tuple[Client, ...]) -> tuple[ProcessId, ...]:
    match event:
        case AddClient(client) | ReplaceClient(by=client):
            return () if client.process_id is None else (client.process_id,)
        case RestartClient(within_session=True, keeps_state=True):
            return ()
        case RestartClient(process_id, keeps_process_id, new_process_id):
            return (process_id,) if keeps_process_id or new_process_id is None else (new_process_id,)
        case StopApplication() | SetTopology():
            return tuple(client.process_id for client in clients)
        case RemoveClient() | SetThreads() | SetConfig() | SetRelease() | AddPartitions():
            return ()
        case _:
            assert_never(event)


@dataclass(frozen=True, slots=True)
class _Before:
    """The scene before events that take effect together, and the process IDs that clients leave in them: others may take those."""

    scene: Scene
    left: set[ProcessId]


def _apply(scene: Scene, event: Event, before: _Before, reports: Reports) -> Scene:
    match event:
        case AddClient(client):
            _refuse_present(scene, client.process_id)
            disk = () if client.process_id is None else dict(scene.disks).get(client.process_id, ())
            return _joined(scene, _made(scene, client, None, disk))
        case RemoveClient(process_id, leaves):
            gone = _still_there(scene, process_id, before)
            return _without(outage.stopped(scene, (gone,), outage.session_timeout_s(scene)) if leaves is False else scene, gone)
        case ReplaceClient():
            return _replaced(scene, event, before, reports)
        case RestartClient():
            return _restarted(scene, event, before, reports)
        case SetThreads():
            return _with_threads(scene, event, reports)
        case AddPartitions():
            return _with_partitions(scene, event)
        case StopApplication(minutes):
            return _started_again(outage.down(scene, minutes), reports)
        case SetTopology():
            topology_change.refuse_what_does_not_fit(scene.tasks, event)
            return replace(_started_again(scene, reports, keeps_state=event.keeps_state), tasks=event.tasks)
        case SetConfig(settings):
            there = dict(scene.config) | dict(settings)
            return replace(scene, config=tuple(sorted((key, value) for key, value in there.items() if value is not None)))
        case SetRelease(kafka_release):
            return _upgraded(scene, kafka_release, reports)
        case _:
            assert_never(event)


def _with_threads(scene: Scene, event: SetThreads, reports: Reports) -> Scene:
    client = _client(scene, event.process_id)
    more = event.threads - len(client.consumers)
    if scene.kafka_release is not None and not behaviour(scene.kafka_release).threads_can_change:
        raise InvalidInput(
            f"Kafka Streams {scene.kafka_release} has as many threads as it started with (KIP-663 came with 2.8); use"
            " restart_client with `threads`",
            "threads",
        )
    if not more:
        raise InvalidInput(f"{event.process_id} has {event.threads} threads already", "threads")
    came: tuple[str, ...] = ()
    if more > 0:
        numbers = thread_count.free_numbers(client, more)
        came = event.member_ids or tuple(_member_id(scene.group_id, event.process_id, number) for number in numbers)
        if len(came) != more:
            raise InvalidInput(f"{more} member IDs are needed, those of the new threads; {len(came)} were found", "member_ids")
        _refuse_members_present(scene, came)
    changed = thread_count.changed(client, event, came, reports)
    return replace(scene, clients=tuple(changed if one is client else one for one in scene.clients))


def _with_partitions(scene: Scene, event: AddPartitions) -> Scene:
    if dict(scene.config).get("rack.aware.assignment.strategy", "none") != "none":
        raise CannotPredict(
            f"The tasks of this group are placed by rack, and the racks of the new partitions of {event.topic} are not known."
            " Add them, and take a snapshot."
        )
    tasks = more_partitions.tasks_after(scene.tasks, event)
    failure = scene.failure or more_partitions.failure(scene.tasks, tasks, event)
    return replace(scene, tasks=tasks, failure=failure, notes=(*scene.notes, *more_partitions.notes(tasks, event)))


def _started_again(scene: Scene, reports: Reports, *, keeps_state: bool = True) -> Scene:
    """Everybody was down, and is back with what its disk holds."""
    clients = tuple(
        replace(
            client,
            consumers=_with_disk(
                tuple(replace(one, owned=(), task_offset_sums=()) for one in client.consumers),
                reports.on_disk(client) if keeps_state else (),
            ),
        )
        for client in scene.clients
    )
    return replace(scene, clients=clients)


def _upgraded(scene: Scene, kafka_release: str, reports: Reports) -> Scene:
    """Every member writes the metadata version of the release from now on, and counts what lies on its disk as that does."""
    try:
        counts = behaviour(kafka_release).closed_copy_counts_last_record
    except Unsupported as refusal:
        raise InvalidInput(str(refusal), "kafka_release") from None
    taken_over = counts and not (scene.kafka_release and behaviour(scene.kafka_release).closed_copy_counts_last_record)

    def upgraded(one: Consumer) -> Consumer:
        sums = tuple((task, reports.taken_over(task, total)) for task, total in one.task_offset_sums) if taken_over else None
        return replace(one, metadata_version=None, task_offset_sums=one.task_offset_sums if sums is None else sums)

    clients = tuple(replace(client, consumers=tuple(map(upgraded, client.consumers))) for client in scene.clients)
    return replace(scene, clients=clients, kafka_release=kafka_release)


def _replaced(scene: Scene, event: ReplaceClient, before: _Before, reports: Reports) -> Scene:
    old = _still_there(scene, event.process_id, before)
    assert event.by.process_id is not None, "random IDs are drawn before"
    rest = _without(outage.missed(scene, old, event.by.process_id), old)
    _refuse_present(rest, event.by.process_id)
    match event.disk:
        case Disk.EMPTY:
            disk: OffsetSums = ()
        case Disk.KEPT:
            disk = reports.on_disk(old)
        case Disk.COPIED:
            assert event.copied_from is not None, "a copy has a source"
            disk = reports.on_disk(_client(before.scene, event.copied_from, "state.copied_from"))
        case _:
            assert_never(event.disk)
    return _joined(rest, _made(rest, event.by, old, disk))


def _restarted(scene: Scene, event: RestartClient, before: _Before, reports: Reports) -> Scene:
    old = _still_there(scene, event.process_id, before)
    process_id = event.process_id if event.keeps_process_id else event.new_process_id
    assert process_id is not None, "random IDs are drawn before"
    if process_id != old.process_id and process_id not in before.left:
        _refuse_present(scene, process_id)
    if event.within_session:
        returned = static_members.returned(old, event, process_id, reports, scene.tasks)
        leads = process_id if scene.leader_process_id == old.process_id else scene.leader_process_id  # the broker keeps it
        there = tuple(returned if client is old else client for client in scene.clients)
        return replace(scene, clients=there, leader_process_id=leads)
    member_ids = event.member_ids
    if event.threads is not None and member_ids is None and event.threads != len(old.consumers):
        member_ids = _member_ids(scene.group_id, process_id, event.threads)
    consumers = _restarted_consumers(scene, old, process_id, member_ids)
    if event.threads is not None and event.threads != len(consumers):
        raise InvalidInput(f"{event.threads} threads need as many member IDs, {len(consumers)} were found", "member_ids")
    if event.keeps_state:
        consumers = _with_disk(consumers, reports.on_disk(old))
    restarted = replace(old, process_id=process_id, consumers=consumers)
    there = tuple(restarted if client is old else client for client in scene.clients)
    return replace(outage.missed(scene, old, process_id), clients=there)


def _restarted_consumers(
    scene: Scene, old: Client, process_id: ProcessId, member_ids: tuple[str, ...] | None
) -> tuple[Consumer, ...]:
    """A restarted client's members: the old IDs unless others are given."""
    if member_ids is None:
        return tuple(replace(consumer, owned=(), task_offset_sums=()) for consumer in old.consumers)
    if len(member_ids) != len(old.consumers) and member_ids != _member_ids(scene.group_id, process_id, len(member_ids)):
        raise InvalidInput(
            f"one member ID a thread is needed ({len(old.consumers)}), {len(member_ids)} were found; `threads` changes that",
            "member_ids",
        )
    _refuse_members_present(replace(scene, clients=tuple(client for client in scene.clients if client is not old)), member_ids)
    instance = _ITS_OWN if static_members.is_static(old) else None
    return tuple(Consumer(member_id, _client_id(member_id), instance) for member_id in member_ids)


def _made(scene: Scene, new: NewClient, old: Client | None, disk: OffsetSums) -> Client:
    """The client that `new` describes, as it joins."""
    assert new.process_id is not None, "random IDs are drawn before"
    threads = new.threads
    if threads is None:
        like = new.member_ids or (old.consumers if old is not None else ())
        assert like, "only a replacement, or a client with member IDs, may leave its threads out"
        threads = len(like)
    member_ids = new.member_ids or _member_ids(scene.group_id, new.process_id, threads)
    if len(member_ids) != threads:
        raise InvalidInput(f"one member ID a thread is needed ({threads}), {len(member_ids)} were found", "member_ids")
    _refuse_members_present(scene, member_ids)
    instance = _ITS_OWN if static_members.all_static(scene.clients) else None
    return Client(
        process_id=new.process_id,
        consumers=_with_disk(tuple(Consumer(member_id, _client_id(member_id), instance) for member_id in member_ids), disk),
        host=_inherited(new.host, old.host if old else None),
        rack=_inherited(new.rack, old.rack if old else None),
        client_tags=_inherited(new.client_tags, old.client_tags if old else ()),
        user_endpoint=_inherited(new.user_endpoint, old.user_endpoint if old else None),
    )


def _inherited(given: T | FromOld, inherited: T) -> T:
    return inherited if isinstance(given, FromOld) else given


def _with_disk(consumers: tuple[Consumer, ...], disk: OffsetSums) -> tuple[Consumer, ...]:
    """The first consumer in member-ID order reports what the disk holds."""
    first = min(consumers, key=lambda consumer: java.string_order(consumer.member_id))
    return tuple(replace(one, task_offset_sums=disk) if one is first else one for one in consumers)


def _member_ids(group_id: str, process_id: ProcessId, threads: int) -> tuple[str, ...]:
    return tuple(_member_id(group_id, process_id, number) for number in range(1, threads + 1))


def _member_id(group_id: str, process_id: ProcessId, thread: int) -> str:
    return f"{group_id}-{process_id}-StreamThread-{thread}-consumer-{_NEW_MEMBER}"


def _client_id(member_id: str) -> str:
    """A dynamic member's ID is its consumer's client ID, a hyphen and a UUID of 36 characters."""
    return member_id[:-37] if len(member_id) > 37 else member_id


def _client(scene: Scene, process_id: ProcessId, field: str = "process_id") -> Client:
    found = next((client for client in scene.clients if client.process_id == process_id), None)
    if found is None:
        there = ", ".join(str(client.process_id) for client in sorted(scene.clients, key=lambda client: client.process_id)[:_SHOWN])
        raise InvalidInput(f"the client {process_id} is not in the group then; there are: {there or 'none'}", field)
    return found


def _still_there(scene: Scene, process_id: ProcessId, before: _Before) -> Client:
    """The client with this ID that was there before, where another one has just taken the ID over."""
    same = [client for client in scene.clients if client.process_id == process_id]
    return next((one for one in same if any(one is other for other in before.scene.clients)), None) or _client(scene, process_id)


_SHOWN = 20


def _refuse_present(scene: Scene, process_id: ProcessId | None) -> None:
    if any(client.process_id == process_id for client in scene.clients):
        raise InvalidInput(f"the process ID {process_id} is in the group already; no two clients may have the same", "process_id")


def _refuse_members_present(scene: Scene, member_ids: Sequence[str]) -> None:
    present = dict.fromkeys(consumer.member_id for client in scene.clients for consumer in client.consumers)
    for member_id in member_ids:
        if member_id in present:
            raise InvalidInput(f"the member ID {member_id!r} is in the group already; give `member_ids` that are not", "member_ids")


def _joined(scene: Scene, client: Client) -> Scene:
    return replace(scene, clients=(*scene.clients, client))


def _without(scene: Scene, gone: Client) -> Scene:
    return replace(scene, clients=tuple(client for client in scene.clients if client is not gone))


def _with_leader(scene: Scene) -> Scene:
    """The leader stays; if its process is gone, the smallest process ID leads. One that nobody knew stays unknown."""
    there = tuple(client.process_id for client in scene.clients)
    if scene.leader_process_id is None or scene.leader_process_id in there:
        return scene
    return replace(scene, leader_process_id=min(there, default=None))


def _verb(event: Event) -> str:
    match event:
        case AddClient():
            return "add_client"
        case RemoveClient():
            return "remove_client"
        case ReplaceClient():
            return "replace_client"
        case RestartClient():
            return "restart_client"
        case SetConfig():
            return "set_config"
        case SetRelease():
            return "set_release"
        case SetThreads():
            return "set_threads"
        case AddPartitions():
            return "add_partitions"
        case StopApplication():
            return "stop_application"
        case SetTopology():
            return "set_topology"
        case _:
            assert_never(event)
