"""What a kind of classic group provides to be compared: the protocols that it could have, its move, and its past."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.facts import moves
from holdfast.rollout.facts.moves import Prevention
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.kinds.protocols.comparison import ComparedProtocol, Move, MoveStep, StepKind
from holdfast.rollout.kinds.protocols.deploys import Seen
from holdfast.rollout.kinds.protocols.side import Side
from holdfast.rollout.policy.policy import Policy

S = TypeVar("S", bound=AnySnapshot)
UNKNOWN = (
    Unknown("random IDs", "every start makes new ones: figures are means over draws of them"),
    Unknown("start-up", "how long a client takes to start is as the policy says; it decides the downtime, and nothing else"),
)


@dataclass(frozen=True, slots=True)
class About:
    """As the fields of a `ProtocolComparison`."""

    members: int
    assigned: int
    unknown: tuple[Unknown, ...]


class Comparable(Generic[S]):
    """`protocol`: of its Snapshots."""

    protocol: ClassVar[str]

    @abstractmethod
    def refuse_unsettled(self, snapshot: S) -> None:
        """Raise CannotPredict for a group that is not at rest."""

    @abstractmethod
    def about(self, snapshot: S) -> About: ...

    @abstractmethod
    def sides(self, snapshot: S, policy: Policy, seed: int) -> Iterator[Side]:
        """The protocols that it could have, what it has now first."""

    @abstractmethod
    def move(self, snapshot: S, prevents: Sequence[Prevention]) -> Move:
        """`prevents`: what keeps it from the new protocol, whatever the release."""

    @abstractmethod
    def seen(self, snapshot: S, generations: Iterable[Generation] | None) -> tuple[Seen, ...]:
        """Its completed rebalances, as they are counted; `generations` None: those that its Snapshot has."""


def from_every_release(compared: Iterable[ComparedProtocol]) -> list[Prevention]:
    """What keeps a group from the new protocol, whatever the release."""
    new = [one for one in compared if one.release is not None]
    return [one for one in (new[0].prevents if new else ()) if all(one in other.prevents for other in new)]


def removed(prevents: Iterable[Prevention]) -> Iterator[MoveStep]:
    return (MoveStep(StepKind.REMOVE_BLOCKERS, moves.sentence(one)) for one in prevents)
