"""What an operator states about a consumer group whose broker assigns."""

from dataclasses import dataclass, field

from holdfast.kafka.consumer.group import Assignor
from holdfast.kafka.coordinator.consumer.release import behaviour
from holdfast.workflows.collecting.coordinator_settings import CoordinatorSettings, StatedConfigs

GROUP_CONFIGS = StatedConfigs(
    "consumer.", "consumer.session.timeout.ms", "a consumer group whose broker assigns", "group.id", "group", behaviour
)


@dataclass(frozen=True, slots=True)
class BrokerConsumerSettings:
    """`coordinator`: its release, and configs of the group. Of members of the classic protocol: `client_release`, and the
    `assignors` that they list; empty: not given."""

    coordinator: CoordinatorSettings = field(default_factory=CoordinatorSettings)
    client_release: str | None = None
    assignors: tuple[Assignor, ...] = ()
