"""What each event of a Change to a streams group whose broker assigns answers. An event is a module of this folder and a line of
`table`."""

from abc import ABC, abstractmethod
from typing import ClassVar, Self

from holdfast.rollout.broker_streams.events.parts.new_client import NewClient
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.record import codec_of


class BrokerEvent(ABC):
    """What takes effect before a target, with all others of its batch."""

    __slots__ = ()

    VERB: ClassVar[str]

    @classmethod
    def codec(cls) -> Codec[Self]:
        """Of the value of the verb."""
        return codec_of(cls)

    @abstractmethod
    def applied(self, scene: Scene) -> Scene:
        """The group once it has taken effect. Raise InvalidInput, with the field, where it does not fit."""

    def returned(self, scene: Scene) -> Scene:
        """The group once who left in `applied` is back, after a target without it."""
        return scene

    def comes(self) -> tuple[NewClient, str | None] | None:
        """The client that it brings, and the process ID of the one in whose place."""
        return None

    def drawn(self, client: NewClient) -> Self:  # noqa: ARG002 - for those who need it
        """The same with that client in the place of `comes`."""
        return self

    def copied_disks(self) -> tuple[tuple[str, str], ...]:
        """Process IDs that come with a disk: whose it is, and whose it was."""
        return ()

    def lost_disks(self) -> tuple[str, ...]:
        """Process IDs that come back with an empty disk."""
        return ()
