"""Consumer groups whose leader assigns, for the registry of collectors."""

from typing import ClassVar

from holdfast.errors import InvalidInput
from holdfast.ports import ClusterReader, ListedGroup, ObservedGroup, StateDirectoryReader
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.workflows.collecting.collector import Collector, Given, OneGroup
from holdfast.workflows.collecting.consumer import collect, settings
from holdfast.workflows.collecting.settling import PROTOCOL_TYPE


class ConsumerCollector(Collector):
    kind: ClassVar[str] = "consumer"

    def lists(self, listed: ListedGroup) -> bool:
        return listed.kind == "classic" and listed.protocol_type == PROTOCOL_TYPE

    def owns(self, group: ObservedGroup) -> bool:
        return collect.is_consumer_group(group)

    def refuse_given(self, group_id: str, given: Given) -> None:
        _refuse_state(group_id, ("--changelog", given.changelogs), ("--stores", given.stores))
        settings.read(group_id, given.kafka_release, given.application, given.overrides)

    def snapshot(
        self,
        cluster: ClusterReader,
        disks: StateDirectoryReader,  # noqa: ARG002 - it has no state directories
        wanted: OneGroup,
        seen: ObservedGroup,
    ) -> ConsumerSnapshot:
        given = wanted.given
        _refuse_state(wanted.group_id, ("--state-dir", wanted.state_dirs))
        self.refuse_given(wanted.group_id, given)
        return collect.snapshot(
            cluster,
            cluster_name=wanted.cluster_name,
            group_id=wanted.group_id,
            settings=settings.read(wanted.group_id, given.kafka_release, given.application, given.overrides),
            patience=wanted.patience,
            now=wanted.now,
            seen=seen,
        )


def _refuse_state(group_id: str, *options: tuple[str, object]) -> None:
    for option, value in options:
        if value:
            raise InvalidInput(f"{group_id!r} is a consumer group without state: leave it out", option)
