"""Streams groups as a coordinator describes them (StreamsGroupDescribe), for tests that ask no broker."""

from dataclasses import replace

from holdfast.kafka.coordinator.streams.group import Tasks
from holdfast.kafka.wire.streams_group_description import (
    DescribedGroup,
    DescribedMember,
    DescribedSubtopology,
    DescribedTopology,
)
from holdfast.kafka.wire.streams_tasks import InternalTopic, OwnedTasks
from holdfast.ports import GroupConfig, ObservedGroup

SHOP = "shop"
PROCESSES = ("4b61083e-57d0-457d-951f-d06556c148ca", "9c2f6f0e-0f0c-4b0e-8a0b-2d4f5a9f1b11")
PARTITIONS = {"orders": 4, "shop-by-id-repartition": 4, "shop-counts-changelog": 4}
TOPOLOGY = DescribedTopology(
    0,
    (
        DescribedSubtopology("0", ("orders",), ("shop-by-id-repartition",), (), ()),
        DescribedSubtopology(
            "1",
            (),
            (),
            (InternalTopic("shop-counts-changelog", 4, 1, ()),),
            (InternalTopic("shop-by-id-repartition", 4, 1, ()),),
        ),
    ),
)
CONFIGS = (
    GroupConfig("consumer.session.timeout.ms", "45000", False),
    GroupConfig("streams.num.standby.replicas", "1", True),
    GroupConfig("streams.session.timeout.ms", "45000", False),
)
V4_3 = 30
"""The newest `metadata.version` of 4.3."""


def owned(active: Tasks = (), standby: Tasks = ()) -> OwnedTasks:
    return OwnedTasks(active, standby, ())


def member(
    name: str, process: str, active: Tasks = (), standby: Tasks = (), *, host: str = "/10.0.0.1", epoch: int = 7
) -> DescribedMember:
    """One that is at its target."""
    tasks = owned(active, standby)
    return DescribedMember(name, epoch, None, None, f"{name}-client", host, 0, process, None, (), (), (), tasks, tasks, False)


MEMBERS = (
    member("m-b", PROCESSES[1], (("0", (1, 3)), ("1", (1, 3))), (("1", (0, 2)),), host="/10.0.0.2"),
    member("m-a", PROCESSES[0], (("0", (0, 2)), ("1", (0, 2))), (("1", (1, 3)),)),
)


def group(
    members: tuple[DescribedMember, ...] = MEMBERS,
    *,
    state: str = "Stable",
    topology: DescribedTopology | None = TOPOLOGY,
    group_id: str = SHOP,
    assignor: str | None = None,
) -> DescribedGroup:
    return DescribedGroup(0, None, group_id, state, 7, 7, topology, members, -(2**31), assignor)


def observed(described: DescribedGroup | None = None, metadata_version: int | None = V4_3) -> ObservedGroup:
    found = described or group()
    return ObservedGroup(found.group_id, found.state, "streams", "", (), described=found, metadata_version=metadata_version)


def without_process(one: DescribedMember) -> DescribedMember:
    return replace(one, process_id="")
