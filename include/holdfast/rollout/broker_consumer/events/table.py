"""Every event that a Change to such a group may have. A new one is a module of this folder and a line here."""

from holdfast.rollout.broker_consumer.events.add_consumer import AddConsumer
from holdfast.rollout.broker_consumer.events.add_partitions import AddPartitions
from holdfast.rollout.broker_consumer.events.add_topic import AddTopic
from holdfast.rollout.broker_consumer.events.convert_consumer import ConvertConsumer
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.remove_consumer import RemoveConsumer
from holdfast.rollout.broker_consumer.events.remove_topic import RemoveTopic
from holdfast.rollout.broker_consumer.events.replace_consumer import ReplaceConsumer
from holdfast.rollout.broker_consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.broker_consumer.events.set_assignor import SetAssignor
from holdfast.rollout.broker_consumer.events.set_config import SetConfig

EVENTS: tuple[type[ConsumerEvent], ...] = (
    AddConsumer,
    AddPartitions,
    AddTopic,
    ConvertConsumer,
    RemoveConsumer,
    RemoveTopic,
    ReplaceConsumer,
    RestartConsumer,
    SetAssignor,
    SetConfig,
)
