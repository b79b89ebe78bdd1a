"""Static members (`group.instance.id`): who stops stays in the group; who comes back under its instance ID takes its place.

Java: `GroupMetadataManager.streamsGroupStaticMemberGroupLeave` and `replaceStreamsMember` (4.4.0). A member that stops says so with
the epoch -2: nothing is computed, and its session goes on. With the epoch -1 it leaves as a dynamic one does, and its instance ID
is free again. Who joins with its instance ID gets its target and its tasks under a new
member ID; the group's epoch is raised where the process ID is another. After a crash the instance ID is refused
(UNRELEASED_INSTANCE_ID) until the session is over.
"""

from collections.abc import Iterable
from dataclasses import replace

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka import java
from holdfast.kafka.coordinator.config_keys import decides
from holdfast.kafka.coordinator.streams.group import Member
from holdfast.rollout.broker_streams.events.parts import scene as scenes
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.coordinated.roster import quoted


def are_static(scene: Scene, member_ids: Iterable[str]) -> bool:
    """Whether these members of a client are static. Raise CannotPredict where only some are, or their release refuses them."""
    found = [one in scene.instances for one in member_ids]
    if any(found) and not (all(found) and scene.facts.static_members):
        raise CannotPredict(
            "process_id: only some of the client's members are static (group.instance.id), or its coordinator is older than 4.4,"
            " which refuses them: what it does when the client stops is unknown"
        )
    return any(found)


def stays(scene: Scene, member_ids: Iterable[str], *, leaves_group: bool) -> bool:
    """Whether the members of a client that is closed stay in the group. Raise InvalidInput where dynamic ones are to leave: they
    always do."""
    are = are_static(scene, member_ids)
    if leaves_group and not are:
        raise InvalidInput("its members are dynamic, and leave whenever they are closed; leave this out", "leaves_group")
    return are and not leaves_group


def became(scene: Scene, member_ids: Iterable[str]) -> Scene:
    """These are static from now on, with instance IDs in this order. InvalidInput where the coordinator's release refuses them."""
    if not scene.facts.static_members:
        raise InvalidInput("the coordinator refuses static members of streams groups before Kafka 4.4", "becomes_static")
    return replace(scene, instances=scene.instances | {one: f"{number:06}" for number, one in enumerate(member_ids)})


def returned(scene: Scene, stopped: tuple[str, ...], process_id: str, member_ids: tuple[str, ...]) -> Scene:
    """The client is back within its session, with these members: one for each instance ID, in their order (as Java orders strings).
    With fewer the others stay until their session is over; more are new members."""
    if process_id not in {scene.members[one].process_id for one in stopped} and scene.running(process_id):
        raise InvalidInput(
            f"the process ID {quoted(process_id)} is in the group already; no two clients may have the same", "new_process_id"
        )
    olds = sorted(stopped, key=lambda one: java.string_order(scene.instances[one]))
    for old, new in zip(olds, member_ids, strict=False):
        scene = _replaced(scene, old, new, process_id)
    more = member_ids[len(olds) :]
    return scenes.joined(scene, process_id, more) if more else scene


def _replaced(scene: Scene, old: str, new: str, process_id: str) -> Scene:
    if new in scene.members:
        raise InvalidInput(f"the member ID {quoted(new)} is in the group already; give one that is not", "member_ids")
    changes = scene.unseen or scene.members[old].process_id != process_id
    members = {name: one for name, one in scene.members.items() if name != old}
    return replace(
        scenes.raised(scene, int(changes)),
        members=members | {new: Member(new, process_id)},
        instances={name: one for name, one in scene.instances.items() if name != old} | {new: scene.instances[old]},
        moves=(*scene.moves, (old, False), (new, True)),
        heirs=(*scene.heirs, (new, old)),
        dead=tuple(tuple(one for one in group if one != old) for group in scene.dead),
        seen=decides(dict(scene.config)),
        grown=False,
    )
