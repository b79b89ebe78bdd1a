"""`set_config`: configs of the group, which the coordinator reads with the next heartbeat. They say when targets are computed."""

from dataclasses import dataclass, replace
from typing import Self

from holdfast.errors import InvalidInput
from holdfast.kafka.coordinator.consumer.config_keys import ASSIGNMENT_INTERVAL, DEFAULTS, GROUP_KEYS
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts.scene import Scene
from holdfast.rollout.coordinated.targets import Settings
from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.kafka_codecs import CONFIG


def _known(settings: Settings) -> None:
    if not settings:
        raise InvalidInput("one setting or more is needed, none was found")
    strict.refuse(problem for key, value in settings if (problem := _problem(key, value)) is not None)


def _problem(key: str, value: object) -> InvalidInput | None:
    where = strict.step_of(key)
    if key not in GROUP_KEYS:
        close = strict.nearest(key, GROUP_KEYS) or strict.nearest(f"consumer.{key}", GROUP_KEYS)
        return InvalidInput(
            f"{strict.shown(key)} is no config of a consumer group{close}; known are: {', '.join(GROUP_KEYS)}", where
        )
    text = str(value)
    if key in DEFAULTS and value is not None and (isinstance(value, bool) or not text.isascii() or not text.isdigit()):
        return InvalidInput(f"a number, 0 or more, is needed, {strict.shown(value)} was found", where)
    return None


_SETTINGS: Codec[Settings] = CONFIG.checked(_known).shaped(shapes.table(shapes.name(), shapes.CONFIG_VALUE, at_least=1))


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
        config = dict(scene.config) | dict(self.settings)
        return replace(scene, config=tuple((key, value) for key, value in config.items() if value is not None))
