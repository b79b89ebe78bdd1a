"""Streams groups whose broker assigns, for the registry of collectors."""

from collections.abc import Iterator
from typing import ClassVar

from holdfast.errors import InvalidInput, Unsupported
from holdfast.kafka.coordinator.release import FIRST_CLIENTS
from holdfast.kafka.release_lines import is_older
from holdfast.ports import ClusterReader, ListedGroup, ObservedGroup, StateDirectoryReader
from holdfast.rollout.broker_streams.snapshot.described import topics_of
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.workflows.collecting.broker_streams import advice, collect
from holdfast.workflows.collecting.broker_streams.settings import GROUP_CONFIGS
from holdfast.workflows.collecting.collector import Advice, Collector, OneGroup, StatedByOperator
from holdfast.workflows.collecting.coordinator_settings import CoordinatorSettings

_KIND = "is a Streams group whose broker assigns"


class BrokerStreamsCollector(Collector[CoordinatorSettings]):
    kind: ClassVar[str] = "broker_streams"
    without_offsets: ClassVar[str] = "the targets that the coordinator has recorded are unknown"
    reads_configs: ClassVar[bool] = True

    def lists(self, listed: ListedGroup) -> bool:
        return listed.kind == "streams"

    def owns(self, group: ObservedGroup) -> bool:
        return group.described is not None

    def topics(self, group: ObservedGroup) -> tuple[str, ...]:
        return () if group.described is None else topics_of(group.described)

    def advice(self, cluster: ClusterReader, group: ObservedGroup, servers: str) -> Iterator[Advice]:
        return advice.advice(cluster, group, servers)

    def settings(self, group_id: str, given: StatedByOperator) -> CoordinatorSettings:
        _refuse(group_id, "--changelog", given.changelogs, "its coordinator says which topics are its changelogs")
        _refuse(group_id, "--topology", given.topology, "its coordinator has it")
        _refuse(group_id, "--stores", given.stores, "where it keeps its state does not affect what its broker assigns")
        if given.kafka_release is not None and is_older(given.kafka_release, FIRST_CLIENTS):
            raise Unsupported(
                f"Kafka Streams {given.kafka_release} has no groups whose broker assigns; {FIRST_CLIENTS} was the first"
            )
        return GROUP_CONFIGS.read(group_id, given.broker_release, given.application, given.overrides)

    def read(
        self,
        cluster: ClusterReader,
        disks: StateDirectoryReader,
        wanted: OneGroup,
        settings: CoordinatorSettings,
        seen: ObservedGroup,
    ) -> StreamsGroupSnapshot:
        return collect.snapshot(cluster, disks, wanted, settings, seen)


def _refuse(group_id: str, option: str, value: object, why: str) -> None:
    if value:
        raise InvalidInput(f"{group_id!r} {_KIND}: {why}. Leave it out", option)
