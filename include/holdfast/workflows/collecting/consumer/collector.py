"""Consumer groups whose leader assigns, for the registry of collectors."""

from typing import ClassVar

from holdfast.errors import InvalidInput
from holdfast.ports import ClusterReader, ListedGroup, ObservedGroup, StateDirectoryReader
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.workflows.collecting.collector import Collector, OneGroup, StatedByOperator
from holdfast.workflows.collecting.consumer import collect, settings
from holdfast.workflows.collecting.consumer.settings import ConsumerSettings
from holdfast.workflows.collecting.settling import PROTOCOL_TYPE

_WITHOUT_STATE = "is a consumer group without state: leave it out"


class ConsumerCollector(Collector[ConsumerSettings]):
    kind: ClassVar[str] = "consumer"
    without_state_dirs: ClassVar[str | None] = _WITHOUT_STATE

    def lists(self, listed: ListedGroup) -> bool:
        return listed.kind == "classic" and listed.protocol_type == PROTOCOL_TYPE

    def owns(self, group: ObservedGroup) -> bool:
        return collect.is_consumer_group(group)

    def settings(self, group_id: str, given: StatedByOperator) -> ConsumerSettings:
        for option, value in (("--changelog", given.changelogs), ("--topology", given.topology), ("--stores", given.stores)):
            if value:
                raise InvalidInput(f"{group_id!r} {_WITHOUT_STATE}", option)
        return settings.read(group_id, given.kafka_release, given.application, given.overrides)

    def read(
        self,
        cluster: ClusterReader,
        disks: StateDirectoryReader,  # noqa: ARG002 - it has no state directories
        wanted: OneGroup,
        settings: ConsumerSettings,
        seen: ObservedGroup,
    ) -> ConsumerSnapshot:
        return collect.snapshot(cluster, wanted, settings, seen)
