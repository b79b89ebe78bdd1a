"""What a kind of group provides for collecting it: the interface behind `registry.py`.

It is not part of `GroupKind`: collecting needs the ports, which `rollout` does not know.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from holdfast.errors import InvalidInput
from holdfast.kafka.wire.consumer_protocol import decode_subscription
from holdfast.ports import ClusterReader, ListedGroup, ObservedGroup, StateDirectoryReader
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.workflows.collecting.observed import Reading

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class StatedByOperator:
    """What the operator states about a group before its kind is known: release, the application's properties, single settings that
    win over them, and the changelogs that cannot be inferred."""

    kafka_release: str | None
    application: Mapping[str, str]
    overrides: Mapping[str, ConfigValue]
    changelogs: tuple[str, ...] = ()
    stores: str | None = None
    """Where the application keeps its state: persistent, in-memory or mixed."""
    broker_release: str | None = None
    """Of the group's coordinator; it affects groups whose broker assigns."""
    topology: str | None = None
    """What the application's `Topology.describe()` prints."""


@dataclass(frozen=True, slots=True)
class OneGroup(Reading):
    """A group to collect."""

    given: StatedByOperator


@dataclass(frozen=True, slots=True)
class Advice:
    """What the doctor finds in a group. `remedy`: what to do; empty: nothing. `stops`: nothing is predicted without it."""

    name: str
    found: str
    remedy: str = ""
    stops: bool = False


class Collector(ABC, Generic[S]):
    """Collects the groups of one kind. `S`: what is given about such a group, checked."""

    kind: ClassVar[str]
    """The name of the `GroupKind` whose snapshots it takes."""
    without_offsets: ClassVar[str] = "the leader is unknown, and rebalances cannot be compared with a forecast"
    """What is missing where `__consumer_offsets` may not be read."""
    without_state_dirs: ClassVar[str | None] = None
    """Why the state directories of such a group are not read, after its name; None: they are."""
    reads_configs: ClassVar[bool] = False
    """Whether such a group has configs of its own on the broker."""

    @abstractmethod
    def lists(self, listed: ListedGroup) -> bool:
        """Whether a pattern of group IDs includes this group. A broker's list does not distinguish all kinds."""

    @abstractmethod
    def owns(self, group: ObservedGroup) -> bool:
        """Whether the group, as its coordinator describes it, is of this kind."""

    def topics(self, group: ObservedGroup) -> tuple[str, ...]:
        """The topics that the group reads, that its coordinator shows, sorted."""
        members = (member for member in group.members if member.subscription)
        return tuple(sorted({name: None for one in members for name in decode_subscription(one.subscription).topics}))

    def advice(self, cluster: ClusterReader, group: ObservedGroup, servers: str) -> Iterable[Advice]:  # noqa: ARG002 - for those who need it
        """What is worth a finding in addition to rights and topics. `servers`: what commands name as the brokers."""
        return ()

    @abstractmethod
    def settings(self, group_id: str, given: StatedByOperator) -> S:
        """Raise InvalidInput or Unsupported for what cannot be true of a group of this kind. No cluster is asked."""

    @abstractmethod
    def read(
        self, cluster: ClusterReader, disks: StateDirectoryReader, wanted: OneGroup, settings: S, seen: ObservedGroup
    ) -> AnySnapshot:
        """`seen`: the group as it was described a moment ago. Raise ClusterTrouble for a group that is not there, and Unsupported
        for one that is not of this kind after all."""

    def refuse_given(self, group_id: str, given: StatedByOperator) -> None:
        """Raise what `settings` raises."""
        self.settings(group_id, given)

    def snapshot(self, cluster: ClusterReader, disks: StateDirectoryReader, wanted: OneGroup, seen: ObservedGroup) -> AnySnapshot:
        """Raise what `settings` and `read` raise."""
        if wanted.state_dirs and self.without_state_dirs is not None:
            raise InvalidInput(f"{wanted.group_id!r} {self.without_state_dirs}", "--state-dir")
        return self.read(cluster, disks, wanted, self.settings(wanted.group_id, wanted.given), seen)
