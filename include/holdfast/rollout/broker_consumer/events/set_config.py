"""`set_config`: configs of the group, which the coordinator reads with the next heartbeat. They say when targets are computed."""

from dataclasses import dataclass
from typing import Self

from holdfast.errors import InvalidInput
from holdfast.kafka.coordinator.consumer.config_keys import ASSIGNMENT_INTERVAL, DEFAULTS, GROUP_KEYS
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated import event_words
from holdfast.rollout.coordinated.group_configs import configured, settings_codec
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.coordinated.targets import Settings
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import Codec

_SETTINGS = settings_codec("consumer", GROUP_KEYS, DEFAULTS)


@dataclass(frozen=True, slots=True)
class SetConfig(ConsumerEvent):
    """A value of None: the brokers' default again, which is assumed to be Kafka's."""

    settings: Settings

    VERB = "set_config"
    ACTIONS = (ActionName.SET_CONFIG,)

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - as every event
        return event_words.configs(self.settings)

    def title(self, name: Name) -> tuple[str, str]:  # noqa: ARG002
        return event_words.configs_in_a_title(self.settings)

    def step(self, of: StepOf) -> StepWords:
        return event_words.configs_step(self.settings, of)

    @classmethod
    def codec(cls) -> Codec[Self]:
        return _SETTINGS.to(cls, lambda event: event.settings)

    def configures(self) -> Settings:
        return self.settings

    def applied(self, scene: Scene) -> Scene:
        if ASSIGNMENT_INTERVAL in dict(self.settings) and not scene.facts.has_interval:
            raise InvalidInput("the coordinator has this config from Kafka 4.3 on", strict.step_of(ASSIGNMENT_INTERVAL))
        return configured(scene, self.settings)
