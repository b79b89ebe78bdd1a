"""The processes of a group (its clients): the members that share a process ID."""

from dataclasses import dataclass

from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot, StreamThread


@dataclass(frozen=True, slots=True)
class Process:
    """`members`: one for each stream thread, in the order of the Snapshot. A member without a process ID is alone."""

    process_id: str | None
    members: tuple[StreamThread, ...]

    @property
    def host(self) -> str | None:
        return self.members[0].host

    @property
    def name(self) -> str:
        return self.process_id or self.members[0].member_id


def processes(snapshot: StreamsGroupSnapshot) -> tuple[Process, ...]:
    """In the order in which the Snapshot first names them."""
    found: dict[str, list[StreamThread]] = {}
    for member in snapshot.members:
        found.setdefault(member.process_id or f"\0{member.member_id}", []).append(member)
    return tuple(Process(members[0].process_id, tuple(members)) for members in found.values())


def static_clients(snapshot: StreamsGroupSnapshot) -> tuple[str, ...]:
    """The process IDs of the clients whose members have instance IDs."""
    return tuple(dict.fromkeys(one.process_id for one in snapshot.members if one.instance_id is not None and one.process_id))
