"""A snapshot of one group of any kind."""

from holdfast.errors import HoldfastError
from holdfast.ports import ClusterReader, StateDirectoryReader
from holdfast.rollout.group.values import AnySnapshot
from holdfast.workflows.collecting import registry
from holdfast.workflows.collecting.collector import OneGroup, StatedByOperator
from holdfast.workflows.collecting.settling import settled_group


def refuse_given(group_id: str, given: StatedByOperator) -> None:
    """Raise, before anything is asked of a cluster, where `given` fits no kind of group: in the words of the first of them."""
    refusals: list[HoldfastError] = []
    for collector in registry.COLLECTORS:
        try:
            collector.refuse_given(group_id, given)
        except HoldfastError as refusal:
            refusals.append(refusal)
        else:
            return
    raise refusals[0]


def snapshot(cluster: ClusterReader, disks: StateDirectoryReader, wanted: OneGroup) -> AnySnapshot:
    """Raise what the collector of the group's kind raises."""
    group = settled_group(cluster, wanted.group_id, wanted.patience)
    return registry.collector_of(group).snapshot(cluster, disks, wanted, group)
