"""What the sticky assignors know about racks. Java: `AbstractStickyAssignor.RackInfo`, 3.5 to 4.3 (KIP-881)."""

from collections.abc import Mapping, Sequence

from holdfast.kafka.consumer.range_racks import Racks, may_matter
from holdfast.kafka.consumer.reports import Report
from holdfast.kafka.consumer.space import Space


class RackInfo:
    """Members by their rank. Not `in_use`: racks make no difference here."""

    def __init__(self, reports: Sequence[Report], space: Space, topics: Mapping[str, Racks]) -> None:
        self._space = space
        members: dict[str, int] = {}
        for report in reports:
            if report.rack is not None:
                members[report.rack] = members.get(report.rack, 0) + 1
        racks = [topics[topic] for topic in space.topics] if members else []
        self.in_use = may_matter(frozenset(members), [each for of_topic in racks for each in of_topic]) if members else False
        self._racks = racks if self.in_use else []
        self._members = members
        self.of_member = {report.rank: report.rack for report in reports if report.rack is not None} if self.in_use else {}

    def replicas(self, code: int) -> frozenset[str]:
        of_topic = self._racks[self._space.place(code)]
        number = self._space.number(code)
        return of_topic[number] if number < len(of_topic) else frozenset()

    def mismatch(self, member: int, code: int) -> bool:
        """The member has a rack, and no replica is there."""
        rack = self.of_member.get(member)
        return rack is not None and rack not in self.replicas(code)

    def fewest_members_first(self, codes: list[int]) -> list[int]:
        """Sorted by the number of members in the partition's racks; the order among equals stays."""
        if not self.in_use:
            return codes
        return sorted(codes, key=lambda code: sum(self._members.get(rack, 0) for rack in sorted(self.replicas(code))))

    def next_member(self, code: int, members: Sequence[int], first: int) -> int:
        """The place of the first member, from `first` on and around, in a rack of the partition; -1 if there is none."""
        racks = self.replicas(code)
        for step in range(len(members)):
            place = (first + step) % len(members)
            if self.of_member.get(members[place]) in racks:
                return place
        return -1
