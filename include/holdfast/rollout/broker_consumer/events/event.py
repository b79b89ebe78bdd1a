"""What each event of a Change to a consumer group whose broker assigns answers. An event is a module of this folder and a line of
`table`."""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple, Self

from holdfast.kafka.coordinator.consumer.group import Assignor, MemberType
from holdfast.rollout.broker_consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated.step_of import Name, StepOf
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

    # In words.

    @abstractmethod
    def sentence(self, name: Name) -> str:
        """With all that was given, as part of a sentence."""

    @abstractmethod
    def title(self, name: Name) -> tuple[str, str]:
        """Verb and object, as short as can be."""

    # Its step.

    ACTIONS: ClassVar[tuple[ActionName, ...]]
    """What its step is called in policies."""

    @abstractmethod
    def step(self, of: StepOf) -> StepWords:
        """The step that carries it out."""

    # Its effect.

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

    # Whom it touches, and how long it takes.

    def restarts(self) -> bool:
        """Whether a consumer is restarted where it is."""
        return False

    def in_interval(self) -> bool:
        """Whether a consumer has to be there before the coordinator computes the next target."""
        return False

    def leaves_as_static(self) -> bool:
        """Whether a static member leaves the group when it is closed."""
        return False

    def topic_afterwards(self) -> tuple[str, int | None] | None:
        """The topic that it changes, and how many partitions that has then; None of them: it is gone."""
        return None

    def assignor_afterwards(self) -> Assignor | None:
        """The assignor that most members ask for from then on."""
        return None

    def converts_to(self) -> MemberType | None:
        """The protocol that the consumer has from then on, where it had the other one."""
        return None

    def crashes(self) -> bool:
        """Whether that member ends without having committed how far it has read."""
        return False
