"""What judging needs of a cluster's past, wherever it is read from: ports, as those in `holdfast.ports`."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from holdfast.rollout.backtest.coordinated import PastEntry
from holdfast.rollout.backtest.entries import Frame


class PastGroup(Protocol):
    """What `__consumer_offsets` still holds of one group, from its creation on (or from where compaction begins) until it was
    deleted, if it was. It can be sent to another process of this machine."""

    @property
    def group_id(self) -> str: ...

    @property
    def records(self) -> int:
        """How many records there are, at most as many rebalances."""
        ...

    def entries(self) -> Iterator[PastEntry]:
        """Its completed rebalances, oldest first, each as it was written first, or all that its coordinator wrote of it where the
        broker assigns; read anew at each call, one at a time.

        What cannot be read is left out, or says so itself, and is in `unreadable`.
        """
        ...

    def unreadable(self) -> tuple[str, ...]:
        """What could not be read, each with the reason, at most some of it."""
        ...


class SpooledPastGroup(PastGroup, Protocol):
    """A group's past as bytes, too."""

    @property
    def coordinated(self) -> bool:
        """Whether its broker assigns."""
        ...

    def frames(self) -> Iterator[Frame]:
        """Its records as the broker has them, oldest first; read anew at each call."""
        ...


class SpooledPast(Protocol):
    """The past of many groups at once, as bytes too."""

    @property
    def groups(self) -> Sequence[SpooledPastGroup]: ...

    @property
    def unread(self) -> tuple[str, ...]: ...


class PastGroups(Protocol):
    """The past of many groups at once."""

    @property
    def groups(self) -> Sequence[PastGroup]: ...

    @property
    def unread(self) -> tuple[str, ...]:
        """Partitions that could not be read, or not whole, each with the reason."""
        ...
