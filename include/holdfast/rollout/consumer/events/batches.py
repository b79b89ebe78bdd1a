"""What the events of a batch do to a consumer group, before the rebalance that they cause together."""

from collections.abc import Callable
from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.rollout.consumer.events.event import ConsumerEvent
from holdfast.rollout.consumer.events.parts.scene import Scene
from holdfast.rollout.contract.batches import Batch


def apply(scene: Scene, batch: Batch[ConsumerEvent], config: ConsumerConfig) -> Scene:
    """The scene after events that take effect together. Raise InvalidInput for one that does not fit the group."""
    return _each(replace(scene, noticed_s=0, abrupt=(), away=()), batch, lambda event, scene: event.applied(scene, config))


def returned(scene: Scene, batch: Batch[ConsumerEvent]) -> Scene:
    """The scene once those of the events are back who left for a rebalance (`Scene.away`). Raise as above."""
    return _each(scene, batch, lambda event, scene: event.returned(scene))


def _each(scene: Scene, batch: Batch[ConsumerEvent], happens: Callable[[ConsumerEvent, Scene], Scene]) -> Scene:
    for index, event in batch.events:
        try:
            scene = happens(event, scene)
        except InvalidInput as problem:
            raise InvalidInput(problem.problem, f"events[{index}].{event.VERB}.{problem.where}") from None
    return _with_leader(scene)


def causes_no_rebalance(batch: Batch[ConsumerEvent]) -> bool:
    """Whether nothing happens in it but returns of static members."""
    return bool(batch.events) and all(event.returns_unseen() for _, event in batch.events)


def _with_leader(scene: Scene) -> Scene:
    """The leader leads on. If it is gone, it is unknown which member the coordinator takes, unless only one is left."""
    if len(scene.members) == 1:
        return replace(scene, leader_member_id=scene.members[0].member_id)
    if any(one.member_id == scene.leader_member_id for one in scene.members):
        return scene
    return replace(scene, leader_member_id=None)
