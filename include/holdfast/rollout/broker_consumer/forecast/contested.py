"""Who waits in a reconciliation until another member has given up a partition: `CurrentAssignmentBuilder.computeNextAssignment`."""

from collections.abc import Mapping

from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.forecast.outcomes import ComputedTarget
from holdfast.rollout.coordinated.clock import Waiting


class Contested:
    """What members may have while targets follow one another: all that they were given since the group was stable."""

    def __init__(self, runs: Mapping[TopicPartition, str]) -> None:
        """`runs`: who reads what before the first target."""
        self._runs = {partition: {member} for partition, member in runs.items()}
        self._last: ComputedTarget | None = None

    def waiting(self, target: ComputedTarget) -> Waiting[TopicPartition]:
        """The target is kept."""
        given = {one: member for one, member in target.owners.items() if member not in target.ended}
        running = {member for member, _ in target.owned} - target.ended
        waits = {member for one, member in given.items() if (self._runs.get(one, set()) & running) - {member}}
        self._keep(given)
        self._last = target
        return Waiting(len(waits))

    def returned(self, member: str, old: str) -> None:
        """A static member came back in the place of another: it has what that had."""
        for members in self._runs.values():
            if old in members:
                members.add(member)

    def settled(self) -> None:
        """Every member has what the last target gives it, and nothing else."""
        if self._last is not None:
            self._runs = {}
            self._keep(self._last.owners)

    def _keep(self, given: dict[TopicPartition, str]) -> None:
        for one, member in given.items():
            self._runs.setdefault(one, set()).add(member)
