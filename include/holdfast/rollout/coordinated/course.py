"""The targets that follow from a change, one after the other: which events each of them sees. What a target is made of is each
kind's own.

Java: `GroupMetadataManager`, the heartbeats of both protocols (4.0.0 to 4.4.0).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.batches import Batch, Wait
from holdfast.rollout.coordinated.roster import Roster
from holdfast.rollout.coordinated.targets import Occasion, Return, TargetTrigger

S = TypeVar("S", bound=Roster[Any])


class Event(Protocol[S]):
    """Of a change. `applied`: the group once it has taken effect; `returned`: once who left in it is back, after a target without
    it."""

    VERB: ClassVar[str]

    def applied(self, scene: S) -> S: ...
    def returned(self, scene: S) -> S: ...


E = TypeVar("E", bound=Event[Any])
T = TypeVar("T")
"""A target."""


class Course(ABC, Generic[E, S, T]):
    """`returns`: the static members that came back so far."""

    def __init__(self, scene: S) -> None:
        self._scene = scene
        self._batch_number = self._computed_so_far = 0
        self._died: dict[str, int] = {}
        self.returns: list[Return] = []

    def targets(self, batches: Iterable[Batch[E]]) -> Iterator[T]:
        """Raise InvalidInput for an event that does not fit the group then."""
        for number, batch in enumerate(batches):
            self._batch_number = number
            computed = list(self._batch(batch))
            yield from computed
            if batch.wait is not Wait.REBALANCE:
                while self._scene.dead:
                    yield from self._session_over()
            elif not computed and self._scene.dead:
                yield from self._session_over()

    @abstractmethod
    def _event(self, index: int, event: E, applied: Callable[[S], S]) -> Iterator[T]:
        """It takes effect, by its place in the change. The targets that are computed before the next event does."""

    @abstractmethod
    def _computed(self, trigger: TargetTrigger, over: tuple[str, ...] = ()) -> Iterator[T]:
        """The target that is due, if one is. It takes a heartbeat: members that ended without leaving send none. `over`: the
        members whose sessions are over."""

    @abstractmethod
    def _session_over(self) -> Iterator[T]:
        """The sessions of those that ended first are over."""

    def _begins(self, event: E) -> None:
        """Called before it takes effect."""

    def _batch(self, batch: Batch[E]) -> Iterator[T]:
        earlier = len(self._scene.dead)
        self._scene = replace(self._scene, dead=(*self._scene.dead, ()))
        for index, event in batch.events:
            self._begins(event)
            yield from self._event(index, event, event.applied)
        self._died |= dict.fromkeys(chain.from_iterable(self._scene.dead[earlier:]), self._batch_number)
        self._scene = replace(self._scene, dead=tuple(filter(None, self._scene.dead)))
        yield from self._computed(TargetTrigger.CHANGE)
        for index, event in batch.events:
            yield from self._event(index, event, event.returned)
        self._scene = replace(self._scene, dead=tuple(filter(None, self._scene.dead)))
        yield from self._computed(TargetTrigger.CHANGE)

    def _place(self, index: int, event: E, applied: Callable[[S], S]) -> None:
        """What it makes of the scene. Raise InvalidInput, with the path in the change."""
        try:
            self._scene = applied(self._scene)
        except InvalidInput as problem:
            raise InvalidInput(problem.problem, f"events[{index}].{event.VERB}.{problem.where}") from None

    def _occasion(self, scene: S, over: tuple[str, ...], bumps: int) -> Occasion:
        joins = sum(joins and one in scene.members for one, joins in scene.moves)
        died = self._died.get(over[0], 0) if over else 0
        by_joining = bumps == len(scene.moves) and scene.moves[-1:] != () and scene.moves[-1][1]
        return Occasion(died, len(over), scene.alive(), joins, by_joining, bumps, scene.config, scene.forgotten)
