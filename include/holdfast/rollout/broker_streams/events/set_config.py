"""`set_config`: configs of the group, which the coordinator reads with the next heartbeat."""

from dataclasses import dataclass
from typing import Self

from holdfast.kafka.coordinator.config_keys import GROUP_KEYS, NUMBERS
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.parts import words
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.broker_streams.events.parts.step_of import Name, StepOf
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.contract.plan_words import setting
from holdfast.rollout.coordinated.group_configs import configured, settings_codec
from holdfast.rollout.coordinated.targets import Settings
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.text import kafka_commands

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
        return f"set {', '.join(f'{key} to {setting(value)}' for key, value in self.settings)}"

    def title(self, name: Name) -> tuple[str, str]:  # noqa: ARG002
        return "set", ", ".join(f"{key}={setting(value)}" for key, value in self.settings)

    def step(self, of: StepOf) -> StepWords:
        values = ", ".join(f"{key} to {setting(value)}" for key, value in self.settings)
        before = ", ".join(f"{key} to {setting(of.config.get(key))}" for key, _ in self.settings)
        says, command = f"Set {values} on the group", words.alter_configs(of.group_id, self.settings)
        shows = kafka_commands.describe_group_configs(of.group_id)
        return StepWords(says, "", f"Set {before}.", "The group has these configs.", command, shows)

    def configures(self) -> tuple[tuple[str, ConfigValue], ...]:
        return self.settings

    def applied(self, scene: Scene) -> Scene:
        return configured(scene, self.settings)
