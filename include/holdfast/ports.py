"""The few Protocols that the workflows need. Each has a fake that passes the same tests as the real adapter (tests/contract)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from holdfast.errors import HoldfastError

if TYPE_CHECKING:
    from holdfast.kafka.vocabulary import ProcessId, TopicPartition
    from holdfast.kafka.wire.consumer_group_description import DescribedConsumerGroup
    from holdfast.kafka.wire.streams_group_description import DescribedGroup
    from holdfast.rollout.broker_streams.snapshot.recorded import RecordedTarget
    from holdfast.rollout.contract.unknown_inputs import Unknown
    from holdfast.rollout.disks.state_directory import StateDirectory
    from holdfast.rollout.streams.snapshot.snapshot import Generation, GenerationMember, Topic


class Tables(Protocol):
    """The tables of the lake, by cluster and day."""

    def days(self, table: str, cluster: str = "") -> Sequence[str]:
        """The days of a cluster, or of any, the latest last."""
        ...

    def rows(
        self,
        table: str,
        days: Sequence[str],
        columns: Sequence[str],
        among: Mapping[str, tuple[str, ...]] | None = None,
        cluster: str = "",
    ) -> Sequence[Mapping[str, Any]]:
        """Of these days, the rows where every column of `among` has one of its values. Raise StatePathTrouble for a table that
        cannot be read."""
        ...


LakePath = tuple[str, ...]
"""Segments of a path in the lake, each of letters, digits and `=%._@+-`, none beginning with a dot."""


class Lake(Protocol):
    """Where snapshots and plans are kept. A file appears whole or not at all; no path leads out of it."""

    @property
    def url(self) -> str:
        """Where it is, without user or password."""
        ...

    def write(self, path: LakePath, content: bytes) -> None:
        """Put `content` at `path`, in place of what was there. Raise StatePathTrouble, and leave what was there, if that fails."""
        ...

    def create(self, path: LakePath, content: bytes) -> bool:
        """Put `content` at `path` if nothing is there: of many concurrent callers one gets True, all others False.

        Nothing is changed for them. Raise Unsupported, by name, for a lake that cannot promise that; StatePathTrouble as `write`.
        """
        ...

    def read(self, path: LakePath, limit: int) -> bytes:
        """All of the file. Raise StatePathTrouble if it is not there, cannot be read, or is larger than `limit` bytes."""
        ...

    def exists(self, path: LakePath) -> bool:
        """Whether there is such a file (not a folder)."""
        ...

    def remove(self, path: LakePath) -> None:
        """Delete the file, or the folder with all that is in it; nothing happens if neither is there. Raise StatePathTrouble."""
        ...

    def names(self, folder: LakePath) -> tuple[str, ...]:
        """The names directly below `folder`, sorted; none if there is no such folder. Unfinished and foreign names are left out."""
        ...


class ProcessMetadataFiles(Protocol):
    """The file `kafka-streams-process-metadata` in state directories. `state_dir` is the URL of `<state.dir>/<application.id>`."""

    def read(self, state_dir: str) -> "ProcessId | None":
        """The process ID in the directory; None if it, or the file, is not there. Raise StatePathTrouble for a broken file."""
        ...

    def write(self, state_dir: str, process_id: "ProcessId", replaces: "ProcessId | None" = None) -> None:
        """Write the file whole or not at all, and durably.

        Raise StatePathTrouble if it holds another ID than `process_id` or `replaces`, or cannot be written.
        """
        ...

    def remove(self, state_dir: str, process_id: "ProcessId") -> None:
        """Remove the file that holds this ID; there may be none any more.

        Raise StatePathTrouble if it holds another one, a client runs on the directory, or it cannot be removed.
        """
        ...


@dataclass(frozen=True, slots=True)
class ObservedGroup:
    """A group as its coordinator describes it. A classic group's members carry no bytes while it is rebalancing.

    `state` is the broker's word (`Stable`, `PreparingRebalance`, `CompletingRebalance`, `Empty`, `Dead`), `protocol` the assignor.
    """

    group_id: str
    state: str
    protocol_type: str
    protocol: str
    members: "tuple[GenerationMember, ...]"
    described: "DescribedGroup | None" = None
    """A streams group whose broker assigns (KIP-1071; `protocol_type` is `streams`): all that its coordinator says of it; such a
    group has no other members."""
    described_consumers: "DescribedConsumerGroup | None" = None
    """The same of a consumer group whose broker assigns (KIP-848; `protocol_type` is `consumer`)."""
    metadata_version: int | None = None
    """Of groups whose broker assigns: the newest `metadata.version` that the coordinator supports; None: it does not say."""

    @property
    def size(self) -> int:
        """How many members it has."""
        return len(self.hosts)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The host of each member, as the coordinator sees it."""
        if self.described is not None:
            return tuple(one.client_host for one in self.described.members)
        if self.described_consumers is not None:
            return tuple(one.client_host for one in self.described_consumers.members)
        return tuple(one.client_host for one in self.members)


class GroupConfig(NamedTuple):
    """A config of a group (`streams.num.standby.replicas`). `of_group`: it was set for the group; else it is the broker's."""

    name: str
    value: str
    of_group: bool


GroupConfigs = tuple[GroupConfig, ...]
"""All configs of a group, by name."""


RecordedTargets = tuple[tuple["RecordedTarget", ...], tuple["Unknown", ...]]
"""Targets, and why there are no others."""


Operations = frozenset[str]
"""What this user may do, as Kafka names operations: `READ`, `DESCRIBE`, … A broker that does not check shows them all."""


PartitionFigures = tuple[tuple[tuple["TopicPartition", int], ...], tuple["Unknown", ...]]
"""A number for each partition that could be read, sorted by partition, and why there is none for the others."""


@dataclass(frozen=True, slots=True)
class ClusterInfo:
    """`broker_version` is what the brokers' supported requests show, at least; None: they do not show it."""

    cluster_id: str
    broker_version: str | None


class ClusterReader(Protocol):
    """What can be read of one group from a cluster. No call outlives the reader's time limit.

    Every method raises ClusterTrouble when the cluster does not answer in time, or refuses the whole question. Where single topics
    or partitions cannot be read, the second value of the answer says which and why, and the first one has the rest.
    """

    def info(self) -> ClusterInfo: ...

    def group(self, group_id: str) -> ObservedGroup:
        """The group, once. Raise ClusterTrouble if there is no such group, Unsupported for a kind that is not covered."""
        ...

    def group_ids(self, prefix: str = "") -> tuple[str, ...]:
        """The IDs of all groups, of whatever kind, that may be described and begin with `prefix`, sorted."""
        ...

    def topic_names(self, prefix: str = "") -> tuple[str, ...]:
        """The names of all topics that may be described and begin with `prefix`, sorted."""
        ...

    def topics(self, names: tuple[str, ...]) -> "tuple[tuple[Topic, ...], tuple[Unknown, ...]]":
        """Partitions and the racks of their replicas."""
        ...

    def topic_ids(self, names: tuple[str, ...]) -> Mapping[str, int]:
        """The 128 bits of the Uuid of each topic that exists and has one (2.8 and later), by name."""
        ...

    def committed_offsets(self, group_id: str) -> "tuple[tuple[TopicPartition, int], ...]":
        """What the group has committed, sorted by partition."""
        ...

    def end_offsets(self, partitions: "tuple[TopicPartition, ...]") -> PartitionFigures:
        """The offset after the last record (read uncommitted), as a leader's end-offset sums take it."""
        ...

    def begin_offsets(self, partitions: "tuple[TopicPartition, ...]") -> PartitionFigures:
        """The offset of the first record that is still in the log."""
        ...

    def log_bytes(self, partitions: "tuple[TopicPartition, ...]") -> PartitionFigures:
        """The size of the log on its leader's disk, or else on the disk where it is largest. Waits for no broker for long."""
        ...

    def generations(self, group_id: str) -> "tuple[tuple[Generation, ...], tuple[Unknown, ...]]":
        """Completed rebalances that `__consumer_offsets` still holds, oldest first. ClusterTrouble without the right to read it."""
        ...

    def group_configs(self, group_id: str) -> GroupConfigs:
        """The configs of a group whose broker assigns. ClusterTrouble without the right DESCRIBE_CONFIGS on it."""
        ...

    def recorded_targets(self, group_id: str) -> RecordedTargets:
        """The targets of a group whose broker assigns that `__consumer_offsets` still has completely, oldest first.

        ClusterTrouble without the right to read it.
        """
        ...

    def group_rights(self, group_id: str) -> Operations:
        """What this user may do on the group; none, where it may not even describe it."""
        ...

    def topic_rights(self, names: tuple[str, ...]) -> tuple[tuple[str, Operations], ...]:
        """What this user may do on each of these topics; none, where it may not describe it or there is no such topic."""
        ...

    def cluster_rights(self) -> Operations:
        """What this user may do on the cluster as a whole; none, where it may not describe it."""
        ...


History = tuple[tuple["Generation", ...], tuple["Unknown", ...]]


@dataclass(frozen=True, slots=True)
class ListedGroup:
    """A group as a broker lists it. `kind` is the broker's word: `classic`, `consumer` (KIP-848), `streams` or `share`.

    `state` is "" where the broker does not say it.
    """

    group_id: str
    protocol_type: str
    kind: str
    state: str


class ManyGroupsReader(Protocol):
    """What can be read of many groups at once from a cluster. Methods for one group are as in `ClusterReader`.

    One broker that does not answer costs the groups and partitions that are with it: those are refusals (values, not raised) and
    Unknowns. No question waits longer than a few seconds for it.
    """

    def info(self) -> ClusterInfo: ...

    def listed(self) -> tuple[tuple[ListedGroup, ...], tuple[str, ...]]:
        """All groups that may be described, sorted by ID; and which brokers did not say theirs, and why."""
        ...

    def groups(self, group_ids: Collection[str]) -> Mapping[str, ObservedGroup | HoldfastError]: ...

    def group_ids(self, prefix: str = "") -> tuple[str, ...]: ...

    def topic_names(self, prefix: str = "") -> tuple[str, ...]: ...

    def topics(self, names: tuple[str, ...]) -> "tuple[tuple[Topic, ...], tuple[Unknown, ...]]": ...

    def topic_ids(self, names: tuple[str, ...]) -> Mapping[str, int]: ...

    def commits(self, group_ids: Collection[str]) -> "Mapping[str, tuple[tuple[TopicPartition, int], ...] | HoldfastError]": ...

    def end_offsets(self, partitions: "tuple[TopicPartition, ...]") -> PartitionFigures: ...

    def begin_offsets(self, partitions: "tuple[TopicPartition, ...]") -> PartitionFigures: ...

    def log_bytes(self, partitions: "tuple[TopicPartition, ...]") -> PartitionFigures: ...

    def histories(self, group_ids: Collection[str]) -> Mapping[str, History | HoldfastError]:
        """The completed rebalances of each group."""
        ...

    def configs(self, group_ids: Collection[str]) -> Mapping[str, GroupConfigs | HoldfastError]:
        """The configs of each group."""
        ...

    def targets(self, group_ids: Collection[str]) -> Mapping[str, RecordedTargets | HoldfastError]:
        """The recorded targets of each group."""
        ...


class Machine(Protocol):
    """The installed packages other than Holdfast."""

    def java_major(self) -> int | None:
        """The major version of the Java that Spark would use; None without one."""
        ...

    def package_version(self, name: str) -> str | None:
        """The version of an installed Python package, which is not imported for it."""
        ...

    def folder_problem(self, url: str) -> str | None:
        """Why nothing can be written to a folder or URL; None where it can."""
        ...


ReadDirectory = tuple["StateDirectory", tuple["Unknown", ...]]
"""What a directory holds, and what in it could not be read, each with the reason."""


@dataclass(frozen=True, slots=True)
class HostRights:
    """What this user may do on hosts. `shown`: what and where; `lacking`: what is not granted of it; `remedy`: how all of it is.

    `trouble`: why that cannot be seen.
    """

    shown: str
    lacking: tuple[str, ...]
    remedy: str
    trouble: str | None = None


class StateDirectoryReader(Protocol):
    """What one client's `<state.dir>/<application.id>` holds, wherever it is."""

    def read(self, url: str) -> ReadDirectory:
        """Raise StatePathTrouble if there is no such directory or it cannot be listed; a broken file is an Unknown."""
        ...

    def read_many(self, urls: Collection[str]) -> Mapping[str, ReadDirectory | HoldfastError]:
        """Each as `read` does, or what that raises, by URL and in order; a template has become the URLs that it stands for.

        Hosts are read side by side; one that does not answer costs its own only.
        """
        ...


class GroupSettings(Protocol):
    """The configs of groups at their brokers. Every method raises ClusterTrouble."""

    def group_configs(self, group_id: str) -> GroupConfigs:
        """As `ClusterReader` reads them."""
        ...

    def alter_group_configs(self, group_id: str, settings: Mapping[str, str | None]) -> None:
        """Set these and no others, all or none; None: the brokers' default again. After ClusterTrouble it may have been done."""
        ...
