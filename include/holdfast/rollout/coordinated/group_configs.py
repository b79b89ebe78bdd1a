"""The configs of a group that an event of a change sets. None: the brokers' default again, which is assumed to be Kafka's."""

from collections.abc import Collection
from dataclasses import replace
from functools import partial

from holdfast.errors import InvalidInput
from holdfast.rollout.coordinated.roster import R
from holdfast.rollout.coordinated.targets import Settings
from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.kafka_codecs import CONFIG


def settings_codec(protocol: str, known: Collection[str], numbers: Collection[str]) -> Codec[Settings]:
    """One setting or more. `protocol`: what the name of each config begins with; `numbers`: those of `known` that are."""
    checked = CONFIG.checked(partial(_check, protocol, known, numbers))
    return checked.shaped(shapes.table(shapes.name(), shapes.CONFIG_VALUE, at_least=1))


def configured(scene: R, settings: Settings) -> R:
    config = dict(scene.config) | dict(settings)
    return replace(scene, config=tuple((key, value) for key, value in config.items() if value is not None))


def _check(protocol: str, known: Collection[str], numbers: Collection[str], settings: Settings) -> None:
    if not settings:
        raise InvalidInput("one setting or more is needed, none was found")
    found = (_problem(protocol, known, numbers, key, value) for key, value in settings)
    strict.refuse(problem for problem in found if problem is not None)


def _problem(protocol: str, known: Collection[str], numbers: Collection[str], key: str, value: object) -> InvalidInput | None:
    where = strict.step_of(key)
    if key not in known:
        close = strict.nearest(key, known) or strict.nearest(f"{protocol}.{key}", known)
        return InvalidInput(f"{strict.shown(key)} is no config of a {protocol} group{close}; known are: {', '.join(known)}", where)
    text = str(value)
    if key in numbers and value is not None and (isinstance(value, bool) or not text.isascii() or not text.isdigit()):
        return InvalidInput(f"a number, 0 or more, is needed, {strict.shown(value)} was found", where)
    return None
