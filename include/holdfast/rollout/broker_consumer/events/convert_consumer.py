"""`convert_consumer`: a consumer is stopped and started again with the other protocol (`group.protocol`). A group moves so, one
consumer after the other.

Java: `GroupMetadataManager.consumerGroupHeartbeat` and `classicGroupJoinToConsumerGroup` (4.0.0 to 4.4.0): a member that leaves or
joins raises the epoch, whatever its protocol. A static one has its place back, and what it had with it.
"""

from dataclasses import replace
from typing import Self

from holdfast.errors import InvalidInput
from holdfast.kafka.coordinator.consumer.group import MemberType
from holdfast.rollout.broker_consumer.events.event import Coming, ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts import new_consumer, words
from holdfast.rollout.broker_consumer.events.parts import scene as scenes
from holdfast.rollout.broker_consumer.events.parts.fields import LEAVES, LEAVES_GROUP, WITHIN_INTERVAL
from holdfast.rollout.broker_consumer.events.parts.new_consumer import MEMBER_ID, NewConsumer
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.broker_consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated import event_words
from holdfast.rollout.coordinated.roster import quoted
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.json.codec import NAME, either
from holdfast.rollout.json.record import member, record, spread


@record(check=lambda event: event.restart, about="What is not given stays.")
class ConvertConsumer(ConsumerEvent):
    """A restart after which the consumer uses the protocol `to`."""

    member_id: str = member(NAME)
    to: MemberType = member(either(MemberType))
    new_member_id: str | None = member(MEMBER_ID, absent=None, omit=lambda one: one.new_member_id is None)
    leaves: bool = member(LEAVES, absent=True, omit=lambda one: one.leaves)
    leaves_group: bool = member(LEAVES_GROUP, absent=False, omit=lambda one: not one.leaves_group)
    within_interval: bool = member(WITHIN_INTERVAL, absent=False, omit=lambda one: not one.within_interval)
    given: NewConsumer = spread(new_consumer.UNNAMED)

    VERB = "convert_consumer"
    ACTIONS = (ActionName.RESTART_CLIENT,)

    @property
    def restart(self) -> RestartConsumer:
        return RestartConsumer(
            self.member_id,
            self.new_member_id,
            self.leaves,
            self.leaves_group,
            self.within_interval,
            within_session=True,
            given=replace(self.given, member_type=self.to),
        )

    def sentence(self, name: Name) -> str:
        return f"convert {name(self.member_id)} to the protocol {self.to}{event_words.given(words.given(self.given))}"

    def title(self, name: Name) -> tuple[str, str]:
        return f"convert to {self.to}", name(self.member_id)

    def step(self, of: StepOf) -> StepWords:
        given = event_words.given(words.given(self.given))
        says = f"Restart {of.name(self.member_id)} with group.protocol={self.to}{given}"
        back = MemberType.CLASSIC if self.to is MemberType.CONSUMER else MemberType.CONSUMER
        return StepWords(
            says, "", f"Restart it with group.protocol={back}.", words.LISTED, check_command=words.members(of.group_id)
        )

    def restarts(self) -> bool:
        return True

    def in_interval(self) -> bool:
        return self.within_interval

    def leaves_as_static(self) -> bool:
        return self.leaves_group

    def applied(self, scene: Scene) -> Scene:
        old = scenes.member_of(scene, self.member_id)
        if old.classic == (self.to is MemberType.CLASSIC):
            raise InvalidInput(f"the member {quoted(self.member_id)} is of the protocol {self.to} already", "to")
        return self.restart.applied(scene)

    def returned(self, scene: Scene) -> Scene:
        return self.restart.returned(scene)

    def comes(self) -> Coming:
        return self.restart.comes()

    def drawn(self, member_id: str) -> Self:
        return replace(self, new_member_id=member_id)

    def stops(self) -> str:
        return self.member_id

    def converts_to(self) -> MemberType:
        return self.to

    def crashes(self) -> bool:
        return not self.leaves


Restarting = RestartConsumer | ConvertConsumer
"""The events after which a consumer is back."""
