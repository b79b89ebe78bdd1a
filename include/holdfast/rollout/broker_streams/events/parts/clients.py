"""Clients that are started in a scene."""

from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.rollout.broker_streams.events.parts import new_client, scene
from holdfast.rollout.broker_streams.events.parts.new_client import NewClient
from holdfast.rollout.broker_streams.events.parts.scene import Following, Scene
from holdfast.rollout.coordinated.roster import quoted


def started(before: Scene, client: NewClient, prefix: str) -> Scene:
    """`prefix`: of its fields in messages, like `by.`."""
    process_id, member_ids = new_client.ids(client)
    if before.running(process_id):
        raise InvalidInput(
            f"the process ID {quoted(process_id)} is in the group already; no two clients may have the same", f"{prefix}process_id"
        )
    field = f"{prefix}member_ids"
    if not client.first_thread_alone:
        return scene.joined(before, process_id, member_ids, field)
    first = scene.joined(before, process_id, member_ids[:1], field)
    if first.delayed:
        return scene.joined(first, process_id, member_ids[1:], field)
    return replace(first, follow=Following(process_id, member_ids[1:], field))
