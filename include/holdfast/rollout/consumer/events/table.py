"""Every event that a Change to a consumer group may have.

A new one is a module of this folder, a line here, and its verb in `kinds/verbs.py`.
"""

from holdfast.rollout.consumer.events.add_consumer import AddConsumer
from holdfast.rollout.consumer.events.add_partitions import AddPartitions
from holdfast.rollout.consumer.events.add_topic import AddTopic
from holdfast.rollout.consumer.events.convert_consumer import ConvertConsumer
from holdfast.rollout.consumer.events.event import ConsumerEvent
from holdfast.rollout.consumer.events.remove_consumer import RemoveConsumer
from holdfast.rollout.consumer.events.remove_topic import RemoveTopic
from holdfast.rollout.consumer.events.replace_consumer import ReplaceConsumer
from holdfast.rollout.consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.consumer.events.set_assignors import SetAssignors

EVENTS: tuple[type[ConsumerEvent], ...] = (
    AddConsumer,
    AddPartitions,
    AddTopic,
    ConvertConsumer,
    RemoveConsumer,
    RemoveTopic,
    ReplaceConsumer,
    RestartConsumer,
    SetAssignors,
)
