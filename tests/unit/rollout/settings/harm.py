"""A configuration with known harm, and the groups that `known_harm` and `known_harm_to_data` take."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from tests.harness.groups_at_rest import Shape, by_broker, consumers, streams

from holdfast.kafka.streams.config_check import ConfigValue
from holdfast.rollout.disks.state_directory import StateDirectory
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.settings.rule import Measure
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


@dataclass(frozen=True)
class Harm:
    """`keys`: a finding names one of them, as a setting or in its fix. `source`: where the harm is described. `price`: what the
    forecasts of this group must show; None: the harm is none that a forecast has."""

    keys: tuple[str, ...]
    source: str
    given: Mapping[str, str] = field(default_factory=dict)
    group: Callable[[], AnySnapshot] = streams
    price: Measure | None = None


def streams_of(config: Mapping[str, ConfigValue] | None = None, **shape: object) -> Callable[[], AnySnapshot]:
    return lambda: streams(Shape(**shape), config)  # type: ignore[arg-type]


def consumers_of(**given: object) -> Callable[[], AnySnapshot]:
    return lambda: consumers(**given)  # type: ignore[arg-type]


def by_broker_of(**given: object) -> Callable[[], AnySnapshot]:
    return lambda: by_broker(**given)  # type: ignore[arg-type]


def on_disk(url: str) -> Callable[[], Snapshot]:
    return lambda: replace(streams(), state_directories=(StateDirectory(url, None),))


def one(key: str, value: str, source: str, group: Callable[[], AnySnapshot] = streams, price: Measure | None = None) -> Harm:
    return Harm((key,), source, {key: value}, group, price)


M = 1_000_000
ONCE = {"processing.guarantee": "exactly_once_v2"}
STATE = {"state.dir": "/var/lib/kafka-streams"}
PACKAGE = "org.apache.kafka.streams.processor.internals.assignment"
PUBLIC = "org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor"
ZONES = tuple((("zone", zone),) for zone in "abc")
RACKED: dict[str, object] = {"racks": ("a", "b", "c"), "replica_racks": ("a", "b", "c")}
TAGGED = {"rack.aware.assignment.tags": "zone", "client.tag.zone": "a", "num.standby.replicas": "1"}
MIN_TRAFFIC = {"rack.aware.assignment.strategy": "min_traffic"}
EIGHT: dict[str, object] = {"clients": 8, "tasks": 48, "threads": 2}
