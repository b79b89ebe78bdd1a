"""The members of a group as its coordinator has them between two targets, and what raises the group's epoch.

Java: `GroupMetadataManager.consumerGroupFenceMembers`, `streamsGroupFenceMember` (4.0.0 to 4.4.0): each member that leaves or is
fenced raises it by one, and so does each that joins.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from holdfast.kafka.coordinator import member_table
from holdfast.kafka.coordinator.member_table import Filling, MemberTable, Move
from holdfast.rollout.coordinated.targets import Settings
from holdfast.rollout.text.format import printable

M = TypeVar("M")


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster(Generic[M]):
    """`members`: by ID, those that the coordinator knows. `instances`: the instance IDs of those that are static. `table`: as it
    was at the last target; `moves`: since then. `config`: of the group.

    `dead`: members that ended without leaving, as they ended together, the first to time out first. `epoch` None: unknown.
    `due`: the epoch has been raised since the last target. `delayed`: the group was empty when its first member joined, and an
    initial delay runs. `forgotten`: the same, and its coordinator has forgotten when the last target was computed. `heirs`:
    members that took the places of others, with those; `replaced`: those since the last target in whose
    heartbeats the assignor's map may have both.
    """

    members: dict[str, M]
    instances: dict[str, str]
    table: MemberTable
    config: Settings
    epoch: int | None
    due: bool = False
    delayed: bool = False
    forgotten: bool = False
    moves: tuple[Move, ...] = ()
    dead: tuple[tuple[str, ...], ...] = ()
    heirs: tuple[tuple[str, str], ...] = ()
    replaced: tuple[tuple[str, str], ...] = ()

    def alive(self) -> int:
        """How many members send heartbeats."""
        return sum(1 for _ in self.living())

    def living(self) -> Iterator[tuple[str, M]]:
        """They, by ID."""
        gone = {one for group in self.dead for one in group}
        return ((name, one) for name, one in self.members.items() if name not in gone)

    def fillings(self) -> Iterator[Filling]:
        """How the assignor's map may be filled, the likeliest first, each that makes another map.

        Who computes the target in the heartbeat with which it joins is not in the coordinator's table yet, and comes last; with any
        later heartbeat all are in the table, and when the initial delay is over.
        """
        newcomers = [] if self.delayed else [one for one, joins in self.moves if joins and one in self.members]
        seen = set()
        for filling in (*map(self._by_joining, reversed(newcomers)), self._by_a_later_heartbeat()):
            order = tuple(filling.in_map())
            if order not in seen:
                seen.add(order)
                yield filling

    def _by_joining(self, last: str) -> Filling:
        others = self.table.after(move for move in self.moves if move[0] != last).order()
        return member_table.filled(others, last, dict(self.replaced).get(last))

    def _by_a_later_heartbeat(self) -> Filling:
        return Filling(self.table.after(self.moves).order(), len(self.members))


R = TypeVar("R", bound=Roster)  # type: ignore[type-arg]


def quoted(name: str) -> str:
    return f"'{printable(name)}'"


def raised(roster: R, times: int = 1, first_epoch: int = 1) -> R:
    """`first_epoch`: what follows epoch 0."""
    if roster.epoch is None or not times:
        return replace(roster, due=roster.due or bool(times))
    epoch = first_epoch + times - 1 if roster.epoch == 0 else roster.epoch + times
    return replace(roster, epoch=epoch, due=True)


def gone(roster: R, member_ids: Iterable[str], first_epoch: int = 1) -> R:
    """These leave, or their sessions are over."""
    leaving = dict.fromkeys(member_ids)
    return replace(
        raised(roster, len(leaving), first_epoch),
        members={name: one for name, one in roster.members.items() if name not in leaving},
        moves=(*roster.moves, *((one, False) for one in leaving)),
    )


def ended(roster: R, member_ids: tuple[str, ...], apart: tuple[tuple[str, ...], ...] = ()) -> R:
    """These end without leaving: the coordinator keeps them until their sessions are over. `apart`: in these groups."""
    first, *rest = apart or (member_ids,)
    return replace(roster, dead=(*roster.dead[:-1], (*roster.dead[-1], *first), *rest))
