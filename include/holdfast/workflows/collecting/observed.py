"""What the collections of all kinds of group share: how a group is read, and what has been read of it so far."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar

from holdfast.ports import ClusterInfo
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.workflows.collecting.settling import Patience

G = TypeVar("G")


@dataclass(frozen=True, slots=True)
class Reading:
    """How one group is read. `cluster_name` None: the cluster's ID. `state_dirs`: URLs."""

    cluster_name: str | None
    group_id: str
    state_dirs: tuple[str, ...]
    patience: Patience
    now: Callable[[], datetime]

    def cluster(self, info: ClusterInfo) -> str:
        """The name of the cluster in a Snapshot."""
        return self.cluster_name or info.cluster_id


@dataclass
class Observed(Generic[G]):
    """What has been read of a group so far; `unknown`: what could not be read or had to be assumed, each with the reason."""

    group: G
    unknown: list[Unknown] = field(default_factory=list)

    def note(self, what: str, reason: str) -> None:
        self.unknown.append(Unknown(what, reason))
