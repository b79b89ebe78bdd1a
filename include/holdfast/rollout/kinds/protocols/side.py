"""What a protocol is asked for: one deploy of a group, forecast. Each kind of group answers in a module of its own."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.requests import Request, What
from holdfast.rollout.facts.moves import Prevention
from holdfast.rollout.kinds.protocols.comparison import Applied, DeployKind, Limit

I = TypeVar("I")  # noqa: E741
"""An item of a Change."""


WORK = 150_000
"""Tasks (partitions) and members that the draws of one price may look at together."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What one deploy costs with one draw of random IDs, as `comparison.Figures`. `share`: its probability among those of the same
    draw."""

    moves: int
    rebalances: int
    downtime_s: float | None
    cold_moves: int | None = None
    restored_bytes: int | None = None
    restored_records: int | None = None
    share: float = 1.0


class Side(ABC):
    """A group under one protocol. `release`: of the coordinator; None: its own leader assigns. `now`: what the group has."""

    protocol: str
    release: str | None = None
    applied: tuple[Applied, ...] = ()
    now: bool = False
    is_move: bool = False
    """Whether the move to it is priced."""
    prevents: tuple[Prevention, ...] = ()
    limits: tuple[Limit, ...] = ()

    @abstractmethod
    def members(self) -> int:
        """How many clients (consumers) it has."""

    @abstractmethod
    def is_random(self, deploy: DeployKind) -> bool:
        """Whether random IDs have a say in what it costs, for one and the same client."""

    @abstractmethod
    def work(self) -> int:
        """What one rebalance of it looks at: tasks (partitions) and members."""

    def rebalances(self, deploy: DeployKind) -> int:
        """About how many there are to forecast in one draw."""
        return 2 * max(1, self.members()) + 1 if deploy is DeployKind.RESTART else 2

    @abstractmethod
    def drawn(self, deploy: DeployKind, draw: int) -> tuple[Drawn, ...]:
        """What it costs with the IDs of that draw: where all outcomes are known, each of them. The client that is replaced, or
        leaves, is the one with the number `draw`, beginning anew after the last.

        Raise CannotPredict or Unsupported where nothing can be predicted, InvalidInput where the group cannot go through it.
        """

    def move_drawn(self, draw: int) -> Drawn:
        """What the move costs with the IDs of that draw, where it is priced. Raise as `drawn` does."""
        raise AssertionError(f"the move to {self.protocol} is not priced: draw {draw}")


def requests(deploy: DeployKind, members: int, place: str, on_place: int = 1) -> tuple[Request, ...]:
    """What that deploy is in the words of a form, one after the other. `place`: where the client runs that is replaced, or the name
    of the one that leaves; `on_place`: how many run there. Raise InvalidInput where none would be left."""
    if deploy is DeployKind.RESTART:
        return (Request(What.RESTART),)
    if deploy is DeployKind.SCALE_OUT:
        return (Request(What.SCALE, clients=members + 1),)
    if members == on_place:
        raise InvalidInput(f"{place} has all members of the group: without them nothing is left")
    gone = Request(What.SCALE, clients=members - on_place, hosts=(place,))
    return (gone,) if deploy is DeployKind.SCALE_IN else (gone, Request(What.SCALE, clients=members + on_place))


def in_turn(changes: Iterable[Sequence[I]]) -> tuple[I | Then, ...]:
    """The events of several changes, each once the group is stable."""
    found: list[I | Then] = []
    for events in changes:
        found += [*((Then(Wait.STABLE),) if found else ()), *events]
    return tuple(found)


def new_instance(instances: Sequence[str | None], number: int, replaced: str | None) -> str | None:
    """The instance ID of a consumer that comes: it is static if the one is that it replaces, and one more if all are. `instances`:
    of those that are there; `range` goes by their order, in which who comes is the last."""
    there = [one for one in instances if one is not None]
    return f"{max(there)}-{number}" if replaced is not None or (there and len(there) == len(instances)) else None


def name_of(side: Side) -> str:
    """Unique among the protocols of a comparison: `streams-4.3.1+static-members`."""
    release = "" if side.release is None else f"-{side.release}"
    return "+".join((f"{side.protocol}{release}", *(str(one).replace(" ", "-") for one in side.applied)))
