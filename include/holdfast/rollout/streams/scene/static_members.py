"""Clients with static membership (KIP-345): the broker knows their members by `group.instance.id`."""

from collections.abc import Iterable

from holdfast.kafka.streams.group import Client
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


def is_static(client: Client) -> bool:
    """Whether every one of its members has a `group.instance.id`."""
    return bool(client.consumers) and all(consumer.group_instance_id is not None for consumer in client.consumers)


def all_static(clients: Iterable[Client]) -> bool:
    """Whether all clients are static; false without clients."""
    found = tuple(clients)
    return bool(found) and all(map(is_static, found))


def static_in(snapshot: Snapshot, process_id: ProcessId) -> bool:
    """Whether the client with this ID is in the group, and static."""
    client = snapshot.client(process_id)
    return client is not None and is_static(client)
