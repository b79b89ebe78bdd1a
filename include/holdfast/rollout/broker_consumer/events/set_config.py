"""`set_config`: configs of the group, which the coordinator reads with the next heartbeat. They say when targets are computed."""

from dataclasses import dataclass
from typing import Self

from holdfast.errors import InvalidInput
from holdfast.kafka.coordinator.consumer.config_keys import ASSIGNMENT_INTERVAL, DEFAULTS, GROUP_KEYS
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.coordinated.group_configs import configured, settings_codec
from holdfast.rollout.coordinated.targets import Settings
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import Codec

_SETTINGS = settings_codec("consumer", GROUP_KEYS, DEFAULTS)


@dataclass(frozen=True, slots=True)
class SetConfig(ConsumerEvent):
    """A value of None: the brokers' default again, which is assumed to be Kafka's."""

    settings: Settings

    VERB = "set_config"

    @classmethod
    def codec(cls) -> Codec[Self]:
        return _SETTINGS.to(cls, lambda event: event.settings)

    def configures(self) -> Settings:
        return self.settings

    def applied(self, scene: Scene) -> Scene:
        if ASSIGNMENT_INTERVAL in dict(self.settings) and not scene.facts.has_interval:
            raise InvalidInput("the coordinator has this config from Kafka 4.3 on", strict.step_of(ASSIGNMENT_INTERVAL))
        return configured(scene, self.settings)
