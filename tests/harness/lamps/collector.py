"""How the made-up kind of group in `lamps` is collected: each member is a lamp, and burns if it has an assignment."""

from typing import ClassVar

from tests.harness.lamps.values import LampSnapshot

from holdfast.errors import InvalidInput
from holdfast.ports import ClusterReader, ListedGroup, ObservedGroup, StateDirectoryReader
from holdfast.rollout.json import instants
from holdfast.workflows.collecting.collector import Collector, OneGroup, StatedByOperator


class LampCollector(Collector[None]):
    kind: ClassVar[str] = "lamps"

    def lists(self, listed: ListedGroup) -> bool:
        return listed.protocol_type == "lamps"

    def owns(self, group: ObservedGroup) -> bool:
        return group.protocol_type == "lamps"

    def settings(self, group_id: str, given: StatedByOperator) -> None:
        if given.kafka_release is not None:
            raise InvalidInput(f"{group_id!r}: lamps have no release")

    def read(
        self,
        cluster: ClusterReader,
        disks: StateDirectoryReader,  # noqa: ARG002 - lamps have none
        wanted: OneGroup,
        settings: None,  # noqa: ARG002 - they have none
        seen: ObservedGroup,
    ) -> LampSnapshot:
        lit = tuple(sorted((member.member_id, bool(member.assignment)) for member in seen.members))
        return LampSnapshot(wanted.cluster(cluster.info()), wanted.group_id, instants.to_millisecond(wanted.now()), lit)
