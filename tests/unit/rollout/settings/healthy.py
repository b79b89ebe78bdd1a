"""A configuration without harm, and what `known_healthy` and `known_healthy_in_production` take."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.harness.groups_at_rest import streams

from holdfast.rollout.group.values import AnySnapshot


@dataclass(frozen=True)
class Healthy:
    """`given` None: the application's properties are unknown."""

    given: Mapping[str, str] | None = field(default_factory=dict)
    group: Callable[[], AnySnapshot] = streams


M = 1_000_000
DISK = {"state.dir": "/var/lib/kafka-streams"}
RESILIENT = DISK | {
    "acks": "all",
    "replication.factor": "3",
    "topic.min.insync.replicas": "2",
    "num.standby.replicas": "1",
}
"""Streams developer guide: recommended configuration parameters for resiliency."""
V2 = {"processing.guarantee": "exactly_once_v2"}
