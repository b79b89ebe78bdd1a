"""What a verdict says of tasks and standby copies, for every kind of group that has them."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from holdfast.rollout.execution.agreement_words import agreeing, owner
from holdfast.rollout.text.format import listed, printable


class _Owned(Protocol):
    """A task at the end: the client that the forecast has, and the one found."""

    @property
    def task(self) -> object: ...

    @property
    def expected(self) -> object: ...

    @property
    def found(self) -> object: ...

    @property
    def agrees(self) -> bool: ...


class _Held(Protocol):
    """The clients with standby copies of a task."""

    @property
    def task(self) -> object: ...

    @property
    def expected(self) -> Sequence[object]: ...

    @property
    def found(self) -> Sequence[object]: ...

    @property
    def agrees(self) -> bool: ...


def figures(tasks: Sequence[_Owned], standbys: Sequence[_Held]) -> Iterator[tuple[str, str]]:
    yield "Tasks", agreeing([one.agrees for one in tasks])
    if standbys:
        yield "Standby copies", agreeing([one.agrees for one in standbys])


def rows(tasks: Sequence[_Owned], standbys: Sequence[_Held]) -> tuple[tuple[str, str, str, str], ...]:
    """What is not as forecast: task, role, as forecast, as found."""
    active = ((str(one.task), "active", printable(str(one.expected)), owner(one.found)) for one in tasks if not one.agrees)
    standby = ((str(one.task), "standby", _clients(one.expected), _clients(one.found)) for one in standbys if not one.agrees)
    return (*active, *standby)


def _clients(found: Sequence[object]) -> str:
    return listed([printable(str(one)) for one in found]) or "none"
