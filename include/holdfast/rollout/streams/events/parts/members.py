"""The clients and members of a scene, as events find and change them."""

from collections.abc import Sequence
from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.kafka.streams.group import Client, Consumer
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene

OffsetSums = tuple[tuple[TaskId, int], ...]
ITS_OWN = "its own"
"""Stands for the `group.instance.id` that a new client of a static group gets."""
_NEW_MEMBER = "00000000-0000-0000-0000-000000000000"
"""Stands for the random end of a member ID that the broker has yet to give."""
_SHOWN = 20


def client_of(scene: Scene, process_id: ProcessId, field: str = "process_id") -> Client:
    found = next((client for client in scene.clients if client.process_id == process_id), None)
    if found is None:
        present = ", ".join(
            str(client.process_id) for client in sorted(scene.clients, key=lambda client: client.process_id)[:_SHOWN]
        )
        raise InvalidInput(f"the client {process_id} is not in the group then; there are: {present or 'none'}", field)
    return found


def still_there(scene: Scene, process_id: ProcessId, before: Scene) -> Client:
    """The client with this ID that was there before, where another one has just taken the ID over."""
    same = [client for client in scene.clients if client.process_id == process_id]
    return next((one for one in same if any(one is other for other in before.clients)), None) or client_of(scene, process_id)


def refuse_present(scene: Scene, process_id: ProcessId | None) -> None:
    if any(client.process_id == process_id for client in scene.clients):
        raise InvalidInput(f"the process ID {process_id} is in the group already; no two clients may have the same", "process_id")


def refuse_members_present(scene: Scene, member_ids: Sequence[str]) -> None:
    present = dict.fromkeys(consumer.member_id for client in scene.clients for consumer in client.consumers)
    for one in member_ids:
        if one in present:
            raise InvalidInput(f"the member ID {one!r} is in the group already; give `member_ids` that are not", "member_ids")


def joined(scene: Scene, client: Client) -> Scene:
    return replace(scene, clients=(*scene.clients, client))


def without(scene: Scene, gone: Client) -> Scene:
    return replace(scene, clients=tuple(client for client in scene.clients if client is not gone))


def with_disk(consumers: tuple[Consumer, ...], disk: OffsetSums) -> tuple[Consumer, ...]:
    """The first consumer in member-ID order reports what the disk holds."""
    first = min(consumers, key=lambda consumer: java.string_order(consumer.member_id))
    return tuple(replace(one, task_offset_sums=disk) if one is first else one for one in consumers)


def new_members(member_ids: Sequence[str], instance: str | None) -> tuple[Consumer, ...]:
    return tuple(Consumer(member_id, _client_id(member_id), instance) for member_id in member_ids)


def member_ids_of(group_id: str, process_id: ProcessId, threads: int) -> tuple[str, ...]:
    return tuple(member_id_of(group_id, process_id, number) for number in range(1, threads + 1))


def member_id_of(group_id: str, process_id: ProcessId, thread: int) -> str:
    return f"{group_id}-{process_id}-StreamThread-{thread}-consumer-{_NEW_MEMBER}"


def _client_id(member_id: str) -> str:
    """A dynamic member's ID is its consumer's client ID, a hyphen and a UUID of 36 characters."""
    return member_id[:-37] if len(member_id) > 37 else member_id


def all_started_again(scene: Scene, reports: Reports, *, keeps_state: bool = True) -> Scene:
    """All clients were stopped, and are back with what their disks hold."""
    clients = tuple(
        replace(
            client,
            consumers=with_disk(
                tuple(replace(one, owned=(), task_offset_sums=()) for one in client.consumers),
                reports.on_disk(client) if keeps_state else (),
            ),
        )
        for client in scene.clients
    )
    return replace(scene, clients=clients)
