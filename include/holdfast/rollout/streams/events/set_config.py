"""`set_config`: settings that every client has from then on."""

from dataclasses import dataclass, replace
from typing import Self

from holdfast.rollout.contract.plan_words import setting
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.streams.events.event import Before, Event, Name, StepContext
from holdfast.rollout.streams.events.parts import fields as shared
from holdfast.rollout.streams.events.parts.fields import Settings
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.steps.drafts import ONE_BY_ONE, Draft, Pace, StepOrder
from holdfast.rollout.streams.steps.steps import RollOutConfig
from holdfast.rollout.text.format import many, printable
from holdfast.rollout.text.request_words import short


@dataclass(frozen=True, slots=True)
class SetConfig(Event):
    settings: Settings

    VERB = "set_config"
    CARRIED = True

    @classmethod
    def codec(cls) -> Codec[Self]:
        return shared.SETTINGS.to(cls, lambda event: event.settings)

    def sentence(self, name: Name) -> str:  # noqa: ARG002 - names no client
        return f"set {in_words(self.settings)}"

    def title(self, host: Name) -> tuple[str, str]:  # noqa: ARG002 - names no client
        return "set", short(in_words(self.settings))

    def settings_set(self) -> Settings:
        return self.settings

    def keeps_ids_and_threads(self) -> bool:
        return True

    def applied(self, scene: Scene, before: Before, reports: Reports) -> Scene:  # noqa: ARG002 - as every event
        settings = dict(scene.config) | dict(self.settings)
        return replace(scene, config=tuple(sorted((key, value) for key, value in settings.items() if value is not None)))

    def drafts(self, context: StepContext) -> tuple[Draft, ...]:
        return drafts(context, self.settings)


def in_words(settings: Settings) -> str:
    return ", ".join(f"{key} = {'default' if value is None else _shown(value)}" for key, value in settings)


def drafts(context: StepContext, settings: Settings, pace: Pace = ONE_BY_ONE) -> tuple[Draft, ...]:
    """A step a setting: a rolling restart of all clients with it."""
    clients = len(context.snapshot.clients)
    return tuple(_draft(clients, RollOutConfig(key, value, context.config.get(key)), pace) for key, value in settings)


def _draft(clients: int, action: RollOutConfig, pace: Pace) -> Draft:
    value = "Kafka's default" if action.value is None else _shown(action.value)
    return Draft(
        StepOrder.CONFIGURE,
        action,
        Who.OPERATOR,
        f"The group is stable. {pace.to_do(clients)}",
        f"Every client has logged {printable(action.key)} = {value} at its start.",
        f"Set {printable(action.key)} back to {'its default' if action.was is None else _shown(action.was)}, by a rolling restart.",
        f"{many(clients, 'restart')}, {pace.expected(clients)}, each with its own disk and process ID; no task migrates.",
    )


def _shown(value: object) -> str:
    return printable(setting(value))
