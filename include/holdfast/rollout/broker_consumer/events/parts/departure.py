"""How a consumer stops: a dynamic one leaves when it is closed, a static one stays until its session is over."""

from holdfast.errors import InvalidInput
from holdfast.kafka.coordinator.consumer.group import Member
from holdfast.rollout.broker_consumer.events.parts import scene as scenes
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.coordinated import roster


def stays(member: Member, *, leaves: bool, leaves_group: bool) -> bool:
    """Whether the coordinator keeps the member. Raise InvalidInput where a dynamic one is to leave: it always does."""
    if leaves_group and member.instance_id is None:
        raise InvalidInput("the member is dynamic, and leaves whenever it is closed; leave this out", "leaves_group")
    return not leaves or (member.instance_id is not None and not leaves_group)


def stopped(scene: Scene, member: Member, *, leaves: bool, leaves_group: bool) -> Scene:
    if stays(member, leaves=leaves, leaves_group=leaves_group):
        return roster.ended(scene, (member.member_id,))
    return scenes.gone(scene, (member.member_id,))
