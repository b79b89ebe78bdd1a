"""The group configs of a Streams group whose broker assigns."""

from holdfast.kafka.coordinator.release import behaviour
from holdfast.workflows.collecting.coordinator_settings import StatedConfigs

GROUP_CONFIGS = StatedConfigs(
    "streams.", "streams.num.standby.replicas", "a Streams group whose broker assigns", "application.id", "application", behaviour
)
