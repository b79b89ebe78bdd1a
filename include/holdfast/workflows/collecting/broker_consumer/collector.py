"""Consumer groups whose broker assigns, for the registry of collectors."""

from typing import ClassVar

from holdfast.errors import InvalidInput, Unsupported
from holdfast.kafka.coordinator.consumer.release import FIRST_CLIENTS
from holdfast.kafka.release_lines import is_older
from holdfast.kafka.wire.consumer_group_description import DescribedConsumerGroup
from holdfast.ports import ClusterReader, ListedGroup, ObservedGroup, StateDirectoryReader
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.workflows.collecting import assignors
from holdfast.workflows.collecting.assignors import STRATEGY
from holdfast.workflows.collecting.broker_consumer import collect
from holdfast.workflows.collecting.broker_consumer.settings import GROUP_CONFIGS, BrokerConsumerSettings
from holdfast.workflows.collecting.collector import Collector, OneGroup, StatedByOperator

_KIND = "is a consumer group whose broker assigns"


class BrokerConsumerCollector(Collector[BrokerConsumerSettings]):
    kind: ClassVar[str] = "broker_consumer"
    without_state_dirs: ClassVar[str | None] = f"{_KIND}: its members keep no state"
    reads_configs: ClassVar[bool] = True

    def lists(self, listed: ListedGroup) -> bool:
        return listed.kind == "consumer"

    def owns(self, group: ObservedGroup) -> bool:
        return group.described_consumers is not None

    def topics(self, group: ObservedGroup) -> tuple[str, ...]:
        return () if group.described_consumers is None else subscribed(group.described_consumers)

    def settings(self, group_id: str, given: StatedByOperator) -> BrokerConsumerSettings:
        for option, value in (("--changelog", given.changelogs), ("--topology", given.topology), ("--stores", given.stores)):
            if value:
                raise InvalidInput(f"{group_id!r} {_KIND}: its members keep no state. Leave it out", option)
        if given.kafka_release is not None and is_older(given.kafka_release, FIRST_CLIENTS):
            raise Unsupported(
                f"Clients of Kafka {given.kafka_release} join no group whose broker assigns; {FIRST_CLIENTS} was the first"
            )
        configs = {key: value for key, value in given.overrides.items() if key != STRATEGY}
        strategy = given.overrides.get(STRATEGY, given.application.get(STRATEGY))
        return BrokerConsumerSettings(
            GROUP_CONFIGS.read(group_id, given.broker_release, given.application, configs),
            given.kafka_release,
            () if strategy is None else assignors.of_strategy(strategy),
        )

    def read(
        self,
        cluster: ClusterReader,
        disks: StateDirectoryReader,  # noqa: ARG002 - it has none
        wanted: OneGroup,
        settings: BrokerConsumerSettings,
        seen: ObservedGroup,
    ) -> BrokerConsumerSnapshot:
        return collect.snapshot(cluster, wanted, settings, seen)


def subscribed(group: DescribedConsumerGroup) -> tuple[str, ...]:
    """The topics that members name, or have, or are to have, sorted."""
    found = {topic for member in group.members for topic in member.subscription}
    found |= {topic for member in group.members for topic, _ in (*member.assignment, *member.target)}
    return tuple(sorted(found))
