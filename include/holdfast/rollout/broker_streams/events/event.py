"""What each event of a Change to a streams group whose broker assigns answers. An event is a module of this folder and a line of
`table`."""

from abc import ABC, abstractmethod
from typing import ClassVar, Self

from holdfast.rollout.broker_streams.events.parts.new_client import NewClient
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.record import codec_of


class BrokerEvent(ABC):
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

    def configures(self) -> tuple[tuple[str, ConfigValue], ...]:
        """The configs that it sets."""
        return ()

    def grows(self) -> tuple[str, int] | None:
        """The topic that it gives partitions, and how many it has then."""
        return None

    # Its effect.

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

    # Whom it touches, and how long it takes.

    def stops(self) -> tuple[str, ...]:
        """The process IDs of the clients that it stops."""
        return ()

    def host(self) -> str | None:
        """Where the client that it brings runs, where that is given."""
        return None

    def restarts(self) -> bool:
        """Whether a client is restarted where it is."""
        return False

    def was_classic(self) -> str | None:
        """The process ID in its classic group of the client that it brings. None: it was in none."""
        return None

    def prepares(self) -> bool:
        """Whether it only changes what clients read when they start next."""
        return False

    def becomes_instances(self) -> bool:
        """Whether a client comes back with instance IDs that it did not have."""
        return False

    def leaves_as_static(self) -> bool:
        """Whether static members leave the group when they are closed."""
        return False

    def in_interval(self) -> bool:
        """Whether a client has to be there before the coordinator computes the next target."""
        return False

    def taken_within_interval(self) -> Self:
        """The same, but a client that leaves and comes back is there before the coordinator computes the next target."""
        return self

    def gone_apart(self, groups: tuple[tuple[str, ...], ...]) -> Self:  # noqa: ARG002 - for those whose members may be
        """The same with a target between these groups of the members that are gone."""
        return self

    def unnoticed(self) -> bool:
        """Whether a client ends without leaving."""
        return False

    def copies_disk(self) -> bool:
        """Whether a state directory is copied for it."""
        return False

    def seeds(self) -> bool:
        """Whether a process ID is written into a state directory for it."""
        return False
