"""Configurations that are sound by Kafka's documentation and by vendors' guides, in groups that they fit: none may have a finding.

Written from those sources, not from the rules of the doctor of settings.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from tests.harness.groups_at_rest import Shape, by_broker, consumers, streams
from tests.unit.rollout.settings.healthy import DISK, RESILIENT, V2, Healthy, M
from tests.unit.rollout.settings.known_healthy_by_key import BY_KEY
from tests.unit.rollout.settings.known_healthy_in_production import IN_PRODUCTION

from holdfast.kafka.consumer.group import Assignor
from holdfast.kafka.streams.config_check import ConfigValue
from holdfast.rollout.disks.state_directory import StateDirectory
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Stores


def _streams(config: Mapping[str, ConfigValue] | None = None, **shape: object) -> Callable[[], AnySnapshot]:
    return lambda: streams(Shape(**shape), config)  # type: ignore[arg-type]


def _consumers(**given: object) -> Callable[[], AnySnapshot]:
    return lambda: consumers(**given)  # type: ignore[arg-type]


def _by_broker(**given: object) -> Callable[[], AnySnapshot]:
    return lambda: by_broker(**given)  # type: ignore[arg-type]


def _on_disk(url: str, **shape: object) -> Callable[[], Snapshot]:
    return lambda: replace(streams(Shape(**shape)), state_directories=(StateDirectory(url, None),))  # type: ignore[arg-type]


ONE_STANDBY: dict[str, ConfigValue] = {"num.standby.replicas": 1}
BETA = {"processing.guarantee": "exactly_once_beta"}
ZONES = tuple((("zone", zone),) for zone in "abc")
RACKED: dict[str, object] = {"racks": ("a", "b", "c"), "replica_racks": ("a", "b", "c")}
CONNECTED = {
    "bootstrap.servers": "b-1.example.com:9096,b-2.example.com:9096",
    "security.protocol": "SASL_SSL",
    "sasl.mechanism": "SCRAM-SHA-512",
    "sasl.jaas.config": 'org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="p";',
    "client.dns.lookup": "use_all_dns_ips",
    "schema.registry.url": "https://registry.example.com",
    "default.key.serde": "org.apache.kafka.common.serialization.Serdes$StringSerde",
    "default.value.serde": "io.confluent.kafka.streams.serdes.avro.SpecificAvroSerde",
    "default.deserialization.exception.handler": "org.apache.kafka.streams.errors.LogAndContinueExceptionHandler",
}
BY_RELEASE: dict[str, Healthy] = {
    f"as recommended for resiliency, {release}": Healthy(RESILIENT, _streams(ONE_STANDBY, release=release))
    for release in ("2.6.3", "2.8.2", "3.0.2", "3.2.3", "3.5.2", "3.7.2", "3.9.1", "4.0.1", "4.2.1", "4.3.1")
} | {
    f"defaults of a small group, {release}": Healthy({}, _streams(release=release))
    for release in ("2.6.2", "2.7.2", "3.1.2", "3.4.1", "3.6.2", "3.8.1", "3.9.2", "4.1.1", "4.2.0", "4.3.1")
}
CLASSIC: dict[str, Healthy] = {
    "properties not known": Healthy(None),
    "release not known": Healthy(RESILIENT, _streams(ONE_STANDBY, release=None)),
    "one client": Healthy(DISK, _streams(clients=1, tasks=4, threads=4)),
    "two clients, a large state, a standby": Healthy(
        RESILIENT | {"acceptable.recovery.lag": "100000", "max.warmup.replicas": "8"},
        _streams(ONE_STANDBY, clients=2, tasks=8, log=2 * M),
    ),
    "a large group tuned for its size": Healthy(
        RESILIENT
        | {
            "max.warmup.replicas": "24",
            "acceptable.recovery.lag": "100000",
            "probing.rebalance.interval.ms": "300000",
            "num.stream.threads": "4",
            "rocksdb.config.setter": "org.example.BoundedMemory",
        },
        _streams(ONE_STANDBY, clients=6, tasks=48, threads=4, log=3 * M),
    ),
    "exactly-once, as the guide has it": Healthy(RESILIENT | V2, _streams(ONE_STANDBY)),
    "exactly-once, 3.6": Healthy(RESILIENT | V2, _streams(ONE_STANDBY, release="3.6.2")),
    "exactly-once, 4.3": Healthy(RESILIENT | V2, _streams(ONE_STANDBY, release="4.3.1")),
    "exactly-once, 2.8": Healthy(RESILIENT | BETA, _streams(ONE_STANDBY, release="2.8.2")),
    "exactly-once of the first version where it was the one to use": Healthy(
        RESILIENT | {"processing.guarantee": "exactly_once"}, _streams(ONE_STANDBY, release="2.6.3")
    ),
    "exactly-once with time for slow batches": Healthy(
        RESILIENT | V2 | {"commit.interval.ms": "1000", "producer.transaction.timeout.ms": "60000"}, _streams(ONE_STANDBY)
    ),
    "exactly-once, transactions of brokers' default": Healthy(
        RESILIENT | V2 | {"transaction.timeout.ms": "120000"}, _streams(ONE_STANDBY)
    ),
    "exactly-once, what Streams sets said once more": Healthy(
        RESILIENT | V2 | {"consumer.isolation.level": "read_committed", "producer.enable.idempotence": "true"},
        _streams(ONE_STANDBY),
    ),
    "static members with time for a restart": Healthy(
        RESILIENT | {"group.instance.id": "${HOSTNAME}", "session.timeout.ms": "120000"}, _streams(ONE_STANDBY, static=(True,) * 3)
    ),
    "static members with a long session": Healthy(
        RESILIENT | {"group.instance.id": "${POD_NAME}", "session.timeout.ms": "600000", "heartbeat.interval.ms": "10000"},
        _streams(ONE_STANDBY, static=(True,) * 3),
    ),
    "static members, default session": Healthy(DISK, _streams(static=(True,) * 3)),
    "a StatefulSet with a volume for each pod": Healthy(
        RESILIENT | {"group.instance.id": "${POD_NAME}", "session.timeout.ms": "90000", "state.dir": "/data/kafka-streams"},
        lambda: replace(
            streams(Shape(static=(True,) * 3), ONE_STANDBY),
            state_directories=(StateDirectory("file:///var/lib/kubelet/pods/1/volumes/kubernetes.io~csi/pvc-7/mount/app", None),),
        ),
    ),
    "volumes of a cloud": Healthy(DISK, _on_disk("file:///var/lib/kubelet/pods/1/volumes/kubernetes.io~aws-ebs/state/app")),
    "a local volume": Healthy(DISK, _on_disk("file:///var/lib/kubelet/pods/1/volumes/kubernetes.io~local-volume/state/app")),
    "standbys spread over zones": Healthy(
        RESILIENT | {"rack.aware.assignment.tags": "zone", "client.tag.zone": "${ZONE}"}, _streams(ONE_STANDBY, tags=ZONES)
    ),
    "standbys spread over zones and clusters": Healthy(
        RESILIENT | {"rack.aware.assignment.tags": "cluster,zone", "client.tag.zone": "a", "client.tag.cluster": "k1"},
        _streams(
            ONE_STANDBY,
            clients=4,
            tasks=8,
            tags=tuple((("cluster", cluster), ("zone", zone)) for cluster in ("k1", "k2") for zone in "ab"),
        ),
    ),
    "fewest reads across racks": Healthy(
        RESILIENT | {"rack.aware.assignment.strategy": "min_traffic", "client.rack": "a"}, _streams(ONE_STANDBY, **RACKED)
    ),
    "fewest reads across racks, with costs": Healthy(
        RESILIENT
        | {
            "rack.aware.assignment.strategy": "balance_subtopology",
            "client.rack": "${AZ}",
            "rack.aware.assignment.traffic_cost": "10",
            "rack.aware.assignment.non_overlap_cost": "1",
        },
        _streams(ONE_STANDBY, release="4.2.1", **RACKED),
    ),
    "reads from the nearest replica": Healthy(RESILIENT | {"client.rack": "a"}, _streams(ONE_STANDBY, **RACKED)),
    "stores in memory, small": Healthy({"default.dsl.store": "in_memory"}, _streams(stores=Stores.IN_MEMORY, log=1_000)),
    "stores in memory by their suppliers, small": Healthy(
        DISK | {"dsl.store.suppliers.class": "org.apache.kafka.streams.state.BuiltInDslStoreSuppliers$InMemoryDslStoreSuppliers"},
        _streams(stores=Stores.IN_MEMORY, log=1_000, release="3.8.1"),
    ),
    "no state that leaves at once": Healthy({"internal.leave.group.on.close": "true"}, _streams(log=0, changelogs=0)),
    "no state, many threads": Healthy({"num.stream.threads": "8"}, _streams(log=0, changelogs=0, threads=8, tasks=24)),
    "no state on a temporary folder": Healthy({"state.dir": "/tmp/kafka-streams"}, _streams(log=0, changelogs=0)),
    "high throughput": Healthy(
        RESILIENT
        | {
            "producer.linger.ms": "100",
            "producer.batch.size": "131072",
            "producer.compression.type": "lz4",
            "producer.buffer.memory": "67108864",
            "consumer.fetch.min.bytes": "100000",
            "consumer.fetch.max.wait.ms": "500",
            "consumer.max.poll.records": "5000",
            "consumer.max.partition.fetch.bytes": "2097152",
        },
        _streams(ONE_STANDBY),
    ),
    "low latency": Healthy(
        RESILIENT
        | {
            "producer.linger.ms": "0",
            "producer.compression.type": "none",
            "commit.interval.ms": "100",
            "statestore.cache.max.bytes": "0",
            "consumer.fetch.min.bytes": "1",
        },
        _streams(ONE_STANDBY),
    ),
    "durability": Healthy(
        RESILIENT
        | {
            "producer.acks": "all",
            "producer.enable.idempotence": "true",
            "producer.max.in.flight.requests.per.connection": "5",
            "producer.retries": "2147483647",
            "producer.delivery.timeout.ms": "300000",
        },
        _streams(ONE_STANDBY),
    ),
    "order without idempotence": Healthy(
        RESILIENT | {"producer.max.in.flight.requests.per.connection": "1"}, _streams(ONE_STANDBY, release="2.7.2")
    ),
    "a managed cluster's client settings": Healthy(
        RESILIENT
        | CONNECTED
        | {
            "request.timeout.ms": "20000",
            "retry.backoff.ms": "500",
            "metadata.max.age.ms": "180000",
            "connections.max.idle.ms": "540000",
            "producer.linger.ms": "5",
            "producer.delivery.timeout.ms": "60000",
            "reconnect.backoff.ms": "50",
            "reconnect.backoff.max.ms": "1000",
            "send.buffer.bytes": "-1",
            "receive.buffer.bytes": "-1",
        },
        _streams(ONE_STANDBY),
    ),
    "slow processing": Healthy(
        RESILIENT | {"max.poll.interval.ms": "900000", "max.poll.records": "100", "restore.consumer.max.poll.records": "1000"},
        _streams(ONE_STANDBY),
    ),
    "long calls": Healthy(
        RESILIENT | {"consumer.max.poll.interval.ms": "1800000", "consumer.session.timeout.ms": "60000"}, _streams(ONE_STANDBY)
    ),
    "the session of before 3.0": Healthy(
        RESILIENT | {"session.timeout.ms": "10000", "heartbeat.interval.ms": "3000"}, _streams(ONE_STANDBY, release="2.8.2")
    ),
    "joins in the order of time": Healthy(RESILIENT | {"max.task.idle.ms": "5000"}, _streams(ONE_STANDBY)),
    "joins that wait for nothing": Healthy(RESILIENT | {"max.task.idle.ms": "-1"}, _streams(ONE_STANDBY)),
    "reads what is new": Healthy(RESILIENT | {"consumer.auto.offset.reset": "latest"}, _streams(ONE_STANDBY)),
    "a cache of 100 MB": Healthy(RESILIENT | {"cache.max.bytes.buffering": "104857600"}, _streams(ONE_STANDBY)),
    "a cache of 100 MB by both keys": Healthy(
        RESILIENT | {"cache.max.bytes.buffering": "104857600", "statestore.cache.max.bytes": "104857600"}, _streams(ONE_STANDBY)
    ),
    "metrics and logs": Healthy(
        RESILIENT
        | {"metrics.recording.level": "DEBUG", "metric.reporters": "org.example.Reporter", "log.summary.interval.ms": "-1"},
        _streams(ONE_STANDBY),
    ),
    "named and optimised": Healthy(
        RESILIENT | {"topology.optimization": "all", "client.id": "orders", "application.server": "host:8080"},
        _streams(ONE_STANDBY),
    ),
    "internal topics compressed, in small segments": Healthy(
        RESILIENT | {"topic.compression.type": "zstd", "topic.segment.bytes": "52428800", "topic.min.cleanable.dirty.ratio": "0.1"},
        _streams(ONE_STANDBY),
    ),
    "tombstones for a week": Healthy(RESILIENT | {"topic.delete.retention.ms": "604800000"}, _streams(ONE_STANDBY)),
    "larger records": Healthy(
        RESILIENT
        | {
            "producer.max.request.size": "5242880",
            "topic.max.message.bytes": "5242880",
            "consumer.max.partition.fetch.bytes": "5242880",
        },
        _streams(ONE_STANDBY),
    ),
    "the sticky assignor, little state": Healthy(
        DISK | {"task.assignor.class": "org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor"}, _streams()
    ),
    "keys of a framework beside": Healthy(
        RESILIENT
        | {"spring.kafka.streams.application-id": "app", "topics.input": "in", "client_id": "an-oauth-client", "port": "8080"},
        _streams(ONE_STANDBY),
    ),
    "two standbys of five": Healthy(
        RESILIENT | {"num.standby.replicas": "2"}, _streams({"num.standby.replicas": 2}, clients=5, tasks=20)
    ),
    "time-outs of ten minutes": Healthy(RESILIENT | {"task.timeout.ms": "600000"}, _streams(ONE_STANDBY)),
}
RANGE, ROUND_ROBIN = "org.apache.kafka.clients.consumer.RangeAssignor", "org.apache.kafka.clients.consumer.RoundRobinAssignor"
STICKY, COOPERATIVE = (
    "org.apache.kafka.clients.consumer.StickyAssignor",
    "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
)
CONSUMERS: dict[str, Healthy] = {
    "consumers, defaults": Healthy({}, consumers),
    "consumers, properties not known": Healthy(None, consumers),
    "consumers, 2.8": Healthy({}, _consumers(release="2.8.2")),
    "consumers, 4.3": Healthy({}, _consumers(release="4.3.1")),
    "consumers by range": Healthy({"partition.assignment.strategy": RANGE}, consumers),
    "consumers in turn": Healthy({"partition.assignment.strategy": ROUND_ROBIN}, _consumers(assignor=Assignor.ROUNDROBIN)),
    "sticky consumers": Healthy({"partition.assignment.strategy": STICKY}, _consumers(assignor=Assignor.STICKY)),
    "cooperative consumers": Healthy(
        {"partition.assignment.strategy": COOPERATIVE}, _consumers(assignor=Assignor.COOPERATIVE_STICKY)
    ),
    "consumers on their way to cooperative": Healthy({"partition.assignment.strategy": f"{RANGE},{COOPERATIVE}"}, consumers),
    "static consumers": Healthy(
        {"group.instance.id": "${HOSTNAME}", "session.timeout.ms": "120000"}, _consumers(static=(True,) * 3)
    ),
    "consumers near their replicas": Healthy(
        {"client.rack": "a"}, _consumers(racks=("a", "b", "c"), replica_racks=("a", "b", "c"))
    ),
    "consumers that commit themselves": Healthy(
        {"enable.auto.commit": "false", "max.poll.records": "100", "max.poll.interval.ms": "600000", "auto.offset.reset": "none"},
        consumers,
    ),
    "consumers that commit each 5 s": Healthy({"enable.auto.commit": "true", "auto.commit.interval.ms": "5000"}, consumers),
    "consumers of a managed cluster": Healthy(
        {
            "session.timeout.ms": "45000",
            "heartbeat.interval.ms": "3000",
            "fetch.min.bytes": "32768",
            "fetch.max.wait.ms": "1000",
            "metadata.max.age.ms": "180000",
            "client.dns.lookup": "use_all_dns_ips",
            "isolation.level": "read_committed",
        },
        consumers,
    ),
    "consumers of the new protocol": Healthy(
        {"group.protocol": "consumer", "group.remote.assignor": "uniform"}, _consumers(release="4.2.1")
    ),
    "consumers of the classic protocol": Healthy({"group.protocol": "classic"}, _consumers(release="4.2.1")),
    "one consumer": Healthy({}, _consumers(count=1)),
}
BY_BROKER: dict[str, Healthy] = {
    "streams group, defaults": Healthy({"group.protocol": "streams"}, by_broker),
    "streams group, a standby": Healthy(
        DISK | {"group.protocol": "streams"}, _by_broker(config={"streams.num.standby.replicas": 1}, log=5 * M)
    ),
    "streams group, two standbys of five": Healthy(
        DISK | {"group.protocol": "streams"}, _by_broker(config={"streams.num.standby.replicas": 2}, clients=5, tasks=20)
    ),
    "streams group, its times": Healthy(
        {"group.protocol": "streams"},
        _by_broker(
            config={
                "streams.session.timeout.ms": 60_000,
                "streams.heartbeat.interval.ms": 10_000,
                "streams.initial.rebalance.delay.ms": 5_000,
            }
        ),
    ),
    "streams group, exactly-once": Healthy(DISK | V2 | {"group.protocol": "streams"}, by_broker),
    "streams group, static": Healthy(
        DISK | {"group.protocol": "streams", "group.instance.id": "${HOSTNAME}"}, _by_broker(static=True, release="4.4.0")
    ),
    "streams group, properties not known": Healthy(None, _by_broker(config={"streams.num.standby.replicas": 1})),
    "streams group, durable": Healthy(
        DISK | {"group.protocol": "streams", "producer.acks": "all", "replication.factor": "3", "topic.min.insync.replicas": "2"},
        by_broker,
    ),
    "streams group of one": Healthy({"group.protocol": "streams"}, _by_broker(clients=1)),
    "streams group, restores with time": Healthy(
        DISK | {"group.protocol": "streams", "max.poll.interval.ms": "600000"},
        _by_broker(config={"streams.num.standby.replicas": 1}, log=4 * M),
    ),
}
HEALTHY: dict[str, Healthy] = BY_RELEASE | CLASSIC | CONSUMERS | BY_BROKER | IN_PRODUCTION | BY_KEY
