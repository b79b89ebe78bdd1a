"""`set_config`: configs of the group, which the coordinator reads with the next heartbeat."""

from dataclasses import dataclass
from typing import Self

from holdfast.kafka.coordinator.config_keys import GROUP_KEYS, NUMBERS
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.coordinated import event_words
from holdfast.rollout.coordinated.group_configs import configured, settings_codec
from holdfast.rollout.coordinated.step_of import Name, StepOf
from holdfast.rollout.coordinated.targets import Settings
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.kafka import ConfigValue

_SETTINGS = settings_codec("streams", GROUP_KEYS, NUMBERS)


@dataclass(frozen=True, slots=True)
class SetConfig(BrokerEvent):
    """A value of None: the brokers' default again, which is assumed to be Kafka's."""

    settings: Settings

    VERB = "set_config"

    @classmethod
    def codec(cls) -> Codec[Self]:
        return _SETTINGS.to(cls, lambda event: event.settings)

    ACTIONS = (ActionName.SET_CONFIG,)

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - as every event
        return event_words.configs(self.settings)

    def title(self, name: Name) -> tuple[str, str]:  # noqa: ARG002
        return event_words.configs_in_a_title(self.settings)

    def step(self, of: StepOf) -> StepWords:
        return event_words.configs_step(self.settings, of)

    def configures(self) -> tuple[tuple[str, ConfigValue], ...]:
        return self.settings

    def applied(self, scene: Scene) -> Scene:
        return configured(scene, self.settings)
