"""Configurations whose harm is known from Kafka's documentation, KIPs and issues: what the doctor of settings is judged by.

Written from those sources, not from its rules. Each names the settings of which one must be in a finding.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from tests.harness.groups_at_rest import Shape, by_broker, consumers, streams

from holdfast.kafka.streams.config_check import ConfigValue
from holdfast.rollout.disks.state_directory import StateDirectory
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.settings.rule import Measure
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Stores


@dataclass(frozen=True)
class Harm:
    """`keys`: a finding names one of them, as a setting or in its fix. `source`: where the harm is described. `price`: what the
    forecasts of this group must show; None: the harm is none that a forecast has."""

    keys: tuple[str, ...]
    source: str
    given: Mapping[str, str] = field(default_factory=dict)
    group: Callable[[], AnySnapshot] = streams
    price: Measure | None = None


def _streams(config: Mapping[str, ConfigValue] | None = None, **shape: object) -> Callable[[], AnySnapshot]:
    return lambda: streams(Shape(**shape), config)  # type: ignore[arg-type]


def _consumers(**given: object) -> Callable[[], AnySnapshot]:
    return lambda: consumers(**given)  # type: ignore[arg-type]


def _by_broker(**given: object) -> Callable[[], AnySnapshot]:
    return lambda: by_broker(**given)  # type: ignore[arg-type]


def _on_disk(url: str) -> Callable[[], Snapshot]:
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

WARM_UPS: dict[str, Harm] = {
    "lag 0 on a large state": one("acceptable.recovery.lag", "0", "KIP-441", _streams(log=3 * M)),
    "lag 0 on a small state": one("acceptable.recovery.lag", "0", "KIP-441", price=Measure.PROBING),
    "default lag, changelogs of 3 M": Harm(
        ("acceptable.recovery.lag", "max.warmup.replicas"), "KIP-441", STATE, _streams(tasks=60, log=3 * M), Measure.PROBING
    ),
    "any lag counts as caught up": one(
        "acceptable.recovery.lag", "9223372036854775807", "KIP-441", _streams(log=20 * M), Measure.RESTORING_S
    ),
    "a lag as large as the state": one("acceptable.recovery.lag", "50000000", "KIP-441", _streams(log=20 * M), Measure.RESTORING_S),
    "lag -1": one("acceptable.recovery.lag", "-1", "Streams Configs: valid values"),
    "lag 0 with exactly-once": Harm(("acceptable.recovery.lag",), "KIP-98", ONCE | {"acceptable.recovery.lag": "0"}),
    "lag below the markers of three stores": Harm(
        ("acceptable.recovery.lag",), "KIP-98", ONCE | {"acceptable.recovery.lag": "4"}, _streams(changelogs=3)
    ),
    "one warm-up, many tasks": one("max.warmup.replicas", "1", "KIP-441", _streams(tasks=40, log=5 * M), Measure.PROBING),
    "one warm-up, eight clients": one("max.warmup.replicas", "1", "KIP-441", _streams(log=5 * M, **EIGHT), Measure.PROBING),
    "default warm-ups, 90 tasks": Harm(
        ("max.warmup.replicas", "acceptable.recovery.lag"), "KIP-441", STATE, _streams(tasks=90, log=2 * M), Measure.PROBING
    ),
    "all warm-ups at once": one("max.warmup.replicas", "1000", "KIP-441", _streams(tasks=120, log=20 * M), Measure.AT_ONCE),
    "no warm-up": one("max.warmup.replicas", "0", "Streams Configs: at least 1"),
    "probing once a day": one("probing.rebalance.interval.ms", "86400000", "KIP-441", _streams(log=3 * M), Measure.STABLE_S),
    "probing once a week": one("probing.rebalance.interval.ms", "604800000", "KIP-441", _streams(log=3 * M), Measure.STABLE_S),
    "probing in hours": one("probing.rebalance.interval.ms", "7200000", "KIP-441", _streams(tasks=30, log=3 * M), Measure.STABLE_S),
    "probing each minute, hours of restoring": one(
        "probing.rebalance.interval.ms", "60000", "KIP-441", _streams(log=40 * M), Measure.PROBING
    ),
    "probing each second": one("probing.rebalance.interval.ms", "1000", "Streams Configs: at least 60000"),
    "the sticky assignor of before": one(
        "internal.task.assignor.class",
        f"{PACKAGE}.StickyTaskAssignor",
        "KIP-441",
        _streams(release="3.5.2", log=10 * M),
        Measure.RESTORING_S,
    ),
    "the legacy sticky assignor": one(
        "internal.task.assignor.class", f"{PACKAGE}.LegacyStickyTaskAssignor", "KIP-441", _streams(log=10 * M), Measure.RESTORING_S
    ),
    "the public sticky assignor": one("task.assignor.class", PUBLIC, "KIP-924", _streams(log=10 * M), Measure.RESTORING_S),
    "the assignor that ignores lags": one(
        "internal.task.assignor.class", f"{PACKAGE}.FallbackPriorTaskAssignor", "class FallbackPriorTaskAssignor"
    ),
    "warm-ups of an assignor without them": Harm(
        ("max.warmup.replicas",), "KIP-924", {"task.assignor.class": PUBLIC, "max.warmup.replicas": "8"}
    ),
}
STANDBYS: dict[str, Harm] = {
    "none, hours of state": Harm(
        ("num.standby.replicas",), "Streams developer guide: resiliency", STATE, _streams(log=20 * M), Measure.RESTORING_S
    ),
    "none of a group of two": Harm(
        ("num.standby.replicas",),
        "Streams developer guide: resiliency",
        STATE,
        _streams(clients=2, log=20 * M),
        Measure.RESTORING_S,
    ),
    "none, said": one(
        "num.standby.replicas", "0", "Streams developer guide: resiliency", _streams(log=20 * M), Measure.RESTORING_S
    ),
    "as many as clients": one("num.standby.replicas", "3", "Streams Configs: num.standby.replicas"),
    "many more than clients": one("num.standby.replicas", "10", "Streams Configs: num.standby.replicas"),
    "one of one client": one("num.standby.replicas", "1", "Streams Configs: num.standby.replicas", _streams(clients=1)),
    "two of two clients": one("num.standby.replicas", "2", "Streams Configs: num.standby.replicas", _streams(clients=2)),
    "none of a streams group": Harm(("streams.num.standby.replicas",), "KIP-1071", group=_by_broker(log=20 * M)),
    "more than brokers allow": Harm(
        ("streams.num.standby.replicas",), "KIP-1071", group=_by_broker(config={"streams.num.standby.replicas": 3}, clients=5)
    ),
    "as many as clients of a streams group": Harm(
        ("streams.num.standby.replicas",), "KIP-1071", group=_by_broker(config={"streams.num.standby.replicas": 2}, clients=2)
    ),
}
RACKS: dict[str, Harm] = {
    "a tag without a value": Harm(
        ("client.tag.zone",), "KIP-708", {"rack.aware.assignment.tags": "zone", "num.standby.replicas": "1"}, _streams(tags=ZONES)
    ),
    "one of two tags without a value": Harm(
        ("client.tag.cluster",), "KIP-708", TAGGED | {"rack.aware.assignment.tags": "zone,cluster"}, _streams(tags=ZONES)
    ),
    "a tag that one client lacks": Harm(("client.tag.zone",), "KIP-708", TAGGED, _streams(tags=ZONES[:2])),
    "a tag that all have alike": Harm(
        ("client.tag.zone",), "KIP-708", TAGGED, _streams(tags=tuple((("zone", "a"),) for _ in range(3)))
    ),
    "tags without standbys": Harm(
        ("rack.aware.assignment.tags", "num.standby.replicas"),
        "KIP-708",
        TAGGED | {"num.standby.replicas": "0"},
        _streams(tags=ZONES),
    ),
    "six tags": Harm(
        ("rack.aware.assignment.tags",),
        "KIP-708: five at most",
        {"rack.aware.assignment.tags": "a,b,c,d,e,f"}
        | {f"client.tag.{one}": "x" for one in "abcdef"}
        | {"num.standby.replicas": "1"},
        _streams(tags=tuple(tuple((one, f"{one}{number}") for one in "abcdef") for number in range(3))),
    ),
    "a tag's value of 31 letters": Harm(("client.tag.zone",), "KIP-708: 30 at most", TAGGED | {"client.tag.zone": "z" * 31}),
    "a tag's name of 21 letters": Harm(
        ("client.tag." + "z" * 21, "rack.aware.assignment.tags"),
        "KIP-708: 20 at most",
        {"rack.aware.assignment.tags": "z" * 21, "client.tag." + "z" * 21: "a", "num.standby.replicas": "1"},
    ),
    "a strategy, and clients without a rack": Harm(
        ("rack.aware.assignment.strategy", "client.rack"), "KIP-925", MIN_TRAFFIC, _streams(replica_racks=("a", "b", "c"))
    ),
    "a strategy, and one client without a rack": Harm(
        ("rack.aware.assignment.strategy", "client.rack"),
        "KIP-925",
        MIN_TRAFFIC,
        _streams(racks=("a", "b"), replica_racks=("a", "b", "c")),
    ),
    "a strategy, and brokers without a rack": Harm(
        ("rack.aware.assignment.strategy", "broker.rack"), "KIP-925", MIN_TRAFFIC, _streams(racks=("a", "b", "c"))
    ),
    "a strategy in one rack": Harm(
        ("rack.aware.assignment.strategy", "client.rack"),
        "KIP-925",
        MIN_TRAFFIC,
        _streams(racks=("a", "a", "a"), replica_racks=("a", "b", "c")),
    ),
    "racks by other names": Harm(
        ("client.rack",), "KIP-925", MIN_TRAFFIC, _streams(racks=("eu-1a", "eu-1b", "eu-1c"), replica_racks=("a", "b", "c"))
    ),
    "a strategy that there is not": one(
        "rack.aware.assignment.strategy", "min-traffic", "KIP-925: valid values", _streams(**RACKED)
    ),
    "a strategy of a later release": one(
        "rack.aware.assignment.strategy", "balance_subtopology", "KIP-925: from 3.7 on", _streams(release="3.6.2", **RACKED)
    ),
    "a strategy in a release without": one(
        "rack.aware.assignment.strategy", "min_traffic", "KIP-925: from 3.6 on", _streams(release="3.5.2", **RACKED)
    ),
    "costs without a strategy": one("rack.aware.assignment.traffic_cost", "50", "KIP-925", _streams(**RACKED)),
    "tags of a release without": Harm(
        ("rack.aware.assignment.tags", "client.tag.zone"), "KIP-708: from 3.2 on", TAGGED, _streams(release="3.1.2")
    ),
    "a consumer's rack that no broker has": Harm(
        ("client.rack",), "KIP-392", {"client.rack": "x"}, _consumers(racks=("x", "x", "x"), replica_racks=("a", "b", "c"))
    ),
}
SESSIONS: dict[str, Harm] = {
    "a heartbeat as long as the session": Harm(
        ("heartbeat.interval.ms",), "class Heartbeat", {"session.timeout.ms": "10000", "heartbeat.interval.ms": "10000"}
    ),
    "a heartbeat longer than the default session": one("heartbeat.interval.ms", "60000", "class Heartbeat"),
    "a heartbeat longer than the session of before": one(
        "heartbeat.interval.ms", "10000", "class Heartbeat", _streams(release="2.8.2")
    ),
    "a heartbeat of half a session": Harm(
        ("heartbeat.interval.ms",),
        "Consumer Configs: heartbeat.interval.ms",
        {"session.timeout.ms": "20000", "heartbeat.interval.ms": "10000"},
    ),
    "a heartbeat a bit over a third": one("consumer.heartbeat.interval.ms", "15001", "Consumer Configs: heartbeat.interval.ms"),
    "a session below what brokers take": Harm(
        ("session.timeout.ms",),
        "Broker Configs: group.min.session.timeout.ms",
        {"session.timeout.ms": "5999", "heartbeat.interval.ms": "1500"},
    ),
    "a session above what brokers take": one(
        "main.consumer.session.timeout.ms", "1800001", "Broker Configs: group.max.session.timeout.ms"
    ),
    "a session of an hour": one("session.timeout.ms", "3600000", "Broker Configs: group.max.session.timeout.ms"),
    "a session of 15 minutes": one("session.timeout.ms", "900000", "Consumer Configs: session.timeout.ms", price=Measure.STOPPED_S),
    "a session of half an hour, of consumers": one(
        "session.timeout.ms", "1800000", "Consumer Configs: session.timeout.ms", consumers, Measure.STOPPED_S
    ),
    "a session of 6 s": Harm(("session.timeout.ms",), "KIP-735", {"session.timeout.ms": "6000", "heartbeat.interval.ms": "2000"}),
    "leaves when it is closed": one("internal.leave.group.on.close", "true", "class StreamsConfig", price=Measure.REBALANCES),
    "stays when it is closed, a consumer": one("internal.leave.group.on.close", "false", "class ConsumerConfig", consumers),
    "a heartbeat of half a session, of a streams group": Harm(
        ("streams.heartbeat.interval.ms",), "KIP-1071", group=_by_broker(config={"streams.heartbeat.interval.ms": 22_500})
    ),
    "a session of 10 minutes, of a streams group": Harm(
        ("streams.session.timeout.ms",),
        "KIP-1071",
        group=_by_broker(config={"streams.session.timeout.ms": 600_000}),
        price=Measure.STOPPED_S,
    ),
    "a static session below a restart": Harm(
        ("session.timeout.ms",),
        "KIP-345",
        {"session.timeout.ms": "6500", "heartbeat.interval.ms": "2000"},
        _streams(static=(True,) * 3),
        Measure.REBALANCES,
    ),
    "static members, half of them": Harm(("group.instance.id",), "KIP-345", {}, _streams(static=(True, True))),
    "static members among consumers, one of them": Harm(("group.instance.id",), "KIP-345", {}, _consumers(static=(True,))),
    "one instance ID for all": one("group.instance.id", "orders", "KIP-345"),
    "one instance ID for all consumers": one("consumer.group.instance.id", "orders", "KIP-345"),
    "static, and its process ID is new each time": Harm(
        ("group.instance.id", "default.dsl.store"),
        "KAFKA-10716",
        {},
        _streams(static=(True,) * 3, stores=Stores.IN_MEMORY, log=20 * M),
        Measure.MOVED,
    ),
    "static in a release that draws process IDs": Harm(
        ("Kafka Streams",), "KAFKA-10716", {}, _streams(static=(True,) * 3, release="2.7.0"), Measure.MOVED
    ),
    "threads taken from static members": Harm(
        ("num.stream.threads",),
        "KIP-345",
        {"num.stream.threads": "2", "session.timeout.ms": "600000"},
        _streams(static=(True,) * 3, threads=4),
    ),
    "an instance ID that the brokers refuse": Harm(
        ("group.instance.id",), "KAFKA-20169", {"group.instance.id": "a", "group.protocol": "streams"}, _by_broker(release="4.2.1")
    ),
}
POLLS: dict[str, Harm] = {
    "a poll interval of a second": one("max.poll.interval.ms", "1000", "KIP-62"),
    "a poll interval of 30 s": one("consumer.max.poll.interval.ms", "30000", "KIP-62", _streams(log=3 * M)),
    "a poll interval below the restore": one("max.poll.interval.ms", "240000", "KAFKA-6399", _streams(log=4 * M)),
    "a poll interval below the restore, of a streams group": one(
        "main.consumer.max.poll.interval.ms",
        "120000",
        "KAFKA-6399",
        _by_broker(log=4 * M, config={"streams.num.standby.replicas": 1}),
    ),
    "a poll interval that overflows": one("max.poll.interval.ms", "2147483647", "KAFKA-13126", _streams(release="2.8.2")),
    "a poll interval without an end": one("max.poll.interval.ms", "2147483647", "KIP-62"),
    "a poll interval of a day, of consumers": one("max.poll.interval.ms", "86400000", "KIP-62", consumers),
    "a poll interval of 5 s, of consumers": one("max.poll.interval.ms", "5000", "KIP-62", consumers),
    "blocks longer than the poll interval": one("poll.ms", "600000", "Streams Configs: poll.ms"),
    "requests given up after a second": one("request.timeout.ms", "1000", "KIP-572"),
    "requests given up while a fetch waits": Harm(
        ("fetch.max.wait.ms", "request.timeout.ms"),
        "Consumer Configs: request.timeout.ms",
        {"consumer.request.timeout.ms": "10000", "consumer.fetch.max.wait.ms": "10000"},
    ),
    "calls shorter than requests": Harm(
        ("default.api.timeout.ms",), "class KafkaAdminClient", {"admin.default.api.timeout.ms": "5000"}
    ),
    "metadata of a day ago": one("metadata.max.age.ms", "86400000", "Consumer Configs: metadata.max.age.ms"),
    "metadata of an hour ago, of consumers": one(
        "metadata.max.age.ms", "3600000", "Consumer Configs: metadata.max.age.ms", consumers
    ),
    "metadata each 100 ms": one("metadata.max.age.ms", "100", "Consumer Configs: metadata.max.age.ms"),
    "the first time-out is the last": one("task.timeout.ms", "0", "KIP-572"),
    "time-outs of a second": one("task.timeout.ms", "1000", "KIP-572"),
    "waits an hour for quiet partitions": one("max.task.idle.ms", "3600000", "KIP-695"),
    "connects again after half an hour": one("reconnect.backoff.max.ms", "1800000", "Consumer Configs: reconnect.backoff.max.ms"),
    "asks again after a minute": one("retry.backoff.ms", "60000", "Consumer Configs: retry.backoff.ms"),
    "closes connections after a second": one("connections.max.idle.ms", "1000", "Consumer Configs: connections.max.idle.ms"),
    "calls given up after half a second": one("main.consumer.default.api.timeout.ms", "500", "KIP-266"),
    "fails without an offset": one("auto.offset.reset", "none", "Consumer Configs: auto.offset.reset"),
}
RESTORES: dict[str, Harm] = {
    "a record a poll": one(
        "restore.consumer.max.poll.records", "1", "Streams developer guide: default values", _streams(log=3 * M)
    ),
    "ten records a poll, of all consumers": one(
        "consumer.max.poll.records", "10", "Streams developer guide: default values", _streams(log=3 * M)
    ),
    "4 KB of a partition": one(
        "restore.consumer.max.partition.fetch.bytes", "4096", "Consumer Configs: max.partition.fetch.bytes", _streams(log=3 * M)
    ),
    "64 KB a fetch": one("consumer.fetch.max.bytes", "65536", "Consumer Configs: fetch.max.bytes", _streams(log=3 * M)),
    "a receive buffer of 4 KB": one("receive.buffer.bytes", "4096", "Consumer Configs: receive.buffer.bytes", _streams(log=3 * M)),
    "waits for more than a fetch brings": one("fetch.min.bytes", "104857600", "Consumer Configs: fetch.min.bytes"),
    "fetches that wait 25 s": one("fetch.max.wait.ms", "25000", "Consumer Configs: fetch.max.wait.ms"),
    "a billion records in the heap": one(
        "buffered.records.per.partition", "1000000000", "Streams Configs: buffered.records.per.partition"
    ),
}
DISKS: dict[str, Harm] = {
    "state under /tmp": one("state.dir", "/tmp/kafka-streams", "KAFKA-10604", price=Measure.RESTORED),
    "state under /var/tmp": one("state.dir", "/var/tmp/streams", "Streams Configs: state.dir", price=Measure.RESTORED),
    "state in shared memory": one("state.dir", "/dev/shm/streams", "Streams Configs: state.dir", price=Measure.RESTORED),
    "state where the JVM has its temporary files": one(
        "state.dir", "${java.io.tmpdir}/kafka-streams", "Streams Configs: state.dir", price=Measure.RESTORED
    ),
    "state in the default folder": Harm(
        ("state.dir",), "KAFKA-10604", {"num.standby.replicas": "1"}, _streams(log=20 * M), Measure.RESTORED
    ),
    "state on an emptyDir": Harm(
        ("state.dir",),
        "Kubernetes: emptyDir",
        {},
        _on_disk("file:///var/lib/kubelet/pods/7/volumes/kubernetes.io~empty-dir/state/app"),
        Measure.RESTORED,
    ),
    "state on NFS": one("state.dir", "/mnt/nfs/streams", "Streams Configs: state.dir"),
    "state on a file system that hosts share": one("state.dir", "/efs/kafka-streams", "Streams Configs: state.dir"),
    "state deleted at once": one("state.cleanup.delay.ms", "0", "Streams Configs: state.cleanup.delay.ms", price=Measure.RESTORED),
    "state deleted after 5 s": one(
        "state.cleanup.delay.ms", "5000", "Streams Configs: state.cleanup.delay.ms", price=Measure.RESTORED
    ),
    "stores in memory, hours of state": one("default.dsl.store", "in_memory", "KIP-591", _streams(log=20 * M), Measure.RESTORED),
    "stores in memory by their suppliers": one(
        "dsl.store.suppliers.class",
        "org.apache.kafka.streams.state.BuiltInDslStoreSuppliers$InMemoryDslStoreSuppliers",
        "KIP-954",
        _streams(log=20 * M, stores=Stores.IN_MEMORY),
        Measure.RESTORED,
    ),
    "the cache's size said twice": Harm(
        ("cache.max.bytes.buffering", "statestore.cache.max.bytes"),
        "KIP-770",
        {"cache.max.bytes.buffering": "10485760", "statestore.cache.max.bytes": "0"},
    ),
    "RocksDB without a bound": Harm(
        ("rocksdb.config.setter",),
        "Streams developer guide: memory management",
        STATE | {"num.standby.replicas": "1"},
        _streams(clients=2, tasks=200, changelogs=4, log=10),
    ),
    "a negative cache": one("statestore.cache.max.bytes", "-1", "Streams Configs: at least 0"),
}
TRANSACTIONS: dict[str, Harm] = {
    "commits later than the transaction ends": Harm(("commit.interval.ms",), "KAFKA-12499", ONCE | {"commit.interval.ms": "30000"}),
    "commits a ms later than the transaction ends": Harm(
        ("commit.interval.ms",), "KAFKA-12499", ONCE | {"commit.interval.ms": "10001"}
    ),
    "a transaction shorter than its commits": Harm(
        ("commit.interval.ms", "transaction.timeout.ms"),
        "KAFKA-12499",
        ONCE | {"commit.interval.ms": "8000", "producer.transaction.timeout.ms": "6000"},
    ),
    "transactions of an hour": Harm(
        ("transaction.timeout.ms",), "Broker Configs: transaction.max.timeout.ms", ONCE | {"transaction.timeout.ms": "3600000"}
    ),
    "transactions a ms over what brokers take": Harm(
        ("transaction.timeout.ms",),
        "Broker Configs: transaction.max.timeout.ms",
        ONCE | {"producer.transaction.timeout.ms": "900001"},
    ),
    "transactions that hang for 15 minutes": Harm(
        ("transaction.timeout.ms",), "KIP-447", ONCE | {"producer.transaction.timeout.ms": "900000"}
    ),
    "transactions of a second": Harm(("transaction.timeout.ms",), "KAFKA-9809", ONCE | {"producer.transaction.timeout.ms": "1000"}),
    "the first version of exactly-once": one("processing.guarantee", "exactly_once", "KIP-732", _streams(release="3.4.1")),
    "a version of exactly-once that is gone": one(
        "processing.guarantee", "exactly_once_beta", "KIP-732", _streams(release="4.0.1")
    ),
    "the first version where it is gone": one("processing.guarantee", "exactly_once", "KIP-732", _streams(release="4.2.1")),
    "a version of exactly-once before it was there": one(
        "processing.guarantee", "exactly_once_v2", "KIP-732", _streams(release="2.8.2")
    ),
    "a guarantee that there is not": one("processing.guarantee", "exactly-once", "Streams Configs: processing.guarantee"),
    "many requests in flight with exactly-once": Harm(
        ("max.in.flight.requests.per.connection",), "class StreamsConfig", ONCE | {"max.in.flight.requests.per.connection": "10"}
    ),
    "acks of the leader with exactly-once": Harm(("acks",), "class ProducerConfig", ONCE | {"producer.acks": "1"}),
    "no retries with exactly-once": Harm(("retries",), "class ProducerConfig", ONCE | {"producer.retries": "0"}),
    "not idempotent with exactly-once": Harm(
        ("enable.idempotence",),
        "Streams developer guide: parameters controlled by Kafka Streams",
        ONCE | {"producer.enable.idempotence": "false"},
    ),
    "reads what is not committed": Harm(
        ("isolation.level",),
        "Streams developer guide: parameters controlled by Kafka Streams",
        ONCE | {"consumer.isolation.level": "read_uncommitted"},
    ),
    "commits once an hour": one("commit.interval.ms", "3600000", "Streams Configs: commit.interval.ms"),
    "commits each ms": one("commit.interval.ms", "1", "Streams Configs: commit.interval.ms"),
    "caches that survive a recycled task": Harm(
        ("processing.guarantee", "Kafka Streams"), "KAFKA-14172", ONCE | {"num.standby.replicas": "1"}, _streams(release="3.3.2")
    ),
    "a transactional ID without exactly-once": one("producer.transactional.id", "orders", "class KafkaProducer"),
}
PRODUCERS: dict[str, Harm] = {
    "acks of the leader": one("producer.acks", "1", "Streams developer guide: resiliency"),
    "no acks": one("acks", "0", "Streams developer guide: resiliency"),
    "records out of order": one("producer.max.in.flight.requests.per.connection", "50", "KIP-679"),
    "no retries": one("producer.retries", "0", "KIP-679"),
    "not idempotent": one("producer.enable.idempotence", "false", "KIP-679"),
    "given up before a request is": one("producer.delivery.timeout.ms", "5000", "KIP-91"),
    "given up before it is sent": Harm(
        ("delivery.timeout.ms", "linger.ms"), "KIP-91", {"producer.delivery.timeout.ms": "120000", "producer.linger.ms": "100000"}
    ),
    "a buffer below a record": one("producer.buffer.memory", "100000", "Producer Configs: buffer.memory"),
    "does not wait": one("producer.max.block.ms", "0", "Producer Configs: max.block.ms"),
    "requests larger than the topics take": Harm(
        ("topic.max.message.bytes",),
        "Topic Configs: max.message.bytes",
        {"producer.max.request.size": "20971520", "topic.max.message.bytes": "1048576"},
    ),
    "sent after a minute": one("producer.linger.ms", "60000", "Producer Configs: linger.ms"),
    "no batches": one("batch.size", "0", "Producer Configs: batch.size"),
    "a compression that there is not": one("producer.compression.type", "lz5", "Producer Configs: compression.type"),
}
TOPICS: dict[str, Harm] = {
    "one replica": one("replication.factor", "1", "Streams developer guide: resiliency"),
    "changelogs of one replica": Harm(
        ("replication.factor",), "Streams developer guide: resiliency", STATE, _streams(changelog_replicas=1)
    ),
    "all replicas in sync": Harm(
        ("min.insync.replicas",),
        "Topic Configs: min.insync.replicas",
        {"replication.factor": "2", "topic.min.insync.replicas": "2"},
    ),
    "more in sync than there are": Harm(
        ("min.insync.replicas",), "Topic Configs: min.insync.replicas", {"topic.min.insync.replicas": "4"}
    ),
    "changelogs deleted by age": one("topic.cleanup.policy", "delete", "class InternalTopicConfig"),
    "repartition topics of an hour": one("topic.retention.ms", "3600000", "class RepartitionTopicConfig"),
    "repartition topics of a MB": one("topic.retention.bytes", "1048576", "class RepartitionTopicConfig"),
    "leaders without the records": one("topic.unclean.leader.election.enable", "true", "Topic Configs"),
    "times of the brokers": one("topic.message.timestamp.type", "LogAppendTime", "class InternalTopicConfig"),
    "compacted when all is dirty": one("topic.min.cleanable.dirty.ratio", "1.0", "Topic Configs: min.cleanable.dirty.ratio"),
    "compacted after a week": one("topic.min.compaction.lag.ms", "604800000", "Topic Configs: min.compaction.lag.ms"),
    "segments of 64 KB": one("topic.segment.bytes", "65536", "KIP-1030"),
    "tombstones deleted at once": one(
        "topic.delete.retention.ms", "0", "Topic Configs: delete.retention.ms", _streams({"num.standby.replicas": 1}, log=20 * M)
    ),
    "records of yesterday refused": one(
        "topic.message.timestamp.difference.max.ms",
        "3600000",
        "Topic Configs: message.timestamp.difference.max.ms",
        _streams(release="3.5.2"),
    ),
    "records of before refused": one(
        "topic.message.timestamp.before.max.ms",
        "3600000",
        "Topic Configs: message.timestamp.before.max.ms",
        _streams(release="4.1.1"),
    ),
    "windows deleted with no room for clocks": one(
        "windowstore.changelog.additional.retention.ms", "0", "Streams Configs: windowstore.changelog.additional.retention.ms"
    ),
    "processed records kept for a day": one("repartition.purge.interval.ms", "86400000", "KIP-811"),
}
REST: dict[str, Harm] = {
    "no thread": one("num.stream.threads", "0", "Streams Configs: num.stream.threads"),
    "an assignor that Streams does not take": one(
        "partition.assignment.strategy",
        "org.apache.kafka.clients.consumer.RangeAssignor",
        "Streams developer guide: parameters controlled by Kafka Streams",
    ),
    "more threads than tasks": one("num.stream.threads", "100", "Streams architecture: threading model"),
    "left from an upgrade": one("upgrade.from", "3.4", "KIP-904", _streams(release="4.1.1")),
    "left from the upgrade to cooperative rebalancing": one("upgrade.from", "2.3", "KIP-429", _streams(release="3.9.1")),
    "an upgrade from what is no release": one("upgrade.from", "1.9", "Streams Configs: upgrade.from"),
    "standbys of the application, brokers assign": Harm(
        ("num.standby.replicas",), "KIP-1071", {"group.protocol": "streams", "num.standby.replicas": "1"}, by_broker
    ),
    "a session of the application, brokers assign": Harm(
        ("session.timeout.ms",), "KIP-1071", {"group.protocol": "streams", "session.timeout.ms": "90000"}, by_broker
    ),
    "an assignor of the application, brokers assign": Harm(
        ("task.assignor.class",), "KIP-1071", {"group.protocol": "streams", "task.assignor.class": PUBLIC}, by_broker
    ),
    "a session of a consumer, brokers assign": Harm(
        ("session.timeout.ms",),
        "KIP-848",
        {"group.protocol": "consumer", "session.timeout.ms": "30000"},
        _consumers(release="4.1.1"),
    ),
    "an assignor of a consumer, brokers assign": Harm(
        ("partition.assignment.strategy",),
        "KIP-848",
        {"group.protocol": "consumer", "partition.assignment.strategy": "org.apache.kafka.clients.consumer.RangeAssignor"},
        _consumers(release="4.1.1"),
    ),
    "a remote assignor where members assign": Harm(
        ("group.remote.assignor",),
        "KIP-848",
        {"group.protocol": "classic", "group.remote.assignor": "uniform"},
        _consumers(release="4.1.1"),
    ),
    "a first assignment after 10 minutes": Harm(
        ("streams.initial.rebalance.delay.ms",),
        "KIP-1071",
        group=_by_broker(config={"streams.initial.rebalance.delay.ms": 600_000}),
    ),
    "assignments each 15 s": Harm(
        ("streams.assignment.interval.ms",), "KIP-1263", group=_by_broker(config={"streams.assignment.interval.ms": 15_000})
    ),
    "a session that is no number": Harm(
        ("streams.session.timeout.ms",), "class GroupConfig", group=_by_broker(config={"streams.session.timeout.ms": "1m"})
    ),
    "a misspelt number of standbys": Harm(("num.standby.replicas",), "class ConfigDef", {"num.standby.replica": "1"}),
    "a misspelt session": Harm(("session.timeout.ms",), "class ConfigDef", {"consumer.session.timout.ms": "60000"}),
    "a misspelt interval": Harm(("max.poll.interval.ms",), "class ConfigDef", {"max.poll.intervals.ms": "600000"}),
    "a misspelt directory": Harm(("state.dir",), "class ConfigDef", {"state.dirs": "/data"}),
    "underscores for dots": Harm(("num.stream.threads",), "class ConfigDef", {"num_stream_threads": "4"}),
    "a consumer's key behind the producer's prefix": one("producer.session.timeout.ms", "60000", "Streams developer guide: naming"),
    "a producer's key behind a consumer's prefix": one("main.consumer.linger.ms", "5", "Streams developer guide: naming"),
    "a key of Streams behind a consumer's prefix": one("consumer.num.standby.replicas", "1", "Streams developer guide: naming"),
    "a cache's key of a later release": one("statestore.cache.max.bytes", "1", "KIP-770: from 3.4 on", _streams(release="3.3.2")),
    "an assignor's key of a later release": one("task.assignor.class", PUBLIC, "KIP-924: from 3.8 on", _streams(release="3.7.2")),
    "a task's time-out of a later release": one("task.timeout.ms", "600000", "KIP-572: from 2.7 on", _streams(release="2.6.3")),
    "a purge of a later release": one("repartition.purge.interval.ms", "60000", "KIP-811: from 3.2 on", _streams(release="3.1.2")),
    "a number that is none": one("num.standby.replicas", "one", "class ConfigDef"),
    "a number with a unit": one("session.timeout.ms", "45s", "class ConfigDef"),
    "commits by itself": one("main.consumer.enable.auto.commit", "true", "Streams Configs: enable.auto.commit"),
    "commits of consumers each hour": Harm(
        ("auto.commit.interval.ms",),
        "Consumer Configs: auto.commit.interval.ms",
        {"enable.auto.commit": "true", "auto.commit.interval.ms": "3600000"},
        consumers,
    ),
}
BUGS: dict[str, Harm] = {
    "process IDs drawn at each start": Harm(("Kafka Streams",), "KAFKA-10716", STATE, _streams(release="2.6.1"), Measure.MOVED),
    "process IDs drawn at each start, 2.7": Harm(
        ("Kafka Streams",), "KAFKA-10716", STATE, _streams(release="2.7.0"), Measure.MOVED
    ),
    "locks that the cleaner leaves": Harm(
        ("state.cleanup.delay.ms",), "KAFKA-16025", STATE | {"state.cleanup.delay.ms": "10000"}, _streams(release="3.5.2")
    ),
    "memory that 4.1.0 leaks": Harm(("Kafka Streams",), "KAFKA-19748", STATE, _streams(release="4.1.0")),
    "memory that 4.3.0 leaks": Harm(("Kafka Streams",), "KAFKA-20616", STATE, _streams(release="4.3.0")),
    "offsets of stores that are gone": Harm(
        ("Kafka Streams",), "KAFKA-20893", STATE | {"default.dsl.store": "in_memory"}, _streams(release="4.3.1")
    ),
}
HARMS: dict[str, Harm] = (
    WARM_UPS | STANDBYS | RACKS | SESSIONS | POLLS | RESTORES | DISKS | TRANSACTIONS | PRODUCERS | TOPICS | REST | BUGS
)
