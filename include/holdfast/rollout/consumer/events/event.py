"""What each event of a Change to a consumer group answers. An event is a module of this folder and a line of `table`."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar, Self

from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.consumer.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.record import codec_of

Name = Callable[[str], str]
"""What the member with an ID is called, or another ID for it."""


class ConsumerEvent(ABC):
    """What takes effect before a rebalance, with all others of its batch."""

    __slots__ = ()

    # Its JSON: `{VERB: …}`.

    VERB: ClassVar[str]

    @classmethod
    def codec(cls) -> Codec[Self]:
        """The JSON shape of what is behind the verb: of the fields of a record, unless the event says otherwise."""
        return codec_of(cls)

    # In words.

    @abstractmethod
    def sentence(self, name: Name) -> str:
        """With all that was given, as part of a sentence."""

    @abstractmethod
    def title(self, name: Name) -> tuple[str, str]:
        """Verb and object, as short as can be."""

    # Its steps.

    ACTIONS: ClassVar[tuple[ActionName, ...]]
    """What its steps are called in policies, as those of Streams groups are."""

    @abstractmethod
    def step(self, hosts: Mapping[str, Member]) -> StepWords:
        """The step that carries it out. `hosts`: who is there by then, by member ID."""

    # Its effect.

    @abstractmethod
    def applied(self, scene: Scene, config: ConsumerConfig) -> Scene:
        """The group once it has taken effect. Raise InvalidInput, with the field, where it does not fit."""

    def returned(self, scene: Scene) -> Scene:
        """The group once those are back who left in `applied` for a rebalance (`Scene.away`). Raise as above."""
        return scene

    def as_processes_start(self) -> Self:
        """The same where it says how fast a consumer is back; else it is back once the group has rebalanced without it."""
        return self

    def back_before_others(self) -> Self:
        """The same, but a consumer is back before the others have joined."""
        return self

    def swaps(self) -> tuple[tuple[str | None, str | None], ...]:
        """The members that leave and join, by member ID: (old, new), None where there is no such member."""
        return ()

    def renamed(self) -> tuple[tuple[str, str], ...]:
        """Consumers that come back and are still the same ones: the old member ID and the new one."""
        return ()

    def joining(self) -> NewConsumer | None:
        """The consumer that it brings, or that comes back."""
        return None

    def with_ids(self, known: Name, joins: Name) -> Self:  # noqa: ARG002 - for those who need it
        """The same with other member IDs: `known` for who is there, `joins` for who comes."""
        return self

    def comes_anew(self) -> bool:
        """Whether consumers join under other member IDs in the place of those that were there."""
        return any(old is not None and new is not None for old, new in self.swaps())

    def only_joins(self) -> bool:
        """Whether consumers join, and none leaves."""
        return any(new is not None for _, new in self.swaps()) and not self.olds()

    def only_leaves(self) -> bool:
        """Whether consumers leave, and none joins."""
        return bool(self.olds()) and all(new is None for _, new in self.swaps())

    def topic_changed(self) -> str | None:
        """The topic that it adds, grows or removes."""
        return None

    def partitions_wanted(self) -> int | None:
        """How many partitions that topic has afterwards. None: the topic is gone."""
        return None

    def racks_not_given(self) -> bool:
        """Whether it brings partitions, without their racks."""
        return False

    # As it takes time.

    def returns_unseen(self) -> bool:
        """Whether a static member returns in time: without a rebalance."""
        return False

    def restarts(self) -> int:
        """How many consumers people restart for it."""
        return 0

    def olds(self) -> list[str]:
        """The members that end, or come back under other IDs."""
        return [old for old, _ in self.swaps() if old is not None]
