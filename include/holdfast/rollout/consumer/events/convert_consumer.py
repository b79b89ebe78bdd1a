"""`convert_consumer`: a consumer is stopped and started again with `group.protocol=consumer` (KIP-848). The first one makes the
group one of the new protocol.

What follows is decided by another kind of group: `kinds.moving` makes the group that its coordinator takes over of this one, and
the forecast is that of its coordinator. Here is only what is asked for.
"""

from collections.abc import Mapping

from holdfast.errors import Unsupported
from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.events.event import ConsumerEvent, Name
from holdfast.rollout.consumer.events.parts.new_consumer import WITHIN_REBALANCE
from holdfast.rollout.consumer.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.json.codec import NAME, nullable, only
from holdfast.rollout.json.record import member, record

CONSUMER = "consumer"


@record
class ConvertConsumer(ConsumerEvent):
    """`new_member_id` None: a random one, as every start makes it. `within_rebalance`: whether it is back before the others have
    rebalanced without it."""

    member_id: str = member(NAME)
    to: str = member(only(CONSUMER, "protocol"))
    new_member_id: str | None = member(nullable(NAME), default=None, omit=True)
    within_rebalance: bool | None = member(WITHIN_REBALANCE, default=None, omit=True)

    VERB = "convert_consumer"
    ACTIONS = (ActionName.RESTART_CLIENT,)

    def sentence(self, name: Name) -> str:
        return f"convert {name(self.member_id)} to the protocol {self.to}"

    def title(self, name: Name) -> tuple[str, str]:
        return f"convert to {self.to}", name(self.member_id)

    def step(self, hosts: Mapping[str, Member]) -> StepWords:  # noqa: ARG002 - as every event
        raise Unsupported(_OTHER_KIND)

    def applied(self, scene: Scene, config: ConsumerConfig) -> Scene:  # noqa: ARG002
        """Raise Unsupported: the group is no classic one after it."""
        raise Unsupported(_OTHER_KIND)

    def restarts(self) -> int:
        return 1


_OTHER_KIND = (
    "convert_consumer makes a group of another kind, whose coordinator assigns: a change that begins with it has no other events,"
    " and what follows is a change of its own"
)
