"""Kafka Streams groups whose leader assigns, for the registry of collectors."""

from dataclasses import replace
from typing import ClassVar

from holdfast.errors import InvalidInput
from holdfast.kafka import topology_description
from holdfast.ports import ClusterReader, ListedGroup, ObservedGroup, StateDirectoryReader
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Stores
from holdfast.workflows.collecting.collector import Collector, OneGroup, StatedByOperator
from holdfast.workflows.collecting.settling import PROTOCOL_TYPE
from holdfast.workflows.collecting.streams import collect, settings
from holdfast.workflows.collecting.streams.settings import GroupSettings


class StreamsCollector(Collector[GroupSettings]):
    kind: ClassVar[str] = "streams"

    def lists(self, listed: ListedGroup) -> bool:
        return listed.kind == "classic" and listed.protocol_type == PROTOCOL_TYPE

    def owns(self, group: ObservedGroup) -> bool:
        return group.protocol_type in (PROTOCOL_TYPE, "") and group.protocol == collect.PROTOCOL

    def settings(self, group_id: str, given: StatedByOperator) -> GroupSettings:
        about = settings.read(group_id, given.kafka_release, given.application, given.overrides, given.changelogs)
        described = () if given.topology is None else topology_description.read(given.topology)
        return replace(about, stores=_stores(given.stores), described=described)

    def read(
        self, cluster: ClusterReader, disks: StateDirectoryReader, wanted: OneGroup, settings: GroupSettings, seen: ObservedGroup
    ) -> Snapshot:
        return collect.snapshot(cluster, disks, wanted, settings, seen)


def _stores(given: str | None) -> Stores | None:
    if given is not None and given not in tuple(Stores):
        raise InvalidInput(f"{given!r} is none of {', '.join(Stores)}", "--stores")
    return None if given is None else Stores(given)
