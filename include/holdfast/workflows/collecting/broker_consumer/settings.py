"""What an operator states about a consumer group whose broker assigns: the coordinator's release, group configs."""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.errors import InvalidInput
from holdfast.kafka.coordinator.consumer.release import behaviour
from holdfast.rollout.json.kafka import ConfigValue

GROUP_CONFIGS = "consumer."
"""What the names of the configs of such a group begin with."""


@dataclass(frozen=True, slots=True)
class BrokerConsumerSettings:
    """`config` is put over what the brokers say."""

    broker_release: str | None = None
    config: tuple[tuple[str, ConfigValue], ...] = ()


def read(
    group_id: str, broker_release: str | None, application: Mapping[str, str], overrides: Mapping[str, ConfigValue]
) -> BrokerConsumerSettings:
    """Nothing is taken from the consumers' properties: what they ask of the broker, it shows.

    Raise InvalidInput for the properties of another group and for what is no config of such a group, Unsupported for a release that
    is not covered.
    """
    other = application.get("group.id", group_id)
    if other != group_id:
        raise InvalidInput(f"the properties are those of the group {other!r}; the group is {group_id!r}", "group.id")
    strange = next((key for key in overrides if not key.startswith(GROUP_CONFIGS)), None)
    if strange is not None:
        raise InvalidInput(
            f"{strange!r} does not affect a consumer group whose broker assigns; its group configs do, such as"
            f" {GROUP_CONFIGS}session.timeout.ms",
            "--set",
        )
    if broker_release is not None:
        behaviour(broker_release)
    return BrokerConsumerSettings(broker_release, tuple(sorted(overrides.items())))
