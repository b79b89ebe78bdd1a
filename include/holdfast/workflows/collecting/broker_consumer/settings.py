"""The group configs of a consumer group whose broker assigns."""

from holdfast.kafka.coordinator.consumer.release import behaviour
from holdfast.workflows.collecting.coordinator_settings import StatedConfigs

GROUP_CONFIGS = StatedConfigs(
    "consumer.", "consumer.session.timeout.ms", "a consumer group whose broker assigns", "group.id", "group", behaviour
)
