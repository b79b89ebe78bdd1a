"""Clients that are started in a scene."""

from holdfast.errors import InvalidInput
from holdfast.rollout.broker_streams.events.parts import new_client, scene
from holdfast.rollout.broker_streams.events.parts.new_client import NewClient
from holdfast.rollout.broker_streams.events.parts.scene import Scene, quoted


def started(before: Scene, client: NewClient, prefix: str) -> Scene:
    """`prefix`: of its fields in messages, like `by.`."""
    process_id, member_ids = new_client.ids(client)
    if before.running(process_id):
        raise InvalidInput(
            f"the process ID {quoted(process_id)} is in the group already; no two clients may have the same", f"{prefix}process_id"
        )
    return scene.joined(before, process_id, member_ids, f"{prefix}member_ids")
