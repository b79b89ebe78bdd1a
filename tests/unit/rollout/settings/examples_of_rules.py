"""For each rule of the doctor of settings a configuration with the harm, and one next to it without."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from tests.harness.groups_at_rest import Shape, by_broker, consumers, streams

from holdfast.kafka.streams.config_check import ConfigValue
from holdfast.rollout.disks.state_directory import StateDirectory
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Stores, Topic, TopicPartitionInfo

INTERNAL = "org.apache.kafka.streams.processor.internals.assignment"
Given = Mapping[str, str]


@dataclass(frozen=True)
class Pair:
    """`group` with the properties `bad` has the finding, with `good` it has not; `healthy`: another group for the second."""

    bad: Given = field(default_factory=dict)
    good: Given = field(default_factory=dict)
    group: Callable[[], AnySnapshot] = streams
    healthy: Callable[[], AnySnapshot] | None = None


def _streams(config: Mapping[str, ConfigValue] | None = None, **shape: object) -> Callable[[], AnySnapshot]:
    return lambda: streams(Shape(**shape), config)  # type: ignore[arg-type]


def _consumers(**given: object) -> Callable[[], AnySnapshot]:
    return lambda: consumers(**given)  # type: ignore[arg-type]


def _by_broker(**given: object) -> Callable[[], AnySnapshot]:
    return lambda: by_broker(**given)  # type: ignore[arg-type]


def _on_disk(url: str) -> Callable[[], Snapshot]:
    return lambda: replace(streams(), state_directories=(StateDirectory(url, None),))


def _repartitioned() -> Snapshot:
    group = streams()
    return replace(group, topics=(*group.topics, Topic("app-x-repartition", (TopicPartitionInfo(0, (None,)),))))


COMPACTED = {"topic.cleanup.policy": "compact"}
LARGE, MIDDLE = 20_000_000, 3_000_000
STATIC = (True, True, True)
TAGS = {"rack.aware.assignment.tags": "zone", "client.tag.zone": "a", "num.standby.replicas": "1"}
ZONES = tuple(((("zone", one),)) for one in "abc")
ALIKE = tuple(((("zone", "a"),)) for _ in "abc")
STRATEGY = {"rack.aware.assignment.strategy": "min_traffic"}
RACKED: dict[str, object] = {"racks": ("a", "b", "c"), "replica_racks": ("a", "b", "c")}
ONCE = {"processing.guarantee": "exactly_once_v2"}
STICKY = {"internal.task.assignor.class": f"{INTERNAL}.LegacyStickyTaskAssignor"}
MEMORY = {"default.dsl.store": "in_memory"}
SERDES, TRIGGER = "org.apache.kafka.common.serialization.Serdes", "metadata.recovery.rebootstrap.trigger.ms"
SASL, NAMES = {"security.protocol": "SASL_SSL"}, "ssl.endpoint.identification.algorithm"
REMOTE = {"group.protocol": "consumer", "group.remote.assignor": "uniform"}

WARM_UPS: dict[str, Pair] = {
    "warm-ups-too-few": Pair({"max.warmup.replicas": "1"}, {"max.warmup.replicas": "12"}, _streams(tasks=30, log=LARGE)),
    "warm-ups-too-many": Pair(
        {"max.warmup.replicas": "2147483647"}, {"max.warmup.replicas": "12"}, _streams(tasks=120, log=LARGE, clients=3)
    ),
    "recovery-lag-too-small": Pair({"acceptable.recovery.lag": "10"}, {"acceptable.recovery.lag": "10000"}),
    "recovery-lag-zero": Pair({"acceptable.recovery.lag": "0"}, {"acceptable.recovery.lag": "1"}, _streams(tasks=1, log=1)),
    "recovery-lag-below-markers": Pair(ONCE | {"acceptable.recovery.lag": "0"}, ONCE | {"acceptable.recovery.lag": "10000"}),
    "recovery-lag-too-large": Pair(
        {"acceptable.recovery.lag": "9223372036854775807"}, {"acceptable.recovery.lag": "20000"}, _streams(log=MIDDLE)
    ),
    "probing-interval-long": Pair(
        {"probing.rebalance.interval.ms": "86400000"}, {"probing.rebalance.interval.ms": "900000"}, _streams(log=MIDDLE)
    ),
    "probing-interval-short": Pair(
        {"probing.rebalance.interval.ms": "60000"}, {"probing.rebalance.interval.ms": "600000"}, _streams(log=LARGE)
    ),
    "assignor-without-warm-ups": Pair(STICKY, {}, _streams(log=MIDDLE)),
    "assignor-of-last-resort": Pair(
        {"internal.task.assignor.class": f"{INTERNAL}.FallbackPriorTaskAssignor"},
        {"internal.task.assignor.class": f"{INTERNAL}.HighAvailabilityTaskAssignor"},
    ),
    "warm-up-settings-ignored": Pair(STICKY | {"max.warmup.replicas": "8"}, STICKY | {"max.warmup.replicas": "2"}),
    "standbys-more-than-clients": Pair({"num.standby.replicas": "3"}, {"num.standby.replicas": "2"}),
    "no-standbys": Pair({}, {"num.standby.replicas": "1"}, _streams(log=LARGE)),
    "standbys-over-the-limit-of-the-brokers": Pair(
        group=_by_broker(config={"streams.num.standby.replicas": 3}, clients=5),
        healthy=_by_broker(config={"streams.num.standby.replicas": 2}, clients=5),
    ),
    "group-without-standbys": Pair(
        group=_by_broker(log=LARGE), healthy=_by_broker(log=LARGE, config={"streams.num.standby.replicas": 1})
    ),
}
RACKS: dict[str, Pair] = {
    "rack-tags-without-value": Pair(
        {"rack.aware.assignment.tags": "zone", "num.standby.replicas": "1"}, TAGS, _streams(tags=ZONES)
    ),
    "rack-tags-missing-at-a-client": Pair(TAGS, TAGS, _streams(tags=ZONES[:2]), _streams(tags=ZONES)),
    "rack-tags-alike": Pair(TAGS, TAGS, _streams(tags=ALIKE), _streams(tags=ZONES)),
    "rack-tags-without-standbys": Pair(TAGS | {"num.standby.replicas": "0"}, TAGS, _streams(tags=ZONES)),
    "rack-strategy-without-client-rack": Pair(STRATEGY, STRATEGY, _streams(replica_racks=("a", "b", "c")), _streams(**RACKED)),
    "rack-strategy-without-broker-racks": Pair(STRATEGY, STRATEGY, _streams(racks=("a", "b", "c")), _streams(**RACKED)),
    "rack-names-differ": Pair(
        group=_consumers(racks=("x", "x", "x"), replica_racks=("a", "b", "c")),
        healthy=_consumers(racks=("a", "b", "x"), replica_racks=("a", "b", "c")),
    ),
    "rack-strategy-in-one-rack": Pair(
        STRATEGY, STRATEGY, _streams(racks=("a", "a", "a"), replica_racks=("a", "b", "c")), _streams(**RACKED)
    ),
    "rack-costs-without-strategy": Pair(
        {"rack.aware.assignment.traffic_cost": "5"}, STRATEGY | {"rack.aware.assignment.traffic_cost": "5"}, _streams(**RACKED)
    ),
}
TIMING: dict[str, Pair] = {
    "heartbeat-not-below-session": Pair({"heartbeat.interval.ms": "45000"}, {"heartbeat.interval.ms": "15000"}),
    "heartbeat-over-a-third": Pair({"consumer.heartbeat.interval.ms": "20000"}, {"consumer.heartbeat.interval.ms": "15000"}),
    "session-outside-of-the-brokers": Pair({"session.timeout.ms": "5000", "heartbeat.interval.ms": "1000"}, {}),
    "session-long": Pair({"main.consumer.session.timeout.ms": "900000"}, {"session.timeout.ms": "120000"}),
    "session-short": Pair({"session.timeout.ms": "9000"}, {"session.timeout.ms": "15000"}),
    "leaves-on-close": Pair({"internal.leave.group.on.close": "true"}, {"internal.leave.group.on.close": "false"}),
    "does-not-leave-on-close": Pair(
        {"internal.leave.group.on.close": "false"}, {"internal.leave.group.on.close": "true"}, consumers
    ),
    "group-heartbeat-over-a-third": Pair(
        group=_by_broker(config={"streams.heartbeat.interval.ms": 16_000}),
        healthy=_by_broker(config={"streams.heartbeat.interval.ms": 15_000}),
    ),
    "group-session-long": Pair(
        group=_by_broker(config={"streams.session.timeout.ms": 600_000}),
        healthy=_by_broker(config={"streams.session.timeout.ms": 60_000}),
    ),
    "group-session-below-restart": Pair(
        group=_by_broker(config={"streams.session.timeout.ms": 4_000, "streams.heartbeat.interval.ms": 1_000}, static=True),
        healthy=_by_broker(config={"streams.session.timeout.ms": 45_000}, static=True),
    ),
    "static-members-partly": Pair(group=_streams(static=(True, False)), healthy=_streams(static=STATIC)),
    "static-id-of-all-clients": Pair(
        {"group.instance.id": "one"}, {"group.instance.id": "${HOSTNAME}"}, healthy=_streams(static=STATIC)
    ),
    "static-session-below-restart": Pair(
        {"session.timeout.ms": "7000", "heartbeat.interval.ms": "2200"}, {"session.timeout.ms": "60000"}, _streams(static=STATIC)
    ),
    "static-members-with-new-ids": Pair(
        group=_streams(static=STATIC, stores=Stores.IN_MEMORY, log=MIDDLE), healthy=_streams(static=STATIC)
    ),
    "static-threads-taken": Pair(
        {"num.stream.threads": "1", "session.timeout.ms": "300000"},
        {"num.stream.threads": "2", "session.timeout.ms": "300000"},
        _streams(static=STATIC),
    ),
    "static-members-refused-by-brokers": Pair(
        {"group.instance.id": "a"}, {"group.instance.id": "a"}, _by_broker(release="4.3.1"), _by_broker(release="4.4.0")
    ),
}
POLLS: dict[str, Pair] = {
    "max-poll-interval-short": Pair({"max.poll.interval.ms": "10000"}, {"max.poll.interval.ms": "120000"}),
    "max-poll-interval-below-restore": Pair(
        {"max.poll.interval.ms": "120000"}, {"max.poll.interval.ms": "600000"}, _streams(log=MIDDLE)
    ),
    "max-poll-interval-long": Pair({"max.poll.interval.ms": "2147483647"}, {"max.poll.interval.ms": "1800000"}),
    "max-poll-interval-overflows": Pair(
        {"max.poll.interval.ms": "2147483647"},
        {"max.poll.interval.ms": "2147483647"},
        _streams(release="3.0.2"),
        _streams(release="3.1.2"),
    ),
    "poll-blocks-long": Pair({"poll.ms": "300000"}, {"poll.ms": "1000"}),
    "fetches-time-out": Pair({"restore.consumer.fetch.max.wait.ms": "30000"}, {"restore.consumer.fetch.max.wait.ms": "1000"}),
    "request-timeout-short": Pair({"admin.request.timeout.ms": "1000"}, {"admin.request.timeout.ms": "15000"}),
    "api-timeout-below-request": Pair(
        {"admin.default.api.timeout.ms": "20000"}, {"admin.default.api.timeout.ms": "20000", "admin.request.timeout.ms": "15000"}
    ),
    "metadata-old": Pair({"metadata.max.age.ms": "86400000"}, {"metadata.max.age.ms": "600000"}),
    "metadata-eager": Pair({"metadata.max.age.ms": "1000"}, {"metadata.max.age.ms": "60000"}, consumers),
    "task-timeout-short": Pair({"task.timeout.ms": "0"}, {"task.timeout.ms": "60000"}),
    "task-idles-long": Pair({"max.task.idle.ms": "600000"}, {"max.task.idle.ms": "1000"}),
    "reconnects-late": Pair({"reconnect.backoff.max.ms": "600000"}, {"reconnect.backoff.max.ms": "10000"}),
    "connections-closed-early": Pair({"connections.max.idle.ms": "1000"}, {"connections.max.idle.ms": "-1"}),
    "retries-late": Pair({"producer.retry.backoff.ms": "60000"}, {"producer.retry.backoff.ms": "1000"}),
    "no-offset-no-start": Pair({"auto.offset.reset": "none"}, {"auto.offset.reset": "latest"}),
    "restore-polls-small": Pair({"restore.consumer.max.poll.records": "1"}, {"restore.consumer.max.poll.records": "500"}),
    "fetch-of-a-partition-small": Pair(
        {"restore.consumer.max.partition.fetch.bytes": "1024"}, {"restore.consumer.max.partition.fetch.bytes": "524288"}
    ),
    "fetch-small": Pair({"fetch.max.bytes": "65536"}, {"fetch.max.bytes": "10485760"}, consumers),
    "receive-buffer-small": Pair({"restore.consumer.receive.buffer.bytes": "1024"}, {"receive.buffer.bytes": "-1"}),
    "fetch-waits-for-more-than-fits": Pair({"fetch.min.bytes": "100000000"}, {"fetch.min.bytes": "1024"}),
    "fetch-waits-long": Pair({"fetch.max.wait.ms": "20000"}, {"fetch.max.wait.ms": "1000"}),
    "records-buffered-without-bound": Pair(
        {"buffered.records.per.partition": "2000000000"}, {"buffered.records.per.partition": "5000"}
    ),
}
STATE: dict[str, Pair] = {
    "state-dir-temporary": Pair({"state.dir": "/tmp/kafka-streams"}, {"state.dir": "/var/lib/kafka-streams"}),
    "state-dir-left-to-default": Pair({}, {"state.dir": "/data/state"}, _streams(log=LARGE)),
    "state-dir-ephemeral": Pair(
        group=_on_disk("file:///var/lib/kubelet/pods/x/volumes/kubernetes.io~empty-dir/state/app"),
        healthy=_on_disk("file:///var/lib/kubelet/pods/x/volumes/kubernetes.io~csi/state/app"),
    ),
    "state-dir-shared": Pair({"state.dir": "/mnt/nfs/state"}, {"state.dir": "/mnt/disk1/state"}),
    "state-cleaned-early": Pair({"state.cleanup.delay.ms": "0"}, {"state.cleanup.delay.ms": "3600000"}),
    "stores-in-memory": Pair(MEMORY, {"default.dsl.store": "rocksDB"}, _streams(log=MIDDLE)),
    "cache-set-twice": Pair(
        {"cache.max.bytes.buffering": "0", "statestore.cache.max.bytes": "10485760"}, {"statestore.cache.max.bytes": "0"}
    ),
    "rocksdb-memory-unbounded": Pair(
        {}, {"rocksdb.config.setter": "org.example.Bounded"}, _streams(clients=1, tasks=100, changelogs=4, log=10)
    ),
    "locks-left-by-the-cleaner": Pair(
        {"state.cleanup.delay.ms": "1000"}, {"state.cleanup.delay.ms": "1000"}, _streams(release="3.6.2"), _streams(release="3.8.1")
    ),
    "offsets-of-stores-in-memory": Pair(MEMORY, MEMORY, _streams(release="4.3.1"), _streams(release="4.2.1")),
    "iterators-leak-memory": Pair(group=_streams(release="4.1.0"), healthy=_streams(release="4.1.1")),
    "rocksdb-leaks-memory": Pair(group=_streams(release="4.3.0"), healthy=_streams(release="4.3.1")),
    "process-id-not-kept": Pair(group=_streams(release="2.7.0"), healthy=_streams(release="2.7.2")),
}
TRANSACTIONS: dict[str, Pair] = {
    "commit-interval-over-transaction-timeout": Pair(ONCE | {"commit.interval.ms": "30000"}, ONCE | {"commit.interval.ms": "1000"}),
    "transaction-timeout-over-the-brokers": Pair(
        ONCE | {"producer.transaction.timeout.ms": "1000000"}, ONCE | {"producer.transaction.timeout.ms": "60000"}
    ),
    "transaction-timeout-long": Pair(ONCE | {"transaction.timeout.ms": "900000"}, {"transaction.timeout.ms": "900000"}),
    "transaction-timeout-short": Pair(ONCE | {"transaction.timeout.ms": "1000"}, ONCE | {"transaction.timeout.ms": "30000"}),
    "exactly-once-of-the-first-version": Pair({"processing.guarantee": "exactly_once"}, ONCE),
    "exactly-once-in-flight": Pair(
        ONCE | {"max.in.flight.requests.per.connection": "10"}, ONCE | {"max.in.flight.requests.per.connection": "5"}
    ),
    "commits-rarely": Pair({"commit.interval.ms": "3600000"}, {"commit.interval.ms": "60000"}),
    "auto-commits-rarely": Pair({"auto.commit.interval.ms": "3600000"}, {"auto.commit.interval.ms": "60000"}, consumers),
    "transactional-id-without-exactly-once": Pair({"transactional.id": "a"}, ONCE | {"transactional.id": "a"}),
    "commits-eagerly": Pair({"commit.interval.ms": "1"}, ONCE | {"commit.interval.ms": "50"}),
    "idempotence-without-effect": Pair(ONCE | {"producer.enable.idempotence": "false"}, ONCE | {"enable.idempotence": "true"}),
    "state-lost-by-cache": Pair(
        ONCE | {"num.standby.replicas": "1"},
        ONCE | {"num.standby.replicas": "1", "statestore.cache.max.bytes": "0"},
        _streams(release="3.4.0"),
    ),
    "acks-of-the-leader-alone": Pair({"producer.acks": "1"}, {"producer.acks": "all"}),
    "records-out-of-order": Pair({"max.in.flight.requests.per.connection": "20"}, {"max.in.flight.requests.per.connection": "1"}),
    "producer-without-retries": Pair({"producer.retries": "0"}, {"producer.retries": "10"}),
    "producer-not-idempotent": Pair({"enable.idempotence": "false"}, {"enable.idempotence": "true"}),
    "delivery-timeout-short": Pair({"delivery.timeout.ms": "10000"}, {"delivery.timeout.ms": "60000"}),
    "producer-buffer-small": Pair({"buffer.memory": "65536"}, {"buffer.memory": "67108864"}),
    "records-sent-late": Pair({"linger.ms": "30000"}, {"linger.ms": "1000"}),
    "records-sent-one-by-one": Pair({"producer.batch.size": "0"}, {"producer.batch.size": "16384"}),
    "producer-blocks-briefly": Pair({"max.block.ms": "0"}, {"max.block.ms": "30000"}),
}
TOPICS: dict[str, Pair] = {
    "replication-factor-one": Pair({"replication.factor": "1"}, {"replication.factor": "3"}),
    "changelogs-with-one-replica": Pair(group=_streams(changelog_replicas=1), healthy=_streams(changelog_replicas=2)),
    "in-sync-replicas-too-many": Pair(
        {"replication.factor": "3", "topic.min.insync.replicas": "3"}, {"replication.factor": "3", "topic.min.insync.replicas": "2"}
    ),
    "changelogs-deleted": Pair({"topic.cleanup.policy": "delete"}, {"topic.cleanup.policy": "compact"}),
    "repartition-topics-expire": Pair({"topic.retention.ms": "3600000"}, {"topic.retention.ms": "-1"}),
    "unclean-leaders": Pair({"topic.unclean.leader.election.enable": "true"}, {"topic.unclean.leader.election.enable": "false"}),
    "timestamps-of-the-brokers": Pair(
        {"topic.message.timestamp.type": "LogAppendTime"}, {"topic.message.timestamp.type": "CreateTime"}
    ),
    "changelogs-compacted-late": Pair({"topic.min.cleanable.dirty.ratio": "0.99"}, {"topic.min.cleanable.dirty.ratio": "0.3"}),
    "changelogs-not-compacted": Pair({"topic.min.compaction.lag.ms": "604800000"}, {"topic.min.compaction.lag.ms": "60000"}),
    "tombstones-deleted-early": Pair({"topic.delete.retention.ms": "60000"}, {"topic.delete.retention.ms": "86400000"}),
    "old-records-refused": Pair(
        {"topic.message.timestamp.before.max.ms": "60000"}, {"topic.message.timestamp.before.max.ms": "31536000000"}
    ),
    "windows-deleted-early": Pair(
        {"windowstore.changelog.additional.retention.ms": "0"}, {"windowstore.changelog.additional.retention.ms": "86400000"}
    ),
    "segments-small": Pair({"topic.segment.bytes": "1024"}, {"topic.segment.bytes": "52428800"}),
    "records-larger-than-the-topics-take": Pair(
        {"topic.max.message.bytes": "1048588", "producer.max.request.size": "10485760"},
        {"topic.max.message.bytes": "10485760", "producer.max.request.size": "10485760"},
    ),
    "repartition-topics-purged-late": Pair(
        {"repartition.purge.interval.ms": "86400000"}, {"repartition.purge.interval.ms": "60000"}
    ),
    "more-threads-than-tasks": Pair({"num.stream.threads": "64"}, {"num.stream.threads": "4"}),
    "no-threads": Pair({"num.stream.threads": "0"}, {"num.stream.threads": "1"}),
    "upgrade-from-left-over": Pair({"upgrade.from": "3.4"}, {}),
    "settings-of-the-classic-protocol": Pair({"num.standby.replicas": "1"}, {"state.dir": "/data"}, by_broker),
    "settings-refused-by-the-consumer-protocol": Pair(
        {"group.protocol": "consumer", "session.timeout.ms": "45000"}, {"group.protocol": "consumer"}, _consumers(release="4.1.1")
    ),
    "strategy-without-effect": Pair({"consumer.partition.assignment.strategy": "org.example.Own"}, {"client.rack": "a"}),
    "remote-assignor-of-the-classic-protocol": Pair(
        {"group.remote.assignor": "uniform"},
        {"group.remote.assignor": "uniform", "group.protocol": "consumer"},
        _consumers(release="4.1.1"),
    ),
    "initial-delay-long": Pair(
        group=_by_broker(config={"streams.initial.rebalance.delay.ms": 300_000}),
        healthy=_by_broker(config={"streams.initial.rebalance.delay.ms": 10_000}),
    ),
    "assignment-interval-long": Pair(
        group=_by_broker(config={"streams.assignment.interval.ms": 15_000}),
        healthy=_by_broker(config={"streams.assignment.interval.ms": 5_000}),
    ),
    "value-refused": Pair({"probing.rebalance.interval.ms": "1000"}, {"probing.rebalance.interval.ms": "60000"}),
    "key-misspelt": Pair({"num.standby.replica": "1"}, {"app.standby.mode": "1"}),
    "key-of-another-client": Pair({"producer.max.poll.records": "500"}, {"producer.own.key": "500"}),
    "key-of-another-release": Pair(STRATEGY, {"rack.aware.assignment.strategy": "none"}, _streams(release="3.5.2")),
    "commits-by-itself": Pair({"enable.auto.commit": "true"}, {"enable.auto.commit": "false"}),
    "group-value-refused": Pair(
        group=_by_broker(config={"streams.session.timeout.ms": "soon"}),
        healthy=_by_broker(config={"streams.session.timeout.ms": "50000"}),
    ),
}
CLIENTS: dict[str, Pair] = {
    "address-without-port": Pair({"bootstrap.servers": "a:1,b"}, {"bootstrap.servers": "a:1,b:2"}),
    "retries-without-a-pause": Pair({"retry.backoff.ms": "0"}, {"retry.backoff.ms": "100"}),
    "connections-given-up-early": Pair(
        {"socket.connection.setup.timeout.ms": "100"}, {"socket.connection.setup.timeout.ms": "10000"}
    ),
    "request-timeout-long": Pair({"request.timeout.ms": "3600000"}, {"request.timeout.ms": "300000"}),
    "brokers-not-found-again": Pair({"metadata.recovery.strategy": "none"}, {"metadata.recovery.strategy": "rebootstrap"}),
    "heartbeats-eager": Pair({"heartbeat.interval.ms": "10"}, {"heartbeat.interval.ms": "1000"}),
    "group-heartbeats-eager": Pair(
        group=_by_broker(config={"streams.heartbeat.interval.ms": 100}),
        healthy=_by_broker(config={"streams.heartbeat.interval.ms": 5_000}),
    ),
    "fetches-do-not-wait": Pair({"fetch.max.wait.ms": "0"}, {"fetch.max.wait.ms": "100"}),
    "fetches-beyond-the-heap": Pair(
        {"consumer.max.partition.fetch.bytes": "2147483647"}, {"consumer.max.partition.fetch.bytes": "52428800"}
    ),
    "polls-large": Pair({"max.poll.records": "1000000"}, {"max.poll.records": "10000"}, consumers),
    "cache-beyond-the-heap": Pair({"statestore.cache.max.bytes": "21474836480"}, {"statestore.cache.max.bytes": "1073741824"}),
    "producer-buffer-large": Pair({"producer.buffer.memory": "8589934592"}, {"producer.buffer.memory": "268435456"}),
    "keys-scattered": Pair({"producer.partitioner.ignore.keys": "true"}, {"producer.partitioner.ignore.keys": "false"}),
    "requests-small": Pair({"producer.max.request.size": "1000"}, {"producer.max.request.size": "1000000"}),
    "send-buffer-small": Pair({"producer.send.buffer.bytes": "1024"}, {"producer.send.buffer.bytes": "-1"}),
    "repartition-topics-compacted": Pair(COMPACTED, {}, _repartitioned),
    "segments-rolled-often": Pair({"topic.segment.ms": "1000"}, {"topic.segment.ms": "3600000"}),
    "records-flushed-one-by-one": Pair({"topic.flush.messages": "1"}, {"topic.flush.messages": "9223372036854775807"}),
    "topic-value-refused": Pair({"topic.retention.ms": "7d"}, {"topic.retention.ms": "-1"}),
    "changelogs-in-tiered-storage": Pair({"topic.remote.storage.enable": "true"}, {"topic.remote.storage.enable": "false"}),
    "value-not-understood": Pair({"topology.optimization": "some"}, {"topology.optimization": "all"}),
    "class-unknown": Pair({"default.key.serde": f"{SERDES}.LongSerde"}, {"default.key.serde": f"{SERDES}$LongSerde"}),
    "checksums-unchecked": Pair({"check.crcs": "false"}, {"check.crcs": "true"}),
    "backoff-over-its-maximum": Pair({"retry.backoff.ms": "3000"}, {"retry.backoff.ms": "3000", "retry.backoff.max.ms": "3000"}),
    "admin-gives-up-early": Pair({"admin.retries": "0"}, {"admin.retries": "20"}),
    "bootstraps-again-early": Pair({TRIGGER: "10"}, {TRIGGER: "30000"}, _streams(release="4.1.1")),
    "auto-commits-eagerly": Pair({"auto.commit.interval.ms": "1"}, {"auto.commit.interval.ms": "500"}, consumers),
    "segment-index-small": Pair({"topic.segment.index.bytes": "8"}, {"topic.segment.index.bytes": "65536"}),
    "decided-by-streams": Pair({"consumer.group.id": "a"}, {"restore.consumer.client.rack": "a"}),
    "protocol-of-a-later-release": Pair({"group.protocol": "streams"}, {"group.protocol": "classic"}),
    "remote-assignor-of-clients": Pair(REMOTE | {"group.remote.assignor": "sticky"}, REMOTE, _consumers(release="4.1.1")),
    "credentials-without-effect": Pair({"sasl.mechanism": "PLAIN"}, {"sasl.mechanism": "PLAIN", "security.protocol": "SASL_SSL"}),
    "password-in-the-clear": Pair(
        {"sasl.mechanism": "PLAIN", "security.protocol": "SASL_PLAINTEXT"}, {"security.protocol": "SASL_PLAINTEXT"}
    ),
    "mechanism-unknown": Pair(SASL | {"sasl.mechanism": "SCRAM-SHA256"}, SASL | {"sasl.mechanism": "SCRAM-SHA-256"}),
    "host-names-not-verified": Pair(SASL | {NAMES: ""}, SASL | {NAMES: "https"}),
    "tls-versions-disabled": Pair(SASL | {"ssl.enabled.protocols": "TLSv1"}, SASL | {"ssl.enabled.protocols": "TLSv1,TLSv1.2"}),
}
PAIRS: dict[str, Pair] = WARM_UPS | RACKS | TIMING | POLLS | STATE | TRANSACTIONS | TOPICS | CLIENTS

BY_BROKER = "group-session-long"
PRICED = {
    "static-members-with-new-ids",
    *("assignor-without-warm-ups", "leaves-on-close", "no-standbys", "probing-interval-long", "probing-interval-short"),
    *("process-id-not-kept", "recovery-lag-too-large", "recovery-lag-too-small", "session-long", "state-cleaned-early"),
    *("state-dir-ephemeral", "state-dir-left-to-default", "state-dir-temporary", "static-session-below-restart"),
    *("stores-in-memory", "warm-ups-too-few", "warm-ups-too-many", BY_BROKER),
}
"""Those whose harm has a price by forecasts in its example."""
