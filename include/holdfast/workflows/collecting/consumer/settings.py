"""Inputs that the broker does not have for a consumer group: release, lists of assignors, consumer settings."""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.errors import InvalidInput
from holdfast.kafka.consumer import config as consumer_config
from holdfast.kafka.consumer.group import Assignor
from holdfast.kafka.consumer.release import LINES, behaviour
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.workflows.collecting import assignors
from holdfast.workflows.collecting.assignors import STRATEGY

_TWO = (Assignor.RANGE, Assignor.COOPERATIVE_STICKY)


@dataclass(frozen=True, slots=True)
class ConsumerSettings:
    """`assignors`: every member's list; None: not given. `config`: settings that decide times and positions."""

    kafka_release: str | None = None
    assignors: tuple[Assignor, ...] | None = None
    config: tuple[tuple[str, ConfigValue], ...] = ()
    unknown: tuple[Unknown, ...] = ()


def default_assignors(release: str | None) -> tuple[Assignor, ...]:
    """Those of a consumer where no list is set. `release` None: unknown, so the newest covered."""
    return _TWO if behaviour(release or LINES[-1].releases[-1]).two_default_assignors else _TWO[:1]


def read(
    group_id: str, kafka_release: str | None, application: Mapping[str, str], overrides: Mapping[str, ConfigValue]
) -> ConsumerSettings:
    """Settings from an application's properties and single ones that win over them; nothing else of the properties is taken.

    Raise InvalidInput for a value that Kafka would refuse or the properties of another group, Unsupported for a release or an
    assignor that is not covered.
    """
    other = application.get("group.id", group_id)
    if other != group_id:
        raise InvalidInput(f"the properties are those of the group {other!r}; the group is {group_id!r}", "group.id")
    known = (*consumer_config.KEYS, STRATEGY)
    strange = [key for key in overrides if key not in known]
    if strange:
        raise InvalidInput(f"{strange[0]!r} does not affect a consumer group; give one of {', '.join(known)}", "--set")
    given: dict[str, ConfigValue] = {key: application[key] for key in known if application.get(key)}
    given |= dict(overrides)
    unknown = []
    if kafka_release is None:
        unknown.append(Unknown("kafka_release", "not given, and the broker does not know it; give --kafka-release"))
    else:
        behaviour(kafka_release)
    strategy = given.pop(STRATEGY, None)
    consumer_config.read(kafka_release or LINES[-1].releases[-1], given)
    for key, default in (("session.timeout.ms", "Kafka's for the release"), ("auto.offset.reset", "latest")):
        if key not in given:
            unknown.append(Unknown(f"config.{key}", f"not given; assumed to be Kafka's default, {default}"))
    return ConsumerSettings(
        kafka_release, None if strategy is None else assignors.of_strategy(strategy), tuple(sorted(given.items())), tuple(unknown)
    )
