"""The same about state, its restore, transactions, topics, keys, and bugs of a release."""

from tests.harness.groups_at_rest import by_broker, consumers
from tests.unit.rollout.settings.harm import ONCE, PUBLIC, STATE, Harm, M, by_broker_of, consumers_of, on_disk, one, streams_of

from holdfast.rollout.settings.rule import Measure
from holdfast.rollout.streams.snapshot.snapshot import Stores

RESTORES: dict[str, Harm] = {
    "a record a poll": one(
        "restore.consumer.max.poll.records", "1", "Streams developer guide: default values", streams_of(log=3 * M)
    ),
    "ten records a poll, of all consumers": one(
        "consumer.max.poll.records", "10", "Streams developer guide: default values", streams_of(log=3 * M)
    ),
    "4 KB of a partition": one(
        "restore.consumer.max.partition.fetch.bytes", "4096", "Consumer Configs: max.partition.fetch.bytes", streams_of(log=3 * M)
    ),
    "64 KB a fetch": one("consumer.fetch.max.bytes", "65536", "Consumer Configs: fetch.max.bytes", streams_of(log=3 * M)),
    "a receive buffer of 4 KB": one(
        "receive.buffer.bytes", "4096", "Consumer Configs: receive.buffer.bytes", streams_of(log=3 * M)
    ),
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
        ("state.dir",), "KAFKA-10604", {"num.standby.replicas": "1"}, streams_of(log=20 * M), Measure.RESTORED
    ),
    "state on an emptyDir": Harm(
        ("state.dir",),
        "Kubernetes: emptyDir",
        {},
        on_disk("file:///var/lib/kubelet/pods/7/volumes/kubernetes.io~empty-dir/state/app"),
        Measure.RESTORED,
    ),
    "state on NFS": one("state.dir", "/mnt/nfs/streams", "Streams Configs: state.dir"),
    "state on a file system that hosts share": one("state.dir", "/efs/kafka-streams", "Streams Configs: state.dir"),
    "state deleted at once": one("state.cleanup.delay.ms", "0", "Streams Configs: state.cleanup.delay.ms", price=Measure.RESTORED),
    "state deleted after 5 s": one(
        "state.cleanup.delay.ms", "5000", "Streams Configs: state.cleanup.delay.ms", price=Measure.RESTORED
    ),
    "stores in memory, hours of state": one("default.dsl.store", "in_memory", "KIP-591", streams_of(log=20 * M), Measure.RESTORED),
    "stores in memory by their suppliers": one(
        "dsl.store.suppliers.class",
        "org.apache.kafka.streams.state.BuiltInDslStoreSuppliers$InMemoryDslStoreSuppliers",
        "KIP-954",
        streams_of(log=20 * M, stores=Stores.IN_MEMORY),
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
        streams_of(clients=2, tasks=200, changelogs=4, log=10),
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
    "the first version of exactly-once": one("processing.guarantee", "exactly_once", "KIP-732", streams_of(release="3.4.1")),
    "a version of exactly-once that is gone": one(
        "processing.guarantee", "exactly_once_beta", "KIP-732", streams_of(release="4.0.1")
    ),
    "the first version where it is gone": one("processing.guarantee", "exactly_once", "KIP-732", streams_of(release="4.2.1")),
    "a version of exactly-once before it was there": one(
        "processing.guarantee", "exactly_once_v2", "KIP-732", streams_of(release="2.8.2")
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
        ("processing.guarantee", "Kafka Streams"), "KAFKA-14172", ONCE | {"num.standby.replicas": "1"}, streams_of(release="3.3.2")
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
        ("replication.factor",), "Streams developer guide: resiliency", STATE, streams_of(changelog_replicas=1)
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
        "topic.delete.retention.ms", "0", "Topic Configs: delete.retention.ms", streams_of({"num.standby.replicas": 1}, log=20 * M)
    ),
    "records of yesterday refused": one(
        "topic.message.timestamp.difference.max.ms",
        "3600000",
        "Topic Configs: message.timestamp.difference.max.ms",
        streams_of(release="3.5.2"),
    ),
    "records of before refused": one(
        "topic.message.timestamp.before.max.ms",
        "3600000",
        "Topic Configs: message.timestamp.before.max.ms",
        streams_of(release="4.1.1"),
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
    "left from an upgrade": one("upgrade.from", "3.4", "KIP-904", streams_of(release="4.1.1")),
    "left from the upgrade to cooperative rebalancing": one("upgrade.from", "2.3", "KIP-429", streams_of(release="3.9.1")),
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
        consumers_of(release="4.1.1"),
    ),
    "an assignor of a consumer, brokers assign": Harm(
        ("partition.assignment.strategy",),
        "KIP-848",
        {"group.protocol": "consumer", "partition.assignment.strategy": "org.apache.kafka.clients.consumer.RangeAssignor"},
        consumers_of(release="4.1.1"),
    ),
    "a remote assignor where members assign": Harm(
        ("group.remote.assignor",),
        "KIP-848",
        {"group.protocol": "classic", "group.remote.assignor": "uniform"},
        consumers_of(release="4.1.1"),
    ),
    "a first assignment after 10 minutes": Harm(
        ("streams.initial.rebalance.delay.ms",),
        "KIP-1071",
        group=by_broker_of(config={"streams.initial.rebalance.delay.ms": 600_000}),
    ),
    "assignments each 15 s": Harm(
        ("streams.assignment.interval.ms",), "KIP-1263", group=by_broker_of(config={"streams.assignment.interval.ms": 15_000})
    ),
    "a session that is no number": Harm(
        ("streams.session.timeout.ms",), "class GroupConfig", group=by_broker_of(config={"streams.session.timeout.ms": "1m"})
    ),
    "a misspelt number of standbys": Harm(("num.standby.replicas",), "class ConfigDef", {"num.standby.replica": "1"}),
    "a misspelt session": Harm(("session.timeout.ms",), "class ConfigDef", {"consumer.session.timout.ms": "60000"}),
    "a misspelt interval": Harm(("max.poll.interval.ms",), "class ConfigDef", {"max.poll.intervals.ms": "600000"}),
    "a misspelt directory": Harm(("state.dir",), "class ConfigDef", {"state.dirs": "/data"}),
    "underscores for dots": Harm(("num.stream.threads",), "class ConfigDef", {"num_stream_threads": "4"}),
    "a consumer's key behind the producer's prefix": one("producer.session.timeout.ms", "60000", "Streams developer guide: naming"),
    "a producer's key behind a consumer's prefix": one("main.consumer.linger.ms", "5", "Streams developer guide: naming"),
    "a key of Streams behind a consumer's prefix": one("consumer.num.standby.replicas", "1", "Streams developer guide: naming"),
    "a cache's key of a later release": one("statestore.cache.max.bytes", "1", "KIP-770: from 3.4 on", streams_of(release="3.3.2")),
    "an assignor's key of a later release": one("task.assignor.class", PUBLIC, "KIP-924: from 3.8 on", streams_of(release="3.7.2")),
    "a task's time-out of a later release": one("task.timeout.ms", "600000", "KIP-572: from 2.7 on", streams_of(release="2.6.3")),
    "a purge of a later release": one(
        "repartition.purge.interval.ms", "60000", "KIP-811: from 3.2 on", streams_of(release="3.1.2")
    ),
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
    "process IDs drawn at each start": Harm(("Kafka Streams",), "KAFKA-10716", STATE, streams_of(release="2.6.1"), Measure.MOVED),
    "process IDs drawn at each start, 2.7": Harm(
        ("Kafka Streams",), "KAFKA-10716", STATE, streams_of(release="2.7.0"), Measure.MOVED
    ),
    "locks that the cleaner leaves": Harm(
        ("state.cleanup.delay.ms",), "KAFKA-16025", STATE | {"state.cleanup.delay.ms": "10000"}, streams_of(release="3.5.2")
    ),
    "memory that 4.1.0 leaks": Harm(("Kafka Streams",), "KAFKA-19748", STATE, streams_of(release="4.1.0")),
    "memory that 4.3.0 leaks": Harm(("Kafka Streams",), "KAFKA-20616", STATE, streams_of(release="4.3.0")),
    "offsets of stores that are gone": Harm(
        ("Kafka Streams",), "KAFKA-20893", STATE | {"default.dsl.store": "in_memory"}, streams_of(release="4.3.1")
    ),
}
TO_DATA: dict[str, Harm] = RESTORES | DISKS | TRANSACTIONS | PRODUCERS | TOPICS | REST | BUGS
