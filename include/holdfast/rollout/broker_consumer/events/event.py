"""What each event of a Change to a consumer group whose broker assigns answers. An event is a module of this folder and a line of
`table`."""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple, Self

from holdfast.rollout.broker_consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.coordinated.targets import Settings
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.record import codec_of


class Coming(NamedTuple):
    """A consumer that starts. Without a member ID it has a random one. `old`: the member in whose place it comes; `same`: as the
    same consumer."""

    consumer: NewConsumer
    old: str | None = None
    same: bool = False


class ConsumerEvent(ABC):
    """What takes effect before a target, with all others of its batch."""

    __slots__ = ()

    VERB: ClassVar[str]

    @classmethod
    def codec(cls) -> Codec[Self]:
        """Of the value of the verb."""
        return codec_of(cls)

    def configures(self) -> Settings:
        """The configs of the group that it sets."""
        return ()

    @abstractmethod
    def applied(self, scene: Scene) -> Scene:
        """The group once it has taken effect. Raise InvalidInput, with the field, where it does not fit."""

    def returned(self, scene: Scene) -> Scene:
        """The group once who left in `applied` is back, after a target without it."""
        return scene

    def comes(self) -> Coming | None:
        """The consumer that it starts."""
        return None

    def drawn(self, member_id: str) -> Self:  # noqa: ARG002 - for those that start a consumer
        """The same with that ID for the consumer that it starts."""
        return self

    def stops(self) -> str | None:
        """The member that it ends."""
        return None

    def crashes(self) -> bool:
        """Whether that member ends without having committed how far it has read."""
        return False
