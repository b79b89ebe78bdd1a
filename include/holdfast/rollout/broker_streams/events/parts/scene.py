"""A streams group between two targets, as its coordinator has it, and how members, configs and topics change it.

What raises the group's epoch, and by how much, is that of `GroupMetadataManager.streamsGroupHeartbeat` and
`streamsGroupFenceMember` (4.2.0 to 4.4.0): each member that joins, leaves or is fenced by one; changed configs and topics by one
with the next heartbeat, a joining one included.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from holdfast.errors import InvalidInput
from holdfast.kafka.coordinator.config_keys import INITIAL_DELAY, decides, number_of
from holdfast.kafka.coordinator.release import Behaviour
from holdfast.kafka.coordinator.streams.group import Member
from holdfast.rollout.broker_streams.snapshot.classic import ClassicGroup
from holdfast.rollout.broker_streams.snapshot.snapshot import GroupTopology, Topic
from holdfast.rollout.coordinated import roster
from holdfast.rollout.coordinated.roster import Roster, quoted
from holdfast.rollout.text.format import some_of


class Following(NamedTuple):
    """Threads that join after a target that the first thread of their client is in."""

    process_id: str
    member_ids: tuple[str, ...]
    field: str


class Leaving(NamedTuple):
    """Groups of members of one client that leave one after the other, each after a target without those before it."""

    groups: tuple[tuple[str, ...], ...]


class Late(NamedTuple):
    """A client that joins anew, with its threads together, once the sessions of these members of it are over."""

    members: tuple[str, ...]
    process_id: str
    member_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene(Roster[Member]):
    """What each member has is set when a target is computed.

    `seen`: of the configs that decide, as the last heartbeat found them; `grown`: topics have grown since. `follow`: a
    target is computed now, and then these join, or leave. `late`: clients that come back once their sessions are over. `classic`:
    the group is still classic, and its members are those of the classic group.
    """

    facts: Behaviour
    topology: GroupTopology
    topics: tuple[Topic, ...]
    seen: tuple[str, str] = ("", "")
    grown: bool = False
    follow: Following | Leaving | None = None
    late: tuple[Late, ...] = ()
    classic: ClassicGroup | None = None

    def present(self) -> tuple[str, ...]:
        """The process IDs of the clients that run, in the order in which their members are listed."""
        return tuple(dict.fromkeys(one.process_id for _, one in self.living()))

    @property
    def unseen(self) -> bool:
        """Whether the next heartbeat finds configs or topics changed."""
        return self.grown or decides(dict(self.config)) != self.seen

    def running(self, process_id: str) -> tuple[str, ...]:
        """The members of that client that run."""
        return tuple(name for name, one in self.living() if one.process_id == process_id)


def raised(scene: Scene, times: int = 1) -> Scene:
    """What follows epoch 0 depends on the release."""
    return roster.raised(scene, times, scene.facts.first_epoch)


# Clients.


def members_of(scene: Scene, process_id: str, field: str = "process_id") -> tuple[str, ...]:
    """The members of a client that runs. Raise InvalidInput where there is none."""
    _refuse_classic(scene, field)
    found = scene.running(process_id)
    if not found:
        there = some_of([quoted(one) for one in scene.present()])
        raise InvalidInput(f"the client {quoted(process_id)} is not in the group then; there are: {there}", field)
    return found


def joined(scene: Scene, process_id: str, member_ids: Iterable[str], field: str = "member_ids") -> Scene:
    """One member after the other joins, with nothing. The heartbeat of each sees changed configs and topics."""
    _refuse_classic(scene, field)
    for member_id in member_ids:
        if member_id in scene.members:
            raise InvalidInput(f"the member ID {quoted(member_id)} is in the group already; give one that is not", field)
        first = not scene.members
        scene = replace(
            raised(scene),
            members=scene.members | {member_id: Member(member_id, process_id)},
            moves=(*scene.moves, (member_id, True)),
            seen=decides(dict(scene.config)),
            grown=False,
            forgotten=scene.forgotten or (first and scene.facts.interval_ends_when_empty),
            delayed=scene.delayed or (first and number_of(dict(scene.config), INITIAL_DELAY) > 0),
        )
    return scene


def _refuse_classic(scene: Scene, field: str) -> None:
    if scene.classic is not None:
        raise InvalidInput("the group is still classic: all of its clients stop first (stop_classic_clients)", field)


def refuse_streams(scene: Scene, field: str) -> None:
    """Of what is done to classic groups only: raise InvalidInput where the group is none."""
    if scene.classic is None:
        raise InvalidInput("the group is a streams group already", field)


def emptied(scene: Scene) -> Scene:
    """The classic group has no members any more. The coordinator deletes it when the first streams member joins, and begins a
    streams group of which it knows nothing (`maybeDeleteEmptyClassicGroup`)."""
    return replace(scene, classic=None, members={}, instances={})


def followed(scene: Scene) -> Scene:
    """The other threads of the client join: within the assignment interval; without one each makes a target. Or the next group of
    its threads leaves."""
    if scene.follow is None:
        return scene
    if isinstance(scene.follow, Leaving):
        return gone_apart(replace(scene, follow=None), scene.follow.groups)
    process_id, member_ids, field = scene.follow
    count = len(member_ids) if scene.facts.has_interval else 1
    after = joined(replace(scene, follow=None), process_id, member_ids[:count], field)
    rest = member_ids[count:]
    return after if scene.facts.has_interval else replace(after, follow=Following(process_id, rest, field) if rest else None)


def gone(scene: Scene, member_ids: Iterable[str]) -> Scene:
    """These leave, or their sessions are over."""
    return roster.gone(scene, member_ids, scene.facts.first_epoch)


def gone_apart(scene: Scene, groups: tuple[tuple[str, ...], ...]) -> Scene:
    """These leave, with a target between two groups."""
    first, *rest = groups
    return replace(gone(scene, first), follow=Leaving(tuple(rest)) if rest else None)


def groups_of(member_ids: tuple[str, ...], apart: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """`apart` of a client with these members, or all of them together. Raise InvalidInput where it does not name each once."""
    if apart and sorted(one for group in apart for one in group) != sorted(member_ids):
        there = some_of([quoted(one) for one in member_ids])
        raise InvalidInput(f"each member of the client is needed once; its members are then: {there}", "apart")
    return apart or (member_ids,)


# Configs and topics.


def topic_of(scene: Scene, name: str) -> Topic:
    found = next((one for one in scene.topics if one.name == name), None)
    if found is None:
        there = some_of([quoted(one.name) for one in scene.topics])
        raise InvalidInput(f"the topic {quoted(name)} is none of the group's topology; its topics are: {there}", "topic")
    return found
