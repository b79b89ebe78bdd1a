"""`set_config`: configs of the group, which the coordinator reads with the next heartbeat."""

from dataclasses import dataclass, replace
from typing import Self

from holdfast.errors import InvalidInput
from holdfast.kafka.coordinator.config_keys import GROUP_KEYS, NUMBERS
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.parts import words
from holdfast.rollout.broker_streams.events.parts.scene import Scene
from holdfast.rollout.broker_streams.events.parts.step_of import Name, StepOf
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.manual_steps import StepWords
from holdfast.rollout.contract.plan_words import setting
from holdfast.rollout.coordinated.targets import Settings
from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.kafka_codecs import CONFIG
from holdfast.rollout.text import kafka_commands


def _known(settings: Settings) -> None:
    if not settings:
        raise InvalidInput("one setting or more is needed, none was found")
    strict.refuse(problem for key, value in settings if (problem := _problem(key, value)) is not None)


def _problem(key: str, value: object) -> InvalidInput | None:
    where = strict.step_of(key)
    if key not in GROUP_KEYS:
        close = strict.nearest(key, GROUP_KEYS) or strict.nearest(f"streams.{key}", GROUP_KEYS)
        return InvalidInput(
            f"{strict.shown(key)} is no config of a streams group{close}; known are: {', '.join(GROUP_KEYS)}", where
        )
    text = str(value)
    if key in NUMBERS and value is not None and (isinstance(value, bool) or not text.isascii() or not text.isdigit()):
        return InvalidInput(f"a number, 0 or more, is needed, {strict.shown(value)} was found", where)
    return None


_SETTINGS: Codec[Settings] = CONFIG.checked(_known).shaped(shapes.table(shapes.name(), shapes.CONFIG_VALUE, at_least=1))


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
        config = dict(scene.config) | dict(self.settings)
        return replace(scene, config=tuple((key, value) for key, value in config.items() if value is not None))
