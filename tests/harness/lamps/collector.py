"""How the made-up kind of group in `lamps` is collected: each member is a lamp, and burns if it has an assignment."""

from typing import ClassVar

from tests.harness.lamps.values import LampSnapshot

from holdfast.errors import InvalidInput
from holdfast.ports import ClusterReader, ListedGroup, ObservedGroup, StateDirectoryReader
from holdfast.workflows.collecting.collector import Collector, Given, OneGroup


class LampCollector(Collector):
    kind: ClassVar[str] = "lamps"

    def lists(self, listed: ListedGroup) -> bool:
        return listed.protocol_type == "lamps"

    def owns(self, group: ObservedGroup) -> bool:
        return group.protocol_type == "lamps"

    def refuse_given(self, group_id: str, given: Given) -> None:
        if given.kafka_release is not None:
            raise InvalidInput(f"{group_id!r}: lamps have no release")

    def snapshot(
        self,
        cluster: ClusterReader,
        disks: StateDirectoryReader,  # noqa: ARG002 - lamps have none
        wanted: OneGroup,
        seen: ObservedGroup,
    ) -> LampSnapshot:
        self.refuse_given(wanted.group_id, wanted.given)
        lit = tuple(sorted((member.member_id, bool(member.assignment)) for member in seen.members))
        name = wanted.cluster_name or cluster.info().cluster_id
        return LampSnapshot(name, wanted.group_id, wanted.now().isoformat().replace("+00:00", "Z"), lit)
